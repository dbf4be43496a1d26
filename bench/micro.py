#!/usr/bin/env python3
"""Runs the micro-benchmarks (bench/micro.c says what they are) and saves them with the machine's description.

    bench/micro.py --micro build/release/bin/micro
"""
import argparse
import csv
import os
import subprocess
import sys

import common


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.add_argument("--micro", required=True, help="the program of bench/micro.c")
    parser.add_argument("--rows", type=int, default=300000, help="rows of the stream that is read")
    parser.add_argument("--largest", type=int, default=1024, help="largest state, in MB")
    args = parser.parse_args()
    sluice, _ = common.prepare(args)
    text, binary = (common.synth(sluice, args.dir, ending, rows=args.rows) for ending in (".svm", ".bin"))
    out = subprocess.run([args.micro, "--rounds", str(args.rounds), "--largest", str(args.largest), "--text", text, "--bin", binary],
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = list(csv.DictReader(out.splitlines()))
    comments = [f"bench/micro.py {' '.join(sys.argv[1:])}: best of {args.rounds}", *common.machine(args)]
    print(*comments, sep="\n")
    common.table(rows)
    common.save(os.path.join(args.results, "micro.csv"), comments, rows)


if __name__ == "__main__":
    main()
