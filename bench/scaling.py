#!/usr/bin/env python3
"""The cost of a nonzero by nonzeros per row, dimension and threads: a CSV file and a plot (SVG).

    bench/scaling.py [--micro build/release/bin/micro]
    bench/scaling.py --nonzeros 500000 --rounds 1        a quick run

Streams are `sluice synth sparse` in the binary format; for the number of threads also text. Features are drawn
uniformly (exponent=0), the worst case: a feature is hardly ever still in a cache when it occurs again. Two costs per
nonzero:
  first pass   the whole run, start to end, divided by the nonzeros: features are new, memory is touched for the first time
  later pass   (a run of three passes - a run of one) / 2: features are known
With --micro also the baseline: a dot product and update over a bare array of that many records (bench/micro.c).
"""
import argparse
import math
import os
import subprocess
import sys

import common

LEARNERS = {"pa-1": 4, "ssol": 8, "ada-rda": 16}  # bytes per feature
ROW_LENGTHS = [5, 10, 30, 75, 200, 1000]
DIMENSIONS = [10**4, 10**5, 10**6, 4 * 10**6, 16 * 10**6, 64 * 10**6, 10**8]


def measure(args, sluice, launch):
    """[{panel, series, x, ns}]; the runs of one panel alternate; the best of the rounds is taken."""
    jobs = []  # panel, learner, x, path, nonzeros, threads
    for n in ROW_LENGTHS:
        path = common.synth(sluice, args.dir, ".bin", rows=args.nonzeros // n, nonzeros=n, exponent=0)
        jobs += [("nonzeros per row", learner, n, path, args.nonzeros // n * n, 1) for learner in LEARNERS]
    for dim in DIMENSIONS:
        path = common.synth(sluice, args.dir, ".bin", rows=args.nonzeros // 75, dim=dim, exponent=0)
        jobs += [("dimension", learner, dim, path, args.nonzeros // 75 * 75, 1) for learner in LEARNERS]
    for threads in range(1, max(2, os.cpu_count() or 1) + 1):
        for kind in "text", "bin":
            path = common.synth(sluice, args.dir, ".svm" if kind == "text" else ".bin", rows=args.nonzeros // 75, exponent=0)
            jobs += [("threads", f"{learner}, {kind}", threads, path, args.nonzeros // 75 * 75, threads) for learner in LEARNERS]

    best = {}
    for r in range(args.rounds):
        for job in jobs:
            panel, series, _, path, _, threads = job
            common.warm(path)
            for passes in (1, 3) if panel == "dimension" else (1,):
                seconds, peak = common.timed(launch, [sluice, "train", "-q", "-a", series.split(",")[0], "--threads", str(threads),
                                                      "--passes", str(passes), path])
                best[job, passes] = min(seconds, best.get((job, passes), math.inf))
        print(f"round {r + 1} of {args.rounds}", file=sys.stderr)
    rows = []
    for job in jobs:
        panel, series, x, _, nonzeros, _ = job
        one, three = best[job, 1], best.get((job, 3))
        if three:
            rows.append({"panel": "dimension, first pass", "series": series, "x": x, "ns": 1e9 * one / nonzeros})
            rows.append({"panel": "dimension, later pass", "series": series, "x": x, "ns": 1e9 * (three - one) / 2 / nonzeros})
        else:
            rows.append({"panel": panel, "series": series, "x": x, "ns": 1e9 * one / nonzeros})
    return rows


def baseline(args):
    """The bare array at every dimension, by bytes per feature and kind of page."""
    rows = []
    for dim in DIMENSIONS:
        out = subprocess.run([args.micro, "--rounds", str(args.rounds), "--access", str(dim)], capture_output=True, text=True, check=True)
        for line in out.stdout.splitlines()[1:]:
            _, size, pages, _, ns, *_ = line.split(",")
            rows.append({"panel": "dimension, bare array", "series": f"{size}, {pages}", "x": dim, "ns": float(ns)})
    return rows


def limit(rows):
    """The rule for large dimensions: cost at 64 million <= cost at 1 million + 1.2 (bare array there - here)."""
    at = {(r["panel"], r["series"], r["x"]): r["ns"] for r in rows}
    lines = []
    for panel in "dimension, first pass", "dimension, later pass":
        for learner, size in LEARNERS.items():
            for pages in "4 KB pages", "huge pages":
                bare = [at["dimension, bare array", f"{size} bytes, {pages}", x] for x in (10**6, 64 * 10**6)]
                small, large = (at[panel, learner, x] for x in (10**6, 64 * 10**6))
                allowed = small + 1.2 * (bare[1] - bare[0])
                lines.append(f"{panel}, {learner}, {pages}: {small:.1f} ns at 1 million, {large:.1f} at 64 million; bare array "
                             f"{bare[0]:.1f} and {bare[1]:.1f}: allowed {allowed:.1f}: {'within' if large <= allowed else 'beyond'}")
    return lines


# ---- the plot: plain SVG; colours of Okabe and Ito, and a marker and a dash of its own for every series -----------------------

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9"]
DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 4", "12 4"]
W, H, LEFT, TOP = 360, 240, 46, 58


def marker(kind, x, y, colour):
    shape = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"', f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"',
             f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z"', f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"',
             f'<path d="M{x:.1f} {y + 5:.1f}l5 -9h-10z"', f'<rect x="{x - 2:.1f}" y="{y - 5:.1f}" width="4" height="10"'][kind % 6]
    return f'{shape} fill="{colour}"/>'


def short(x):
    return f"{x / 1e6:g}M" if x >= 1e6 else f"{x / 1e3:g}k" if x >= 1e3 else f"{x:g}"


def panel_svg(title, points, x0, y0):
    """One panel: {series: [(x, ns)]}; x logarithmic, y from 0."""
    xs = sorted({x for p in points.values() for x, _ in p})
    top = max(y for p in points.values() for _, y in p)
    step = next(s * 10**e for e in range(-1, 5) for s in (1, 2, 5) if top / (s * 10**e) <= 5)
    top = math.ceil(top / step) * step
    span = math.log(xs[-1] / xs[0]) or 1
    px = lambda x: x0 + LEFT + 10 + (W - LEFT - 30) * math.log(x / xs[0]) / span
    py = lambda y: y0 + TOP + (H - TOP - 40) * (1 - y / top)
    out = [f'<text x="{x0 + LEFT}" y="{y0 + 14}" font-weight="bold">{title}</text>']
    for i in range(round(top / step) + 1):
        y = i * step
        out.append(f'<path d="M{x0 + LEFT} {py(y):.1f}H{x0 + W - 10}" stroke="#ccc"/>'
                   f'<text x="{x0 + LEFT - 6}" y="{py(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    for before, x in zip([0, *xs], xs):
        lower = 11 if before and px(x) - px(before) < 24 else 0  # where two labels would touch
        out.append(f'<text x="{px(x):.1f}" y="{py(0) + 16 + lower:.1f}" text-anchor="middle">{short(x)}</text>')
    for i, (name, p) in enumerate(points.items()):
        colour = COLOURS[i % 6]
        line = "L".join(f"{px(x):.1f} {py(y):.1f}" for x, y in sorted(p))
        out.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{DASHES[i % 6]}"/>')
        out += [marker(i, px(x), py(y), colour) for x, y in p]
        kx, ky = x0 + LEFT + 8 + (i % 3) * 102, y0 + 30 + (i // 3) * 15
        out.append(marker(i, kx, ky - 4, colour) + f'<text x="{kx + 9}" y="{ky}">{name}</text>')
    return out


def svg(rows, caption):
    panels = {}
    for r in rows:
        title = {"nonzeros per row": "nonzeros per row (1M dimensions, 1 thread)", "dimension, first pass": "dimension, first pass (1 thread)",
                 "dimension, later pass": "dimension, later pass (1 thread)", "threads": "threads (1M dimensions)",
                 "dimension, bare array": "the bare array at these dimensions"}[r["panel"]]
        panels.setdefault(title, {}).setdefault(r["series"].replace(" bytes", " B").replace(" pages", ""), []).append((r["x"], r["ns"]))
    columns = 2
    height = 30 + H * math.ceil(len(panels) / columns) + 12 * len(caption) + 8
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W * columns} {height}" width="{W * columns}" height="{height}" '
           'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="10" y="18" font-size="13" font-weight="bold">sluice: nanoseconds per nonzero (less is better)</text>']
    for i, (title, points) in enumerate(panels.items()):
        out += panel_svg(title, points, i % columns * W, 30 + i // columns * H)
    for i, line in enumerate(caption):
        out.append(f'<text x="10" y="{height - 12 * (len(caption) - i) + 4}" font-size="9">{line}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.add_argument("--nonzeros", type=int, default=22500000, help="of every stream")
    parser.add_argument("--micro", help="the program of bench/micro.c, for the baseline")
    args = parser.parse_args()
    sluice, launch = common.prepare(args)
    rows = measure(args, sluice, launch)
    comments = [f"bench/scaling.py {' '.join(sys.argv[1:])}".rstrip() + f": best of {args.rounds}, alternating", *common.machine(args)]
    if args.micro:
        rows += baseline(args)
        comments += limit(rows)
    caption = [line.replace("&", "&amp;").replace("<", "&lt;") for line in comments[1:3]]
    for r in rows:
        r["ns"] = round(r["ns"], 2)
    print(*comments, sep="\n")
    common.table(rows)
    common.save(os.path.join(args.results, "scaling.csv"), comments, rows)
    with open(os.path.join(args.results, "scaling.svg"), "w") as f:
        f.write(svg(rows, caption))


if __name__ == "__main__":
    main()
