"""Learns one set with the peers of accuracy.py: one pass each, except LIBLINEAR. Needs numpy, scikit-learn, river.

    accuracy_peers.py FOLDER SECONDS NAME...       FOLDER has train.svm and test.svm

For every NAME that has no result yet FOLDER/NAME.json is written: {"said": one + or - for each test row, "seconds",
"choice"}, LIBLINEAR with "nonzeros" and "features". A learner of river that takes more than SECONDS is given up:
{"said": null}.
"""
import json
import os
import sys
import time
import warnings

import numpy
from sklearn.datasets import load_svmlight_files
from sklearn.linear_model import PassiveAggressiveClassifier, Perceptron, SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import LinearSVC

ONCE = {"shuffle": False, "max_iter": 1, "tol": None, "random_state": 1}
SKLEARN = {"SGD hinge": lambda: SGDClassifier(loss="hinge", **ONCE), "SGD log": lambda: SGDClassifier(loss="log_loss", **ONCE),
           "Perceptron": lambda: Perceptron(**ONCE), "PA": lambda: PassiveAggressiveClassifier(**ONCE)}
DENSE = 1000  # up to so many columns are standardised for LIBLINEAR
ROWS = 8000  # so many rows at most, drawn at random, take part in the choice of C
WORK = 1500000  # more nonzeros than that: three folds instead of five


class Set:
    def __init__(self, folder):
        self.folder = folder
        self.x, self.y, self.x_test, y_test = load_svmlight_files([folder + "/train.svm", folder + "/test.svm"])
        for m in self.x, self.x_test:  # SGDClassifier takes no other ids
            m.indices, m.indptr = m.indices.astype("int32"), m.indptr.astype("int32")
        self.unit = normalize(self.x), normalize(self.x_test)
        self.scaled = None
        if self.x.shape[1] <= DENSE:
            scaler = StandardScaler().fit(self.x.toarray())
            self.scaled = scaler.transform(self.x.toarray()), scaler.transform(self.x_test.toarray())

    def rows(self, how):
        return {"raw": (self.x, self.x_test), "unit": self.unit, "scaled": self.scaled}[how]


def signs(said):
    return "".join("+" if s > 0 else "-" for s in said)


def sklearn(data, learner, how):
    x, x_test = data.rows(how)
    return {"said": signs(SKLEARN[learner]().fit(x, data.y).predict(x_test))}


def river(data, learner, how, limit):
    """The scalers of river work in the stream; a feature that is absent in a row is left out of it, as river does."""
    from river import linear_model, preprocessing
    model = {"LogisticRegression": linear_model.LogisticRegression, "ALMA": linear_model.ALMAClassifier,
             "PA": linear_model.PAClassifier, "Perceptron": linear_model.Perceptron}[learner]()
    if how == "unit":
        model = preprocessing.Normalizer() | model
    elif how == "scaled":
        model = preprocessing.StandardScaler() | model

    def rows(m):
        for i in range(m.shape[0]):
            part = slice(m.indptr[i], m.indptr[i + 1])
            yield dict(zip(m.indices[part].tolist(), m.data[part].tolist()))
    start = time.monotonic()
    for x, y in zip(rows(data.x), data.y > 0):
        model.learn_one(x, bool(y))
        if time.monotonic() - start > limit:
            return {"said": None}
    return {"said": signs(1 if model.predict_one(x) else -1 for x in rows(data.x_test))}


def wrong_in_folds(model, x, y, folds):
    return sum((model.fit(x[a], y[a]).predict(x[b]) != y[b]).sum() for a, b in folds) / len(y)


def liblinear(data, penalty):
    """Squared hinge loss, C and the scaling by cross-validation: decades first, then half a decade around the best."""
    n, d = data.x.shape
    some = numpy.sort(numpy.random.default_rng(1).permutation(n)[:ROWS])
    y = data.y[some]
    folds = list(StratifiedKFold(3 if data.x.nnz > WORK else 5, shuffle=True, random_state=1).split(some, y))

    def model(C, iterations=200):
        return LinearSVC(penalty=penalty, dual=penalty == "l2" and n < d, C=C, random_state=1, max_iter=iterations)
    tried = {}
    for how in ["unit", "scaled"] if data.scaled else ["unit"]:
        x = data.rows(how)[0][some]
        for C in 0.01, 0.1, 1.0, 10.0, 100.0:
            tried[how, C] = wrong_in_folds(model(C), x, y, folds)
    how, C = min(tried, key=lambda p: (tried[p], p[1]))
    x = data.rows(how)[0][some]
    for finer in C / 10**0.5, C * 10**0.5:
        tried[how, finer] = wrong_in_folds(model(finer), x, y, folds)
    how, C = min(tried, key=lambda p: (tried[p], p[1]))
    x, x_test = data.rows(how)
    C *= len(some) / n  # the loss is a sum over rows: as strong as in the choice
    m = model(C, 1000).fit(x, data.y)
    return {"said": signs(m.predict(x_test)), "choice": f"{how} C={C:.3g}", "folds": float(min(tried.values())),
            "nonzeros": int((m.coef_ != 0).sum()), "features": len(set(data.x.indices.tolist()))}


def main():
    folder, limit, names = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    warnings.simplefilter("ignore")
    data = None
    for name in names:
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            continue
        data = data or Set(folder)
        kind, *rest = name.split(",")
        start = time.monotonic()
        if kind == "scikit-learn":
            result = sklearn(data, *rest)
        elif kind == "river":
            result = river(data, *rest, limit)
        else:
            result = liblinear(data, *rest)
        result["seconds"] = round(time.monotonic() - start, 2)
        with open(path + ".part", "w") as f:
            json.dump(result, f)
        os.rename(path + ".part", path)
        print(f"{os.path.basename(folder)} {name}: {result['seconds']} s", file=sys.stderr)


main()
