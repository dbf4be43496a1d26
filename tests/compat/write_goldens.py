#!/usr/bin/env python3
"""Writes golden model files and what is expected of them, with the program that writes their format; once for each format.

    write_goldens.py PROGRAM FORMAT             into formatFORMAT/; refuses a folder that exists
    write_goldens.py PROGRAM FORMAT NAME        the file of a learner, or of a name in SPECIAL, that has none yet

README.md says which commits wrote which format.
"""
import json
import os
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# values other than the defaults, so that a parameter that is not read back shows
PARAMS = {"eta": 1.5, "lambda": 0.01, "l1": 0.02, "l2": 0.1, "beta": 0.5, "alpha": 0.75, "r": 0.7, "delta": 0.3, "k": 3, "theta": 0.5, "schedule": "sqrt",
          "cost_pos": 3, "cost_neg": 0.5, "margin_pos": 2, "margin_neg": 0.5, "C": 0.7, "B": 0.6, "seed": 7, "features": 6, "epsilon": 0.4, "a": 0.6,
          "b": 2.5, "phi": 0.8, "batch": 10, "iterations": 3, "sigma": 2, "q": 2, "inner": 2, "refit": 5, "tolerance": 0.01, "C_cov": 2, "loss": "hinge"}
UNWEIGHTED = ("pa", "olsf", "cw", "sop", "cw-full", "sop-full")  # learners that refuse importance weights
OWN = {"olsf": {"lambda": 3}, "sbcw": {"q": 1, "C": 100, "score": "plain"}, "fgm": {"q": 1, "C": 10}}

# name: (least format, learner, options, training data, data to predict, data to resume with)
SPECIAL = {
    "bias-l2": (1, "ada-fobos", ["--bias", "0.5", "--normalize", "l2", "--passes", "2"], "train.svm", "rows.svm", "more.svm"),
    "hash": (1, "pa-1", ["--hash", "4"], "train.svm", "rows.svm", "more.svm"),
    "large-ids": (1, "ssol", [], "large.svm", "large.svm", "large.svm"),
    "predict-only": (1, "fsol", ["--bias", "1", "--final"], "train.svm", "rows.svm", None),
    "logistic": (1, "ftrl", ["-P", "loss=logistic"], "train.svm", "rows.svm", "more.svm"),
    "empty": (1, "ssol", [], "empty.svm", "rows.svm", "more.svm"),
    "names": (2, "ssol", ["--bias", "1"], "train.vw", "rows.vw", "more.vw"),
    "names-hash": (2, "arow", ["--hash", "5"], "train.vw", "rows.vw", "more.vw"),
    "names-predict-only": (2, "ftrl", ["--final"], "train.vw", "rows.vw", None),
    "names-full": (2, "scw-1-full", [], "train.vw", "rows.vw", "more.vw"),
    "names-batch": (2, "sbcw", [], "train.vw", "rows.vw", "more.vw"),
    "max-features": (2, "fsol", ["-P", "lambda=0.2", "--max-features", "8"], "train.svm", "rows.svm", "more.svm"),
    "names-max-features": (2, "ssol", ["-P", "lambda=0.5", "--max-features", "9", "--bias", "1"], "train.vw", "rows.vw", "more.vw"),
    "text": (2, "cs-ogd", ["-f", "text", "--ngrams", "2", "--tf", "binary"], "train.tsv", "rows.tsv", "more.tsv"),
    "csv": (2, "ada-rda", ["--label", "class", "--weight", "cost"], "train.csv", "rows.csv", "more.csv"),
    "csv-no-header": (2, "paum", ["--no-header", "--label", "3"], "bare.csv", "bare.csv", "bare.csv"),
    "jsonl": (2, "stg", ["--label", "good"], "train.jsonl", "rows.jsonl", "more.jsonl"),
    "platt": (3, "pa-2", ["--calibrate", "more.svm", "--calibration", "platt"], "train.svm", "rows.svm", "more.svm"),
    "isotonic": (3, "scw-2", ["--calibrate", "more.svm"], "train.svm", "rows.svm", "more.svm"),
    "isotonic-predict-only": (3, "narow", ["--calibrate", "more.vw", "--final"], "train.vw", "rows.vw", None),
    "words": (4, "ada-rda", ["-f", "text"], "words.tsv", "rows.tsv", "words-more.tsv"),
    "words-positive": (4, "cs-ogd", ["-f", "text", "--positive", "spam"], "words.tsv", "rows.tsv", "words-more.tsv"),
    "words-predict-only": (4, "arow", ["-f", "text", "--final"], "words.tsv", "rows.tsv", None),
    "matrix": (4, "ssol", ["-f", "text", "--classes", "matrix", "--bias", "1"], "classes.tsv", "classes-rows.tsv", "classes-more.tsv"),
    "matrix-vectors": (4, "olsf-2", ["-f", "text", "--classes", "matrix"], "classes.tsv", "classes-rows.tsv", "classes-more.tsv"),
    "matrix-predict-only": (4, "arow", ["-f", "text", "--classes", "matrix", "--final"], "classes.tsv", "classes-rows.tsv", None),
    "ovr": (4, "rda", ["-f", "text", "--classes", "ovr"], "classes.tsv", "classes-rows.tsv", "classes-more.tsv"),
    "ovr-predict-only": (4, "pa-1", ["-f", "text", "--classes", "ovr", "--final"], "classes.tsv", "classes-rows.tsv", None),
    "idf": (4, "arow", ["-f", "text", "--scale", "idf", "--normalize", "l2"], "words.tsv", "rows.tsv", "words-more.tsv"),
    "idf-predict-only": (4, "ssol", ["-f", "text", "--scale", "idf", "--normalize", "l2", "--final"], "words.tsv", "rows.tsv", None),
    "idf-ovr": (4, "pa-1", ["-f", "text", "--scale", "idf", "--classes", "ovr"], "classes.tsv", "classes-rows.tsv", "classes-more.tsv"),
    "ovo": (4, "olsf-1", ["-f", "text", "--classes", "ovo"], "classes.tsv", "classes-rows.tsv", "classes-more.tsv"),
}


def call(program, *args):
    done = subprocess.run([program, *args], capture_output=True, text=True, encoding="utf-8", cwd=os.path.join(HERE, "data"))
    return done.returncode, done.stdout, done.stderr


def must(program, *args):
    status, out, err = call(program, *args)
    if status:
        sys.exit(f"{' '.join(args)}: exit status {status}: {err}")
    return out


def golden(program, folder, form, name, learner, params, options, train, rows, more):
    model, resumed = os.path.join(folder, name + ".model"), os.path.join(folder, "resumed.tmp")
    own = {x.split("=")[0] for x in options if "=" in x}
    given = [x for k, v in params.items() if k not in own for x in ("-P", f"{k}={v}")]
    command = ["train", "-q", "-a", learner, *given, *options]
    must(program, *command, "-o", model, train)
    with open(model, "rb") as f:
        if struct.unpack("<8xI", f.read(12))[0] != form:
            sys.exit(f"{program} does not write format {form}")
    text = f"# sluice {' '.join(command)} -o {name}.model {train}\n"
    text += f"$ inspect --json MODEL\n{must(program, 'inspect', '--json', model)}"
    text += f"$ inspect --weights MODEL\n{must(program, 'inspect', '--weights', model)}"
    status, out, _ = call(program, "predict", "-q", "--proba", "-m", model, rows)
    text += f"$ predict -q --proba -m MODEL {rows}\n{out}" if status == 0 else f"$ predict -q -m MODEL {rows}\n{must(program, 'predict', '-q', '-m', model, rows)}"
    if more:
        must(program, "train", "-q", "-i", model, "-o", resumed, more)
        text += f"$ train -q -i MODEL -o RESUMED {more}\n"
        text += f"$ inspect --weights RESUMED\n{must(program, 'inspect', '--weights', resumed)}"
        text += f"$ predict -q -m RESUMED {rows}\n{must(program, 'predict', '-q', '-m', resumed, rows)}"
        os.remove(resumed)
    with open(os.path.join(folder, name + ".expect"), "w", encoding="utf-8") as f:
        f.write(text)


def main():
    program, form = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    folder = os.path.join(HERE, f"format{form}")
    only = sys.argv[3] if len(sys.argv) > 3 else None
    if only and os.path.exists(os.path.join(folder, only + ".model")):
        sys.exit(f"format{form} has a model of {only}, which is not changed")
    if not only:
        os.mkdir(folder)
    learners = {x["name"]: x for x in json.loads(must(program, "learners", "--json"))["learners"]}

    def params(learner):
        return {p["name"]: OWN.get(learner, {}).get(p["name"], PARAMS.get(p["name"])) for p in learners[learner]["params"]
                if p["name"] in PARAMS or p["name"] in OWN.get(learner, {})}

    for name, x in learners.items():
        if only and name != only:
            continue
        dense = x["dense"] if "dense" in x else "-full" in name
        kind = "dense" if dense else "weighted" if form > 1 and name not in UNWEIGHTED and not x.get("batch") else "train"
        if kind == "weighted":
            golden(program, folder, form, name, name, params(name), [], "train.vw", "rows.vw", "more.vw")
        else:
            golden(program, folder, form, name, name, params(name), [], f"{kind}.svm", "rows.svm", "more.svm" if not dense else "dense.svm")
    for name, (least, learner, options, train, rows, more) in SPECIAL.items():
        if form >= least and (not only or name == only):
            golden(program, folder, form, name, learner, params(learner), options, train, rows, more)


if __name__ == "__main__":
    main()
