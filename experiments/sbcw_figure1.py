#!/usr/bin/python3
"""Paper 003, figure 1: test error and training time by the number of features, of sbcw, fgm, sofs, ssol and an L1 SVM.

    SLUICE_DATA=DIR experiments/sbcw_figure1.py         writes sbcw_figure1.csv and sbcw_figure1.svg

Values are log(1 + count) (rcv1-small: unchanged), rows have length 1. Two thirds are drawn at random for training, one
third for testing (pcmac: 1,300 rows and the rest; rcv1-small has separate test rows); means of three such splits.
Learners have their defaults; sbcw also runs with q = 2, C = 100, C_cov = 2. The L1 SVM is LIBLINEAR -s 5. For each
budget C is doubled until too many weights are left, then bisected; of the trainings that leave at most so many weights,
the one with most is taken. Its `seconds` are those of that training alone, `search_seconds` those of all trainings
needed to find C. No time includes reading; those of sluice include measuring, and those of ssol the model that ranks
and the one that is measured. One thread; best of 2.
"""
import csv, ctypes, math, os, random, statistics, struct, tempfile, time

from paper003 import given, liblinear_error, options, run_json, sluice
from sparse import read_rows
from trapezoid import Table, marker

SETS = ["pcmac", "pcmac-asu", "rcv1-small", "farm-ads", "spamassassin", "reuters-earn", "news20-uni", "dorothea", "phishing-55k"]
BUDGETS = [10, 20, 50, 100, 200, 500]
LEARNERS = {"sbcw": ("sbcw", {}), "sbcw q=2": ("sbcw", {"q": 2, "C": 100, "C_cov": 2}), "fgm": ("fgm", {}), "sofs": ("sofs", {}), "ssol": ("ssol", {})}
L1 = "L1 SVM"
SPLITS = (1, 2, 3)
TIMES = 2
LEAST, MOST = 2.0**-12, 2.0**12  # C of the L1 SVM
NODE = struct.Struct("<i4xd")  # of LIBLINEAR: feature, value


def prepare(args, name, seed, folder):
    """train.svm, train.bin, test.svm and test.bin"""
    train = read_rows(args, name)
    random.Random(seed).shuffle(train)
    cut = 1300 if name == "pcmac" else len(train) * 2 // 3
    train, test = (train, read_rows(args, name, ".test.svm.zst")) if name == "rcv1-small" else (train[:cut], train[cut:])
    for part, lines in (("train", train), ("test", test)):
        for ending in ("svm", "bin"):
            sluice(args, "convert", "--normalize", "l2", "-", "-o", os.path.join(folder, f"{part}.{ending}"), text="\n".join(lines) + "\n")
    return [os.path.join(folder, f"{part}.{ending}") for ending in ("bin", "svm") for part in ("train", "test")]


def ours(args, learner, params, train, test):
    """{budget: (chosen, error, seconds)}"""
    words = ["--threads", "1", "-a", learner, *given(params)]
    runs = [run_json(args, "select", *words, "--features", ",".join(map(str, BUDGETS)), "--test", test, train) for _ in range(TIMES)]
    ranking = min(run_json(args, "train", *words, train)["seconds"] for _ in range(TIMES)) if learner == "ssol" else 0
    return {b["features"]: (b["chosen"], b["test"]["error_rate"], ranking + min(run["budgets"][i]["seconds"] for run in runs))
            for i, b in enumerate(runs[0]["budgets"])}


class L1Svm:
    """LIBLINEAR -s 5 on one file, through its library: the program would spend most of its time reading."""

    class Parameter(ctypes.Structure):
        _fields_ = [("solver", ctypes.c_int), ("eps", ctypes.c_double), ("C", ctypes.c_double), ("weights", ctypes.c_int),
                    ("weight_label", ctypes.c_void_p), ("weight", ctypes.c_void_p), ("p", ctypes.c_double), ("more", ctypes.c_double * 4)]

    class Problem(ctypes.Structure):
        _fields_ = [("rows", ctypes.c_int), ("dim", ctypes.c_int), ("y", ctypes.c_void_p), ("x", ctypes.c_void_p), ("bias", ctypes.c_double)]

    def __init__(self, train, test):
        self.test, self.model = test, train + ".model"
        with open(train) as lines:
            rows = [line.split() for line in lines]
        nodes, starts, self.dim = bytearray(), [], 0
        for _, *cells in rows:
            starts.append(len(nodes))
            for cell in cells:
                feature, value = cell.split(":")
                nodes += NODE.pack(int(feature), float(value))
            if cells:
                self.dim = max(self.dim, int(feature))
            nodes += NODE.pack(-1, 0)
        self.nodes = (ctypes.c_char * len(nodes)).from_buffer(nodes)
        at = ctypes.addressof(self.nodes)
        self.x = (ctypes.c_void_p * len(rows))(*(at + start for start in starts))
        self.y = (ctypes.c_double * len(rows))(*(float(row[0]) for row in rows))
        self.problem = self.Problem(len(rows), self.dim, ctypes.addressof(self.y), ctypes.addressof(self.x), -1)
        self.library = ctypes.CDLL("liblinear.so.4")
        self.library.train.restype = ctypes.c_void_p
        self.quiet = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda text: None)
        self.library.set_print_string_function(self.quiet)

    def fit(self, C):
        """Trains and leaves the model in a file; returns the seconds."""
        parameter = self.Parameter(solver=5, eps=0.01, C=C)  # eps: the default of liblinear-train for -s 5
        start = time.monotonic()
        model = ctypes.c_void_p(self.library.train(ctypes.byref(self.problem), ctypes.byref(parameter)))
        seconds = time.monotonic() - start
        self.library.save_model(self.model.encode(), model)
        self.library.free_and_destroy_model(ctypes.byref(model))
        return seconds

    def nonzeros(self):
        with open(self.model) as lines:
            text = lines.read()
        return sum(float(w) != 0 for w in text[text.index("\nw\n") + 3:].split())

    def by_budget(self):
        """{budget: (chosen, error, seconds, search_seconds)}"""
        found, tried = {}, {}  # tried: C: (nonzeros, seconds)

        def attempt(C):
            if C not in tried:
                seconds = self.fit(C)
                tried[C] = self.nonzeros(), seconds
            return tried[C][0]

        for budget in BUDGETS:
            low, needed = LEAST, {LEAST}
            while attempt(low * 2) <= budget and low < MOST:
                low *= 2
                needed.add(low)
            high = low * 2
            needed.add(high)
            for _ in range(12):
                if attempt(low) >= 0.98 * budget or attempt(high) <= budget:
                    break
                middle = math.sqrt(low * high)
                needed.add(middle)
                if attempt(middle) <= budget:
                    low = middle
                else:
                    high = middle
            C = max((c for c in needed if attempt(c) <= budget), key=attempt)
            seconds = min(self.fit(C) for _ in range(TIMES))
            found[budget] = attempt(C), liblinear_error(self.test, self.model), seconds, sum(tried[c][1] for c in needed)
        return found


# ---- the plot: for each set the error above the time, both logarithmic --------------------------------------------

STYLE = {"sbcw": ("#000000", "", 0), "sbcw q=2": ("#0072B2", "7 3", 1), "fgm": ("#D55E00", "2 3", 2), "sofs": ("#CC79A7", "4 4", 4),
         "ssol": ("#E69F00", "12 4", 5), L1: ("#009E73", "9 3 2 3", 3)}
W, LEFT, ERROR, TIME = 250, 44, 150, 120


def panel(points, x0, y0, height):
    """points: {learner: [(x, y)]}"""
    values = [y for p in points.values() for _, y in p]
    low, high = min(values) / 1.1, max(values) * 1.1
    px = lambda x: x0 + LEFT + 6 + (W - LEFT - 20) * math.log(x / BUDGETS[0]) / math.log(BUDGETS[-1] / BUDGETS[0])
    py = lambda y: y0 + height * math.log(high / y) / math.log(high / low)
    ticks = next(t for t in ([m * 10.0**e for e in range(-6, 4) for m in marks if low <= m * 10.0**e <= high]
                             for marks in ([1, 1.5, 2, 3, 4, 5, 7], [1, 2, 5], [1])) if len(t) <= 6)
    out = [f'<rect x="{x0 + LEFT}" y="{y0}" width="{W - LEFT - 8}" height="{height}" fill="none" stroke="#999"/>']
    out += [f'<path d="M{x0 + LEFT} {py(y):.1f}H{x0 + W - 8}" stroke="#ddd"/>'
            f'<text x="{x0 + LEFT - 5}" y="{py(y) + 4:.1f}" text-anchor="end">{y:g}</text>' for y in ticks]
    out += [f'<text x="{px(x):.1f}" y="{y0 + height + 13}" text-anchor="middle">{x}</text>' for x in BUDGETS]
    for name, p in points.items():
        colour, dash, kind = STYLE[name]
        path = "L".join(f"{px(x):.1f} {py(y):.1f}" for x, y in p)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash}"/>')
        out += [marker(kind, px(x), py(y), colour) for x, y in p]
    return out


def plot(path, rows):
    sets = list(dict.fromkeys(row["set"] for row in rows))
    cell, columns = ERROR + TIME + 66, 3
    width, height = W * columns + 10, 52 + cell * math.ceil(len(sets) / columns) + 14
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="10" y="18" font-size="13" font-weight="bold">Paper 003, figure 1: error and time by the number of features</text>']
    for i, (name, (colour, dash, kind)) in enumerate(STYLE.items()):
        x = 14 + i * 118
        out.append(f'<path d="M{x} 34h36" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash}"/>' + marker(kind, x + 18, 34, colour)
                   + f'<text x="{x + 42}" y="38">{name}</text>')
    for i, s in enumerate(sets):
        x0, y0 = i % columns * W, 52 + i // columns * cell
        out.append(f'<text x="{x0 + LEFT}" y="{y0 + 14}"><tspan font-weight="bold">{s}</tspan>, test error in %</text>'
                   f'<text x="{x0 + LEFT}" y="{y0 + ERROR + 50}">training time in s</text>')
        for column, factor, top, tall in (("test_error", 100, 20, ERROR), ("seconds", 1, ERROR + 56, TIME - 20)):
            points = {name: [(int(row["budget"]), factor * float(row[column])) for row in rows if (row["set"], row["learner"]) == (s, name)]
                      for name in STYLE}
            out += panel(points, x0, y0 + top, tall)
    out.append(f'<text x="10" y="{height - 6}">across: features that may be chosen; all axes logarithmic</text>')
    with open(path, "w") as f:
        f.write("\n".join([*out, "</svg>"]) + "\n")


def main():
    args = options(__doc__, SETS)
    table = Table(args, "sbcw_figure1.csv", ["set", "learner", "budget", "chosen", "test_error", "seconds", "search_seconds"])
    for name in args.set or SETS:
        found = {label: [] for label in STYLE}  # a dictionary by budget for every split
        for seed in SPLITS:
            with tempfile.TemporaryDirectory() as folder:
                train, test, train_text, test_text = prepare(args, name, seed, folder)
                for label, (learner, params) in LEARNERS.items():
                    found[label].append(ours(args, learner, params, train, test))
                found[L1].append(L1Svm(train_text, test_text).by_budget())
        for label, splits in found.items():
            for budget in BUDGETS:
                chosen, error, *seconds = (statistics.mean(cells) for cells in zip(*(split[budget] for split in splits)))
                table.row([name, label, budget, f"{chosen:.0f}", f"{error:.4f}", *(f"{s:.4f}" for s in seconds), *([""] * (2 - len(seconds)))])
    with open(table.file.name) as lines:
        plot(os.path.join(args.results, "sbcw_figure1.svg"), list(csv.DictReader(lines)))


if __name__ == "__main__":
    main()
