"""Streams of examples: made from a seed, read from LIBSVM text, written as such.

Values are 32-bit floats, as sluice reads them, kept here in 64 bits.
"""

import subprocess

import numpy as np


class Stream:
    """Rows of (label, importance, ids, values); `ids` maps columns to feature ids."""

    def __init__(self, name, rows):
        self.name = name
        self.rows = [(y, h, ids, np.asarray(values, np.float32)) for y, h, ids, values in rows]
        self.ids = sorted({i for _, _, ids, _ in self.rows for i in ids})
        self.dimension = len(self.ids)

    def examples(self):
        """Each row as (y, h, columns that occur, dense x)."""
        column = {i: c for c, i in enumerate(self.ids)}
        for y, h, ids, values in self.rows:
            columns = [column[i] for i in ids]
            x = np.zeros(self.dimension)
            x[columns] = values
            yield y, h, columns, x

    def unit(self):
        """The same rows scaled to length 1 (rows of zeros stay)."""
        def scale(v):
            norm = np.sqrt(np.sum(v.astype(float) ** 2))
            return v / norm if norm > 0 else v
        return Stream(self.name + "-unit", [(y, h, ids, scale(v)) for y, h, ids, v in self.rows])

    def first_columns(self, limit):
        """Without the features that are not among the first `limit` to occur."""
        kept = {}
        for _, _, ids, _ in self.rows:
            for i in ids:
                if len(kept) < limit:
                    kept[i] = True
        rows = []
        for y, h, ids, v in self.rows:
            stay = [k for k, i in enumerate(ids) if i in kept]
            rows.append((y, h, [ids[k] for k in stay], v[stay]))
        return Stream(f"{self.name}-first{limit}", rows)

    def write(self, path, labels=("-1", "+1")):
        with open(path, "w") as out:
            for y, h, ids, values in self.rows:
                if h != 1:
                    raise ValueError("LIBSVM text has no importance weights")
                # str(float32) is the shortest text that reads back as the same float
                pairs = "".join(f" {i}:{v}" for i, v in zip(ids, values))
                out.write(labels[y > 0] + pairs + "\n")


def read(name, path, limit=None):
    """The first `limit` rows of a zstd-compressed LIBSVM file."""
    text = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True, text=True).stdout
    rows = []
    for line in text.splitlines()[:limit]:
        label, *pairs = line.split()
        pairs = [pair.split(":") for pair in pairs]
        rows.append((1 if float(label) > 0 else -1, 1, [int(i) for i, _ in pairs],
                     [float(v) for _, v in pairs]))
    return Stream(name, rows)


# Made streams. Values are continuous, so that no decision lies on its edge by design
# and 32-bit weights take the same ones. RandomState: its sequence never changes
# between versions of numpy.

def label(random, teacher, ids, values, flip=0.1):
    y = 1 if sum(teacher[i] * v for i, v in zip(ids, values)) > 0 else -1
    return -y if random.rand() < flip else y


def dense(seed, n, d, scale=None):
    """All features in every row; `scale` one factor per column."""
    random = np.random.RandomState(seed)
    teacher = random.randn(d) * (random.rand(d) < 0.5)
    rows = []
    for _ in range(n):
        x = random.randn(d)
        y = label(random, teacher, range(d), x)
        rows.append((y, 1, list(range(1, d + 1)), x if scale is None else x * scale))
    return Stream("dense", rows)


def sparse(seed, n, d, nonzeros, grows=False, shuffled=False, ids=None, unbalanced=False):
    """About `nonzeros` of d features a row, low ones more often; `grows`: row t of n
    draws from the first d t/n only; `unbalanced`: positive values, mostly negative rows."""
    random = np.random.RandomState(seed)
    teacher = random.randn(d) - 0.5 * unbalanced
    rows = []
    for t in range(n):
        reach = max(nonzeros, d * (t + 1) // n) if grows else d
        chosen = np.unique((reach * random.rand(nonzeros) ** 2).astype(int))
        if shuffled:
            random.shuffle(chosen)
        x = random.randn(len(chosen))
        if unbalanced:
            x = np.abs(x)
        y = label(random, teacher, chosen, x, flip=0.03 if unbalanced else 0.1)
        rows.append((y, 1, [ids[i] if ids else int(i) + 1 for i in chosen], x))
    return Stream("sparse", rows)


def with_holes(seed, stream):
    """Empty rows (the first among them), rows of zeros, and zeros among the values,
    some of features that never have another value."""
    random = np.random.RandomState(seed)
    ghost = max(stream.ids) + 1
    rows = [(1, 1, [], []), (-1, 1, [ghost], [0.0])]
    for t, (y, h, ids, values) in enumerate(stream.rows):
        values = np.where(random.rand(len(values)) < 0.2, 0, values)
        kind = random.randint(10)
        if kind == 0:
            ids, values = [], []
        elif kind == 1:
            values = np.zeros(len(values))
        elif kind == 2:
            ids, values = ids + [ghost + t], np.append(values, 0.0)
        rows.append((y, h, ids, values))
    return Stream("holes", rows)


def named(name, stream):
    stream.name = name
    return stream


def made():
    """The streams that every learner is compared on, with the labels to write."""
    signs, bits = ("-1", "+1"), ("0", "1")
    scale = np.array([0.1, 0.3, 1, 1, 2, 3, 0.5, 5])
    wide = [0, 1, 7, 2**31, 2**32, 2**32 + 1, 2**53 + 1, 2**63, 2**64 - 2, 2**64 - 1]
    wide += [10**12 + 997 * i for i in range(70)]
    return [
        (named("dense-unit", dense(1, 700, 12).unit()), signs),
        (named("dense-raw", dense(2, 500, 8, scale)), signs),
        (named("growing-unit", sparse(3, 1500, 300, 12, grows=True).unit()), signs),
        (named("unsorted-raw", sparse(4, 600, 80, 10, shuffled=True, ids=wide)), bits),
        (named("holes-raw", with_holes(5, sparse(5, 500, 40, 8))), bits),
        (named("unbalanced-unit", sparse(6, 900, 60, 8, unbalanced=True).unit()), signs),
    ]


def uneven():
    """Streams of unscaled columns and of counts, with what is done to their values."""
    scale = np.array([1e-3, 0.3, 1, 20, 500, 3, 0.5, 5e4])
    counts = sparse(8, 500, 60, 9, shuffled=True)
    for row in counts.rows:
        np.floor(np.exp2(np.abs(row[3]) * 3), out=row[3])
    columns, holes = named("columns", dense(7, 400, 8, scale)), with_holes(9, sparse(9, 400, 40, 8))
    return [
        (columns, {"scale": "running"}),
        (columns, {"transform": "log1p", "scale": "running", "normalize": "l2"}),
        (columns, {"scale": "maxabs"}),
        (holes, {"scale": "running", "normalize": "l2"}),
        (named("counts", counts), {"transform": "log1p", "normalize": "l2"}),
        (named("counts", counts), {"transform": "log1p", "scale": "idf", "normalize": "l2"}),
        (holes, {"scale": "idf"}),
        (holes, {"transform": "log1p"}),
    ]
