"""Shared by the scripts for papers 002 and 004: simulated trapezoidal streams, runs over them, and plots (plain SVG).

SLUICE_DATA names the folder with the files that DATA.md describes. They are prepared as by the authors: columns
standardised, rows scaled to length 1, put into 20 random orders (german: the authors' own), ten chunks of rows; the
rows of chunk k show the first k/10 of the columns. Parameters are chosen (`Streams.best`) on a separate order, by the
mistakes of one pass.
"""
import argparse, csv, json, math, os, statistics, subprocess, sys

# the papers' name: (file, rows in the papers); HAPT, URL and the whole of rcv1 are not used (DATA.md)
SETS = {"a8a": ("a9a", 32561), "german": ("german", 1000), "ionosphere": ("ionosphere", 351), "isolet": ("isolet", 600),
        "magic04": ("magic04", 19020), "spambase": ("spambase", 4601), "splice": ("splice", 3175), "svmguide3": ("svmguide3", 1234),
        "wbc": ("wbc", 699), "wdbc": ("wdbc", 569), "wpbc": ("wpbc", 198)}
SIX = ["magic04", "svmguide3", "german", "splice", "spambase", "a8a"]  # the sets of paper 002 and of table 5 of paper 004
ORDERS = range(1, 21)
CHOOSING = 100  # the order on which parameters are chosen: none of the 20
GRID = [10.0**k for k in range(-4, 5)]  # the papers' grid of C


def options(description, names=tuple(SETS)):
    """Reads the command line; checks that the data exists before anything is written."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", default="build/release/bin/sluice")
    parser.add_argument("--results", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "results"))
    args = parser.parse_args()
    args.data = os.environ.get("SLUICE_DATA") or sys.exit("SLUICE_DATA must name the folder with the files of experiments/DATA.md")
    files = [SETS.get(name, (name,))[0] + ".svm.zst" for name in names] + ["german.permutations.txt"] * ("german" in names)
    missing = [name for name in files if not os.path.exists(os.path.join(args.data, name))]
    if missing:
        sys.exit(f"missing in {args.data}: {', '.join(missing)}")
    return args


class Streams:
    """The streams of one set, made when first needed; `first`: tenths of the columns in the first chunk."""

    def __init__(self, args, folder, name, first=1, plain=False):  # plain: sparse data, only scaled and shuffled
        self.program, self.folder, self.name, self.first = args.sluice, folder, name, first
        self.source = os.path.join(args.data, SETS.get(name, (name,))[0] + ".svm.zst")
        self.scale = ["--normalize", "l2"] if plain else ["--standardize", "--normalize", "l2"]
        self.plain = plain
        self.german = []
        if name == "german":
            with open(os.path.join(args.data, "german.permutations.txt")) as lines:
                self.german = [[int(i) - 1 for i in line.split()] for line in lines]
        self.made = {}

    def sluice(self, *words):
        return subprocess.run([self.program, words[0], "-q", "--threads", "1", *words[1:]], capture_output=True, text=True, check=True).stdout

    def path(self, order):
        if order not in self.made:
            to = os.path.join(self.folder, f"{self.name}.{self.first}.{order}.bin")
            authors = self.name == "german" and order in ORDERS
            if self.plain or self.first == 1 and not authors:
                cut = [] if self.plain else ["--trapezoid", "10"]
                self.sluice("convert", "--shuffle", str(order), *self.scale, *cut, self.source, "-o", to)
            else:
                shuffle = [] if authors else ["--shuffle", str(order)]
                rows = self.sluice("convert", *shuffle, *self.scale, self.source).splitlines()
                if authors:
                    rows = [rows[i] for i in self.german[order - 1]]
                text = os.path.join(self.folder, "text.svm")
                with open(text, "w") as out:
                    out.writelines(row + "\n" for row in self.cut(rows))
                self.sluice("convert", text, "-o", to)
            self.made[order] = to
        return self.made[order]

    def cut(self, rows):
        dim = max(int(row.rsplit(" ", 1)[-1].split(":")[0]) for row in rows)
        for t, row in enumerate(rows):
            limit = min(10, 10 * t // len(rows) + self.first) * dim // 10
            label, *cells = row.split()
            yield " ".join([label, *(c for c in cells if int(c[:c.index(":")]) <= limit)])

    def run(self, order, learner, params, trace=0):
        """(rows, mistakes), and with `trace` the error at that many points, evenly spaced over the stream."""
        given = [word for k, v in params.items() for word in ("-P", f"{k}={v:g}")]
        if learner in ("olsf-rand", "ofs-p"):
            given += ["-P", f"seed={order}"]
        extra, log = [], os.path.join(self.folder, "trace.csv")
        if trace:
            extra = ["--trace", log, "--trace-every", str(max(1, self.rows() // trace))]
        report = json.loads(self.sluice("train", "--json", "-a", learner, *given, *extra, self.path(order)))
        if not trace:
            return report["examples"], report["mistakes"]
        with open(log) as lines:
            return [float(row["error_rate"]) for row in csv.DictReader(lines)][:trace]

    def rows(self):
        if not hasattr(self, "count"):
            self.count = self.run(CHOOSING, "pa", {})[0]
        return self.count

    def measure(self, learner, params):
        """rows, mean and sample deviation of the mistakes in the 20 orders"""
        runs = [self.run(order, learner, params) for order in ORDERS]
        return runs[0][0], statistics.mean(m for _, m in runs), statistics.stdev(m for _, m in runs)

    def best(self, learner, params, name="C", grid=GRID):
        return min(grid, key=lambda value: self.run(CHOOSING, learner, {**params, name: value})[1])


class Table:
    """A CSV file in --results; its lines also go to the terminal."""

    def __init__(self, args, name, header):
        self.file = open(os.path.join(args.results, name), "w", newline="")
        self.writers = [csv.writer(self.file, lineterminator="\n"), csv.writer(sys.stdout, lineterminator="\n")]
        self.row(header)

    def row(self, cells):
        for writer in self.writers:
            writer.writerow(cells)
        self.file.flush()
        sys.stdout.flush()


HEADER = ["set", "learner", "parameters", "choice", "rows", "mistakes", "deviation", "error_percent",
          "paper_rows", "paper_mistakes", "paper_deviation", "paper_error_percent"]


def given_and_best(streams, learner, params, C=0.1):
    """[(parameters, how C was set)]: the papers' C, and the C chosen from the grid, which may be the same"""
    best = streams.best(learner, params)
    return [({**params, "C": C}, "given and best")] if best == C else [({**params, "C": C}, "given"), ({**params, "C": best}, "best")]


def line(table, name, learner, params, how, found, paper=None, paper_rows=0):
    rows, mean, deviation = found
    beside = ["", "", "", ""] if paper is None else [paper_rows, paper[0], paper[1], f"{100 * paper[0] / paper_rows:.2f}"]
    table.row([name, learner, " ".join(f"{k}={v:g}" for k, v in params.items()), how, rows, f"{mean:.1f}", f"{deviation:.1f}",
               f"{100 * mean / rows:.2f}", *beside])


# ---- plots: small multiples, one per set; colours of Okabe and Ito, and a marker and a dash of its own for every learner ---------

STYLE = {"olsf": ("#000000", "", 0), "olsf-1": ("#0072B2", "7 3", 1), "olsf-2": ("#D55E00", "2 3", 2), "olsf-all": ("#009E73", "9 3 2 3", 3),
         "olsf-rand": ("#CC79A7", "4 4", 4), "olsf-per": ("#E69F00", "12 4", 5), "ofs": ("#009E73", "9 3 2 3", 3),
         "ofs-p": ("#CC79A7", "4 4", 4), "sofs": ("#E69F00", "12 4", 5)}
W, H, LEFT, TOP = 240, 180, 40, 24


def marker(kind, x, y, colour):
    shape = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"', f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"',
             f'<path d="M{x:.1f} {y - 4:.1f}l4 7h-8z"', f'<path d="M{x:.1f} {y - 4:.1f}l4 4l-4 4l-4 -4z"',
             f'<path d="M{x:.1f} {y + 4:.1f}l4 -7h-8z"', f'<path d="M{x - 3:.1f} {y:.1f}h6M{x:.1f} {y - 3:.1f}v6" stroke="{colour}" stroke-width="2"'][kind]
    return f'{shape} fill="{colour}"/>'


def panel(title, points, x0, y0, log):
    xs = sorted({x for p in points.values() for x, _ in p})
    low, high = min(y for p in points.values() for _, y in p), max(y for p in points.values() for _, y in p)
    step = next(s * 10**e for e in range(-2, 4) for s in (1, 2, 5) if (high - low) / (s * 10**e) <= 5)
    low, high = math.floor(low / step) * step, max(math.ceil(high / step), math.floor(low / step) + 1) * step
    scale = math.log if log else float
    px = lambda x: x0 + LEFT + 6 + (W - LEFT - 22) * (scale(x) - scale(xs[0])) / (scale(xs[-1]) - scale(xs[0]))
    py = lambda y: y0 + TOP + (H - TOP - 30) * (1 - (y - low) / (high - low))
    out = [f'<text x="{x0 + LEFT}" y="{y0 + 14}" font-weight="bold">{title}</text>']
    for i in range(round((high - low) / step) + 1):
        y = low + i * step
        out.append(f'<path d="M{x0 + LEFT} {py(y):.1f}H{x0 + W - 10}" stroke="#ccc"/>'
                   f'<text x="{x0 + LEFT - 5}" y="{py(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    ticks = [x for x in xs if round(math.log10(x)) % 2 == 0] if log else [0, 0.2, 0.4, 0.6, 0.8, 1] if xs[-1] <= 1 else [20, 40, 60, 80, 100]
    for x in ticks:
        if x >= xs[0]:
            label = f"1e{round(math.log10(x))}" if log and not 1e-3 < x < 1e3 else f"{x:g}"
            out.append(f'<text x="{px(x):.1f}" y="{py(low) + 15:.1f}" text-anchor="middle">{label}</text>')
    for name, p in points.items():
        colour, dash, kind = STYLE[name]
        path = "L".join(f"{px(x):.1f} {py(y):.1f}" for x, y in p)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash}"/>')
        out += [marker(kind, px(x), py(y), colour) for x, y in p]
    return out


def plot(args, name, title, panels, xlabel, log=False):
    """panels: {set: {learner: [(x, error in %)]}}"""
    columns = 3
    height = 50 + H * math.ceil(len(panels) / columns) + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W * columns} {height}" width="{W * columns}" height="{height}" '
           'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="#fff"/>',
           f'<text x="10" y="18" font-size="13" font-weight="bold">{title}</text>']
    names = list(dict.fromkeys(n for p in panels.values() for n in p))
    for i, n in enumerate(names):
        colour, dash, kind = STYLE[n]
        x = 14 + i * 100
        out.append(f'<path d="M{x} 34h28" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash}"/>' + marker(kind, x + 14, 34, colour)
                   + f'<text x="{x + 34}" y="38">{n}</text>')
    for i, (s, points) in enumerate(panels.items()):
        out += panel(s, points, i % columns * W, 50 + i // columns * H, log)
    out.append(f'<text x="10" y="{height - 8}">across: {xlabel}; up: error in % of the examples, mean of 20 orders (not from 0)</text>')
    with open(os.path.join(args.results, name), "w") as f:
        f.write("\n".join([*out, "</svg>"]) + "\n")
