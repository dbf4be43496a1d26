#!/usr/bin/env python3
"""bcw compared with arow-full, and bcw's linear algebra with a matrix product (bench/dense_costs.c says what is measured).

    bench/dense_costs.py --dense build/release/bin/dense_costs      writes bench/results/dense.csv and bench/results/dense-rates.csv

Streams are `synth dense`: D correlated features in every row. Seconds are those that `train` reports, reading the
binary file included; `cpu` is CPU time, for a machine that others use too.
"""
import argparse
import csv
import json
import os
import resource
import subprocess
import sys

import common

SIZES = [(500, 50000), (1000, 20000), (2000, 50000), (4000, 5000)]  # features, rows


def stream(sluice, folder, dim, rows):
    return common.make(os.path.join(folder, f"dense-dim={dim}-rows={rows}.bin"),
                       [sluice, "synth", "dense", "-q", "-P", f"dim={dim}", "-P", f"rows={rows}", "-o", "{}"])


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def train(sluice, learner, threads, path):
    """(seconds, CPU seconds, updates)"""
    before = processor()
    out = subprocess.run([sluice, "train", "-q", "--json", "-a", learner, "--threads", str(threads), path], stdout=subprocess.PIPE, text=True, check=True)
    report = json.loads(out.stdout)
    return report["seconds"], processor() - before, report["updates"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.set_defaults(rounds=2)
    parser.add_argument("--dense", required=True, help="the program of bench/dense_costs.c")
    args = parser.parse_args()
    sluice, _ = common.prepare(args)
    rates = []
    for dim in (500, 2000):
        out = subprocess.run([args.dense, "--rounds", "10", "--dim", str(dim)], stdout=subprocess.PIPE, text=True, check=True).stdout
        rates += csv.DictReader(out.splitlines())
    rows = []
    for dim, examples in SIZES:
        path = stream(sluice, args.dir, dim, examples)
        common.warm(path)
        for threads in (1, 2):
            found = {"dim": dim, "examples": examples, "threads": threads}
            for name in ("bcw", "arow-full"):
                seconds, cpu, updates = (min(column) for column in zip(*(train(sluice, name, threads, path) for _ in range(args.rounds))))
                found.update({f"{name}_s": f"{seconds:.2f}", f"{name}_cpu_s": f"{cpu:.2f}", f"{name}_updates": updates})
            found["ratio"] = f"{float(found['arow-full_s']) / float(found['bcw_s']):.1f}"
            found["cpu_ratio"] = f"{float(found['arow-full_cpu_s']) / float(found['bcw_cpu_s']):.1f}"
            rows.append(found)
    comments = [f"bench/dense_costs.py {' '.join(sys.argv[1:])}: best of {args.rounds}", *common.machine(args)]
    print(*comments, sep="\n")
    for name, table in (("dense.csv", rows), ("dense-rates.csv", rates)):
        common.table(table)
        common.save(os.path.join(args.results, name), comments, table)


if __name__ == "__main__":
    main()
