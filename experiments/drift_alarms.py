#!/usr/bin/env python3
"""Drift alarms on synthetic streams: false ones on stationary streams, and how late true ones are (docs/drift.md)."""

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile

LEARNERS = ["ssol", "arow", "ftrl", "pa-1", "auto"]
DETECTORS = ["adwin", "page-hinkley"]


def thinned(lines, seed, share):
    """Without most of the positive rows."""
    r = random.Random(seed)
    return (line for line in lines if not line.startswith("1 ") or r.random() < share)


def stationary(run, seed, rows):
    """(name, path) of streams that do not change."""
    run("synth", "drift", "-P", "changes=0", "-P", f"rows={rows}", "--seed", seed, "-o", "a.svm", "-q")
    yield "`synth drift -P changes=0`", "a.svm"
    with open("a.svm") as lines, open("b.svm", "w") as out:
        out.writelines(thinned(lines, seed, 0.0079))
    yield "the same, 1 positive of 100", "b.svm"
    run("synth", "sparse", "-P", f"rows={rows}", "-P", "dim=1000", "--seed", seed, "-o", "a.svm", "-q")
    yield "`synth sparse`, 1,000 features", "a.svm"
    r = random.Random(seed)
    with open("b.svm", "w") as out:
        for _ in range(rows):
            y = r.randrange(2)
            out.write(f"{2 * y - 1} {1 + y}:1 {3 + r.randrange(20)}:1\n")
    yield "no errors once learned", "b.svm"


def report(run, path, learner, detector):
    return json.loads(run("train", "-qq", "--json", "-a", learner, "--drift", detector, path))


def false_alarms(run, seeds, rows):
    totals = {}
    for seed in seeds:
        for name, path in stationary(run, seed, rows):
            for learner in LEARNERS:
                for detector in DETECTORS:
                    r = report(run, path, learner, detector)
                    t = totals.setdefault((name, detector), {"examples": 0, "alarms": 0, "errors": []})
                    t["examples"] += r["examples"]
                    t["alarms"] += r["drift"]["alarm_count"]
                    t["errors"].append(r["error_rate"])
    for (name, detector), t in totals.items():
        print(f"| {name} | {detector} | {min(t['errors']):.4f} to {max(t['errors']):.4f} | {t['examples']:,} | {t['alarms']} |", flush=True)


def delays(run, seeds, kind):
    found = {}
    for seed in seeds:
        run("synth", "drift", "-P", f"kind={kind}", "--seed", seed, "-o", "a.svm", "-q")
        for learner in LEARNERS:
            for detector in DETECTORS:
                alarms = [a["example"] for a in report(run, "a.svm", learner, detector)["drift"]["alarms"]]
                f = found.setdefault((learner, detector), {"delays": [], "missed": 0, "others": 0, "first": [], "alarms": 0})
                f["alarms"] += len(alarms)
                f["first"] += alarms[:1]
                for change in range(20000, 100000, 20000):
                    late = [a - change for a in alarms if change < a <= change + 20000]
                    f["delays"] += late[:1]
                    f["missed"] += not late
                    f["others"] += len(late[1:])
                f["others"] += sum(a <= 20000 for a in alarms)
    for (learner, detector), f in found.items():
        if kind == "abrupt":
            print(f"| {learner} | {detector} | {statistics.median(f['delays']):.0f} | {max(f['delays'])} | {f['missed']} | {f['others']} |",
                  flush=True)
        else:
            first = f"{min(f['first']):,} to {max(f['first']):,} ({len(f['first'])})" if f["first"] else "none"
            print(f"| {learner} | {detector} | {first} | {f['alarms'] / len(seeds):.1f} |", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--sluice", required=True)
    p.add_argument("--seeds", type=int, default=4)
    p.add_argument("--rows", type=int, default=1000000)
    p.add_argument("what", choices=["false", "abrupt", "slow"])
    options = p.parse_args()
    program = os.path.abspath(options.sluice)

    def run(*command):
        return subprocess.run([program, *map(str, command)], check=True, capture_output=True, text=True).stdout

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        seeds = range(1, options.seeds + 1)
        false_alarms(run, seeds, options.rows) if options.what == "false" else delays(run, seeds, options.what)


if __name__ == "__main__":
    main()
