#!/usr/bin/env python3
"""Opens the pages of `sluice train|tune|select --report` and `sluice sweep --html` in chromium and looks at them.

    browser_pages.py --sluice PATH --chromium PATH [--keep FOLDER]

--keep leaves the pages and pictures of their charts there.
"""

import argparse
import math
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "cli")]
import page_reader as page  # noqa: E402
import png  # noqa: E402
from chromium import Browser  # noqa: E402
from harness import rows  # noqa: E402

WIDTHS = [1280, 400]
PAPER = 680  # A4 between its margins
LOOKS = [(width, scheme, "screen") for width in WIDTHS for scheme in ("light", "dark")] + [(PAPER, "light", "print")]
HOSTILE = ["<script>throw_1</script>", "\"onmouseover=throw_2", "'&amp;", "a\u202eb\u05d0", "x" * 400, "supercalifragilistic" * 5]

problems = []


def wrong(what, found):
    problems.extend(f"{what}: {f}" for f in found)


# ---- the pages -------------------------------------------------------------------------------------------------------

def named(text):
    """LIBSVM text as VW text with names, some of them odd."""
    lines = []
    for line in text.splitlines():
        label, *features = line.split()
        pairs = [f.split(":") for f in features]
        names = [(HOSTILE[int(i) - 1] if int(i) <= len(HOSTILE) else f"word-{i}", v) for i, v in pairs]
        lines.append(f"{label} |w " + " ".join(f"{n.replace(':', '_')}:{v}" for n, v in names))
    return "\n".join(lines) + "\n"


def classes(n, labels, seed):
    """Text lines of several classes, which are taken for their neighbours now and then."""
    r, k, lines = random.Random(seed), len(labels), []
    for i in range(n):
        c = i if i < k else r.randrange(k)
        said = c if r.random() < 0.6 else (c + r.choice([-2, -1, 1, 2, 7])) % k
        lines.append(f"{labels[c]}\tw{said} v{said // 2} x{r.randrange(200)}\n")
    return "".join(lines)


def make_pages(sluice, folder):
    def run(*command):
        subprocess.run([sluice, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def write(name, text):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)

    write("a.vw", named(rows(4000)))
    write("b.vw", named(rows(2000, seed=2)))
    write("few", "1 1:1\n-1 2:1\n1 1:1\n1 3:1\n-1 2:2\n")
    write("none", "")
    run("synth", "sparse", "-q", "-P", "rows=5000", "-P", "dim=3000", "-o", "a.svm")
    run("synth", "sparse", "-q", "-P", "rows=30000", "-P", "dim=1000000", "-P", "nonzeros=20", "-o", "c.bin")
    run("train", "-q", "-a", "ftrl", "--report", "tested.html", "--test", "b.vw", "a.vw")
    run("train", "-q", "-a", "ssol", "--report", "untested.html", "c.bin")
    run("train", "-q", "-a", "ofs", "-P", "features=50", "--report", "sparse.html", "--passes", "2", "a.svm")
    run("train", "-q", "-a", "sbcw", "--report", "batch.html", "--test", "b.vw", "a.vw")
    r = random.Random(4)
    for name in "rare", "rare.test":
        write(name, "".join(f"{1 if i % 100 == 0 else -1} {1 + r.randrange(9) if r.random() < (0.7 if i % 100 == 0 else 0.05) else 10}:1 "
                            f"{20 + r.randrange(60)}:1\n" for i in range(6000)))
    run("train", "-q", "-a", "ftrl", "--report", "rare.html", "--test", "rare.test", "rare")
    run("train", "-q", "--report", "few.html", "--test", "few", "few")
    run("train", "-q", "--allow-empty", "--report", "none.html", "none")
    run("synth", "drift", "-q", "-P", "rows=20000", "-P", "changes=1", "-o", "drift.svm")
    run("train", "-q", "-a", "auto", "--report", "race.html", "--test", "b.vw", "a.vw")
    run("train", "-q", "-a", "auto", "--report", "changing.html", "drift.svm")
    run("train", "-q", "-a", "auto", "--report", "short.html", "few")
    run("sweep", "-q", "-a", "ssol,fsol,ftrl", "--repeats", "2", "--sparsity", "0.9", "--html", "sweep.html", "a.svm")
    run("sweep", "-q", "-a", "ssol,fsol,rda,ada-rda,fobos,stg,cs-ssol,cs-fsol,ftrl", "--html", "many.html", "--test", "a.svm", "a.svm")
    run("sweep", "-q", "-a", "ssol", "--lambda", "1,10,30", "--html", "narrow.html", "c.bin")
    run("sweep", "-q", "--dim", str(2**64 - 1), "--lambda", "1,1000,1e5", "--html", "vast.html", "a.svm")
    run("sweep", "-q", "--html", "nothing.html", "none")
    run("tune", "-qq", "-a", "ssol,arow,ftrl", "--random", "8", "--report", "tuned.html", "a.svm")
    run("tune", "-qq", "--grid", "lambda=1,1e10", "--measure", "auc", "--report", "two.html", "a.vw")
    run("tune", "-qq", "-a", "ssol,arow,ftrl", "--random", "8", "--folds", "forward", "--report", "forward.html", "a.svm")
    run("tune", "-qq", "-a", "ftrl", "--random", "6", "--progressive", "--measure", "logloss", "--report", "progressive.html", "a.svm")
    run("select", "-qq", "-a", "sofs", "--features", "5,20,100,500", "--report", "budgets.html", "a.svm")
    run("select", "-qq", "--features", "3", "--report", "budget.html", "a.vw")
    odd = ["<b>bold</b>", "a\u202eb\u05d0", "\"quoted\" & 'more'", "x" * 300]
    for name, labels in (("three", ["setosa", "versicolor", "virginica"]), ("twenty", [f"group.of.things.{i}" for i in range(20)]),
                         ("hundred", [f"topic {i:02} of many" for i in range(100)]), ("odd", odd)):
        write(name + ".txt", classes(3000, labels, 1))
        write(name + ".test.txt", classes(1500, labels[:-1] + ["never seen"] if name == "odd" else labels, 2))
        run("train", "-qq", "-f", "text", "-a", "pa-1", "--classes", "ovr", "--test", name + ".test.txt", "--report", name + ".html", name + ".txt")
    return ["three", "twenty", "hundred", "odd", "tested", "untested", "sparse", "rare", "batch", "few", "none", "race", "changing", "short", "sweep", "many", "narrow", "vast", "nothing", "tuned", "two", "forward", "progressive", "budgets", "budget"]


# ---- values ----------------------------------------------------------------------------------------------------------

def number(label):
    value, unit = re.fullmatch(r"([-\d.]+) ?([kMGT%]?)", label).groups()
    return float(value) * {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}.get(unit, 1)


LEAST_DRAWN = 1e-3  # percent: less is drawn as 0 on a logarithmic axis of rates


class Axis:
    """From places on the screen to values, by the labels."""

    def __init__(self, ticks, logarithmic=False):
        self.read = math.log10 if logarithmic else float
        self.zero = next((at for label, at in ticks if logarithmic and number(label) == 0), None)
        (low, at_low), *_, (high, at_high) = [tick for tick in ticks if not logarithmic or number(tick[0]) > 0]
        self.low, self.high = self.read(number(low)), self.read(number(high))
        self.from_, self.pixels = at_low, at_high - at_low

    def misses(self, place, value):
        """By how many pixels."""
        if value < LEAST_DRAWN and self.zero is not None:
            return abs(self.zero - place)
        return abs(self.from_ + (self.read(value) - self.low) / (self.high - self.low) * self.pixels - place)


def numbers(text):
    return [float(n.replace(",", "")) for n in re.findall(r"(?<![\w.])-?\d[\d,]*\.?\d*(?:e[-+]?\d+)?", text)]


def values_of(chart, text):
    """What lies where, by what is said: [(x, y)] for each mark, None where one cannot say."""
    n = [float(share) for share in re.findall(r"([\d.]+) %", text)] if chart in ("roc-chart", "precision-chart") else numbers(text)
    if chart == "tune-chart":
        figures = numbers(text.rsplit(": ", 1)[1])
        return [(figures[-1], figures[0])]
    if chart == "stream-chart":
        examples, figure = numbers(text.rsplit(", examples up to ", 1)[1])
        return [(examples, figure)]
    if chart == "select-chart":
        return [(n[0], n[1])]
    if chart == "error-chart":
        return [(n[0], n[2]), (n[0], n[1])]
    if chart == "race-chart":
        return [(n[0], n[1])]
    if chart == "size-chart":
        return [(n[0], n[1]), (n[0], n[2])]
    if chart == "roc-chart":
        return [(n[1], n[0])]
    if chart == "precision-chart":
        return [(n[0], n[2])]
    if chart == "reliability-chart":
        return [(n[3], n[4])]
    return [(None, float(re.search(r"error ([\d.]+) %", text).group(1)))]


def check_values(tab, what, chart):
    scale = tab.evaluate(f"look.scale('{chart}')")
    logarithmic = "(logarithmic)" in tab.evaluate(f"document.getElementById('{chart}').closest('figure').textContent")
    logarithmic = logarithmic and chart in ("chart", "size-chart", "reliability-chart")
    y = Axis(scale["y"], logarithmic)
    x = Axis(scale["x"], chart in ("race-chart", "tune-chart", "select-chart") or (logarithmic and chart == "reliability-chart")) if chart != "chart" and len(scale["x"]) > 1 else None
    for point in scale["points"]:
        wanted = [v for v in values_of(chart, point["text"]) if chart != "size-chart" or not logarithmic or v[1] > 0]
        if len(wanted) != len(point["marks"]):
            wrong(what, [f"{chart}: {len(point['marks'])} marks for {point['text']}"])
            continue
        for (value_x, value_y), (at_x, at_y) in zip(wanted, point["marks"]):
            if y.misses(at_y, value_y) > 2.5 or (x and x.misses(at_x, value_x) > 2.5):
                wrong(what, [f"{chart}: a mark is not where its value is: {point['text']}"])


def check_tips(tab, what, chart, titles):
    some = sorted({round(i * (len(titles) - 1) / 6) for i in range(7)}) if titles else []
    themselves = 0
    for i in some:
        at = tab.evaluate(f"look.target('{chart}', {i})")
        themselves += at["itself"]
        tab.point_at(at["x"], at["y"])
        tip = tab.evaluate("look.tip()")
        wanted = titles[i] if at["itself"] else at.get("text")
        if not tip["shown"] or tip["text"] != wanted or wanted not in titles:
            wrong(what, [f"{chart}: pointing at {titles[i]!r} shows {tip}"])
        elif not tip["inside"]:
            wrong(what, [f"{chart}: what is shown on pointing is not in view: {tip}"])
    if some and not themselves:
        wrong(what, [f"{chart}: no point can be pointed at"])
    tab.point_at(0, 0)
    if tab.evaluate("look.tip()")["shown"]:
        wrong(what, [f"{chart}: the value stays when one points elsewhere"])


# ---- pictures --------------------------------------------------------------------------------------------------------

def is_mostly(pixel, colour, paper):
    """The edges of thin lines are mixed with the paper."""
    whole = [c - p for c, p in zip(colour, paper)]
    part = [x - p for x, p in zip(pixel, paper)]
    share = sum(a * b for a, b in zip(part, whole)) / sum(a * a for a in whole)
    return share > 0.5 and all(abs(x - share * w) < 12 for x, w in zip(part, whole))


def check_colours(tab, what, keep):
    paper = tuple(tab.evaluate("look.paper()"))
    dark = "dark" in what
    if (sum(paper) < 120) != dark:
        wrong(what, [f"the paper is {paper}"])
    for place in tab.evaluate("look.places()"):
        # printers have finer dots than screens
        data = tab.picture(place["x"], place["y"], place["width"], place["height"], 2 if "print" in what else 1)
        if keep:
            with open(os.path.join(keep, f"{what} {place['id']}.png".replace(" ", "-")), "wb") as f:
                f.write(data)
        counts = {}
        for row in png.pixels(data):
            for p in row:
                counts[p] = counts.get(p, 0) + 1
        if max(counts, key=counts.get) != paper:
            wrong(what, [f"{place['id']}: most of it is {max(counts, key=counts.get)}, the paper {paper}"])
        for colour in place["colours"]:
            seen = sum(n for p, n in counts.items() if is_mostly(p, colour, paper))
            if seen < 20:
                wrong(what, [f"{place['id']}: {seen} pixels of the colour {colour}"])


def check_page(browser, name, folder, keep):
    path = os.path.join(folder, name + ".html")
    with open(path) as f:
        expected = page.look(f.read())
    tab = browser.open(path)
    with open(os.path.join(HERE, "look.js")) as f:
        tab.evaluate(f.read())
    for width, scheme, media in LOOKS:
        what = f"{name} {width} {scheme if media == 'screen' else media}"
        tab.show(width, scheme=scheme, media=media)
        # paper can be brought closer to the eye
        wrong(what, tab.evaluate(f"look.layout({8 if media == 'screen' else 6})"))
        wrong(what, tab.evaluate(f"look.matrix({8 if media == 'screen' else 4})"))
        wrong(what, tab.evaluate("look.contrast()"))
        wrong(what, [f"{chart} is empty" for chart, n in tab.evaluate("look.drawn()").items() if not n])
        if width != WIDTHS[1]:
            check_colours(tab, what, keep)
    for width in WIDTHS:
        tab.show(width)
        for chart, titles in expected.charts.items():
            check_values(tab, f"{name} {width}", chart)
            check_tips(tab, f"{name} {width}", chart, titles)
    wrong(name, tab.complaints())
    tab.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--chromium", required=True)
    parser.add_argument("--keep", metavar="FOLDER")
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sluice-browser-", ignore_cleanup_errors=True) as scratch:
        folder = os.path.abspath(options.keep or scratch)
        names = make_pages(os.path.abspath(options.sluice), folder)
        with Browser(options.chromium, os.path.join(scratch, "profile")) as browser:
            for name in names:
                check_page(browser, name, folder, options.keep)
    for problem in problems[:60]:
        print(problem)
    print(f"{len(names)} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
