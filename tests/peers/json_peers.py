"""JSON Lines as Python's json reads them, beside sluice: the same lines are JSON, and strings, numbers and nesting mean
the same. What the features of an object are is sluice's own (docs/input.md) and is computed here from what Python read."""
import json
import re

from hostile_text import NUMBERS, PLAIN, mutated, nearest_single
from sluice_rows import Reader, Refused

STRINGS = ['"a"', '"b"', '"city"', '"x y"'] * 4 + [
    '""', '"\\u0041"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\udc00x"', '"\\ud800\\u0041"', '"\\ud83d\\ud83d\\ude00"', '"\\n\\t\\"\\\\\\/"',
    '"\\x41"', '"\\u12"', '"\\u00e9"', '"\u00e9"', '"\U0001f600"', '"\t"', '"\x01"', '"\x7f"', '"\\u0000"', "'a'", "a", '"a',
    'a"', '"label"', '"weight"', '"a.b"', '"a=b"', '"5"', '"05"', '"\\uD83D\\uDE00"', '"\\U0041"', '"\u2028"', '"\ufeff"']
SPACES = [""] * 20 + [" ", "\t", "  ", "\r", "\x0b", "\x0c", "\u00a0", "\ufeff", "/**/"]


KNOWN = ["constant", "surrogate", "depth", "range", "no object", "label"]


class Constant(str):
    """NaN, Infinity, -Infinity."""


def value(random, odd, depth=0):
    kind = random.random()
    if kind < 0.45:
        return random.choice(NUMBERS if random.random() < odd else PLAIN)
    if kind < 0.65:
        return random.choice(STRINGS if random.random() < odd else STRINGS[:16])
    if kind < 0.8 or depth > 3:
        return random.choice(["true", "false", "null"] + (["True", "NaN", "Infinity", "-Infinity", "nul", "undefined"]
                                                          if random.random() < odd else []))
    if kind < 0.9:
        return members(random, odd, depth + 1)
    return "[" + ",".join(value(random, odd, depth + 1) for _ in range(random.randrange(4))) + "]"


def members(random, odd, depth=0):
    def space():
        return random.choice(SPACES if random.random() < odd else ["", " "])

    def key():
        return random.choice(STRINGS if random.random() < odd else STRINGS[:16])
    parts = [space() + key() + space() + ":" + space() + value(random, odd, depth) + space()
             for _ in range(random.randrange(4))]
    if depth == 0:
        label = random.choice(["1", "-1", "0", "true", "false"] if random.random() > odd else
                              NUMBERS + ["null", '"1"', "[1]", "{}"])
        parts.insert(random.randrange(len(parts) + 1), '"label":' + label)
    text = "{" + ",".join(parts) + "}"
    if random.random() < odd / 3:
        text = random.choice([text + ",", text[:-1] + ",}", text + "x", text[:-1], "[" + text + "]", text + text, " " + text,
                              text + " ", "{" + text, '{"a":' * 70 + "1" + "}" * 70])
    return text


def features(name, read, out):
    """The features of a value under a name, as docs/input.md says."""
    if read is True:
        out.append((name, 1.0))
    elif isinstance(read, Constant):
        raise Refused("constant")
    elif isinstance(read, Number):
        single = nearest_single(read)
        if single is None:
            raise Refused("range")
        out.append((name, single))
    elif isinstance(read, str):
        out.append((name + "=" + read, 1.0))
    elif isinstance(read, Pairs):
        for key, inner in read:
            features(name + "." + key, inner, out)
    elif isinstance(read, list):
        for i, inner in enumerate(read):
            if isinstance(inner, str) and not isinstance(inner, (Number, Constant)):
                out.append((name + "=" + inner, 1.0))
            else:
                features("%s.%d" % (name, i), inner, out)


class Number(str):
    """As it is written."""


class Pairs(list):
    """The members of an object."""


def depth_of(read):
    if isinstance(read, Pairs):
        return 1 + max([depth_of(v) for _, v in read], default=0)
    return 1 + max([depth_of(v) for v in read], default=0) if isinstance(read, list) else 0


def strings_of(read):
    if isinstance(read, Pairs):
        for key, inner in read:
            yield key
            yield from strings_of(inner)
    elif isinstance(read, list):
        for inner in read:
            yield from strings_of(inner)
    elif isinstance(read, str):
        yield read


def peer_read(line):
    """(what Python read, the row that sluice must read); Refused("json") where it is no JSON."""
    try:
        read = json.loads(line.decode("utf-8"), object_pairs_hook=Pairs, parse_float=Number, parse_int=Number,
                          parse_constant=Constant)
    except (ValueError, RecursionError) as e:
        raise Refused("json") from e
    if not isinstance(read, Pairs):
        raise Refused("no object")
    if depth_of(read) > 64:
        raise Refused("depth")
    if any(re.search("[\ud800-\udfff]", s) for s in strings_of(read)):
        raise Refused("surrogate")
    labels = [v for k, v in read if k == "label"]
    if len(labels) != 1:
        raise Refused("label")
    label, weight = labels[0], 1.0
    if label is None:
        label, weight = 0.0, 0.0
    elif isinstance(label, bool):
        label = 1.0 if label else 0.0
    elif isinstance(label, Number):
        label = nearest_single(label)
        if label is None:
            raise Refused("range")
    else:
        raise Refused("label")
    out = []
    for key, inner in read:
        if key != "label":
            features(key, inner, out)
    sums = {}
    for name, number in out:
        sums[name] = sums.get(name, 0) + number
    if any(abs(n) > 3.4028235e38 for n in sums.values()):
        raise Refused("range")
    return label, weight, [(name.encode(), number) for name, number in sums.items()]


def close(a, b):
    return a == b or abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-44


def compare(random, library, folder, cases):
    reader = Reader(library, "jsonl")
    counts = {"cases": 0, "both accept": 0, "both refuse": 0}
    for _ in range(cases * 2):
        data = members(random, random.choice([0, 0.05, 0.2])).encode("utf-8", "surrogatepass")
        if random.random() < 0.3:
            data = mutated(random, data)
        if b"\n" in data or not data.strip(b" \t\r"):
            continue  # one line, and not a blank one
        counts["cases"] += 1
        try:
            rows = reader.read(data)
        except Refused as e:
            rows, message = None, str(e)
        try:
            expected = peer_read(data)
        except Refused as e:
            expected, why = None, str(e)
        if rows is None and expected is None:
            counts["both refuse" if why == "json" else why] = counts.get("both refuse" if why == "json" else why, 0) + 1
        elif rows is None or expected is None or len(rows) != 1 or rows[0][:2] != expected[:2] or \
                len(rows[0][2]) != len(expected[2]) or \
                any(a != c or not close(b, d) for (a, b), (c, d) in zip(rows[0][2], expected[2])):
            yield "json", counts, "%r\nsluice: %r\npython: %r" % (data, rows if rows else message, expected or why)
            return
        else:
            counts["both accept"] += 1
    yield "json", counts, None
