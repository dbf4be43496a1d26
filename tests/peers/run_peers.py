#!/usr/bin/env python3
"""Compares how sluice reads random text with how other programs read it (docs/input.md, the last section).

    run_peers.py --library build/release/libsluice.so [--cases 5000] [--seed 1] [FORMAT...]

A peer that is not installed is left out, and the output says so. Exit status 1: a difference that is not documented."""
import argparse
import importlib
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
FORMATS = ["libsvm", "vw", "csv", "json", "text"]


def documented(module):
    """Whether every difference that the module allows is a row of the tables in docs/input.md."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/input.md")
    with open(page, encoding="utf-8") as f:
        tables = f.read().partition("## How other programs read it")[2]
    missing = [name for name in module.KNOWN if "\n| " + name not in tables]
    for name in missing:
        print("docs/input.md has no row '%s'" % name)
    return not missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("formats", nargs="*", default=FORMATS)
    args = parser.parse_args()
    failed = False
    for name in args.formats or FORMATS:
        module = importlib.import_module(name + "_peers")
        failed = not documented(module) or failed
        with tempfile.TemporaryDirectory() as folder:
            for peer, counts, problem in module.compare(random.Random(args.seed), args.library, folder, args.cases):
                if counts is None:
                    print("%s: skipped, there is no %s" % (peer, problem))
                    continue
                print("%s: %s" % (peer, ", ".join("%s %d" % item for item in counts.items())))
                if problem:
                    print(problem)
                    failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
