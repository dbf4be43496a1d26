#!/usr/bin/env python3
"""Draws the pictures of docs/guide.md from results/guide.csv and results/guide_drift.csv: guide_pictures.py [FOLDER]"""
import csv, html, math, os, sys

from trapezoid import marker

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000"]
WIDTH, H, LEFT, TOP, BOTTOM = 680, 230, 44, 26, 34


class Axis:
    """From values to places between `start` and `end`."""

    def __init__(self, values, start, end, log, from_zero=False):
        self.log, self.start, self.end = log, start, end
        self.low, self.high = min(values), max(values)
        if from_zero:
            self.low, self.high = 0, self.high * 1.08
        self.low, self.high = self.scale(self.low), self.scale(self.high)

    def scale(self, v):
        return math.log10(v) if self.log else v

    def __call__(self, v):
        return self.start + (self.end - self.start) * (self.scale(v) - self.low) / ((self.high - self.low) or 1)

    def ticks(self):
        if self.log:
            return [10.0**e for e in range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1)]
        step = next(s * 10.0**e for e in range(-3, 7) for s in (1, 2, 5) if (self.high - self.low) / (s * 10.0**e) <= 5)
        return [step * i for i in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]


def panel(title, curves, styles, x0, y0, W, log, marks):
    """curves: {name: [(x, y)]}"""
    points = [p for c in curves.values() for p in c]
    px = Axis([x for x, _ in points], x0 + LEFT + 8, x0 + W - 28, log)
    py = Axis([y for _, y in points], y0 + H - BOTTOM, y0 + TOP, False, True)
    out = [f'<text x="{x0 + LEFT}" y="{y0 + 15}" font-weight="bold">{html.escape(title)}</text>']
    for y in py.ticks():
        out.append(f'<path d="M{x0 + LEFT} {py(y):.1f}H{x0 + W - 10}" stroke="#ddd"/><text x="{x0 + LEFT - 5}" y="{py(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    for x in px.ticks():
        out.append(f'<text x="{px(x):.1f}" y="{y0 + H - BOTTOM + 17}" text-anchor="middle">{x:,.0f}</text>')
    for name, curve in curves.items():
        colour, kind = styles[name]
        at = [(px(x), py(y)) for x, y in curve]
        out.append(f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in at)}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        out += [marker(kind, x, y, colour) for x, y in at] if marks else []
    return out


def chart(path, title, panels, caption, log=True, marks=True):
    """panels: {title: {name: [(x, y)]}}"""
    names = list(dict.fromkeys(n for p in panels.values() for n in p))
    styles = {n: (COLOURS[i % 6], i % 6) for i, n in enumerate(names)}
    W = WIDTH if len(panels) == 1 else 320
    width = W * len(panels)
    out, x, y = [], 14, 36
    for n in names:
        colour, kind = styles[n]
        room = 48 + 6.4 * len(n)
        if x + room > width:
            x, y = 14, y + 18
        out.append(f'<path d="M{x:.0f} {y}h28" stroke="{colour}" stroke-width="1.6"/>{marker(kind, x + 14, y, colour) if marks else ""}'
                   f'<text x="{x + 34:.0f}" y="{y + 4}">{html.escape(n)}</text>')
        x += room
    top = y + 14
    for i, (name, curves) in enumerate(panels.items()):
        out += panel(name, curves, styles, i * W, top, W, log, marks)
    height = top + H + 14
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
            '<rect width="100%" height="100%" fill="#fff"/>', f'<text x="10" y="18" font-size="13" font-weight="bold">{html.escape(title)}</text>']
    with open(path, "w") as f:
        f.write("\n".join([*head, *out, f'<text x="10" y="{height - 8}">{html.escape(caption)}</text>', "</svg>"]) + "\n")


def rows_of(name):
    with open(os.path.join(HERE, name), newline="") as f:
        return list(csv.DictReader(f))


def drift(folder):
    curves = {}
    for row in rows_of("guide_drift.csv"):
        if row["window_error"] and int(row["examples"]) >= 1000:
            curves.setdefault(row["way"], []).append((int(row["examples"]), 100 * float(row["window_error"])))
    chart(os.path.join(folder, "guide_drift.svg"), "Four sudden changes: the error of the last 1,000 examples", {"synth drift": curves},
          "across: examples; up: error in %", log=False, marks=False)


def features(folder, rows):
    panels = {}
    for row in rows:
        if row["job"] == "features" and row["way"].startswith("select"):
            panels.setdefault(row["set"].split(".")[0], {}).setdefault(row["way"], []).append((int(row["nonzeros"]), 100 * float(row["mean"])))
    chart(os.path.join(folder, "guide_features.svg"), "Few features are enough", panels, "across: features; up: error in % of examples held out")


def memory(folder, rows):
    panels = {}
    for row in rows:
        way, _, limit = row["way"].partition(", --max-features ")
        if row["job"] == "memory" and limit:
            panels.setdefault(row["set"].split(".")[0], {}).setdefault(way, []).append((int(limit), 100 * float(row["mean"])))
    chart(os.path.join(folder, "guide_memory.svg"), "A limit on the features", panels, "across: --max-features; up: error in % of examples held out")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    rows = rows_of("guide.csv")
    drift(folder)
    features(folder, rows)
    memory(folder, rows)


if __name__ == "__main__":
    main()
