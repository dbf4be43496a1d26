#!/usr/bin/env python3
"""Every golden model file is still understood: its facts, weights, predictions, and what it learns when it is resumed.

    golden_models.py --sluice PROGRAM [--filter TEXT]

The expectations, NAME.expect, are commands and what the program that wrote the model printed; see README.md.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
MODELS = {1: 25, 2: 60, 3: 63}  # how many a format has at least: a folder that is gone shows

# Models of these are refused, not misread: the matrix held S itself then, and holds U D U' since.
REFUSED = {"format1/ssol-full", "format1/cs-ssol-full"}

# What resumes with BLAS or with exp() depends on the machine's libraries in the last digits; the state is rounded to 32 bits.
ROUNDED = {"bcw": 1e-5, "logistic": 1e-5}


def sections(path):
    """[(command, expected output)] of an .expect file."""
    out = []
    with open(path, encoding="utf-8", newline="\n") as f:
        for line in f:
            if line.startswith("$ "):
                out.append((line[2:].split(), []))
            elif not line.startswith("# ") or out:
                out[-1][1].append(line)
    return [(command, "".join(lines)) for command, lines in out]


def missing(old, new, where=""):
    """What of a JSON value is gone or has changed; new keys may come."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [x for k, v in old.items() for x in (missing(v, new[k], f"{where}.{k}") if k in new else [f"{where}.{k} is gone"])]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [x for i, (p, q) in enumerate(zip(old, new)) for x in missing(p, q, f"{where}[{i}]")]
    return [] if old == new else [f"{where} is {new!r}, not {old!r}"]


def close(expected, got, tolerance):
    if expected == got:
        return True
    try:
        a, b = float(expected), float(got)
    except ValueError:
        return False
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def differs(expected, got, tolerances):
    """The first difference between tables of tab-separated columns; tolerances: of columns that may differ a little."""
    a, b = expected.splitlines(), got.splitlines()
    if len(a) != len(b):
        return [f"{len(b)} lines, not {len(a)}"]
    for i, (p, q) in enumerate(zip(a, b)):
        x, y = p.split("\t"), q.split("\t")
        if len(x) != len(y) or not all(close(u, v, tolerances.get(k, 0)) for k, (u, v) in enumerate(zip(x, y))):
            return [f"line {i + 1} is {q!r}, not {p!r}"]
    return []


def check_refused(sluice, model, learner, resumed):
    """Complaints about a model whose state today's learner cannot go on from."""
    bad = []
    for command in (["inspect", model], ["predict", "-m", model, "rows.svm"], ["train", "-i", model, "-o", resumed, "more.svm"]):
        done = subprocess.run([sluice, *command], capture_output=True, text=True, encoding="utf-8", cwd=DATA)
        if done.returncode != 1 or f"state is not that of {learner}" not in done.stderr or done.stdout or os.path.exists(resumed):
            bad.append(f"{command[0]}: not refused as a state of other meaning: exit status {done.returncode}: {done.stderr.strip()}")
    return bad


def check(sluice, model, resumed):
    """Complaints about one model."""
    name = os.path.basename(model)[:-len(".model")]
    if f"{os.path.basename(os.path.dirname(model))}/{name}" in REFUSED:
        return check_refused(sluice, model, name, resumed)
    bad = []

    def run(command):
        if "-o" in command and os.path.exists(resumed):
            os.remove(resumed)
        words = [{"MODEL": model, "RESUMED": resumed}.get(x, x) for x in command]
        done = subprocess.run([sluice, *words], capture_output=True, text=True, encoding="utf-8", cwd=DATA)
        if done.returncode:
            bad.append(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}")
        return done

    def complain(command, what):
        bad.extend(f"{' '.join(command)}: {x}" for x in what)

    with open(model, "rb") as f:
        form = int.from_bytes(f.read(12)[8:], "little")
    if os.path.basename(os.path.dirname(model)) != f"format{form}":
        bad.append(f"is of format {form}")
    todo = sections(model[:-len(".model")] + ".expect")
    for command, expected in todo:
        done = run(command)
        if done.returncode:
            continue
        if "--json" in command:
            complain(command, missing(json.loads(expected), json.loads(done.stdout)))
        elif command[0] != "train":
            rounded = ROUNDED.get(name, 0) if "RESUMED" in command else 0
            complain(command, differs(expected, done.stdout, {1: rounded, 2: 1e-9}))  # the third column: exp()
    # what was loaded can be saved: in today's format, with nothing learned, it is the same model
    if any("RESUMED" in command for command, _ in todo):
        ending = next(c[-1] for c, _ in todo if c[0] == "predict").rsplit(".", 1)[-1]
        command = ["train", "-q", "-i", "MODEL", "-o", "RESUMED", *(["-f", "libsvm"] if ending == "svm" else []), "empty.svm"]
        if run(command).returncode == 0:
            for again, expected in todo:
                if "MODEL" not in again or again[0] == "train":
                    continue
                again = ["RESUMED" if x == "MODEL" else x for x in again]
                done = run(again)
                if done.returncode:
                    continue
                if "--json" in again:
                    complain(["saved again,", *again], missing(json.loads(expected), json.loads(done.stdout)))
                else:
                    complain(["saved again,", *again], differs(expected, done.stdout, {2: 1e-9}))
    return bad


def check_sums():
    """Files that are not those of SHA256SUMS: golden files are added, never changed."""
    with open(os.path.join(HERE, "SHA256SUMS"), encoding="utf-8") as f:
        known = {name: digest for digest, name in (line.split() for line in f)}
    bad = []
    for folder in sorted(os.listdir(HERE)):
        if folder == "data" or folder.startswith("format"):
            for name in sorted(os.listdir(os.path.join(HERE, folder))):
                path = f"{folder}/{name}"
                with open(os.path.join(HERE, path), "rb") as f:
                    digest = hashlib.sha256(f.read()).hexdigest()
                if known.pop(path, None) != digest:
                    bad.append(f"{path}: not the file of SHA256SUMS")
    return bad + [f"{path}: is missing" for path in known]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--filter", default="")
    args = parser.parse_args()
    sluice = os.path.abspath(args.sluice)
    complaints = check_sums()
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for form in sorted(x for x in os.listdir(HERE) if x.startswith("format")):
            models = sorted(x for x in os.listdir(os.path.join(HERE, form)) if x.endswith(".model"))
            counts[int(form[len("format"):])] = len(models)
            for model in models:
                if args.filter in f"{form}/{model}":
                    bad = check(sluice, os.path.join(HERE, form, model), os.path.join(folder, f"{form}-{model}"))
                    complaints += [f"{form}/{model}: {x}" for x in bad]
    for form, least in MODELS.items():
        if counts.get(form, 0) < least:
            complaints.append(f"format{form}: {counts.get(form, 0)} models, not {least} or more")
    print("\n".join(complaints) or f"{sum(counts.values())} models are understood")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
