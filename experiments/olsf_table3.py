#!/usr/bin/python3
"""Paper 004, table 3, and paper 002, table II (the same figures for six sets): mistakes of olsf, olsf-1 and olsf-2.

    SLUICE_DATA=DIR experiments/olsf_table3.py          writes experiments/results/olsf_table3.csv

lambda = 30, B = 0.5, C = 0.1, as paper 002 says. Paper 004 has the same figures but says that C is chosen from 1e-4 to
1e4, so there is also a line with C chosen for that set and learner. HAPT is not used (DATA.md).
"""
import tempfile

from trapezoid import HEADER, SETS, Streams, Table, given_and_best, line, options

PAPER = {
    "a8a": [(12673.5, 75.9), (11204.7, 713.1), (11317.2, 233.1)], "german": [(415.9, 15.6), (366.9, 8.8), (366.9, 12.8)],
    "ionosphere": [(55.0, 2.8), (55.0, 2.8), (50.5, 6.4)], "isolet": [(23.5, 4.9), (21.5, 2.1), (18.0, 4.2)],
    "magic04": [(8051.3, 49.0), (6732.3, 73.3), (6924.5, 39.6)], "spambase": [(1132.1, 29.7), (1004.5, 25.6), (1013.2, 26.1)],
    "splice": [(1314.6, 30.3), (1243.7, 13.6), (1238.8, 16.8)], "svmguide3": [(396.7, 15.8), (359.1, 42.9), (357.5, 26.9)],
    "wbc": [(37.5, 0.7), (35.5, 0.7), (34.0, 4.2)], "wdbc": [(43.5, 3.5), (39.5, 0.7), (38.5, 4.9)],
    "wpbc": [(88.5, 2.1), (82.0, 8.5), (83.0, 1.4)],
}


def main():
    args = options(__doc__)
    table = Table(args, "olsf_table3.csv", HEADER)
    for name, (_, paper_rows) in SETS.items():
        with tempfile.TemporaryDirectory() as folder:
            streams = Streams(args, folder, name)
            for learner, paper in zip(("olsf", "olsf-1", "olsf-2"), PAPER[name]):
                params = {"lambda": 30, "B": 0.5}
                for point, how in [(params, "")] if learner == "olsf" else given_and_best(streams, learner, params):
                    line(table, name, learner, point, how, streams.measure(learner, point), paper, paper_rows)


if __name__ == "__main__":
    main()
