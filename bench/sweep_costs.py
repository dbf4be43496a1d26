#!/usr/bin/env python3
"""The cost of 16 values of lambda in one sweep, compared with one run of `sluice train` with the same learner.

    bench/sweep_costs.py                        eight learners, two streams, text and bin
    bench/sweep_costs.py --rounds 1 --rows 30000

Streams are `sluice synth sparse` with a million dimensions and with 47,000. Train and sweep alternate; the best of the
rounds is taken. Also the same with one thread each: the CPU time of a sweep.
"""
import argparse
import itertools
import math
import os

import common

LEARNERS = ["ssol", "fsol", "rda", "ada-rda", "fobos", "ada-fobos", "stg", "ftrl"]
DIMENSIONS = [1000000, 47000]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.add_argument("--rows", type=int, default=300000)
    args = parser.parse_args()
    sluice, launch = common.prepare(args)
    rows = []
    for dim, ending, threads in itertools.product(DIMENSIONS, (".svm", ".bin"), (0, 1)):
        path = common.synth(sluice, args.dir, ending, rows=args.rows, dim=dim)
        common.warm(path)
        for learner in LEARNERS:
            best = {"train": math.inf, "sweep": math.inf}
            for _, command in itertools.product(range(args.rounds), best):
                given = ["--threads", str(threads)] if threads else []
                best[command] = min(best[command], common.timed(launch, [sluice, command, "-q", *given, "-a", learner, path])[0])
            rows.append({"learner": learner, "stream": f"{dim} {ending[1:]}", "threads": threads or os.cpu_count(),
                         "train": f"{best['train']:.3f}", "sweep": f"{best['sweep']:.3f}", "ratio": f"{best['sweep'] / best['train']:.2f}"})
    common.table(rows)
    common.save(os.path.join(args.results, "sweep.csv"), common.machine(args), rows)


if __name__ == "__main__":
    main()
