"""csv as Python's csv module and pandas read it, beside sluice: the same records and the same cells. What the features
of a row are is sluice's own (docs/input.md) and is computed here from the cells that the peer read."""
import csv
import io
import re

from hostile_text import NUMBERS, PLAIN, mutated, nearest_single
from sluice_rows import Reader, Refused

CELLS = ["Bonn", "red", "a b", "x", ""] * 3 + [
    '"Bonn"', '"a,b"', '"a""b"', '""', '"5"', '" 5 "', " 5 ", " ", '"two\nlines"', '"two\r\nlines"', '"open', 'mid"dle', '"x"y',
    '"x" ', ' "x"', "'x'", "#x", "\\", '"\\"', "nan", "inf", "NA", "null", "n/a", "#N/A", "<NA>", "NaN", "-nan", "nancy", "a;b|c", "true", "\u00e9", "\u00a07", "a\rb", '"a\rb"', '"""', '""""',
    "\x0b", "x\0y"]
HEADERS = ["age", "city", "f1", "f2", "colour"]
MISSING = re.compile(r"(?i)na|n/a|[+-]?nan|null|#n/a|#na|<na>")
PLAIN_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")


def document(random):
    odd = random.choice([0, 0.03, 0.1])
    columns = random.randrange(1, 5)
    header = ["label"] + random.sample(HEADERS, columns)
    comma = random.choice([",", ",", ";", "|", "\t"])
    text = comma.join(header) + random.choice(["\r\n", "\n"] if random.random() < odd else ["\n"])
    for _ in range(random.randrange(1, 4)):
        row = [random.choice(NUMBERS if random.random() < odd else PLAIN)]
        for _ in range(columns):
            choice = random.random()
            row.append(random.choice(NUMBERS if random.random() < odd else PLAIN) if choice < 0.5 else
                       random.choice(CELLS if random.random() < odd * 2 else CELLS[:5]))
        if random.random() < odd:
            row = random.choice([row + ["x"], row[:-1], row + [""], [""], [" "]])
        text += comma.join(row) + random.choice(["\n", "\r\n", "\r", "", "\n\n", "\n\r\n"] if random.random() < odd else ["\n"])
    data = text.encode()
    return mutated(random, data) if random.random() < 0.25 else data


def separator(data):
    """The separator by docs/input.md: of the first record that is not blank."""
    text = data.decode().removeprefix("\ufeff")
    while match := re.match(r" *\r?\n", text):
        text = text[match.end():]
    counts, quoted, begins = dict.fromkeys(",\t;|", 0), False, True
    for c in text[:65536]:
        if quoted:
            quoted = c != '"'
            begins = not quoted
            continue
        if c == "\n":
            break
        if c in counts:
            counts[c] += 1
        quoted, begins = c == '"' and begins, c in counts
    return max(counts, key=counts.get)  # of equals the first


def expected(records):
    """The rows that sluice must read from these records; Refused where it must not."""
    records = [r for r in records if r]
    if not records:
        return []
    header, rows = records[0], []
    named = [i for i, name in enumerate(header) if name.lower() == "label"]
    label_at = next((i for i, name in enumerate(header) if name == "label"), named[0] if named else 0)
    if (header.count("label") or len(named)) > 1:
        raise Refused("two labels")
    if all(PLAIN_NUMBER.match(name.strip(" ")) for name in header):
        raise Refused("header of numbers")
    for record in records[1:]:
        if len(record) != len(header):
            raise Refused("fields")
        label, sums = None, {}
        for i, (name, cell) in enumerate(zip(header, record)):
            if "\0" in cell:
                raise Refused("nul")
            bare = cell.strip(" ")
            if re.fullmatch(r"(?i)[+-]?(inf|infinity)", bare) or (i == label_at and re.fullmatch(r"(?i)[+-]?nan", bare)):
                raise Refused("not finite")
            if i != label_at and MISSING.fullmatch(bare):
                continue
            number = None
            if PLAIN_NUMBER.match(bare):
                number = nearest_single(bare)
                if number is None:
                    raise Refused("range")
            if i == label_at:
                words = {"true": 1.0, "false": 0.0}
                label = number if number is not None else words.get(bare.lower())
                if label is None:
                    raise Refused("label")
            elif number is not None:
                sums[name] = sums.get(name, 0) + number
            elif bare:
                feature = name + "=" + cell
                sums[feature] = sums.get(feature, 0) + 1.0
        rows.append((label, 1.0, [(n.encode(), v) for n, v in sums.items()]))
    return rows


def uneven(data):
    """Whether some record has fewer or more fields than the first."""
    records = [r for r in csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator(data)) if r]
    return any(len(r) != len(records[0]) for r in records)


class PythonCsv:
    name, missing = "csv", "Python"

    def present(self):
        return True

    def records(self, data):
        text = data.decode("utf-8")
        try:
            return list(csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator(data)))
        except csv.Error as e:
            raise Refused(str(e)) from e

    # who accepts, test of the input
    DIFFERENCES = {
        "a carriage return alone": ("any", lambda d: re.search(rb"\r(?!\n)", d)),
        "a quote inside a field": ("peer", lambda d: re.search(rb'[^,;|\t\n"]"|"[^,;|\t\r\n"]', d)),
        "a line of spaces": ("any", lambda d: re.search(rb"(^|\n)[ ]+\r?(\n|\Z)", d)),
        "a byte order mark": ("any", lambda d: d.startswith(b"\xef\xbb\xbf")),
        "NUL": ("peer", lambda d: b"\0" in d),
        "a tab among the blanks of a cell": ("any", lambda d: b"\t" in d and separator(d) != "\t"),
    }


class Pandas:
    name, missing = "pandas", "pandas (PyPI)"

    def __init__(self):
        try:
            import pandas
            self.pandas = pandas
        except ImportError:
            self.pandas = None

    def present(self):
        return self.pandas

    def records(self, data):
        try:
            frame = self.pandas.read_csv(io.BytesIO(data), header=None, dtype=str, keep_default_na=False, na_filter=False,
                                         sep=separator(data))
        except (ValueError, self.pandas.errors.ParserError) as e:
            if isinstance(e, self.pandas.errors.EmptyDataError):
                return []
            raise Refused(str(e)) from e
        return [list(row) for row in frame.itertuples(index=False)]

    DIFFERENCES = dict(PythonCsv.DIFFERENCES, **{
        "short rows are filled": ("peer", uneven),
        "a quote never closed": ("any", lambda d: d.count(b'"') % 2),
    })


KNOWN = list(Pandas.DIFFERENCES)


def close(a, b):
    return a == b or abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-44


def same(rows, other):
    return len(rows) == len(other) and all(
        a[:2] == b[:2] and len(a[2]) == len(b[2]) and all(k == m and close(v, w) for (k, v), (m, w) in zip(a[2], b[2]))
        for a, b in zip(rows, other))


def compare(random, library, folder, cases):
    reader = Reader(library, "csv")
    for peer in (PythonCsv(), Pandas()):
        if not peer.present():
            yield peer.name, None, peer.missing
            continue
        counts = {"cases": 0, "both accept": 0, "both refuse": 0}
        for _ in range(cases):
            data = document(random)
            try:
                data.decode("utf-8")
            except UnicodeDecodeError:
                continue  # names are any bytes here; the peers read text
            counts["cases"] += 1
            message = why = None
            try:
                rows = reader.read(data)
            except Refused as e:
                rows, message = None, str(e)
            try:
                theirs = expected(peer.records(data))
            except Refused as e:
                theirs, why = None, str(e)
            if rows is None and theirs is None:
                counts["both refuse"] += 1
            elif rows is not None and theirs is not None and same(rows, theirs):
                counts["both accept"] += 1
            else:
                who = "both" if rows is not None and theirs is not None else "sluice" if rows is not None else "peer"
                known = [n for n, (accepts, test) in peer.DIFFERENCES.items() if accepts in ("any", who) and test(data)]
                if not known:
                    yield peer.name, counts, "%s accepts: %r\nsluice: %r\npeer: %r" % (who, data, message or rows, why or theirs)
                    return
                counts[known[0]] = counts.get(known[0], 0) + 1
        yield peer.name, counts, None
