#!/usr/bin/env python3
"""The figures of docs/guide.md: what the answers of the guide are based on, job by job.

    SLUICE_DATA=DIR experiments/guide.py --sluice build/release/bin/sluice [--only JOB,...]

writes experiments/results/guide.csv, with --only the rows of these jobs anew. A fifth of the examples is held out and
measured on, as `--holdout 0.2 --seed S` draws it, S from 1 to 5; figures are means, with the sample deviation. Seconds of
learning and the most memory (GNU time) depend on the machine, all else does not. Traces for the picture of drift go to guide_drift.csv.
"""
import argparse, csv, json, os, random, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "results", "guide.csv")
TRACES = os.path.join(HERE, "results", "guide_drift.csv")
COLUMNS = ["job", "set", "way", "measure", "mean", "deviation", "nonzeros", "seconds", "megabytes"]
SEEDS = range(1, 6)

TEXT = {"the default": [], "--ngrams 2": ["--ngrams", "2"], "-a arow": ["-a", "arow"], "-a arow --ngrams 2": ["-a", "arow", "--ngrams", "2"],
        "--passes 5": ["--passes", "5"], "--ngrams 2 --passes 5": ["--ngrams", "2", "--passes", "5"],
        "-a arow --passes 5": ["-a", "arow", "--passes", "5"],
        "-a arow --scale idf --normalize l2": ["-a", "arow", "--scale", "idf", "--normalize", "l2"],
        "-a arow --scale idf --normalize l2 --passes 5": ["-a", "arow", "--scale", "idf", "--normalize", "l2", "--passes", "5"]}
CHARACTERS = ["--ngrams", "2", "--chars", "1-5"]
LEARNERS = ["auto", "ftrl", "ssol", "arow", "scw-1", "pa-1", "perceptron"]
LIMITS = [1000, 3000, 10000, 30000, 100000]
BUDGETS = [10, 30, 100, 300, 1000, 3000]


class Bench:
    def __init__(self, program, data, folder):
        self.program, self.data, self.folder, self.rows = os.path.abspath(program), data, folder, []

    def path(self, name):
        """A set, unpacked."""
        there = os.path.join(self.folder, name)
        if not os.path.exists(there):
            with open(there, "wb") as f:
                subprocess.run(["zstd", "-dcq", os.path.join(self.data, name + ".zst")], stdout=f, check=True)
        return there

    def sluice(self, *arguments):
        """What it prints, and the most memory it had, in MB."""
        done = subprocess.run(["/usr/bin/time", "-f", "%M", "-o", "memory", self.program, *map(str, arguments)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, cwd=self.folder)
        if done.returncode:
            sys.exit(f"failed: {' '.join(map(str, arguments))}")
        with open(os.path.join(self.folder, "memory")) as f:
            return done.stdout, int(f.read().split()[-1]) * 1024 / 1e6

    def report(self, *arguments):
        out, memory = self.sluice(*arguments)
        return {**json.loads(out), "megabytes": memory}

    def note(self, job, name, way, measure, values, reports):
        mean = lambda key: statistics.mean(r[key] for r in reports) if reports and reports[0].get(key) is not None else None
        row = [job, name, way, measure, f"{statistics.mean(values):.6f}", f"{statistics.stdev(values):.6f}" if len(values) > 1 else "",
               *("" if v is None else f"{v:.{digits}f}" for v, digits in ((mean("nonzeros"), 0), (mean("seconds"), 2), (mean("megabytes"), 1)))]
        self.rows.append(row)
        print(",".join(row), flush=True)

    def held_out(self, job, name, way, options, measures=("error_rate",), of=None, label=None):
        """Learns four fifths and measures on the rest, for every seed."""
        reports = [self.report("train", "-qq", "--json", "--holdout", 0.2, "--seed", s, *options, of or self.path(name)) for s in SEEDS]
        for measure in measures:
            self.note(job, label or name, way, measure, [r["holdout"][measure] for r in reports], reports)


def text(b):
    for name in "sms-spam.text.tsv", "spamassassin.text.tsv", "pcmac.text.tsv":
        for way, options in TEXT.items():
            b.held_out("text", name, way, ["-f", "text", *options])


def characters(b):
    for name in "sms-spam.text.tsv", "pcmac.text.tsv", "spamassassin.text.tsv":
        b.held_out("characters", name, "-a arow --ngrams 2 --chars 1-5", ["-f", "text", "-a", "arow", *CHARACTERS])
        if name.startswith("sms"):
            b.held_out("characters", name, "--ngrams 2 --chars 1-5", ["-f", "text", *CHARACTERS])


def urls(b):
    name = "phishing-55k.url.tsv"
    for way, options in {"-f url": ["-f", "url"], "-f url -a arow": ["-f", "url", "-a", "arow"], "-f text": ["-f", "text"],
                         "-f text --ngrams 3": ["-f", "text", "--ngrams", "3"]}.items():
        b.held_out("urls", name, way, options)


def tables(b):
    for name in "a9a.svm", "magic04.svm", "spambase.svm", "svmguide3.svm":
        for way, options in {"the default": [], "--passes 5": ["--passes", "5"], "-a arow": ["-a", "arow"],
                             "-a arow --scale running": ["-a", "arow", "--scale", "running"],
                             "-a arow --transform log1p --scale running --bias 1": ["-a", "arow", "--transform", "log1p", "--scale", "running", "--bias", "1"],
                             "-a arow-full --scale running --bias 1": ["-a", "arow-full", "--scale", "running", "--bias", "1"]}.items():
            b.held_out("tables", name, way, options)


def rare(b):
    """Recall on other rows than those that the threshold for a precision of 0.9 was chosen on; one phishing URL in a hundred."""
    lines = open(b.path("phishing-55k.url.tsv"), "rb").read().splitlines(keepends=True)
    ways = {"the default": [], "--cost 1=10": ["--cost", "1=10"], "-a arow": ["-a", "arow"], "-a cs-ssol -P cost_pos=10": ["-a", "cs-ssol", "-P", "cost_pos=10", "-P", "cost_neg=1", "--positive", "1"],
            "-a ftrl": ["-a", "ftrl"]}
    results = {way: [] for way in ways}
    for s in SEEDS:
        draw = random.Random(s)
        with open(os.path.join(b.folder, "rare.url.tsv"), "wb") as f:
            f.writelines(line for line in lines if not line.startswith(b"+1") or draw.random() < 0.1)
        b.sluice("convert", "-q", "-f", "url", "rare.url.tsv", "--shuffle", s, "-o", "learn.bin", "--split", 0.25, "--split-to", "test.bin")
        for way, options in ways.items():
            results[way].append(b.report("train", "-qq", "--json", "--holdout", 0.25, "--threshold", "precision=0.9", "--normalize", "l2", *options,
                                         "--test", "test.bin", "-o", "rare.model", "learn.bin"))
    for way, reports in results.items():
        for measure in "precision", "recall", "average_precision":
            b.note("rare", "phishing-55k, 1 in 100", way, measure, [r["test"][measure] for r in reports], reports)


def drift(b):
    """Error while learning: every example is predicted before it is learned."""
    ways = {"the default": [], "-a arow": ["-a", "arow"], "-a arow --on-drift reset": ["-a", "arow", "--on-drift", "reset"],
            "-a arow -P forget=0.9999": ["-a", "arow", "-P", "forget=0.9999"], "-a arow -P forget=0.999": ["-a", "arow", "-P", "forget=0.999"],
            "-a ftrl": ["-a", "ftrl"], "-a ftrl -P forget=0.9999": ["-a", "ftrl", "-P", "forget=0.9999"]}
    pictured = "the default", "-a arow", "-a arow --on-drift reset", "-a arow -P forget=0.999"
    traces = []
    for name, make in {"synth drift": ["drift"], "synth drift -P kind=slow": ["drift", "-P", "kind=slow"], "synth drift -P changes=0": ["drift", "-P", "changes=0"]}.items():
        for s in SEEDS:
            b.sluice("synth", *make, "-P", "rows=100000", "--seed", s, "-o", f"{s}.bin", "-q")
        for way, options in ways.items():
            reports = []
            for s in SEEDS:
                reports.append(b.report("train", "-qq", "--json", *options, "--trace", "trace.csv", "--trace-every", 500, f"{s}.bin"))
                if s == 1 and name == "synth drift" and way in pictured:
                    with open(os.path.join(b.folder, "trace.csv"), newline="") as f:
                        traces += [[way, row["examples"], row["window_error"]] for row in csv.DictReader(f)]
            b.note("drift", name, way, "error_rate", [r["error_rate"] for r in reports], reports)
    for way, options in ways.items():
        report = b.report("train", "-qq", "--json", "-f", "text", *options, b.path("spamassassin.text.tsv"))
        b.note("drift", "spamassassin.text.tsv", way, "error_rate", [report["error_rate"]], [report])
    with open(TRACES, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([["way", "examples", "window_error"], *traces])


def features(b):
    for name in "spamassassin.svm", "farm-ads.svm", "news20-ub.svm":
        for way, options in {"select -a arow": ["-a", "arow"], "select -a ssol": ["-a", "ssol"], "select -a ftrl": ["-a", "ftrl"]}.items():
            report = b.report("select", "-q", "--json", "--normalize", "l2", "--features", ",".join(map(str, BUDGETS)), *options, b.path(name))
            for budget in report["budgets"]:
                b.note("features", name, way, "error_rate", [budget["test"]["error_rate"]], [{"nonzeros": budget["features"]}])
        for way, options in {"all, the default": [], "all, --sparsity 0.99": ["--sparsity", "0.99"], "all, --sparsity 0.999": ["--sparsity", "0.999"],
                             "all, -a arow": ["-a", "arow", "--normalize", "l2"]}.items():
            b.held_out("features", name, way, options)


def probabilities(b):
    for name in "a9a.svm", "magic04.svm", "spamassassin.svm", "phishing-55k.svm":
        for way, options in {"the default": [], "-a arow": ["-a", "arow", "--normalize", "l2"], "-a ftrl": ["-a", "ftrl", "--normalize", "l2"],
                             "-a pa-1": ["-a", "pa-1", "--normalize", "l2"]}.items():
            b.held_out("probabilities", name, way, options, ("log_loss", "calibration_error"))


def memory(b):
    for name, form in {"spamassassin.text.tsv": ["-f", "text", "--ngrams", "2"], "phishing-55k.url.tsv": ["-f", "url"]}.items():
        for learner in "ftrl", "ssol":
            base = [*form, "--threads", "1", "-a", learner]
            b.held_out("memory", name, f"{learner}, all features", base)
            for limit in LIMITS:
                b.held_out("memory", name, f"{learner}, --max-features {limit}", [*base, "--max-features", limit])
            b.held_out("memory", name, f"{learner}, --hash 16", [*base, "--hash", 16])


def classes(b):
    name = "news20.multiclass.svm"
    plain = ["--transform", "log1p", "--normalize", "l2"]
    for kind, names in {"ovr": ["auto", "arow", "ftrl", "pa-1"], "matrix": ["auto", "arow", "pa-1"], "ovo": ["arow", "pa-1"]}.items():
        for learner in names:
            b.held_out("classes", name, f"--classes {kind} -a {learner}", ["--classes", kind, "-a", learner, *(plain if learner != "auto" else [])])


def learners(b):
    for name in "a9a.svm", "spamassassin.svm", "phishing-55k.svm", "news20-ub.svm", "reuters-earn.svm", "magic04.svm":
        for learner in LEARNERS:
            b.held_out("learners", name, learner, ["-a", learner, *(["--transform", "log1p", "--normalize", "l2"] if learner != "auto" else [])])


def show(job):
    """The rows of a job as a table: ways down, sets and measures across."""
    with open(RESULTS, newline="") as f:
        rows = [row for row in csv.DictReader(f) if row["job"] == job]
    unique = lambda *keys: list(dict.fromkeys(tuple(row[k] for k in keys) for row in rows))
    print("| | " + " | ".join(f"{s}: {m}" for s, m in unique("set", "measure")) + " |")
    for way, budget in unique("way", "nonzeros") if job == "features" else [(w, None) for w, in unique("way")]:
        cells = []
        for s, m in unique("set", "measure"):
            row = next((r for r in rows if (r["way"], r["set"], r["measure"]) == (way, s, m) and budget in (None, r["nonzeros"])), None)
            plain = m in ("log_loss", "calibration_error", "average_precision")
            number = lambda v: "" if not v else f" ± {float(v):.3f}" if plain else f" ± {100 * float(v):.1f}"
            cells.append("" if not row else (f"{float(row['mean']):.3f}" if plain else f"{100 * float(row['mean']):.2f}") + number(row["deviation"])
                         + f" ({row['nonzeros']}; {row['seconds']} s; {row['megabytes']} MB)")
        print(f"| {way} {budget or ''} | " + " | ".join(cells) + " |")


JOBS = {f.__name__: f for f in (text, characters, urls, tables, rare, drift, features, probabilities, memory, classes, learners)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", default="build/release/bin/sluice")
    parser.add_argument("--only", default=",".join(JOBS))
    parser.add_argument("--show", metavar="JOB", help="print the rows of a job as a table; measure nothing")
    a = parser.parse_args()
    if a.show:
        return show(a.show)
    data = os.environ.get("SLUICE_DATA") or sys.exit("set SLUICE_DATA to the folder of the data sets (experiments/DATA.md)")
    wanted, kept = a.only.split(","), []
    for job in wanted:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(a.sluice, data, folder)
            JOBS[job](bench)
        if os.path.exists(RESULTS):
            with open(RESULTS, newline="") as f:
                kept = [row for row in csv.reader(f) if row[0] not in ("job", job)]
        rows = sorted(kept + bench.rows, key=lambda row: list(JOBS).index(row[0]))
        with open(RESULTS, "w", newline="") as f:
            csv.writer(f, lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
