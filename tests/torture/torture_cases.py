"""The commands that the fault injection runs: every command, its forms, and every learner."""

import json
import os
import subprocess


class Case:
    """One command. `old`: files that are there before it (name: an input, or a file made by preparing); what it writes is
    compared by name. `streamed`: files that grow during the run, of which a failed run may leave a part. `parts`: commands
    without -o, each of which learns what a checkpoint of the model `m` has learned: that may be there after a failure."""

    def __init__(self, name, command, old=None, stdin=None, streamed=(), parts=()):
        self.name, self.arguments, self.old = name, command.split(), old or {}
        self.stdin, self.streamed, self.parts = stdin, set(streamed), [p.split() for p in parts]


FORM = {"txt": "-f text", "url": "-f url"}  # what the ending does not say
# what only runs on much memory or makes one run long is set small
FEW = {"bcw": "-P batch=8", "sbcw": "-P features=6 -P iterations=2 -P refit=3 -P batch=12", "fgm": "-P features=6 -P batch=12",
       "olsf": "-P features=6", "olsf-1": "-P features=6", "olsf-2": "-P features=6", "olsf-rand": "-P features=6",
       "ofs": "-P features=6", "ofs-p": "-P features=6", "sofs": "-P features=6"}


def learners_of(sluice):
    listed = subprocess.run([sluice, "learners", "--json"], stdout=subprocess.PIPE, check=True).stdout
    return {l["name"]: {p["name"] for p in l["params"]} for l in json.loads(listed)["learners"]}


def few(learner, params):
    """The options of a learner, without parameters that this version of it does not have."""
    words = FEW.get(learner, "").split()
    return " ".join(f"-P {w}" for w in words if w != "-P" and w.split("=")[0] in params)


def make_cases(sluice):
    learners = learners_of(sluice)
    cases = []

    def add(name, command, **more):
        cases.append(Case(name, command, **more))

    model = {"m": "ssol.model"}
    for threads in (1, 2):
        t = f"--threads {threads}"
        at = f"{threads}t"
        # train
        add(f"train.new.{at}", f"train ../in/a.svm -o m {t}")
        add(f"train.replace.{at}", f"train ../in/a.svm -o m --json -q {t}", old=model)
        add(f"train.resume.{at}", f"train -i m -o m ../in/b.svm -q {t}", old=model)
        add(f"train.final.{at}", f"train ../in/a.svm -o m --final --test ../in/b.svm --top 3 -q {t}", old=model)
        add(f"train.calibrate.{at}", f"train ../in/a.svm -o m --calibrate ../in/b.svm --calibration platt -q {t}", old=model)
        add(f"train.calibrate.isotonic.{at}", f"train ../in/a.svm -o m --calibrate ../in/b.svm -q {t}", old=model)
        add(f"train.report.{at}", f"train ../in/a.svm -o m --report r.html --test ../in/b.svm -q {t}",
            old={**model, "r.html": "a.svm"})
        add(f"train.trace.{at}", f"train ../in/a.svm -o m --trace t.csv --trace-every 5 -q {t}", old=model, streamed=["t.csv"])
        add(f"train.save_every.{at}", f"train ../in/a.svm ../in/b.svm -o m --save-every 24 -q {t}", old=model,
            parts=["train ../in/a.svm"])
        add(f"train.skip.{at}", f"train -i m --skip 10 ../in/b.svm -o m --save-every 5 -q {t}", old=model,
            parts=["train -i ../in/ssol.model --skip 10 ../in/b15.svm"])
        add(f"train.allow_empty.{at}", f"train /dev/null -o m --allow-empty -q {t}", old=model)
        add(f"train.passes.{at}", f"train ../in/a.svm ../in/b.svm --passes 3 -o m --bias 1 --normalize l2 -q {t}", old=model)
        add(f"train.stdin.{at}", f"train -o m -f libsvm {t}", old=model, stdin="../in/a.svm")
        add(f"train.hash.{at}", f"train ../in/a.vw -o m --hash 8 -q {t}", old=model)
        add(f"train.evict.{at}", f"train ../in/a.vw ../in/b.vw -a fobos -o m --max-features 5 -q {t}", old=model)
        add(f"train.evict.wide.{at}", f"train ../in/wide.vw -a fobos -P lambda=1 -o m --max-features 60 -q {t}", old=model)
        add(f"train.ngrams.{at}", f"train ../in/a.txt -f text --ngrams 3 --tf count -o m -q {t}", old=model)
        add(f"train.skip_errors.{at}", f"train ../in/a.svm ../in/a.txt -f libsvm --on-error skip -o m -q {t}", old=model)
        for form in ("vw", "csv", "jsonl", "url", "bin"):
            add(f"train.{form}.{at}", f"train ../in/a.{form} {FORM.get(form, '')} -o m -q {t}", old=model)
        for packed in ("gz", "bz2", "xz", "zst"):
            add(f"train.{packed}.{at}", f"train ../in/a.svm.{packed} -o m -q {t}", old=model)
        # predict, test
        add(f"predict.{at}", f"predict -m ../in/ssol.model ../in/b.svm {t}")
        add(f"predict.proba.{at}", f"predict -m ../in/calibrated.model --proba ../in/b.svm {t}")
        add(f"predict.final.{at}", f"predict -m ../in/final.model ../in/b.svm ../in/a.svm.gz {t}")
        add(f"predict.names.{at}", f"predict -m ../in/vw.model ../in/b.vw {t}")
        add(f"predict.stdin.{at}", f"predict -m ../in/ssol.model {t}", stdin="../in/b.svm")
        add(f"test.{at}", f"test -m ../in/ssol.model ../in/b.svm {t}")
        add(f"test.json.{at}", f"test -m ../in/calibrated.model --json ../in/b.svm {t}")
        # tune, sweep, select
        add(f"tune.{at}", f"tune -a ssol,pa-1 --grid lambda=1,2 --grid C=1,4 --folds 2 ../in/a.svm -o m -q {t}", old=model)
        add(f"tune.random.{at}", f"tune -a arow --random 3 --folds 2 ../in/a.vw --json -q {t}")
        add(f"sweep.{at}", f"sweep -a ssol,fobos --lambda 0.1,1 --test ../in/b.svm --html s.html --csv s.csv ../in/a.svm -q {t}",
            old={"s.html": "a.svm", "s.csv": "b.svm"})
        add(f"sweep.repeats.{at}", f"sweep -a rda,olsf --grid B=0.2,1 --lambda 1,2 --repeats 2 ../in/a.vw --json -q {t}")
        add(f"sweep.sparsity.{at}", f"sweep -a ftrl --sparsity 0.5 ../in/a.svm -q {t}")
        add(f"select.{at}", f"select --features 2,4 -P iterations=2 -P refit=3 ../in/a.svm -o f.tsv -q {t}", old={"f.tsv": "a.svm"})
        add(f"select.ranked.{at}", f"select --features 3 -a arow --test ../in/b.vw ../in/a.vw --json -q {t}")
        # convert
        for form in ("svm", "vw", "csv", "jsonl", "txt", "url", "bin"):
            add(f"convert.from_{form}.{at}", f"convert ../in/a.{form} {FORM.get(form, '')} --to vw -o o.vw -q {t}",
                old={"o.vw": "a.svm"})
        for form in ("svm", "vw", "jsonl", "bin"):
            add(f"convert.to_{form}.{at}", f"convert ../in/a.{'vw' if form == 'vw' else 'svm'} -o o.{form} -q {t}",
                old={f"o.{form}": "b.svm"})
        for packed in ("gz", "bz2", "xz", "zst"):
            add(f"convert.{packed}.{at}", f"convert ../in/a.svm.{packed} -o o.svm -q {t}")
        add(f"convert.in_place.{at}", f"convert o.svm -o o.svm --shuffle 3 -q {t}", old={"o.svm": "a.svm"})
        add(f"convert.standardize.{at}", f"convert ../in/a.svm --standardize --normalize l2 -q {t}")
        add(f"convert.sample.{at}", f"convert ../in/a.svm --sample-ratio 1:1 --trapezoid 3 -q {t}")
    # what has no threads
    add("inspect", "inspect ../in/ssol.model")
    add("inspect.weights", "inspect --weights ../in/vw.model")
    add("inspect.json", "inspect --json --top 3 --newest 3 ../in/vw.model")
    add("inspect.batch", "inspect ../in/sbcw.model")
    add("learners", "learners")
    add("learners.one", "learners sofs --json")
    add("learners.markdown", "learners --markdown")
    add("help", "train -a bcw --help")
    add("version", "--version")
    for stream in ("effective -P rows=3 -P dim=20 -P effective=5 -P noise=4", "sparse -P rows=3 -P dim=30 -P nonzeros=4",
                   "dense -P rows=3 -P dim=5"):
        name = stream.split()[0]
        add(f"synth.{name}", f"synth {stream} -P test_rows=2 -o o.svm --test o2.bin -q", old={"o.svm": "a.svm"})
    # learners: learn, and go on from what was saved in the middle
    for learner, params in learners.items():
        options = few(learner, params)
        at = 2 if learner in ("bcw", "sbcw", "fgm", "arow-full", "ssol", "olsf") else 1
        for threads in range(1, at + 1):
            add(f"learner.{learner}.{threads}t", f"train -a {learner} {options} ../in/a.svm -o m -q --threads {threads}", old=model)
        add(f"learner.{learner}.resume", f"train -i m -o m ../in/b.svm -q --threads 1", old={"m": f"{learner}.model"})
        if learner != "bcw" and not learner.endswith("-full"):
            add(f"learner.{learner}.wide", f"train -a {learner} {options} ../in/wide.svm -o m -q --threads 1", old=model)
            add(f"learner.{learner}.wide_names", f"train -a {learner} {options} ../in/wide.vw -o m -q --threads 1", old=model)
        add(f"learner.{learner}.names", f"train -a {learner} {options} ../in/a.vw -o m -q --threads 1")
    return cases


def make_models(sluice, folder):
    """The models that cases begin with; made beside the inputs, by undisturbed runs."""

    def run(*arguments):
        subprocess.run([sluice, *arguments, "-q", "--threads", "1"], cwd=folder, stdout=subprocess.DEVNULL, check=True)

    for learner, params in learners_of(sluice).items():
        run("train", "-a", learner, *few(learner, params).split(), "a.svm", "-o", f"{learner}.model")
    run("train", "a.svm", "-o", "calibrated.model", "--calibrate", "b.svm")
    run("train", "a.svm", "-o", "final.model", "--final")
    run("train", "a.vw", "-o", "vw.model")
    for name in "ab":
        run("convert", f"{name}.svm", "-o", f"{name}.bin")
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o444)
