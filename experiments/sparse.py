"""Shared by the scripts for papers 000 and 001: sets, learners and their grids, tune and sweep, tables and plots.

Values are log(1 + value) (rcv1-small, which is scaled already, is unchanged; binary features are not affected), rows
have length 1. Where a set has no test file, a fifth is drawn at random for testing. A `draw` is a split and an order of
its training rows: the smallest sets have five splits with one order each, the middle ones three, the largest three sets
one split with five (news20-uni) or three orders. Parameters are chosen on the training rows of a split only, in one of
two ways:
  zero   as in the papers: 5-fold cross-validation without regularisation, step sizes 2^-1 to 2^9, the other parameter
         2^-5 to 2^5
  level  for every sparsity: 3-fold cross-validation of step size, other parameter and lambda together; the best point
         that is at least that sparse
Then lambda is searched on all training rows so that the model has that sparsity (`sluice sweep --sparsity`), whatever
its error. Sparsity is 1 - nonzeros / features seen in training. If no lambda gives a sparsity (within a tenth of the
nonzeros), the first point above it is taken.
"""
import argparse, csv, datetime, json, math, os, platform, random, statistics, subprocess, sys, time

from trapezoid import marker

SETS = {  # name: (the paper's set that it is or replaces, draws as (split, order))
    "pcmac-asu": ("PCMAC, another selection of features", "five splits"), "pcmac": ("PCMAC", "five splits"), "rcv1-small": ("a piece of RCV1", "five splits"),
    "a9a": ("general set (for AUT)", "three splits"), "dorothea": ("", "three splits"), "farm-ads": ("", "three splits"), "reuters-earn": ("", "three splits"),
    "spamassassin": ("for WEBSPAM", "three splits"), "news20-uni": ("NEWS, single words", "five orders"), "phishing-55k": ("for URL", "three orders"),
    "news20-ub": ("NEWS", "three orders")}
OWN_TEST = ("rcv1-small", "a9a")
GENERAL = ("a9a",)  # the others are the high-dimensional ones
DRAWS = {"five splits": [(k, k) for k in range(1, 6)], "three splits": [(k, k) for k in range(1, 4)], "five orders": [(1, k) for k in range(1, 6)],
         "three orders": [(1, k) for k in range(1, 4)]}
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999)
FEWEST = 5  # weights; levels that leave fewer are omitted

STEPS, OTHERS = "2^-1..2^9", "2^-5..2^5"  # the papers'
COARSE_STEPS, COARSE_OTHERS = "0.5,2,8,32,128,512", "2^-5,2^-2,2,16"  # where lambda is searched as well
FINE_STEPS = ",".join(f"2^{k}" for k in range(-1, 10))  # the same, of learners with one parameter


class Rule:
    """A learner and its searched parameters: step size, maybe one more, and the one that makes it sparse."""

    def __init__(self, learner, step="eta", other=None, swept="lambda", span=(2.0**-8, 2.0**4), unit=None, coarse=None, **fixed):
        # coarse: values of `other` where lambda is searched as well, instead of COARSE_OTHERS
        self.learner, self.step, self.other, self.swept, self.span, self.unit, self.coarse, self.fixed = learner, step, other, swept, span, unit, coarse, fixed

    def lambdas(self, step, rows):
        """16 values at equal ratios, from a nearly dense to a nearly empty model; `unit`: how lambda grows with step and rows."""
        unit = self.unit(step, rows) if self.unit else 1
        return f"{unit * self.span[0]:.6g}..{unit * self.span[1]:.6g}:16"


TRUNCATED = (3e-6, 0.3)
LEARNERS = {
    "stg": Rule("stg", span=TRUNCATED), "fobos": Rule("fobos", span=TRUNCATED), "ada-fobos": Rule("ada-fobos", other="delta", span=TRUNCATED, coarse="2^-5,1"),
    "ada-rda": Rule("ada-rda", other="delta", unit=lambda step, rows: 1 / rows),
    "fsol": Rule("fsol"), "ssol": Rule("ssol", other="r", unit=lambda step, rows: step * rows),
    # not in the papers
    "rda": Rule("rda", unit=lambda step, rows: 1 / rows), "ftrl": Rule("ftrl", "alpha", "beta", "l1", coarse="2^-5,1"),
    "fsol inverse": Rule("fsol", unit=lambda step, rows: step * rows, schedule="inverse"),
    "fsol sqrt": Rule("fsol", unit=lambda step, rows: step * rows**0.5, schedule="sqrt"),
    "ssol constant": Rule("ssol", other="r", schedule="constant"),
    "ssol sqrt": Rule("ssol", other="r", unit=lambda step, rows: step * rows**0.5, schedule="sqrt"),
    "ssol wide": Rule("ssol", other="r", coarse="2^-5,2^-2,2,16,128,1024", schedule="constant"),  # a larger r makes it more like fsol
}
SIX = ["stg", "fobos", "ada-fobos", "ada-rda", "fsol", "ssol"]


def learners(name):
    """The learners to run on a set: on the two sets that take longest only the papers' dual averagers."""
    return {n: rule for n, rule in LEARNERS.items() if name not in ("news20-ub", "dorothea") or n in ("ada-rda", "fsol", "ssol", "ssol wide")}


def options(description, names=tuple(SETS), data=True):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", default="build/release/bin/sluice")
    parser.add_argument("--set", action="append", choices=names, help="only this set; may be repeated. Its lines in the table are replaced")
    parser.add_argument("--learner", action="append", help="only this learner; may be repeated (figure 2)")
    parser.add_argument("--report", action="store_true", help="run nothing: the plot and the counts of the table as it is")
    parser.add_argument("--results", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "results"))
    args = parser.parse_args()
    args.data = os.environ.get("SLUICE_DATA")
    if data and not args.report and not args.data:
        sys.exit("SLUICE_DATA must name the folder with the files of experiments/DATA.md")
    args.sets = args.set or list(names)
    args.started = time.time()
    return args


def sluice(args, command, *words, text=None):
    done = subprocess.run([args.sluice, command, "-q", "--threads", "1", *words], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"sluice {command} {' '.join(words)}: {done.stderr}")
    return done.stdout


def number(text):
    base, _, power = text.partition("^")
    return float(base)**float(power or 1)


def given(params):
    return [word for k, v in params.items() for word in ("-P", f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}")]


# ---- data ------------------------------------------------------------------------------------------------------------------------

def read_rows(args, name, ending=".svm.zst"):
    lines = sluice(args, "convert", os.path.join(args.data, name + ending)).splitlines()
    if name == "rcv1-small":
        return lines
    logs = {}

    def log(cell):
        feature, value = cell.split(":")
        if value not in logs:
            logs[value] = f"{math.log1p(float(value)):.6g}"
        return f"{feature}:{logs[value]}"

    return [" ".join([label, *map(log, cells)]) for label, *cells in map(str.split, lines)]


def write(args, lines, path):
    sluice(args, "convert", "--normalize", "l2", "-", "-o", path, text="\n".join(lines) + "\n")
    return path


def cut(rows, test, seed):
    """training and test rows"""
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    return (rows[len(rows) // 5:], rows[:len(rows) // 5]) if test is None else (rows, test)


class Split:
    """Train and test files of one split, and the train file in other orders."""

    def __init__(self, args, folder, rows, test, seed):
        self.args, self.folder = args, folder
        rows, test = cut(rows, test, seed)
        self.rows = len(rows)
        self.train = write(args, rows, os.path.join(folder, "train.bin"))
        self.test = write(args, test, os.path.join(folder, "test.bin"))
        self.ordered = {}

    def order(self, seed):
        if seed not in self.ordered:
            self.ordered[seed] = os.path.join(self.folder, f"order{seed}.bin")
            sluice(self.args, "convert", "--shuffle", str(seed), self.train, "-o", self.ordered[seed])
        return self.ordered[seed]


# ---- the two commands ----------------------------------------------------------------------------------------------------------------

def parameters(rule, point):
    return {k: point["params"][k] for k in (rule.step, rule.other) if k} | rule.fixed


def tune(args, rule, path, measure, folds, grids, fixed):
    words = [w for k, v in grids.items() for w in ("--grid", f"{k}={v}")]
    out = sluice(args, "tune", "--json", "-a", rule.learner, "--measure", measure, "--folds", str(folds), *words, *given(rule.fixed | fixed), path)
    return [p for p in json.loads(out)["points"] if not p["failed"]]


def better(measure):
    return (lambda p: -p["mean"]) if measure == "balanced" else (lambda p: p["mean"])


def tune_zero(args, rule, path, measure="error", steps=STEPS, others=OTHERS):
    """parameters without regularisation, by 5-fold cross-validation"""
    grids = {rule.step: steps} | ({rule.other: others} if rule.other else {})
    return parameters(rule, tune(args, rule, path, measure, 5, grids, {rule.swept: 0} if rule.swept else {})[0])


def tune_levels(args, rule, path, rows, levels, measure="error"):
    """{level: parameters}, by 3-fold cross-validation of them and of lambda"""
    others = {rule.other: rule.coarse if rule.coarse and (rows > 2000 or rule.learner == "ssol") else COARSE_OTHERS} if rule.other else {}
    steps = (COARSE_STEPS if rule.other else FINE_STEPS).split(",")
    points = []
    if rule.unit and rule.unit(2, rows) != rule.unit(1, rows):
        for step in steps:
            points += tune(args, rule, path, measure, 3, others | {rule.swept: rule.lambdas(number(step), rows)}, {rule.step: number(step)})
    else:
        points = tune(args, rule, path, measure, 3, {rule.step: ",".join(steps)} | others | {rule.swept: rule.lambdas(1, rows)}, {})
    found = {}
    for level in levels:
        among = [p for p in points if p["sparsity"] >= level and p["nonzeros"] >= 1]
        if among:
            best = min(among, key=better(measure))
            found[level] = parameters(rule, best) | {"": best["mean"]}
    return found


def sweep(args, rule, params, values, train, test, *words):
    measured = ["--test", test] if test else []
    return json.loads(sluice(args, "sweep", "--json", "-a", rule.learner, *given(params), "--grid", f"{rule.swept}={values}", *words, *measured, train))


def curve(args, rule, params, train, test, rows, levels):
    """{level: point}, measured on the test file"""
    out = sweep(args, rule, params, rule.lambdas(float(params[rule.step]), rows), train, test, "--sparsity", ",".join(map(str, levels)))
    points = sorted((p for p in out["points"] if not p["failed"] and p["nonzeros"]), key=lambda p: p["sparsity"])
    found = {}
    for level, wanted in zip(levels, out["wanted"]):
        point = wanted if wanted["reached"] and wanted["nonzeros"] else next((p for p in points if p["sparsity"] >= level), None)
        if point:
            found[level] = point | {"reached": wanted["reached"] and wanted["nonzeros"] > 0}
    return found


def trained(args, rule, params, train, test):
    return json.loads(sluice(args, "train", "--json", "-a", rule.learner, *given(params), "--test", test, train))


def features_seen(args, path):
    return json.loads(sluice(args, "train", "--json", "-a", "perceptron", path))["features_seen"]


ACROSS = "across: % of the features seen that have no weight (by the share of nonzeros, logarithmic); up: "

# ---- tables ----------------------------------------------------------------------------------------------------------------------------

class Table:
    """A CSV file in --results and a description of the machine. The lines of one set are replaced at a time."""

    def __init__(self, args, name, header):
        self.args, self.name, self.header = args, name, header
        self.path = os.path.join(args.results, name + ".csv")
        self.rows = []
        if os.path.exists(self.path):
            with open(self.path) as lines:
                self.rows = list(csv.DictReader(lines))

    def replace(self, name, rows, order, learners=None):
        self.rows = [r for r in self.rows if r["set"] != name or learners and r["learner"] not in learners] + [{k: str(v) for k, v in r.items()} for r in rows]
        self.rows.sort(key=lambda r: order.index(r["set"]))
        with open(self.path, "w", newline="") as f:
            writer = csv.DictWriter(f, self.header, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        machine(self.args, self.name)


def machine(args, name):
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    compiler = subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout.splitlines()[:1]
    about = {"cpu": cpu, "cores": os.cpu_count(), "threads_used": 1, "kernel": f"Linux {platform.release()}", "compiler": "".join(compiler),
             "sluice": subprocess.run([args.sluice, "--version"], capture_output=True, text=True).stdout.strip(),
             "date": f"{datetime.date.today()}", "load": round(os.getloadavg()[1], 1)}
    with open(os.path.join(args.results, name + ".machine.json"), "w") as f:
        json.dump(about, f, indent=1)
        f.write("\n")


def mean(values):
    return statistics.mean(values)


def deviation(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def words(params):
    return " ".join(f"{k}={v:g}" if isinstance(v, (int, float)) else f"{k}={v}" for k, v in params.items() if k)


def compare(rows, mine, against, key, spread, higher=False):
    """(sets where mine is best, within one of its deviations of the best, worse), with the figures."""
    lists = [], [], []
    for name in dict.fromkeys(r["set"] for r in rows):
        me = next((r for r in rows if r["set"] == name and r["learner"] == mine), None)
        others = [r for r in rows if r["set"] == name and r["learner"] in against and r["learner"] != mine]
        if me and others:
            other = (max if higher else min)(others, key=lambda r: float(r[key]))
            gap = (float(me[key]) - float(other[key])) * (-1 if higher else 1)
            kind = 0 if gap <= 1e-9 else 1 if gap <= float(me[spread]) else 2
            lists[kind].append(f"{name} ({100 * float(me[key]):.2f}, {other['learner']} {100 * float(other[key]):.2f})")
    return lists


# ---- plots: small multiples over the share of nonzeros, colours of Okabe and Ito ---------------------------------------------------------

STYLE = {"ssol": ("#D55E00", "", 0), "ssol wide": ("#D55E00", "4 3", 3), "fsol": ("#0072B2", "", 1), "ada-rda": ("#009E73", "", 2),
         "ada-fobos": ("#CC79A7", "", 3), "fobos": ("#56B4E9", "", 4),
         "stg": ("#E69F00", "", 5), "rda": ("#888888", "4 3", 1), "ftrl": ("#000000", "4 3", 2), "cs-ssol": ("#D55E00", "7 3", 0),
         "cs-fsol": ("#0072B2", "7 3", 1), "cs-ogd": ("#000000", "2 3", 3), "cpa": ("#888888", "2 3", 4), "paum": ("#009E73", "2 3", 5)}
WIDTH, HEIGHT, LEFT, TOP = 300, 230, 44, 26


def ticks_of(low, high, log):
    if log:
        for mantissas in ((1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.2, 1.4, 1.6, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9)):
            inner = [m * 10.0**e for e in range(-4, 4) for m in mantissas if low <= m * 10.0**e <= high]
            if len(inner) > 2:
                break
        return inner
    step = next(s * 10.0**e for e in range(-4, 4) for s in (1, 2, 5) if (high - low) / (s * 10.0**e) <= 6)
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def panel(title, curves, x0, y0, log, levels, W, H):
    """curves: {learner: [(level, y, deviation)]}"""
    values = [y for c in curves.values() for _, y, _ in c]
    low, high = min(values), max(values)
    low, high = (low / 1.1, high * 1.1) if log else (low - 0.04 * (high - low + 1e-9), high + 0.04 * (high - low + 1e-9))
    scale = math.log if log else float
    across = lambda level: -math.log10(1 - level)
    right = across(max(level for c in curves.values() for level, _, _ in c))
    left = across(min(levels))
    px = lambda level: x0 + LEFT + 8 + (W - LEFT - 26) * (across(level) - left) / (right - left)
    py = lambda y: y0 + TOP + (H - TOP - 30) * (1 - (scale(y) - scale(low)) / (scale(high) - scale(low)))
    out = [f'<text x="{x0 + LEFT}" y="{y0 + 15}" font-weight="bold">{title}</text>']
    for y in ticks_of(low, high, log):
        out.append(f'<path d="M{x0 + LEFT} {py(y):.1f}H{x0 + W - 10}" stroke="#ddd"/>'
                   f'<text x="{x0 + LEFT - 5}" y="{py(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    for level in levels:
        if across(level) <= right + 1e-9:
            out.append(f'<path d="M{px(level):.1f} {y0 + TOP}V{y0 + H - 30}" stroke="#eee"/>')
            out.append(f'<text x="{px(level):.1f}" y="{y0 + H - 15}" text-anchor="middle">{100 * level:g}</text>')
    for name, points in curves.items():
        colour, dash, kind = STYLE[name]
        at = [(px(level), py(y)) for level, y, _ in sorted(points)]
        out.append(f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in at)}" fill="none" stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dash}"/>')
        out += [marker(kind, x, y, colour) for x, y in at]
    return out


def plot(args, name, title, panels, caption, log=True, levels=LEVELS, scale=1):
    """panels: {set: {learner: [(level, y, deviation)]}}; `scale` is how much larger than usual they are"""
    W, H = WIDTH * scale, HEIGHT * scale
    columns = min(3, len(panels))
    names = [n for n in STYLE if any(n in p for p in panels.values())]
    per_line = (W * columns - 20) // 105
    lines = math.ceil(len(names) / per_line)
    top = 34 + 18 * lines
    height = top + H * math.ceil(len(panels) / columns) + 24
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W * columns} {height}" width="{W * columns}" height="{height}" '
           'font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="#fff"/>', f'<text x="10" y="18" font-size="13" font-weight="bold">{title}</text>']
    for i, n in enumerate(names):
        colour, dash, kind = STYLE[n]
        x, y = 14 + i % per_line * 105, 36 + 18 * (i // per_line)
        out.append(f'<path d="M{x} {y}h28" stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dash}"/>' + marker(kind, x + 14, y, colour)
                   + f'<text x="{x + 34}" y="{y + 4}">{n}</text>')
    for i, (s, curves) in enumerate(panels.items()):
        out += panel(s, {n: curves[n] for n in names if curves.get(n)}, i % columns * W, top + i // columns * H, log, levels, W, H)
    out.append(f'<text x="10" y="{height - 9}">{caption}</text>')
    with open(os.path.join(args.results, name), "w") as f:
        f.write("\n".join([*out, "</svg>"]) + "\n")
