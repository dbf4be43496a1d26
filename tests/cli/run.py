#!/usr/bin/env python3
"""Tests of the command line program: run.py --sluice PATH [--filter TEXT] [--jobs N] [--update-golden]

Every test is a function test_* in a file cases_*.py beside this one; it gets an empty folder and fails by raising.
"""

import argparse
import concurrent.futures
import glob
import importlib
import os
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import harness  # noqa: E402


def collect(wanted):
    tests = []
    for path in sorted(glob.glob(os.path.join(harness.HERE, "cases_*.py"))):
        module = importlib.import_module(os.path.splitext(os.path.basename(path))[0])
        for name, value in vars(module).items():
            if name.startswith("test_") and callable(value):
                full = f"{module.__name__.removeprefix('cases_')}.{name}"
                if wanted in full:
                    tests.append((full, value))
    return tests


def run_one(name, test, options):
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sluice-cli-") as folder:
        try:
            test(harness.Context(options.sluice, folder, options.update_golden))
            problem = None
        except harness.Failure as failure:
            place = traceback.extract_tb(failure.__traceback__)
            line = next((f.lineno for f in reversed(place) if "cases_" in f.filename), "?")
            problem = f"line {line}: {failure}"
        except Exception:
            problem = traceback.format_exc()
    return name, problem, time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sluice", required=True, help="the program to test")
    parser.add_argument("--filter", default="", help="run only tests whose name contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--update-golden", action="store_true", help="write the golden files anew")
    parser.add_argument("--slowest", type=int, default=0, help="name the N slowest tests")
    options = parser.parse_args()
    options.sluice = os.path.abspath(options.sluice)

    tests = collect(options.filter)
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(run_one, name, test, options) for name, test in tests]:
            name, problem, seconds = future.result()
            results.append((seconds, name, problem))
            if problem:
                print(f"FAILED {name}\n{problem[:3000]}\n", flush=True)
    for seconds, name, _ in sorted(results, reverse=True)[:options.slowest]:
        print(f"{seconds:7.2f} s  {name}")
    failed = sum(1 for r in results if r[2])
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
