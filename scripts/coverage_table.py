#!/usr/bin/env python3
"""Prints gcovr's summary per folder, and fails below the limits.

    coverage_table.py SUMMARY.json LINES_LIMIT BRANCHES_LIMIT

LINES_LIMIT holds for all files together, BRANCHES_LIMIT for src/io and for src/file, each with its subfolders.
"""
import collections
import json
import os
import sys


def percent(covered, total):
    return 100.0 * covered / total if total else 100.0


def main():
    with open(sys.argv[1]) as f:
        files = json.load(f)["files"]
    lines_limit, branches_limit = float(sys.argv[2]), float(sys.argv[3])
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    for entry in files:
        counts = [entry[k] for k in ("line_covered", "line_total", "branch_covered", "branch_total")]
        names = [os.path.dirname(entry["filename"]), "all"]
        names += [top + " (all)" for top in ("src/io", "src/file") if entry["filename"].startswith(top + "/")]
        for name in names:
            folders[name] = [a + b for a, b in zip(folders[name], counts)]
    print(f"{'folder':24} {'lines':>16} {'branches':>16}")
    for name in sorted(folders):
        covered, lines, taken, branches = folders[name]
        print(f"{name:24} {percent(covered, lines):7.1f} % {lines:6} {percent(taken, branches):7.1f} % {branches:6}")
    bad = []
    if percent(*folders["all"][:2]) < lines_limit:
        bad.append(f"lines of all files are below {lines_limit:g} %")
    for top in ("src/io (all)", "src/file (all)"):
        if percent(*folders[top][2:]) < branches_limit:
            bad.append(f"branches of {top} are below {branches_limit:g} %")
    for message in bad:
        print("coverage:", message)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
