"""LIBSVM text as LIBLINEAR's programs and scikit-learn's load_svmlight_file() read it, beside sluice.

Every difference must be one of those below, which docs/input.md lists; each must occur."""
import io
import math
import os
import re
import shutil
import subprocess

from hostile_text import IDS, LINE_ENDS, NUMBERS, PLAIN, SPACES, mutated, same_number
from sluice_rows import Reader, Refused

PLAIN_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")


def line(random, ascending, odd):
    number = lambda: random.choice(NUMBERS if random.random() < odd else PLAIN)
    identifier = lambda: random.choice(IDS if random.random() < odd else IDS[:10])
    space = lambda: random.choice(SPACES if random.random() < odd else [" "])
    label = number()
    features = [(identifier(), number()) for _ in range(random.randrange(5))]
    if ascending:
        known = {f[0]: f for f in features if f[0].isdigit() and f[0].isascii()}
        features = sorted(known.values(), key=lambda f: int(f[0])) + [f for f in features if f[0] not in known]
    text = label
    if random.random() < odd / 3:
        text += " qid:" + random.choice(["1", "x", "-1", "1.5", ""])
    for name, value in features:
        text += space() + name + random.choice([" :", ": ", "", "::"] if random.random() < odd / 4 else ":") + value
    if random.random() < odd / 2:
        text += random.choice([" ", "\t", " # note", "#", " #1:2", " 3", " 3:", " :", " x"])
    return text


def document(random, ascending):
    text, odd = "", random.choice([0, 0.05, 0.1, 0.2])
    for _ in range(random.randrange(1, 4)):
        text += random.choice(["# note\n", "\n", " \n"]) if random.random() < odd / 3 else line(random, ascending, odd)
        text += random.choice(LINE_ENDS if random.random() < odd else ["\n"])
    data = text.encode()
    return mutated(random, data) if random.random() < 0.25 else data


def lines_of(data):
    return [l[:-1] if l.endswith(b"\r") else l for l in data.split(b"\n")]


def fields(data):
    """(label, [(id, value)]) of each line by the plainest reading, for the explanations."""
    found = []
    for text in lines_of(data):
        words = re.split(rb"[ \t]+", text.split(b"#")[0].strip(b" \t"))
        if words != [b""]:
            found.append((words[0], [w.partition(b":")[::2] for w in words[1:] if not w.startswith(b"qid:")]))
    return found


def ids_of(data):
    return [[i for i, _ in features] for _, features in fields(data)]


def numbers_of(data):
    return [n for label, features in fields(data) for n in [label] + [v for _, v in features]]


def any_number(data, pattern):
    return any(re.match(pattern, n) for n in numbers_of(data))


def descending(data):
    for ids in ids_of(data):
        numbers = [int(i) for i in ids if re.fullmatch(rb"[0-9]+", i)]
        if any(b <= a for a, b in zip(numbers, numbers[1:])):
            return True
    return False


def beyond(data, peer_underflow=False):
    for n in numbers_of(data):
        if PLAIN_NUMBER.match(n):
            value = abs(float(n))
            if value >= 3.4028235677973366e38 or (value == 0 and re.search(rb"[1-9]", re.split(rb"[eE]", n)[0])) or \
                    (0 < value < 2.3e-308):
                return True
    return False


def odd_space(data):
    return bool(re.search(rb"[\x0b\x0c]|\r(?!\n)|\r\Z|[\x1c-\x1f]", data))


# name: (peer, who accepts, test of the input); "both": both accept, with other values
DIFFERENCES = {
    "order": ("any", "sluice", descending),
    "index 0": ("liblinear", "sluice", lambda d: any(re.fullmatch(rb"0+", i) for ids in ids_of(d) for i in ids)),
    "blank lines": ("liblinear", "sluice", lambda d: any(not l.strip(b" \t\r") for l in d.split(b"\n")[:-1])
                    or (d.split(b"\n")[-1] and not d.split(b"\n")[-1].strip(b" \t\r"))),
    "comments": ("liblinear", "sluice", lambda d: b"#" in d),
    "qid": ("liblinear", "sluice", lambda d: b"qid:" in d),
    "byte order mark": ("any", "sluice", lambda d: d.startswith(b"\xef\xbb\xbf")),
    "large ids": ("any", "sluice", lambda d: any(re.fullmatch(rb"0*[0-9]{10,20}", i) for ids in ids_of(d) for i in ids)),
    "range": ("any", "any", beyond),
    "not finite": ("any", "peer", lambda d: any_number(d, rb"(?i)[+-]?(inf|nan)")),
    "hexadecimal": ("liblinear", "peer", lambda d: any_number(d, rb"(?i)[+-]?0x")),
    "underscores": ("sklearn", "peer", lambda d: b"_" in d),
    "signs of ids": ("any", "peer", lambda d: any(re.match(rb"[+-]", i) for ids in ids_of(d) for i in ids)),
    "spaces": ("any", "any", odd_space),
    "a field without a value": ("liblinear", "peer", lambda d: any(not w.partition(b":")[2] for t in lines_of(d)
                                                                   for w in re.split(rb"[ \t]+", t.strip(b" \t"))[1:])),
    "a label alone before CRLF": ("liblinear", "sluice", lambda d: re.search(rb"(^|\n)[^ \t\n]*\r\n", d)),
    "space around a colon": ("liblinear", "peer", lambda d: re.search(rb"[ \t]:|:[ \t]", d)),
    "several colons": ("liblinear", "peer", lambda d: b"::" in d),
    "NUL": ("any", "peer", lambda d: b"\0" in d),
    "qid that is no number": ("sklearn", "any", lambda d: b"qid" in d),
}


KNOWN = list(DIFFERENCES)


class Liblinear:
    name = "liblinear"
    LARGEST = 5000

    def __init__(self, folder):
        self.train, self.predict = shutil.which("liblinear-train"), shutil.which("liblinear-predict")
        self.folder = folder
        self.model, self.data = os.path.join(folder, "ll.model"), os.path.join(folder, "ll.svm")
        if self.train:
            with open(self.model, "w") as f:
                f.write("solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature %d\nbias -1\nw\n" % self.LARGEST)
                f.write("\n".join(repr(self.weight(i)) for i in range(1, self.LARGEST + 1)) + "\n")

    missing = "liblinear-train (Debian: liblinear-tools)"

    def present(self):
        return self.train and self.predict

    @staticmethod
    def weight(i):
        return 0.125 * (i % 7 + 1)

    def usable(self, data):
        """Its weights take memory for the largest id."""
        return all(not re.search(rb"[0-9]{6,9}|[0-9]{10}", i) or len(i) > 19 for ids in ids_of(data) for i in ids)

    def read(self, data):
        with open(self.data, "wb") as f:
            f.write(data)
        command = [self.train, "-q", "-s", "0", "-c", "1e-9", self.data, os.path.join(self.folder, "out")]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=1)
            if done.returncode == 1:
                raise Refused(done.stderr.decode("utf-8", "replace"))
            assert done.returncode == 0, (data, done)
        except subprocess.TimeoutExpired:
            pass  # it has read the file, and learns from a NaN for ever
        out = os.path.join(self.folder, "predicted")
        done = subprocess.run([self.predict, "-b", "1", self.data, self.model, out], capture_output=True, check=False)
        if done.returncode:
            raise Refused("predict: " + done.stderr.decode("utf-8", "replace"))
        with open(out) as f:
            return [float(l.split()[1]) for l in f.readlines()[1:]]

    def same(self, rows, read):
        """Compares the probability of every row under known weights: six digits."""
        if len(rows) != len(read):
            return False
        for (_, _, features), p in zip(rows, read):
            score = sum(self.weight(i) * v for i, v in features if i <= self.LARGEST)
            mine = 1 / (1 + math.exp(-score)) if score > -700 else 0.0
            if abs(mine - p) > 2e-5 * max(mine, 1e-300) and not (mine < 1e-290 and p < 1e-290):
                return False
        return True


class Sklearn:
    name = "sklearn"
    missing = "scikit-learn (PyPI)"

    def __init__(self, folder):
        try:
            from sklearn.datasets import load_svmlight_file
            self.load = load_svmlight_file
        except ImportError:
            self.load = None

    def present(self):
        return self.load

    def usable(self, data):
        return True

    def read(self, data):
        try:
            x, y = self.load(io.BytesIO(data), zero_based=True)
        except (ValueError, OverflowError, IndexError) as e:
            raise Refused(str(e)) from e
        return [(y[i], [(int(x.indices[k]), x.data[k]) for k in range(x.indptr[i], x.indptr[i + 1])])
                for i in range(len(y))]

    def same(self, rows, read):
        return len(rows) == len(read) and all(
            same_number(label, other) and len(features) == len(others) and
            all(i == j and same_number(v, w) for (i, v), (j, w) in zip(features, others))
            for (label, _, features), (other, others) in zip(rows, read))


def compare(random, library, folder, cases):
    reader = Reader(library, "libsvm")
    for peer in (Liblinear(folder), Sklearn(folder)):
        if not peer.present():
            yield peer.name, None, peer.missing
            continue
        counts = {"cases": 0, "both accept": 0, "both refuse": 0}
        for _ in range(cases if peer.name == "sklearn" else cases // 4):
            data = document(random, random.random() < 0.9)
            if not peer.usable(data) or not data.strip():
                continue
            counts["cases"] += 1
            try:
                mine = reader.read(data)
            except Refused:
                mine = None
            try:
                theirs = peer.read(data)
            except Refused:
                theirs = None
            if mine is None and theirs is None:
                counts["both refuse"] += 1
                continue
            if mine is not None and theirs is not None and peer.same(mine, theirs):
                counts["both accept"] += 1
                continue
            who = "both" if mine is not None and theirs is not None else "sluice" if mine is not None else "peer"
            why = [name for name, (of, accepts, test) in DIFFERENCES.items()
                   if of in ("any", peer.name) and accepts in ("any", who) and test(data)]
            if not why:
                yield peer.name, counts, "unexplained (%s accepts): %r\nsluice: %r\npeer: %r" % (who, data, mine, theirs)
                return
            counts[why[0]] = counts.get(why[0], 0) + 1
        yield peer.name, counts, None
