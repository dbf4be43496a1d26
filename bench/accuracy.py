#!/usr/bin/env python3
"""Test errors after one pass, without options, beside Vowpal Wabbit, scikit-learn, river and LIBLINEAR.

    SLUICE_DATA=DIR bench/accuracy.py --cache FOLDER --python PYTHON       the table of docs/defaults.md
    ... --sets pcmac,a9a --also "-a arow --normalize l2 --bias 1"          two sets, one more column
    ... --peers-only                                                       fills the cache, the peers' table alone

The sets are those of two classes in SLUICE_DATA (experiments/DATA.md): NAME.svm.zst, NAME.text.tsv.zst,
NAME.url.tsv.zst. NAME.test.* is the test part; without it that is the last fifth of the rows. sluice reads the files as
they are. The peers get LIBSVM and VW text: of texts and URLs the features that `sluice convert` makes, numbered.

PYTHON has vowpalwabbit, scikit-learn and river (pip install). Peers: `vw --loss_function logistic -b 22`; scikit-learn's
SGDClassifier (hinge, log_loss), Perceptron and PassiveAggressiveClassifier, max_iter=1, shuffle=False; river's
LogisticRegression, PAClassifier, Perceptron and ALMAClassifier; scikit-learn's and river's with the values as they are
and with unit rows, river's also behind its StandardScaler. LIBLINEAR is scikit-learn's LinearSVC, L1 and L2, with C
and the scaling (unit rows; up to 1,000 columns also standardised) chosen by cross-validation on the train part; of L1
and L2 the one with the smaller error in cross-validation is the "batch" model.

What the peers said is kept in the cache, what sluice says is measured anew. An error of 0 counts as half a mistake in
ratios. "Within 2 s.e.": sluice's error is at most two standard errors of the paired difference (McNemar) above that of
the best peer, each set's best in hindsight; batch models are not among them.
"""
import argparse
import json
import math
import os
import re
import shlex
import subprocess
import sys

import common

ENDINGS = [".svm", ".text.tsv", ".url.tsv"]
HOWS = {"scikit-learn": ["raw", "unit"], "river": ["raw", "unit", "scaled"]}
LEARNERS = {"scikit-learn": ["SGD hinge", "SGD log", "Perceptron", "PA"], "river": ["LogisticRegression", "PA", "Perceptron", "ALMA"]}
PEERS = ["vw"] + [f"{kind},{learner},{how}" for kind in LEARNERS for learner in LEARNERS[kind] for how in HOWS[kind]]
BATCH = ["liblinear,l2", "liblinear,l1"]
WIDE = 10000  # a set with a larger id


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.add_argument("--cache", required=True, help="folder of the parts of the sets and of the peers' results")
    parser.add_argument("--python", default=sys.executable, help="a Python that has the peers")
    parser.add_argument("--sets", help="these alone, separated by commas")
    parser.add_argument("--peers", help="these alone: vw, scikit-learn, river, liblinear")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a learner of river (default 120)")
    parser.add_argument("--also", action="append", default=[], help="options of `sluice train` for one more column")
    parser.add_argument("--peers-only", action="store_true", help="no sluice")
    parser.add_argument("--full", action="store_true", help="a column for every peer instead of the best of each kind")
    parser.add_argument("--markdown", action="store_true")
    return parser.parse_args()


def find_sets(data, chosen):
    """{name: (train file, test file or None)}; names of texts and URLs keep `.text` and `.url`"""
    found = {}
    for ending in ENDINGS:
        for name in sorted(os.listdir(data)):
            stem = name.removesuffix(ending + ".zst")
            if stem == name or stem.endswith(".test"):
                continue
            test = os.path.join(data, f"{stem}.test{ending}.zst")
            found[stem + ending.removesuffix(".svm").removesuffix(".tsv")] = os.path.join(data, name), test if os.path.exists(test) else None
    unknown = set(chosen or []) - set(found)
    if unknown:
        sys.exit(f"no such sets: {', '.join(sorted(unknown))}; there are {', '.join(found)}")
    return {name: found[name] for name in chosen or found}


def lines(path):
    return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout.splitlines(keepends=True)


def named_rows(sluice, path):
    """(label, {name: value}) of every row of a text or URL file. A word may be `label`, which JSON cannot have; a part of
    a URL may have blanks, which VW text cannot have, and may end within a character, hence the copy without such."""
    if path.endswith(".text.tsv"):
        text = subprocess.run([sluice, "convert", "-qq", "--to", "vw", path], capture_output=True, check=True).stdout
        for line in text.decode("utf-8", "surrogateescape").split("\n")[:-1]:
            label, _, rest = line.partition(" |")
            yield int(label), {name: float(value or 1) for name, _, value in (f.partition(":") for f in rest.split(" ") if f)}
        return
    plain = path.replace(".url.tsv", ".ascii.url.tsv")
    with open(path, encoding="utf-8", errors="replace", newline="\n") as f, open(plain, "w") as out:
        out.writelines(re.sub("[^\0-\x7f]|%[89a-fA-F].", "?", line) for line in f)
    text = subprocess.run([sluice, "convert", "-qq", "--to", "jsonl", plain], capture_output=True, check=True, text=True).stdout
    os.remove(plain)
    for line in text.splitlines():
        row = json.loads(line)
        yield row.pop("label"), row


def numbered(sluice, path, ids):
    """LIBSVM lines of a text or URL file; `ids` grows with the names."""
    for label, row in named_rows(sluice, path):
        pairs = sorted((ids.setdefault(name, len(ids) + 1), value) for name, value in row.items())
        yield f"{label:+d} {' '.join(f'{i}:{v!r}' for i, v in pairs)}\n"


def prepare(sluice, folder, train, test):
    """The parts of a set in its folder, for sluice (train.*, test.* as they were written) and for the peers (.svm, .vw)."""
    ending = next(e for e in ENDINGS if train.endswith(e + ".zst"))
    done = os.path.join(folder, "parts.json")
    if not os.path.exists(done):
        os.makedirs(folder, exist_ok=True)
        rows = lines(train)
        cut = len(rows) - len(rows) // 5
        parts = {"train": rows, "test": lines(test)} if test else {"train": rows[:cut], "test": rows[cut:]}
        ids = {}
        for part, content in parts.items():
            stem = os.path.join(folder, part)
            with open(stem + ending, "wb") as f:
                f.writelines(content)
            if ending != ".svm":
                with open(stem + ".svm", "w") as f:
                    f.writelines(numbered(sluice, stem + ending, ids))
            with open(stem + ".svm") as f, open(stem + ".vw", "w") as vw:
                for line in f:
                    label, _, rest = line.rstrip("\n").partition(" ")
                    vw.write(f"{label} | {rest}\n")
        labels = [line.split(None, 1)[0] for line in open(os.path.join(folder, "test.svm"))]
        every = {line.split(None, 1)[0] for line in open(os.path.join(folder, "train.svm"))} | set(labels)
        features = {int(f.split(":", 1)[0]) for line in open(os.path.join(folder, "train.svm")) for f in line.split()[1:]}
        with open(done, "w") as f:
            json.dump({"classes": len(every), "truth": "".join("+" if float(x) > 0 else "-" for x in labels), "features": len(features),
                       "dimension": max(features), "rows": len(parts["train"]), "ending": ending}, f)
    with open(done) as f:
        return json.load(f)


def vw(args, folder):
    """What `vw -d train --loss_function logistic -b 22` says of the test part, by peer.py, VW's own code in this Python."""
    run = [args.python, os.path.join(common.BENCH, "peer.py"), "vw", "--quiet"]
    model, said = os.path.join(folder, "vw.model"), os.path.join(folder, "vw.said")
    out = subprocess.run([*run, "-d", os.path.join(folder, "train.vw"), "--loss_function", "logistic", "-b", "22", "-f", model],
                         check=True, capture_output=True, text=True).stdout
    subprocess.run([*run, "-t", "-i", model, "-d", os.path.join(folder, "test.vw"), "-p", said], check=True, capture_output=True)
    with open(said) as f:
        signs = "".join("+" if float(line.split()[0]) > 0 else "-" for line in f)
    with open(os.path.join(folder, "vw.json"), "w") as f:
        json.dump({"said": signs, "seconds": float(out.split()[1])}, f)
    os.remove(model)
    os.remove(said)


def ask_peers(args, folder, names):
    """{name: result} from the cache, which is filled first."""
    if "vw" in names and not os.path.exists(os.path.join(folder, "vw.json")):
        vw(args, folder)
    missing = [n for n in names if not os.path.exists(os.path.join(folder, n + ".json"))]
    if missing:
        subprocess.run([args.python, os.path.join(common.BENCH, "accuracy_peers.py"), folder, str(args.limit), *missing], check=True)
    results = {}
    for name in names:
        with open(os.path.join(folder, name + ".json")) as f:
            results[name] = json.load(f)
    return results


def ask_sluice(sluice, folder, ending, options):
    """One pass over the train part, then predictions of the test part."""
    train, test = (os.path.join(folder, part + ending) for part in ("train", "test"))
    model = os.path.join(folder, "sluice.model")
    out = subprocess.run([sluice, "train", "-qq", "--json", "-o", model, *options, train], check=True, capture_output=True, text=True).stdout
    said = subprocess.run([sluice, "predict", "-m", model, test], check=True, capture_output=True, text=True).stdout
    os.remove(model)
    report = json.loads(out)
    return {"said": "".join("+" if line.startswith("1\t") else "-" for line in said.splitlines()), "seconds": report["seconds"],
            "nonzeros": report["nonzeros"], "features": report["features_seen"], "learner": report["learner"]}


class Row:
    """One set: the truth and everybody's answers."""

    def __init__(self, name, parts, results):
        self.name, self.truth, self.results = name, parts["truth"], results
        self.rows, self.features, self.wide = parts["rows"], parts["features"], parts["dimension"] > WIDE

    def wrong(self, who):
        said = self.results[who]["said"]
        return [a != b for a, b in zip(said, self.truth, strict=True)] if said else None

    def error(self, who):
        """A share, or None where there is no answer."""
        wrong = self.wrong(who)
        return sum(wrong) / len(wrong) if wrong else None

    def deviation(self, who):
        p = self.error(who)
        return math.sqrt(p * (1 - p) / len(self.truth))

    def counted(self, who):
        """The error for ratios: at least half a mistake."""
        return max(self.error(who), 0.5 / len(self.truth))

    def sparsity(self, who):
        r = self.results[who]
        return 1 - r["nonzeros"] / max(r["features"], 1)

    def best(self, names):
        known = [n for n in names if n in self.results and self.error(n) is not None]
        return min(known, key=self.error) if known else None

    def batch(self):
        known = [n for n in BATCH if n in self.results]
        return min(known, key=lambda n: self.results[n]["folds"]) if known else None

    def above(self, who, other):
        """How many standard errors of the paired difference `who` is above `other`."""
        a, b = self.wrong(who), self.wrong(other)
        only_a, only_b = sum(x and not y for x, y in zip(a, b)), sum(y and not x for x, y in zip(a, b))
        more = only_a - only_b
        return more / math.sqrt(only_a + only_b - more * more / len(a)) if more else 0.0


def geometric(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def percent(p):
    return "-" if p is None else f"{100 * p:.2f}"


def lines_of(rows, columns, args):
    """One line a set, for the table."""
    for row in rows:
        line = {"set": row.name, "rows": row.rows, "features": row.features, "test": len(row.truth)}
        for column in columns:
            line[column] = f"{percent(row.error(column))} ± {percent(row.deviation(column))}"
            line[f"sparsity {column}"] = f"{row.sparsity(column):.2f}"
        kinds = {f"{kind} {how}": [n for n in PEERS if n.startswith(kind) and n.endswith("," + how)] for kind in HOWS for how in HOWS[kind]}
        for title, names in ({n.replace(",", " "): [n] for n in PEERS} if args.full else {"VW": ["vw"], **kinds}).items():
            if any(n in row.results for n in names):
                best = row.best(names)
                line[title] = (percent(row.error(best)) + (f" {best.split(',')[1]}" if len(names) > 1 else "")) if best else "too slow"
        batch = row.batch()
        if batch:
            line["batch"] = f"{percent(row.error(batch))} {batch[-2:].upper()}"
            line["L1"] = percent(row.error("liblinear,l1"))
            line["sparsity L1"] = f"{row.sparsity('liblinear,l1'):.2f}"
        for column in columns:
            best = row.best(PEERS)
            if best:
                above = row.above(column, best)
                line[f"{column} - best peer"] = f"{100 * (row.error(column) - row.error(best)):+.2f} ({above:+.1f} s.e.)"
        yield line


def summary(rows, who):
    """What the last table says of one column."""
    known = [r for r in rows if who in r.results and r.error(who) is not None]
    line = {"who": who.replace(",", " "), "sets": len(known)}
    batch = [r for r in known if r.batch()]
    line["ratio to batch"] = f"{geometric(r.counted(who) / r.counted(r.batch()) for r in batch):.3f}"
    wide = [r for r in batch if r.wide]
    line["wide sets"] = f"{geometric(r.counted(who) / r.counted(r.batch()) for r in wide):.3f}"
    with_vw = [r for r in known if "vw" in r.results]
    line["ratio to VW"] = f"{geometric(r.counted(who) / r.counted('vw') for r in with_vw):.3f}"
    sparse = [r for r in known if r.wide and "nonzeros" in r.results[who]]
    line["sparsity, wide sets"] = f"{sum(r.sparsity(who) for r in sparse) / len(sparse):.3f}" if sparse else "-"
    others = [r for r in known if r.best([p for p in PEERS if p != who])]
    within = [r for r in others if r.above(who, r.best([p for p in PEERS if p != who])) <= 2]
    line["within 2 s.e. of the best peer"] = f"{len(within)} of {len(others)}"
    line["of VW"] = f"{sum(r.above(who, 'vw') <= 2 for r in with_vw)} of {len(with_vw)}"
    return line, [r.name for r in others if r not in within]


def show(table, markdown):
    if not table:
        return
    every = {}  # a set may lack a column
    for line in table:
        every.update(dict.fromkeys(line, "-"))
    table = [{**every, **line} for line in table]
    if not markdown:
        common.table(table)
        return
    print("| " + " | ".join(every) + " |\n|" + "---|" * len(every))
    for line in table:
        print("| " + " | ".join(str(v) for v in line.values()) + " |")


def main():
    args = arguments()
    data = os.environ.get("SLUICE_DATA") or sys.exit("SLUICE_DATA must name the folder with the files of experiments/DATA.md")
    names = [n for n in PEERS + BATCH if not args.peers or n.split(",")[0] in args.peers.split(",")]
    columns = {} if args.peers_only else {"sluice": [], **{f"sluice {o}": shlex.split(o) for o in args.also}}
    rows = []
    for name, (train, test) in find_sets(data, args.sets and args.sets.split(",")).items():
        folder = os.path.join(args.cache, name)
        parts = prepare(args.sluice, folder, train, test)
        if parts["classes"] != 2:
            print(f"left out: {name} has {parts['classes']} classes", file=sys.stderr)
            continue
        results = ask_peers(args, folder, names)
        for column, options in columns.items():
            results[column] = ask_sluice(args.sluice, folder, parts["ending"], options)
        rows.append(Row(name, parts, results))
    print(*([] if args.markdown else common.machine(args)), sep="\n")
    print()
    show(list(lines_of(rows, columns, args)), args.markdown)
    print()
    summaries = [summary(rows, who) for who in [*columns, *names]]
    show([line for line, _ in summaries], args.markdown)
    for column, (_, missed) in zip(columns, summaries):
        if missed:
            print(f"\n{column} is more than 2 s.e. above the best peer on: {', '.join(missed)}")


if __name__ == "__main__":
    main()
