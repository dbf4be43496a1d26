"""VW text as Vowpal Wabbit reads it, beside sluice: labels, importances, and the features of every namespace.

VW refuses nothing: where something is malformed it warns and goes on. So what sluice accepts must be read alike, and
what it refuses must be one of the reasons below, which docs/input.md lists."""
import re

from hostile_text import NUMBERS, PLAIN, mutated, same_number
from sluice_rows import Reader, Refused

NAMES = ["a", "b", "city", "f1", "x-y", "17", "a.b"] * 3 + ["a^b", "\u00e9", "#x", "'q", '"', "", "\\", "a=b", "05", "\x01"]
PLAIN_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
BITS = 24


def line(random):
    odd = random.choice([0, 0.05, 0.15])

    def number():
        return random.choice(NUMBERS if random.random() < odd else PLAIN)

    def space():
        return random.choice(["  ", "\t", "\x0b", "\r", ""] if random.random() < odd / 2 else " ")
    text = random.choice(["1", "-1", "0", number(), ""])
    if text and random.random() < 0.3:
        text += space() + random.choice(["1", "2.5", "0", number()])
        if random.random() < 0.2:
            text += space() + number()
    if random.random() < 0.2:
        text += space() + random.choice(["'tag", "tag" if random.random() < odd else "'t2", "'"])
        text += "" if random.random() < 0.3 else " "
    else:
        text += "" if random.random() < odd / 2 else " "
    for _ in range(random.randrange(1, 4)):
        text += "|" + random.choice(["", "f", "g", "long", "f"] + (["\u00e9", "^", "f^g"] if random.random() < odd else []))
        if random.random() < 0.15:
            text += ":" + number()
        for _ in range(random.randrange(4)):
            text += space() + random.choice(NAMES if random.random() < odd else NAMES[:21])
            if random.random() < 0.5:
                text += ":" + number()
        text += random.choice([" ", " ", ""])
    data = text.encode()
    return mutated(random, data) if random.random() < 0.2 else data


def words_before(data):
    return re.split(rb"[ \t]+", data.split(b"|")[0].strip(b" \t"))


def values_of(data):
    return [w.partition(b":")[2] for part in data.split(b"|")[1:] for w in re.split(rb"[ \t]+", part) if b":" in w]


# why sluice refuses what VW reads in some way
REFUSALS = {
    "no bar": lambda d: b"|" not in d,
    "a carriage return inside": lambda d: b"\r" in d,
    "NUL": lambda d: b"\0" in d,
    "a value that is no number": lambda d: any(not PLAIN_NUMBER.match(v) for v in values_of(d)),
    "before the bar": lambda d: any(not PLAIN_NUMBER.match(w) for w in words_before(d) if w)
                      or len(words_before(d)) > 3 or any(w.startswith(b"-") for w in words_before(d)[1:2])
                      or re.match(rb"[^|]*[^ \t|]\|", d),
    "a scale without a namespace": lambda d: b"|:" in d,
    "range": lambda d: any(PLAIN_NUMBER.match(n) and abs(float(n)) > 1e19 for n in values_of(d) + words_before(d)),
}


def tiny(data):
    """Whether there is a number below the range of floats, which VW reads as infinite or not at all."""
    return any(PLAIN_NUMBER.match(n) and 0 <= abs(float(n)) < 1e-30 and re.search(rb"[eE]|0{20}", n)
               for n in values_of(data) + words_before(data))


# what both accept and read otherwise
OTHERWISE = {
    "^ in a name": lambda d: b"^" in d,
    "tiny numbers": tiny,
    "a tab before the bar": lambda d: b"\t" in d.split(b"|")[0],
    "the largest float as label": lambda d: words_before(d)[0].startswith(b"3.402823"),
}


KNOWN = list(REFUSALS) + list(OTHERWISE)


class Peer:
    def __init__(self):
        import vowpalwabbit
        self.vw = vowpalwabbit.Workspace("--quiet --noconstant -b %d" % BITS)

    def read(self, data):
        example = self.vw.example(data.decode())
        features = {}
        for index, value in example.iter_features():
            index &= (1 << BITS) - 1
            features[index] = features.get(index, 0) + value
        result = example.get_simplelabel_label(), example.get_simplelabel_weight(), features
        self.vw.finish_example(example)
        return result

    def index(self, name):
        """Of a name as sluice gives it: namespace^name, or the name alone."""
        space, mark, feature = name.partition("^") if "^" in name else ("", "", name)
        return self.vw.hash_feature(feature, self.vw.hash_space(space or " ")) & ((1 << BITS) - 1)


def compare(random, library, folder, cases):
    try:
        peer = Peer()
    except ImportError:
        yield "vw", None, "vowpalwabbit (PyPI)"
        return
    reader = Reader(library, "vw")
    counts = {"cases": 0, "alike": 0}
    for _ in range(cases):
        data = line(random)
        try:
            data.decode()
        except UnicodeDecodeError:
            continue
        if b"\n" in data or not data.strip():
            continue
        counts["cases"] += 1
        try:
            rows = reader.read(data)
        except Refused as e:
            why = [name for name, test in REFUSALS.items() if test(data)]
            if not why:
                yield "vw", counts, "sluice refuses %r: %s" % (data, e)
                return
            counts[why[0]] = counts.get(why[0], 0) + 1
            continue
        label, weight, theirs = peer.read(data)
        mine = {}
        for name, value in rows[0][2]:
            index = peer.index(name.decode())
            mine[index] = mine.get(index, 0) + value
        mine = {i: v for i, v in mine.items() if v}
        theirs = {i: v for i, v in theirs.items() if v}
        scale = max([abs(float(v)) for v in values_of(data) if PLAIN_NUMBER.match(v)] + [1])
        problem = difference(rows[0], mine, (label, weight, theirs), scale)
        known = [name for name, test in OTHERWISE.items() if problem and test(data)]
        if known:
            counts[known[0]] = counts.get(known[0], 0) + 1
            continue
        if problem:
            yield "vw", counts, "%r: %s\nsluice: %r\nvw: %r" % (data, problem, rows, (label, weight, theirs))
            return
        counts["alike"] += 1
    yield "vw", counts, None
    yield from compare_crossed(random, library, folder)


# ---- crossed features ------------------------------------------------------------------------------------------------

CROSSED = [["ab"], ["ba"], ["aa"], ["::"], ["a:"], [":b"], [" b"], ["ab", "ba", "ab"], ["aa", "::"], ["  ", "ac"]]


def crossed_lines(random, n):
    """Names ascend within a line: VW calls the two of a pair in the order in which they come."""
    lines = []
    for _ in range(n):
        text = random.choice(["1", "-1"])
        for space in ["", "a", "ab", "b", "c"]:
            names = sorted(random.sample(["x", "y", "z", "word", "w2"], random.randrange(4)))
            text += " |" + space + "".join(" %s:%s" % (name, random.choice(["1", "2", "-0.5", "0", "3"])) for name in names)
        lines.append(text)
    return lines


def sorted_pair(name):
    return "*".join(sorted(name.split("*"), key=str.encode))


def compare_crossed(random, library, folder):
    """The margins of a model that VW has learned with -q, and those of its weights, by name, for the rows that sluice reads."""
    import os
    import vowpalwabbit
    counts = {"crossings": 0, "rows": 0, "shared hashes": 0}
    for asked in CROSSED * 3:
        lines = crossed_lines(random, 60)
        paths = [os.path.join(folder, name) for name in ("rows.vw", "model", "names")]
        with open(paths[0], "w") as f:
            f.write("\n".join(lines) + "\n")
        for path in paths[1:]:
            if os.path.exists(path):
                os.remove(path)
        options = " ".join("-q " + crossing.replace(" ", "\\x20") for crossing in asked)
        vowpalwabbit.Workspace("--quiet --noconstant --hash all -b %d --loss_function logistic %s -d %s -f %s --invert_hash %s"
                               % (BITS, options, *paths)).finish()
        vw = vowpalwabbit.Workspace("--quiet -t -i " + paths[1])
        with open(paths[2]) as f:
            index = {sorted_pair(m[1]): int(m[2]) for m in re.finditer(r"^(\S*[a-z]\S*?):(\d+):[^:]+$", f.read(), re.M)}
        counts["crossings"] += 1
        if len(set(index.values())) < len(index):
            counts["shared hashes"] += 1
            vw.finish()
            continue
        rows = Reader(library, "vw", quadratic="\n".join(asked).encode()).read(("\n".join(lines) + "\n").encode())
        all_names = {name.decode() for _, _, features in rows for name, value in features if value}
        if all_names != set(index):  # VW lists no weight that is 0; all of these were learned
            yield "vw -q", counts, "%r: one of the two alone has %r" % (asked, sorted(all_names ^ set(index))[:5])
            return
        for text, (_, _, features) in zip(lines, rows):
            features = {name.decode(): value for name, value in features if value}
            mine = sum(vw.get_weight(index[name]) * value for name, value in features.items())
            theirs = vw.predict("|" + text.partition("|")[2])
            counts["rows"] += 1
            if abs(mine - theirs) > 1e-4 * max(1, abs(theirs)):
                yield "vw -q", counts, "%r, %r: margin %r, VW %r" % (asked, text, mine, theirs)
                return
        vw.finish()
    yield "vw -q", counts, None


def difference(row, mine, theirs, scale):
    label, weight, features = theirs
    unlabelled = label > 3e38
    if unlabelled != (row[1] == 0 and row[0] == 0 and weight != 0):
        return "label"
    if not unlabelled and (not close(row[0], label) or not close(row[1], weight)):
        return "label or importance"
    if set(mine) != set(features):
        return "features"
    largest = max([abs(v) for _, v in row[2]] + [scale])
    return next(("value" for i in mine if not close(mine[i], features[i], largest)), None)


def close(a, b, largest=0):
    """VW reads digits into floats: the last ones may differ, and more where repeated names cancel out."""
    return same_number(a, b) or abs(a - b) <= 2e-6 * max(abs(a), abs(b), largest)
