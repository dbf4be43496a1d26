#!/usr/bin/env python3
"""Several classes beside Vowpal Wabbit and scikit-learn: test error after one pass, and the seconds it took.

    bench/classes.py FILE             a LIBSVM file (.zst, .gz ... as sluice reads them); its last fifth is for testing
    bench/classes.py --digits         scikit-learn's load_digits, values divided by 16, shuffled with seed 1
    bench/classes.py --wide           10,000 classes x 100,000 features x 1,000,000 rows of 20 values: rates and memory

Rows are scaled to length 1 for all programs. Peers have a small grid, and the best error of it is shown: VW --oaa with
its learning rate (0.1, 0.5, 2, 10) and loss (logistic, hinge); SGDClassifier with its loss (hinge, log_loss) and alpha
(1e-6, 1e-5, 1e-4, 1e-3). sluice has its defaults and grids of 4 or 8 points.
Seconds are those of one run's process (user and system), without the start of Python and its imports.
"""
import argparse
import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

import common

GRIDS = {"pa-1": {"C": ["0.01", "0.1", "1", "10"]}, "arow": {"r": ["0.01", "0.1", "1", "10"]},
         "ssol": {"r": ["0.03", "0.1", "0.3", "1"], "eta": ["2", "4"]},
         "ftrl": {"alpha": ["0.5", "1", "2", "4"], "l1": ["0", "0.03"]},
         "rda": {"eta": ["0.25", "1", "4", "16"]}, "ada-rda": {"eta": ["0.5", "1", "2", "4"]}}
MATRIX = ["pa-1", "arow", "ada-rda"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--digits", action="store_true")
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--python", default=sys.executable, help="a Python that has vowpalwabbit and scikit-learn")
    parser.add_argument("--no-peers", action="store_true")
    return parser.parse_args()


def cost(command, **more):
    """Processor seconds of a command, its peak memory in MiB, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr[-300:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024, done.stdout


def normalized(line):
    label, *features = line.split()
    pairs = [f.split(":") for f in features]
    size = sum(float(v) ** 2 for _, v in pairs) ** 0.5 or 1
    return label, [(k, float(v) / size) for k, v in pairs]


def write(folder, rows):
    """The rows as LIBSVM and VW text, for learning and testing; VW's labels are 1, 2, ..."""
    cut = len(rows) - len(rows) // 5
    number = {}
    for part, name in ((rows[:cut], "train"), (rows[cut:], "test")):
        with open(f"{folder}/{name}.svm", "w") as svm, open(f"{folder}/{name}.vw", "w") as vw:
            for label, pairs in part:
                n = number.setdefault(label, len(number) + 1)
                text = " ".join(f"{k}:{v:.7g}" for k, v in pairs)
                svm.write(f"{label} {text}\n")
                vw.write(f"{n} | {text}\n")
    return len(number), len(rows) - cut


def digits(python):
    script = ("from sklearn.datasets import load_digits\nx, y = load_digits(return_X_y=True)\n"
              "for r, c in zip(x, y): print(c, *(f'{i + 1}:{v / 16}' for i, v in enumerate(r) if v))")
    lines = cost([python, "-c", script])[2].splitlines()
    random.Random(1).shuffle(lines)
    return lines


def sluice_error(sluice, folder, kind, learner, params):
    model = f"{folder}/model"
    seconds, _, _ = cost([sluice, "train", "-qq", "--threads", "1", "--classes", kind, "-a", learner, *params, "-o", model,
                          f"{folder}/train.svm"])
    out = cost([sluice, "test", "-m", model, "--json", f"{folder}/test.svm"])[2]
    return json.loads(out)["error_rate"], seconds


PEER = """
import sys, time, resource
kind, folder, classes, option, value = sys.argv[1:6]
def used():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime
if kind in ("oaa", "ect"):
    import vowpalwabbit
    start = used()
    m = vowpalwabbit.Workspace(arg_list=["--" + kind, classes, "-b", sys.argv[6], "--loss_function", option,
        "-l", value, "-d", folder + "/train.vw", "--quiet", "-f", folder + "/vw.model"])
    m.finish()
    learned = used()
    m = vowpalwabbit.Workspace(arg_list=["-t", "-i", folder + "/vw.model", "-d", folder + "/test.vw", "--quiet",
                                          "-p", folder + "/vw.said"])
    m.finish()
    said = [int(float(line.split()[0])) for line in open(folder + "/vw.said")]
    truth = [int(line.split()[0]) for line in open(folder + "/test.vw")]
    wrong = sum(a != b for a, b in zip(said, truth)) / len(truth)
else:
    from sklearn.datasets import load_svmlight_files
    from sklearn.linear_model import SGDClassifier
    start = used()
    x, y, x_test, y_test = load_svmlight_files([folder + "/train.svm", folder + "/test.svm"])
    for m in x, x_test:
        m.indices, m.indptr = m.indices.astype("int32"), m.indptr.astype("int32")
    m = SGDClassifier(loss=option, alpha=float(value), max_iter=1, tol=None, random_state=1, shuffle=False).fit(x, y)
    learned = used()
    wrong = 1 - m.score(x_test, y_test)
print(wrong, learned - start)
"""


def peer(python, *arguments):
    out = cost([python, "-W", "ignore", "-c", PEER, *map(str, arguments)])[2].split()
    return float(out[0]), float(out[1])


def compare(args, rows):
    sluice = args.sluice
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        classes, tested = write(folder, rows)
        print(f"{len(rows) - tested} rows to learn, {tested} to test, {classes} classes\n")
        print("| program | error, defaults | error, best of the grid | with | seconds |\n|---|---|---|---|---|")
        for kind, learners in (("ovr", list(GRIDS)), ("matrix", MATRIX)):
            for learner in learners:
                plain, seconds = sluice_error(sluice, folder, kind, learner, [])
                points = [[f"{k}={v}" for k, v in zip(GRIDS[learner], values)]
                          for values in itertools.product(*GRIDS[learner].values())]
                best = min((sluice_error(sluice, folder, kind, learner, sum((["-P", p] for p in point), []))[0], point)
                           for point in points)
                print(f"| sluice {kind} {learner} | {plain:.4f} | {best[0]:.4f} | {' '.join(best[1])} | {seconds:.2f} |",
                      flush=True)
        if args.no_peers:
            return
        bits = 18 + max(0, (classes - 1).bit_length() - 1)
        for loss in "logistic", "hinge":
            plain, seconds = peer(args.python, "oaa", folder, classes, loss, "0.5", bits)
            best = min((peer(args.python, "oaa", folder, classes, loss, v, bits)[0], v) for v in ("0.1", "0.5", "2", "10"))
            print(f"| VW --oaa {loss} | {plain:.4f} | {best[0]:.4f} | -l {best[1]} | {seconds:.2f} |", flush=True)
        for loss in "hinge", "log_loss":
            plain, seconds = peer(args.python, "sgd", folder, classes, loss, "1e-4")
            best = min((peer(args.python, "sgd", folder, classes, loss, v)[0], v) for v in ("1e-6", "1e-5", "1e-4", "1e-3"))
            print(f"| SGDClassifier {loss} | {plain:.4f} | {best[0]:.4f} | alpha={best[1]} | {seconds:.2f} |", flush=True)


def wide(args):
    sluice = args.sluice
    rows, classes, features = 1000000, 10000, 100000
    text = os.path.join(args.dir, "wide.svm")
    if not os.path.exists(text):
        subprocess.run([sluice, "synth", "classes", "-q", "-P", f"rows={rows}", "-P", f"classes={classes}", "-P",
                        f"dim={features}", "-P", "nonzeros=20", "-P", "test_rows=0", "-P", "labels=numbers", "-o", text], check=True)
    print("| program | rows | seconds | rows/s | peak MiB | error while learning |\n|---|---|---|---|---|---|")
    for learner in "pa-1", "arow", "ada-rda":
        start = time.perf_counter()
        _, memory, out = cost([sluice, "train", "-q", "--json", "--threads", "1", "--classes", "matrix", "-a", learner, text])
        seconds = time.perf_counter() - start
        print(f"| sluice matrix {learner} | {rows} | {seconds:.1f} | {rows / seconds:.0f} | {memory:.0f} | "
              f"{json.loads(out)['error_rate']:.4f} |", flush=True)
    if args.no_peers:
        return
    some = 20000  # VW's --oaa goes over all classes for every row
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        with open(text) as f:
            head = [next(f) for _ in range(some + 10)]
        number = {}
        for name, part in (("train", head[:some]), ("test", head[some:])):
            with open(f"{folder}/{name}.vw", "w") as out:
                for line in part:
                    label, rest = line.rstrip("\n").split(" ", 1)
                    out.write(f"{number.setdefault(label, len(number) + 1)} | {rest}\n")
        for kind in "oaa", "ect":
            try:
                seconds = peer(args.python, kind, folder, classes, "logistic", "0.5", 26)[1]
                print(f"| VW --{kind} -b 26 | {some} | {seconds:.1f} | {some / seconds:.0f} | - | - |", flush=True)
            except RuntimeError as e:
                print(f"| VW --{kind} -b 26 | {some} | it failed: {str(e)[-120:]!r} | - | - | - |")


def main():
    args = arguments()
    os.makedirs(args.dir, exist_ok=True)
    if args.wide:
        wide(args)
    elif args.digits:
        compare(args, [normalized(line) for line in digits(args.python)])
    elif args.file:
        lines = cost([args.sluice, "convert", "--to", "libsvm", args.file])[2].splitlines()
        compare(args, [normalized(line) for line in lines])
    else:
        sys.exit("which file? or --digits, or --wide")


main()
