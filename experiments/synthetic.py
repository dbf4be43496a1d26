#!/usr/bin/python3
"""Paper 001, figure 1: test error against sparsity on the synthetic stream with 100 effective features of 1,000.

    experiments/synthetic.py --sluice build/release/bin/sluice > experiments/results/synthetic.csv

For each learner the step sizes are searched without regularisation, as in the paper, by the error on the last fifth of
the training stream after learning the rest (the paper: 5-fold cross-validation). Then lambda grows by factors of the
square root of two, from where it has no effect to where it leaves less than 1 % of the weights. `kept` is how many of
the effective features have a weight, `others` how many others do.
"""
import argparse, csv, itertools, json, os, subprocess, sys, tempfile

def half_decades(first, last):
    return [float(f"{m}e{k}") for k in range(first, last + 1) for m in (1, 3)]


LEARNERS = {
    "stg": {"eta": half_decades(-7, -3)},
    "fobos": {"eta": half_decades(-5, -1)},
    "ada-fobos": {"eta": half_decades(-4, 0)},
    "fsol": {"eta": half_decades(-7, -3)},
    "ada-rda": {"eta": half_decades(-5, -1), "delta": [1.0]},
    "ssol": {"eta": half_decades(-7, -4), "r": half_decades(5, 8)},
}
SMALLEST = {"stg": 1e-4, "fobos": 1e-4, "ada-fobos": 1e-4, "fsol": 1, "ada-rda": 1e-3, "ssol": 1}


class Runner:
    def __init__(self, sluice, folder, seed, rows, test_rows):
        self.sluice = sluice
        self.train, self.test, self.model = (os.path.join(folder, f"{rows}.{name}") for name in ("train.bin", "test.bin", "model"))
        subprocess.run([sluice, "synth", "effective", "--seed", str(seed), "-P", f"rows={rows}", "-P", f"test_rows={test_rows}",
                        "-o", self.train, "--test", self.test], check=True)

    def learn(self, learner, params):
        given = [x for name, value in params.items() for x in ("-P", f"{name}={value!r}")]
        out = subprocess.run([self.sluice, "train", "-q", "--json", "-a", learner, *given, "-o", self.model, "--test", self.test,
                              self.train], capture_output=True, text=True, check=True).stdout
        result = json.loads(out)
        weights = subprocess.run([self.sluice, "inspect", "--weights", self.model], capture_output=True, text=True,
                                 check=True).stdout.splitlines()
        kept = sum(int(line.split("\t")[0]) <= 100 for line in weights)
        return result, kept


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", default="build/release/bin/sluice")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["learner", "parameters", "lambda", "progressive_error", "test_error", "sparsity", "kept", "others"])
    with tempfile.TemporaryDirectory() as folder:
        search = Runner(args.sluice, folder, args.seed, 80000, 20000)  # the same stream as the next one, ended earlier
        runner = Runner(args.sluice, folder, args.seed, 100000, 10000)
        for learner, grid in LEARNERS.items():
            points = [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
            best = min(points, key=lambda p: search.learn(learner, {**p, "lambda": 0})[0]["test"]["error_rate"])
            value = 0.0
            while True:
                result, kept = runner.learn(learner, {**best, "lambda": value})
                out.writerow([learner, " ".join(f"{k}={v:g}" for k, v in best.items()), f"{value:g}",
                              f"{result['error_rate']:.5f}", f"{result['test']['error_rate']:.5f}",
                              f"{result['sparsity']:.4f}", kept, result["nonzeros"] - kept])
                sys.stdout.flush()
                if result["sparsity"] > 0.99 or value > 1e12:
                    break
                value = value * 2**0.5 or SMALLEST[learner]


if __name__ == "__main__":
    main()
