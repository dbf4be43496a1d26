"""Text as docs/text.md says that it is read: the rules once more, slowly, on random lines. Which characters are letters
is Python's unicodedata, for characters that every version of Unicode has alike."""
import math
import unicodedata
from collections import Counter

from sluice_rows import Reader, Refused

KNOWN = []
PIECES = ["the", "king", "Free", "a", "I", "7", "007", "don't", "T&C's", "x_y", "http://a.b/c?d=1", "!!!", "?", "£1,000", "~a", "_",
          "ÉTÉ", "été", "e\u0301", "ΟΔΟΣ", "Москва", "İ", "ß", "東京", "タワー", "한국어", "\U0001f600", "\u2764\ufe0f", "vi\u00adag\u200dra",
          "x" * 63 + "éx", "y" * 70, "\u200e5\u200f"]
BLANKS = [" "] * 8 + ["  ", "\t", "\u00a0", "\u2009", "\u200b", "\u3000", "\x01", "\x7f", ".", ", ", "-", "\u2014", ""]
WHITE = set("\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200c)}
ONE_BY_ONE = ("CJK UNIFIED", "CJK COMPATIBILITY", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA", "IDEOGRAPHIC")


def characters(data):
    """UTF-8, and where it is none Latin-1."""
    out = ""
    while data:
        for n in (1, 2, 3, 4):
            try:
                out += data[:n].decode()
                break
            except UnicodeDecodeError:
                continue
        else:
            n = 1
            out += data[:1].decode("latin-1")
        data = data[n:]
    return out


def is_skipped(c):
    return c != "\u200b" and (unicodedata.category(c) == "Cf" or "\ufe00" <= c <= "\ufe0f")


def is_letter(c):
    return unicodedata.category(c)[0] in "LMN"


def stands_alone(c):
    """Ideographs, kana and pictures."""
    if is_letter(c):
        return unicodedata.name(c, "").startswith(ONE_BY_ONE)
    return unicodedata.category(c) == "So" and ("\u2600" <= c <= "\u27bf" or "\U0001f000" <= c <= "\U0001faff")


def folded(c):
    if not is_letter(c):
        return c
    fold = c.casefold()
    return fold if len(fold) == 1 else c.lower()[0]


def first_bytes(word):
    """The first 64 bytes, by whole characters; after one that does not fit none is taken."""
    out = ""
    for c in word:
        if len((out + c).encode()) > 64:
            break
        out += c
    return out


def words_of(text):
    """(word, whether it stands alone) in order."""
    words, word = [], ""
    for c in text + " ":
        if is_skipped(c):
            continue
        alone = stands_alone(c)
        if is_letter(c) and not alone:
            word += folded(c)
            continue
        if word:
            words.append((first_bytes(word), False))
        word = ""
        if alone:
            words.append((c, True))
    return words


def grams_of(text, least, most):
    """What scikit-learn's analyzer char_wb does, with _ for the blanks."""
    text = "".join(" " if c <= " " or c in WHITE or c in "_\x7f" else folded(c) for c in text if not is_skipped(c))
    for token in text.split(" "):
        token = "_" + token + "_"
        if token == "__":
            continue
        if len(token) < least:
            yield "~" + token
        for n in range(least, most + 1):
            for i in range(len(token) - n + 1):
                yield "~" + token[i:i + n]


def values(counts, tf, length):
    """By --tf, with `length` as the sum of their squares."""
    v = {k: 1.0 if tf == 1 else float(n) if tf == 2 else 1 + math.log(n) for k, n in counts.items()}
    norm = math.sqrt(sum(x * x for x in v.values()) / length) if v else 1
    return {k: x / norm for k, x in v.items()}


def features(text, o):
    runs = []
    if not o.get("no_words"):
        stop = {w for w, _ in words_of(o.get("stop_words", b"").decode())}
        left = [w for w, alone in words_of(text) if w not in stop and (alone or len(w) >= o.get("min_length", 0))]
        runs = [" ".join(left[i:i + n]) for n in range(1, o.get("ngrams", 1) + 1) for i in range(len(left) - n + 1)]
    least, _, most = o.get("chars", b"").decode().partition("-")
    grams = list(grams_of(text, int(least), int(most or least))) if least else []
    share = 0.5 if runs and grams else 1.0
    return {**values(Counter(runs), o.get("tf", 3), share), **values(Counter(grams), o.get("tf", 3), share)}


def line(random):
    n = random.choice([0, 1, 2, 5, 20])
    data = "".join(random.choice(PIECES) + random.choice(BLANKS) for _ in range(n)).encode()
    if random.random() < 0.3:
        at = random.randrange(len(data) + 1)
        data = data[:at] + bytes([random.choice([0x80, 0xc3, 0xe9, 0xff, 0xf0])]) + data[at:]
    return data.rstrip(b"\r")


def compare(random, library, folder, cases):
    del folder
    counts = Counter()
    for _ in range(cases // 20):
        o = {"ngrams": random.randrange(1, 4), "tf": random.randrange(1, 4)}
        if random.random() < 0.7:
            least = random.randrange(1, 9)
            o["chars"] = (f"{least}" if random.random() < 0.3 else f"{least}-{random.randrange(least, 9)}").encode()
            o["no_words"] = int(random.random() < 0.3)
        if random.random() < 0.3:
            o["stop_words"] = " ".join(random.sample(PIECES, 4)).encode()
        if random.random() < 0.3:
            o["min_length"] = random.randrange(1, 17)
        reader = Reader(library, "text", **o)
        lines = [line(random) for _ in range(20)]
        try:
            rows = reader.read(b"".join(b"1\t" + l + b"\n" for l in lines))
        except Refused as e:
            yield "Python's rules", counts, f"refused: {e}\n{o} {lines}"
            return
        for data, (_, _, got) in zip(lines, rows, strict=True):
            if any(unicodedata.category(c) == "Cn" for c in characters(data)):
                counts["not in Unicode"] += 1
                continue
            want = {k.encode(): v for k, v in features(characters(data), o).items()}
            read = {k: v for k, v in got}
            same = len(read) == len(got) and read.keys() == want.keys() and all(abs(read[k] - v) < 1e-6 for k, v in want.items())
            counts["same" if same else "differ"] += 1
            if not same:
                yield "Python's rules", counts, f"{data!r} with {o}:\n{sorted(read.items())}\n{sorted(want.items())}"
                return
    yield "Python's rules", counts, None
