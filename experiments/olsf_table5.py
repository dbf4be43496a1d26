#!/usr/bin/python3
"""Paper 004, table 5 with figures 7 and 8: olsf-1 and olsf-2 against online feature selection; a tenth of the features.

    SLUICE_DATA=DIR experiments/olsf_table5.py     writes olsf_table5.csv, olsf_fig8.csv and olsf_fig8.svg in results/

olsf-1 and olsf-2: the first chunk shows half of the columns, every further one a tenth more (all from the sixth on);
lambda = 30, C chosen, B = 0.1 and, as "use 50 percent of the features" can also be read, 0.5 (not in the plot). ofs,
ofs-p and sofs see all columns and keep floor(d/10) features (at least 1). The paper does not give their step sizes: one
line has eta = 0.2, lambda = 0.01, epsilon = 0.2, those of the paper that proposed ofs (Wang et al. 2014), another has
eta chosen. sofs (not in the paper's table) has r chosen. All choices are from 1e-4 to 1e4. Figure 7 shows the figures
of table 5. Figure 8, the error over time, is drawn with the given step sizes of ofs and ofs-p and the chosen C and r.
"""
import statistics, tempfile

from trapezoid import HEADER, ORDERS, SETS, SIX, Streams, Table, line, options, plot

PAPER = {  # olsf-1, olsf-2, ofs, ofs-p
    "a8a": [(9322.7, 41.1), (10709.3, 56.0), (9424.4, 2545.8), (16931.0, 164.6)],
    "german": [(318.5, 7.3), (348.7, 11.6), (432.8, 13.6), (589.3, 33.9)],
    "magic04": [(5858.4, 29.6), (5917.9, 55.9), (6023.4, 1342.3), (10274.2, 172.1)],
    "spambase": [(616.6, 12.2), (690.7, 14.0), (913.1, 157.8), (1954.2, 78.7)],
    "splice": [(725.5, 18.8), (748.7, 16.0), (735.4, 68.3), (1418.1, 70.5)],
    "svmguide3": [(374.2, 10.8), (382.1, 11.4), (400.9, 66.8), (701.5, 42.5)],
}
DIMENSION = {"a8a": 123, "german": 24, "magic04": 10, "spambase": 57, "splice": 60, "svmguide3": 21}
POINTS = 20


def main():
    args = options(__doc__, SIX)
    table = Table(args, "olsf_table5.csv", HEADER)
    over_time = Table(args, "olsf_fig8.csv", ["set", "learner", "parameters", *(f"error_percent_at_{100 * (i + 1) // POINTS}" for i in range(POINTS))])
    panels = {}
    for name in SIX:
        with tempfile.TemporaryDirectory() as folder:
            growing, whole = Streams(args, folder, name, first=5), Streams(args, folder, name, first=10)
            features = max(1, DIMENSION[name] // 10)
            settings = []  # learner, stream, parameters, the parameter to choose, its value where it is given
            for share in 0.5, 0.1:
                for learner in "olsf-1", "olsf-2":
                    settings.append((learner, growing, {"lambda": 30, "B": share}, "C", None))
            settings.append(("ofs", whole, {"lambda": 0.01, "features": features}, "eta", 0.2))
            settings.append(("ofs-p", whole, {"lambda": 0.01, "features": features, "epsilon": 0.2}, "eta", 0.2))
            settings.append(("sofs", whole, {"features": features}, "r", None))
            for learner, streams, params, parameter, given in settings:
                paper = dict(zip(("olsf-1", "olsf-2", "ofs", "ofs-p"), PAPER[name])).get(learner)
                point = {**params, parameter: streams.best(learner, params, parameter)}
                line(table, name, learner, point, "best", streams.measure(learner, point), paper, SETS[name][1])
                if given is not None:
                    point = {**params, parameter: given}
                    line(table, name, learner, point, "given", streams.measure(learner, point), paper, SETS[name][1])
                curves = [streams.run(order, learner, point, trace=POINTS) for order in ORDERS]
                curve = [100 * statistics.mean(values) for values in zip(*curves)]
                over_time.row([name, learner, " ".join(f"{k}={v:g}" for k, v in point.items()), *(f"{v:.2f}" for v in curve)])
                panels.setdefault(name, {})[learner] = [(100 * (j + 1) / POINTS, v) for j, v in enumerate(curve)]
    plot(args, "olsf_fig8.svg", "Paper 004, figure 8: error over time, a tenth of the features kept", panels, "% of the stream seen")


if __name__ == "__main__":
    main()
