#!/usr/bin/env python3
"""What other programs predict with exported models, beside sluice's own predictions (docs/models.md).

    export_peers.py --sluice build/release/bin/sluice [--rows 400] [--data FILE [--test FILE] [--format F]]

LIBLINEAR's predict, Vowpal Wabbit, onnxruntime with ONNX's checker, and the C compiler. A program that is not installed
is left out, and the output says so. Without --data the rows are random. Exit status 1: a label that is not sluice's, or
a margin that is not sluice's to 1e-6. VW adds 32-bit floats: its margins may differ by 1e-6 of the sum of the absolute
values of what it adds, where that is above 1."""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

TOLERANCE = 1e-6
MAIN = r"""
#include "exported.c"
#include <stdio.h>
#include <stdlib.h>
static char line[1 << 22];
static uint64_t id[1 << 17];
static float value[1 << 17];
static double margins[model_PROBLEMS + 1];
int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        size_t n = 0;
        char *p = line;
        int i;
        while (*p && *p != ' ' && *p != '\n') p++;
        while (*p == ' ') {
            id[n] = strtoull(p + 1, &p, 10);
            value[n++] = strtof(p + 1, &p);
        }
        model_margins(id, value, n, margins);
        printf("%s", model_label[model_class(margins)]);
        for (i = 0; i < model_PROBLEMS; i++) printf("\t%.17g", margins[i]);
        puts("");
    }
    return 0;
}
"""


class Missing(Exception):
    pass


def run(*command, stdin=None):
    done = subprocess.run(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").splitlines()


class Case:
    """A model, the rows it predicts, and sluice's answers."""

    def __init__(self, sluice, folder, name, model, data):
        self.sluice, self.folder, self.name, self.model = sluice, folder, name, model
        answers = [line.split("\t") for line in run(sluice, "predict", "-qq", "-m", model, data)]
        self.labels, self.margins = [a[0] for a in answers], [float(a[1]) for a in answers]
        self.svm, self.data = os.path.join(folder, "rows.svm"), data
        run(sluice, "convert", "-qq", "--model", model, data, "-o", self.svm)
        self.rows = []
        with open(self.svm, encoding="utf-8") as f:
            for line in f:
                self.rows.append([(int(i), float(v)) for i, v in (x.split(":") for x in line.split()[1:])])

    def sizes(self):
        """Of each row the sum of |weight times value|, of two classes."""
        model = json.loads("\n".join(run(self.sluice, "export", "-qq", "--to", "json", self.model)))
        weights = {f.get("number", f.get("id")): abs(f["weights"][0][1]) for f in model["features"]}
        constant = abs(model["problems"][0]["constant"])
        return [constant + sum(weights[i] * abs(v) for i, v in row) for row in self.rows]

    def export(self, to, name):
        path = os.path.join(self.folder, name)
        run(self.sluice, "export", "-qq", "--to", to, self.model, "-o", path)
        return path


def by_liblinear(case):
    program = shutil.which("liblinear-predict") or shutil.which("linear-predict")
    if not program:
        raise Missing("liblinear-predict")
    path, out = case.export("liblinear", "m.liblinear"), os.path.join(case.folder, "predicted")
    run(program, case.svm, path, out)
    with open(out, encoding="utf-8") as f:
        labels = [str(int(float(line))) for line in f]
    if os.path.exists(path + ".labels"):
        with open(path + ".labels", encoding="utf-8") as f:
            names = f.read().split("\n")
        labels = [names[int(label) - 1] for label in labels]
    return labels, None


def by_vw(case):
    try:
        import vowpalwabbit
    except ImportError:
        raise Missing("vowpalwabbit")
    path, rows = case.export("vw", "m.vw"), os.path.join(case.folder, "rows.vw")
    run(case.sluice, "convert", "-qq", "--model", case.model, case.data, "-o", rows)
    vw, margins = vowpalwabbit.Workspace(f"--quiet -t -i {path}"), []
    with open(rows, encoding="utf-8") as f:
        for line in f:
            margins.append(vw.predict(line[line.index("|"):].rstrip("\n")))
    vw.finish()
    of = {}
    for label, margin in zip(case.labels, case.margins):
        of.setdefault(margin > 0, label)
    return [of.get(margin > 0) for margin in margins], margins


def by_onnx(case):
    try:
        import numpy
        import onnx
        import onnxruntime
    except ImportError:
        raise Missing("onnxruntime, onnx or numpy")
    path = case.export("onnx", "m.onnx")
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    width, labels, margins = session.get_inputs()[0].shape[1], [], []
    for at in range(0, len(case.rows), 256):
        part = case.rows[at:at + 256]
        x = numpy.zeros((len(part), width), numpy.float32)
        for i, row in enumerate(part):
            for column, value in row:
                x[i, column - 1] = value
        label, margin = session.run(["label", "margins"], {"features": x})
        labels += [str(w) for w in label]
        margins += [float(m[0]) if len(m) == 1 else m for m in margin]
    return labels, margins


def by_c(case):
    compiler = shutil.which("cc")
    if not compiler:
        raise Missing("cc")
    case.export("c", "exported.c")
    main, program = os.path.join(case.folder, "main.c"), os.path.join(case.folder, "main")
    with open(main, "w", encoding="utf-8") as f:
        f.write(MAIN)
    run(compiler, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", main, "-o", program)
    with open(case.svm, "rb") as f:
        answers = [line.split("\t") for line in run(program, stdin=f)]
    return [a[0] for a in answers], [float(a[1]) for a in answers] if len(answers[0]) == 2 else None


PEERS = {"LIBLINEAR": by_liblinear, "VW": by_vw, "onnxruntime": by_onnx, "C": by_c}


def compare(case, peer):
    """The line to print, and whether it agrees."""
    labels, margins = PEERS[peer](case)
    wrong = sum(a != b for a, b in zip(labels, case.labels)) + abs(len(labels) - len(case.labels))
    largest, fine = 0, True
    sizes = case.sizes() if peer == "VW" else [1] * len(case.rows)
    for got, wanted, size in zip(margins or [], case.margins, sizes):
        difference = min(abs(g - wanted) for g in (got if hasattr(got, "__len__") else [got]))
        largest = max(largest, difference)
        fine = fine and difference <= TOLERANCE * max(1, size)
    text = "margins not given" if margins is None else f"margins differ by at most {largest:.2g}"
    return f"{peer}: {case.name}: {len(labels)} rows, {wrong} labels differ, {text}", not wrong and fine


# ---- random rows -----------------------------------------------------------------------------------------------------


def numbers(r, rows, labels):
    lines = []
    for _ in range(rows):
        c = r.randrange(len(labels))
        ids = sorted(r.sample(range(1, 40), 8))
        lines.append(labels[c] + " " + " ".join(f"{i}:{r.gauss(0, 1) + (i % len(labels) == c):.4g}" for i in ids))
    return "\n".join(lines) + "\n"


def words(r, rows):
    spam, ham, both = ["prize", "win", "free", "5", "05"], ["lunch", "noon", "meet", "\u00e9t\u00e9"], ["the", "to", "a", "bias"]
    lines = []
    for _ in range(rows):
        c = r.random() < 0.4
        lines.append(("spam" if c else "ham") + "\t" +
                     " ".join(r.choice(both if r.random() < 0.5 else spam if c == (r.random() < 0.9) else ham) for _ in range(9)))
    return "\n".join(lines) + "\n"


def made_cases(rows):
    """Name, options of train, rows, formats that have no room for it."""
    r = random.Random(5)
    two, turned = numbers(r, rows, ["-1", "+1"]), numbers(r, rows, ["yes", "no"])
    many, text = numbers(r, rows, ["red", "green", "blue", "7"]), words(r, rows)
    pairs, several = {"VW", "LIBLINEAR"}, {"VW"}
    yield "two classes", ["-a", "arow"], two, set()
    yield "two classes of auto", [], two, set()
    yield "log odds", ["-a", "ftrl", "--bias", "2"], two, set()
    yield "values changed", ["-a", "arow", "--transform", "log1p", "--scale", "maxabs", "--normalize", "l2"], two, set()
    yield "idf", ["-a", "arow", "--scale", "idf", "--normalize", "l2"], two, set()
    yield "words as labels", ["-a", "arow", "--bias", "1"], turned, set()
    yield "the class seen first is positive", ["-a", "perceptron", "--positive", turned.split(" ")[0]], turned, set()
    yield "text", ["-f", "text", "-a", "arow"], text, set()
    yield "text of auto", ["-f", "text"], text, set()
    for kind in ["ovr", "ovo", "matrix"]:
        yield kind, ["-a", "perceptron", "--classes", kind, "--bias", "1"], many, pairs if kind == "ovo" else several
    yield "one against the rest of auto", ["--classes", "ovr"], many, several


def made(sluice, rows):
    for name, options, data, without in made_cases(rows):
        with tempfile.TemporaryDirectory() as folder:
            path, model = os.path.join(folder, "data"), os.path.join(folder, "model")
            with open(path, "w", encoding="utf-8") as f:
                f.write(data)
            run(sluice, "train", "-qq", *options, "-o", model, path)
            yield Case(sluice, folder, name, model, path), without


def given(args):
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        how = ["-f", args.format] if args.format else []
        run(args.sluice, "train", "-qq", *how, "-o", model, args.data)
        yield Case(args.sluice, folder, os.path.basename(args.data), model, args.test or args.data), set()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--data")
    parser.add_argument("--test")
    parser.add_argument("--format")
    args = parser.parse_args()
    failed, missing = False, set()
    for case, without in given(args) if args.data else made(args.sluice, args.rows):
        for peer in PEERS:
            if peer in without:
                continue
            try:
                line, agrees = compare(case, peer)
            except Missing as what:
                missing.add(f"{peer}: left out, there is no {what}")
                continue
            print(line)
            failed = failed or not agrees
    for line in sorted(missing):
        print(line)
    return failed


if __name__ == "__main__":
    sys.exit(main())
