#!/usr/bin/env python3
"""What each input format costs, learning included, beside programs that read the same: the best of N alternating rounds.

    bench/formats.py                        made streams of about 100 MB each
    bench/formats.py --megabytes 20 --rounds 2 --no-peers        a quick run
    bench/formats.py --only text,url

| stream | sluice | peers |
|---|---|---|
| libsvm, libsvm.gz, libsvm.zst | `train -a pa-1` | |
| named: VW text with names | the same | Vowpal Wabbit's SGD |
| text: `label<TAB>mail` | the same | Vowpal Wabbit on words cut and lower-cased beforehand; scikit-learn's HashingVectorizer and one epoch of SGD |
| url: `label<TAB>URL` | the same | |
| csv: numbers and words | the same | pandas.read_csv, polars.read_csv, DuckDB: reading alone |
| jsonl: the same rows | the same | polars.read_ndjson: reading alone |

Words, hosts and cells are drawn by a Zipf law from a fixed seed, so the streams are the same everywhere. Peers come from PyPI
into a virtual environment under --dir; one that cannot be installed is left out by name.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
from itertools import accumulate

import common

WORDS = 200_000
NO_TEXT = {"inf", "infinity", "na", "nan", "null"}  # no texts in a cell of csv: refused, or taken for missing
PACKAGES = ["vowpalwabbit", "scikit-learn", "pandas", "pyarrow", "polars", "duckdb"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.add_argument("--megabytes", type=int, default=100, help="of each stream")
    parser.add_argument("--only", help="formats, separated by commas")
    parser.add_argument("--learner", default="pa-1")
    parser.add_argument("--no-peers", action="store_true", help="sluice alone")
    return parser.parse_args()


class Drawn:
    """Items drawn by a Zipf law, many at a time."""

    def __init__(self, items, seed):
        self.items, self.random = items, random.Random(seed)
        self.weights = list(accumulate(1 / (k + 3) for k in range(len(items))))

    def __call__(self, n):
        return self.random.choices(self.items, cum_weights=self.weights, k=n)


def words(n, seed):
    """Made-up words of 2 to 12 letters, shorter ones first, as in a language."""
    r = random.Random(seed)
    found = {}
    while len(found) < n:
        length = min(12, 2 + int(r.gammavariate(2, 1) + len(found) / n * 3))
        word = "".join(r.choices("etaoinshrdlucmfwypvbgkqjxz", weights=range(26, 0, -1), k=length))
        if word not in NO_TEXT:
            found[word] = None
    return list(found)


def lines(kind):
    """Endless lines of a stream."""
    pick, r = Drawn(words(WORDS, 1), 2), random.Random(3)
    hosts = Drawn([f"{a}{b}.{c}" for a, b, c in zip(words(50_000, 4), words(50_000, 5), ["com", "net", "org", "info", "co.uk"] * 10_000)], 6)
    while True:
        label = r.random() < 0.4
        if kind == "text":
            mail = " ".join(w.capitalize() if k % 9 == 0 else w + ("," if k % 7 == 3 else "") for k, w in enumerate(pick(r.randrange(20, 400))))
            yield f"{'spam' if label else 'ham'}\t{mail}.\n"
        elif kind == "cut":  # the same for Vowpal Wabbit
            yield f"{1 if label else -1} | {' '.join(pick(r.randrange(20, 400)))}\n"
        elif kind == "url":
            path = "/".join(pick(r.randrange(1, 5)))
            query = f"?id={r.randrange(10**6)}&{pick(1)[0]}={pick(1)[0]}" if r.random() < 0.4 else ""
            yield f"{int(label)}\thttp{'s' if r.random() < 0.7 else ''}://{'www.' if r.random() < 0.5 else ''}{hosts(1)[0]}/{path}{query}\n"
        else:  # a row of a table
            row = {"label": int(label)}
            row |= {f"n{k}": round(r.expovariate(1 / 50), 2) for k in range(8)}
            row |= {f"w{k}": w for k, w in enumerate(pick(6))}
            row["note"] = " ".join(pick(3)) + (", and more" if r.random() < 0.3 else "")
            if kind == "jsonl":
                yield json.dumps(row) + "\n"
            else:
                yield ",".join(f'"{v}"' if isinstance(v, str) and "," in v else str(v) for v in row.values()) + "\n"


def write(path, kind, megabytes):
    if os.path.exists(path):
        return path
    with open(path + ".part", "w") as f:
        if kind == "csv":
            f.write(",".join(["label", *(f"n{k}" for k in range(8)), *(f"w{k}" for k in range(6)), "note"]) + "\n")
        for line in lines(kind):
            f.write(line)
            if f.tell() > megabytes * 10**6:
                break
    os.rename(path + ".part", path)
    return path


def streams(args, sluice):
    """{kind: path}"""
    rows = args.megabytes * 850
    text = common.synth(sluice, args.dir, ".svm", rows=rows)
    stem = os.path.join(args.dir, f"{args.megabytes}-")
    made = {"libsvm": text,
            "libsvm.gz": common.make(text + ".gz", ["sh", "-c", f"gzip -c '{text}' > '{{}}'"]),
            "libsvm.zst": common.make(text + ".zst", ["zstd", "-qf", text, "-o", "{}"]),
            "named": common.make(text[:-4] + ".named.vw", ["sh", "-c", f"sed -E 's/ ([0-9]+):/ f\\1:/g; s/^([^ ]+) ?/\\1 | /' '{text}' > '{{}}'"])}
    for kind, ending in ("text", "text.tsv"), ("url", "url.tsv"), ("csv", "table.csv"), ("jsonl", "table.jsonl"), ("cut", "cut.vw"):
        made[kind] = write(stem + ending, kind, args.megabytes)
    return made


def environment(args):
    """Python with the peers, or None."""
    python = os.path.join(args.dir, "formats-venv/bin/python")
    if not os.path.exists(python):
        print("installing the peers from PyPI ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", os.path.join(args.dir, "formats-venv")], check=True)
        for package in PACKAGES:
            log = subprocess.run([python, "-m", "pip", "install", "-q", package], capture_output=True, text=True)
            if log.returncode:
                print(f"not installed: {package}: {log.stderr.strip()[-200:]}", file=sys.stderr)
    return python


def runs(args, sluice, files):
    """[(stream, program, path, command)]"""
    found = []
    cores = str(os.cpu_count() or 1)
    for kind in ("libsvm", "libsvm.gz", "libsvm.zst", "named", "text", "url", "csv", "jsonl"):
        form = {"named": "vw"}.get(kind, kind.split(".")[0])
        found.append((kind, "sluice", files[kind], [sluice, "train", "-qq", "-a", args.learner, "--threads", cores, "-f", form, files[kind]]))
    if not args.no_peers:
        peer = [environment(args), os.path.join(common.BENCH, "peer.py")]
        vw = [*peer, "vw", "-b", "22", "--noconstant", "--quiet", "--sgd", "--l1", "1e-7", "--loss_function", "hinge", "-d"]
        found += [("named", "vw sgd", files["named"], [*vw, files["named"]]),
                  ("text", "vw sgd, words cut", files["cut"], [*vw, files["cut"]]),
                  ("text", "scikit-learn hashing + sgd", files["text"], [*peer, "hashing", files["text"]])]
        found += [("csv", name, files["csv"], [*peer, name, files["csv"]]) for name in ("pandas.read_csv", "polars.read_csv", "duckdb.read_csv")]
        found.append(("jsonl", "polars.read_ndjson", files["jsonl"], [*peer, "polars.read_ndjson", files["jsonl"]]))
    only = args.only.split(",") if args.only else None
    return [run for run in found if not only or run[0] in only]


def main():
    args = arguments()
    sluice, launch = common.prepare(args)
    files = streams(args, sluice)
    todo = runs(args, sluice, files)
    times = {(kind, program): [] for kind, program, _, _ in todo}
    for r in range(args.rounds):
        for kind, program, path, command in todo:
            if (kind, program) not in times:
                continue
            common.warm(path)
            try:
                times[kind, program].append(common.timed(launch, command)[0])
            except (common.Failed, subprocess.TimeoutExpired, OSError) as e:
                print(f"left out: {program} ({kind}): {e}", file=sys.stderr)
                del times[kind, program]
        print(f"round {r + 1} of {args.rounds}", file=sys.stderr)
    path_of = {(kind, program): path for kind, program, path, _ in todo}
    plain = os.path.getsize(files["libsvm"]) / 1e6
    rows = []
    for (kind, program), seconds in times.items():
        best = min(seconds)
        megabytes = plain if kind.startswith("libsvm") else os.path.getsize(path_of[kind, program]) / 1e6
        ours = min(times.get((kind, "sluice"), [best])) / (os.path.getsize(files[kind]) / 1e6)
        rows.append({"stream": kind, "program": program, "seconds": f"{best:.3f}", "median": f"{statistics.median(seconds):.3f}",
                     "MB": f"{megabytes:.0f}", "MB_per_s": f"{megabytes / best:.0f}",
                     "sluice_is_faster": "" if program == "sluice" else f"{best / megabytes / ours:.2f}"})
    comments = [f"bench/formats.py {' '.join(sys.argv[1:])}".rstrip() + f": best of {args.rounds}, alternating; MB of text, unpacked",
                *common.machine(args), f"learner: {args.learner}"]
    print(*comments, sep="\n")
    print()
    common.table(rows)
    print()
    common.save(os.path.join(args.results, "formats.csv"), comments, rows)


if __name__ == "__main__":
    main()
