#!/usr/bin/env python3
"""bcw beside arow-full, and bcw's linear algebra beside a product of matrices (bench/dense.c says what is measured).

    bench/dense.py --dense build/release/bin/dense      writes bench/results/dense.csv and bench/results/dense-rates.csv

Streams are `synth dense`: D correlated features in every row. Seconds are those that `train` reports, reading the binary file included.
"""
import argparse
import csv
import json
import os
import subprocess
import sys

import common

SIZES = [(500, 50000), (1000, 20000), (2000, 50000), (4000, 5000)]  # features, rows


def stream(sluice, folder, dim, rows):
    return common.make(os.path.join(folder, f"dense-dim={dim}-rows={rows}.bin"),
                       [sluice, "synth", "dense", "-q", "-P", f"dim={dim}", "-P", f"rows={rows}", "-o", "{}"])


def train(sluice, learner, threads, path):
    out = subprocess.run([sluice, "train", "-q", "--json", "-a", learner, "--threads", str(threads), path], stdout=subprocess.PIPE, text=True, check=True)
    report = json.loads(out.stdout)
    return report["seconds"], report["updates"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.set_defaults(rounds=2)
    parser.add_argument("--dense", required=True, help="the program of bench/dense.c")
    args = parser.parse_args()
    sluice, _ = common.prepare(args)
    rates = []
    for dim in sorted({dim for dim, _ in SIZES}):
        out = subprocess.run([args.dense, "--rounds", "5", "--dim", str(dim), "--rows", "2000"], stdout=subprocess.PIPE, text=True, check=True).stdout
        rates += csv.DictReader(out.splitlines())
    rows = []
    for dim, examples in SIZES:
        path = stream(sluice, args.dir, dim, examples)
        common.warm(path)
        for threads in (1, 2):
            best = {name: min(train(sluice, name, threads, path) for _ in range(args.rounds)) for name in ("bcw", "arow-full")}
            (bcw, _), (arow, updates) = best["bcw"], best["arow-full"]
            rows.append({"dim": dim, "examples": examples, "threads": threads, "bcw_s": f"{bcw:.2f}", "arow-full_s": f"{arow:.2f}",
                         "ratio": f"{arow / bcw:.1f}", "updates": updates, "ms_per_update": f"{1000 * arow / updates:.3f}"})
    comments = [f"bench/dense.py {' '.join(sys.argv[1:])}: best of {args.rounds}", *common.machine(args)]
    print(*comments, sep="\n")
    for name, table in (("dense.csv", rows), ("dense-rates.csv", rates)):
        common.table(table)
        common.save(os.path.join(args.results, name), comments, table)


if __name__ == "__main__":
    main()
