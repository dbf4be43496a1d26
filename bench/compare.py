#!/usr/bin/env python3
"""sluice and comparable programs, from text and from binary, alternating in one run; the best of N rounds.

    bench/compare.py                       the synthetic stream: 300,000 rows, 1,000,000 dimensions, 75 nonzeros a row
    SLUICE_DATA=DIR bench/compare.py --stream news20-ub       a set that experiments/DATA.md describes
    bench/compare.py --rows 10000 --rounds 2 --no-slow        a quick run

The other programs ("peers"): Vowpal Wabbit, scikit-learn and xLearn from PyPI in a virtual environment that is made
under --dir, LIBLINEAR from Debian's liblinear-tools. A peer that is missing or fails is named and left out. Every file
is read once just before each timed run. Peers in Python are timed without the start of Python, but their peak memory
includes it.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys

import common

LEARNERS = ["pa-1", "ssol", "ada-rda", "ftrl"]
VW = {"sgd+l1": ["--sgd", "--l1", "1e-7", "--loss_function", "hinge"],
      "default": [],
      "ftrl": ["--ftrl", "--l1", "1e-7", "--loss_function", "logistic"]}
# the learner that a peer is compared with: the same kind of rule
KIN = {"vw sgd+l1": ["pa-1"], "vw default": ["ssol", "ada-rda"], "vw ftrl": ["ssol", "ada-rda", "ftrl"],
       "liblinear -s 3": ["pa-1"], "scikit-learn sgd": ["pa-1"], "xlearn ftrl": ["ftrl"]}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.add_argument("--stream", default="sparse", help="sparse (synthetic) or a set of $SLUICE_DATA, e.g. news20-ub")
    parser.add_argument("--rows", type=int, default=300000, help="rows of the synthetic stream")
    parser.add_argument("--no-slow", action="store_true", help="leave out the peers that take many seconds")
    parser.add_argument("--no-peers", action="store_true", help="sluice alone")
    return parser.parse_args()


def streams(args, sluice):
    """The paths of the stream: text, binary, VW's text, and VW's text with names instead of numbers."""
    if args.stream == "sparse":
        text = common.synth(sluice, args.dir, ".svm", rows=args.rows)
    else:
        packed = os.path.join(os.environ.get("SLUICE_DATA", "."), args.stream + ".svm.zst")
        text = common.make(os.path.join(args.dir, args.stream + ".svm"), ["zstd", "-dqf", packed, "-o", "{}"])
    stem = text[:-len(".svm")]
    return {"text": text,
            "bin": common.make(stem + ".bin", [sluice, "convert", "-q", text, "-o", "{}"]),
            "vw": common.make(stem + ".vw", ["sh", "-c", f"sed -E 's/^([^ ]+) ?/\\1 | /' '{text}' > '{{}}'"]),
            "named": common.make(stem + ".named.vw",
                                 ["sh", "-c", f"sed -E 's/ ([0-9]+):/ f\\1:/g; s/^([^ ]+) ?/\\1 | /' '{text}' > '{{}}'"])}


def environment(args):
    """Python with the peers of PyPI, or None. xLearn is optional: it does not build everywhere."""
    python = os.path.join(args.dir, "venv/bin/python")
    if not os.path.exists(python):
        print("installing the peers from PyPI ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", os.path.join(args.dir, "venv")], check=True)
        for packages in ["vowpalwabbit", "scikit-learn", "numpy", "scipy"], ["xlearn"]:
            log = subprocess.run([python, "-m", "pip", "install", "-q", *packages], capture_output=True, text=True)
            if log.returncode:
                print(f"not installed: {' '.join(packages)}: {log.stderr.strip()[-200:]}", file=sys.stderr)
    return python


def versions(python):
    found = []
    freeze = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True).stdout
    for name in "vowpalwabbit", "scikit-learn", "xlearn":
        found += re.findall(f"^{name}==.*$", freeze, re.M)
    package = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "liblinear-tools"], capture_output=True, text=True)
    return found + ([f"liblinear-tools=={package.stdout}"] if package.returncode == 0 else [])


def dimension(text):
    """The largest id, by the last feature of every line (ids ascend)."""
    with open(text, "rb") as f:
        return max((int(line[line.rfind(b" ") + 1:line.rfind(b":")]) for line in f if b":" in line), default=1)


def peers(args, files):
    """[(name, input, file to warm, command)]"""
    if args.no_peers:
        return []
    runs = []
    python = environment(args)
    script = [python, os.path.join(common.BENCH, "peer.py")]
    bits = str(max(18, dimension(files["text"]).bit_length()))  # so that few features collide; 18 is VW's least
    cache = files["vw"] + ".cache"
    vw = [*script, "vw", "-b", bits, "--noconstant", "--quiet"]
    if not os.path.exists(cache):
        subprocess.run([*vw, "-d", files["vw"], "--cache_file", cache, "-k"], stdout=subprocess.DEVNULL)
    for name, options in VW.items():
        runs.append((f"vw {name}", "text", files["vw"], [*vw, *options, "-d", files["vw"]]))
        runs.append((f"vw {name}", "named", files["named"], [*vw, *options, "-d", files["named"]]))
        runs.append((f"vw {name}", "cache", cache, [*vw, *options, "-d", files["vw"], "--cache_file", cache]))
    if not args.no_slow:
        if shutil.which("liblinear-train"):
            runs.append(("liblinear -s 3", "text", files["text"], ["liblinear-train", "-q", "-s", "3", files["text"], "/dev/null"]))
        else:
            print("left out: LIBLINEAR (apt-get install liblinear-tools)", file=sys.stderr)
        runs.append(("scikit-learn sgd", "text", files["text"], [*script, "sklearn", files["text"]]))
        runs.append(("xlearn ftrl", "text", files["text"], [*script, "xlearn", files["text"]]))
    return runs


def measure(args, sluice, launch, files):
    """{(name, input, threads): [(seconds, peak)]} over the rounds."""
    runs = [("wc -l", "text", "", files["text"], ["wc", "-l", files["text"]])]
    for threads in sorted({1, os.cpu_count() or 1}):
        for learner in LEARNERS:
            for kind in "text", "named", "bin":
                runs.append((f"sluice {learner}", kind, threads, files[kind],
                             [sluice, "train", "-q", "-a", learner, "--threads", str(threads), files[kind]]))
    runs += [(name, kind, "", path, command) for name, kind, path, command in peers(args, files)]
    results = {(name, kind, threads): [] for name, kind, threads, _, _ in runs}
    for r in range(args.rounds):
        for name, kind, threads, path, command in runs:
            key = name, kind, threads
            if key not in results:
                continue
            common.warm(path)
            try:
                results[key].append(common.timed(launch, command))
            except (common.Failed, subprocess.TimeoutExpired, OSError) as e:
                print(f"left out: {name} ({kind}): {e}", file=sys.stderr)
                del results[key]
        print(f"round {r + 1} of {args.rounds}", file=sys.stderr)
    return results


def start_up(args, sluice, launch):
    """Milliseconds on a one-line file above an empty process: the least and the median of 50."""
    line = os.path.join(args.dir, "one-line.svm")
    with open(line, "w") as f:
        f.write("1 3:0.5 17:1\n")
    commands = {"true": ["true"], "sluice": [sluice, "train", "-q", line]}
    times = {name: [] for name in commands}
    for _ in range(50):
        for name, command in commands.items():
            times[name].append(1000 * common.timed(launch, command)[0])
    return [f"start-up on a one-line file above `true`: {min(times['sluice']) - min(times['true']):.2f} ms (least of 50), "
            f"{statistics.median(times['sluice']) - statistics.median(times['true']):.2f} ms (median); "
            f"`true` itself {min(times['true']):.2f} ms"]


def main():
    args = arguments()
    sluice, launch = common.prepare(args)
    files = streams(args, sluice)
    megabytes = os.path.getsize(files["text"]) / 1e6
    results = measure(args, sluice, launch, files)

    rows = []
    for (name, kind, threads), times in results.items():
        best = min(seconds for seconds, _ in times)
        rows.append({"what": name, "input": kind, "threads": threads, "seconds": f"{best:.4f}",
                     "median": f"{statistics.median(seconds for seconds, _ in times):.4f}",
                     "text_MB_per_s": f"{megabytes / best:.0f}" if kind == "text" else "",
                     "peak_MB": f"{max(peak for _, peak in times):.1f}"})

    best = {key: min(seconds for seconds, _ in times) for key, times in results.items()}
    ratios = []
    for (name, kind, _), seconds in best.items():
        for learner in KIN.get(name, []):
            for threads in sorted({1, os.cpu_count() or 1}):
                ours = best[f"sluice {learner}", "bin" if kind == "cache" else kind, threads]
                ratios.append({"sluice": learner, "peer": name, "from": {"cache": "bin / cache", "named": "VW text, names"}.get(kind, kind),
                               "threads": threads, "sluice_s": f"{ours:.4f}", "peer_s": f"{seconds:.4f}",
                               "times_faster": f"{seconds / ours:.2f}"})

    sizes = ", ".join(f"{kind} {os.path.getsize(path) / 1e6:.1f} MB" for kind, path in files.items())
    comments = [f"bench/compare.py {' '.join(sys.argv[1:])}".rstrip() + f": best of {args.rounds}, alternating, files warmed before each run",
                *common.machine(args), f"stream: {os.path.basename(files['text'])}, {sizes}", *start_up(args, sluice, launch)]
    if not args.no_peers:
        comments.append("peers: " + ", ".join(versions(os.path.join(args.dir, "venv/bin/python"))))
    print(*comments, sep="\n")
    print()
    common.table(rows)
    if ratios:
        print()
        common.table(ratios)
    print()
    common.save(os.path.join(args.results, f"compare-{args.stream}.csv"), comments, rows)
    if ratios:
        common.save(os.path.join(args.results, f"ratios-{args.stream}.csv"), comments, ratios)


if __name__ == "__main__":
    main()
