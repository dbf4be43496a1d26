#!/usr/bin/python3
"""Paper 004, figures 2 to 6 (figure 4 is also figure 1 of paper 002): a CSV file and a plot of each.

    SLUICE_DATA=DIR experiments/olsf_figures.py         writes olsf_fig2.csv, olsf_fig2.svg, ... olsf_fig6.svg

  2, 5   the error over time with B = 0.5, of olsf, olsf-1, olsf-2 and of olsf-1, olsf-all, olsf-rand, olsf-per
  3, 6   the error by the share B of features kept, of the same learners
  4      the error of olsf, olsf-1, olsf-2 by C, with B = 0.5
lambda = 30. Except in figure 4, C is chosen for each set and learner (at B = 0.5) from 1e-4 to 1e4. Means of 20 orders.
"""
import statistics, tempfile

from trapezoid import GRID, ORDERS, SETS, Streams, Table, options, plot

SHARES = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
POINTS = 20
OURS, OTHERS = ["olsf", "olsf-1", "olsf-2"], ["olsf-1", "olsf-all", "olsf-rand", "olsf-per"]
TITLES = {2: "error over time, B = 0.5", 3: "error by the share B of features kept", 4: "error by C, B = 0.5",
          5: "error over time, B = 0.5", 6: "error by the share B of features kept"}


def main():
    args = options(__doc__)
    tables = {k: Table(args, f"olsf_fig{k}.csv", ["set", "learner", "C", "stream_percent" if k in (2, 5) else "C_varied" if k == 4 else "B",
                                                  "error_percent", "deviation"]) for k in TITLES}
    panels = {k: {} for k in TITLES}

    def add(figure, name, learner, C, points):
        for x, values in points:
            values = [100 * v for v in values]
            tables[figure].row([name, learner, f"{C:g}" if C else "", f"{x:g}", f"{statistics.mean(values):.2f}", f"{statistics.stdev(values):.2f}"])
        panels[figure].setdefault(name, {})[learner] = [(x, 100 * statistics.mean(values)) for x, values in points]

    for name in SETS:
        with tempfile.TemporaryDirectory() as folder:
            streams = Streams(args, folder, name)

            def errors(learner, params):
                return [mistakes / rows for rows, mistakes in (streams.run(order, learner, params) for order in ORDERS)]

            for learner in dict.fromkeys(OURS + OTHERS):
                figures = [(2, 3)] * (learner in OURS) + [(5, 6)] * (learner in OTHERS)
                params = {} if learner == "olsf-all" else {"lambda": 30, "B": 0.5}
                C = None if learner in ("olsf", "olsf-per") else streams.best(learner, params)
                best = {**params, "C": C} if C else params
                curves = zip(*(streams.run(order, learner, best, trace=POINTS) for order in ORDERS))
                over_time = [(100 * (i + 1) / POINTS, values) for i, values in enumerate(curves)]
                same = errors(learner, best) if learner == "olsf-all" else None
                by_share = [(B, same or errors(learner, {**best, "B": B})) for B in SHARES]
                for time, share in figures:
                    add(time, name, learner, C, over_time)
                    add(share, name, learner, C, by_share)
                if learner in OURS:
                    flat = errors(learner, params) if learner == "olsf" else None
                    add(4, name, learner, None, [(value, flat or errors(learner, {**params, "C": value})) for value in GRID])
    for figure, title in TITLES.items():
        across = {2: "% of the stream seen", 3: "B", 4: "C (logarithmic)", 5: "% of the stream seen", 6: "B"}[figure]
        plot(args, f"olsf_fig{figure}.svg", f"Paper 004, figure {figure}: {title}", panels[figure], across, log=figure == 4)


if __name__ == "__main__":
    main()
