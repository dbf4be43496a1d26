"""Frames as batches: what the csv reader makes of a file with the same cells."""

import csv
import decimal
import io
import subprocess
import sys
import time


import warnings

import numpy as np
import pytest

import sluiceway
from sluiceway import _frames, _sluice
from sluiceway._frames import to_batches

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")


def rows(batches):
    """All rows as (label, weight, features)."""
    return [row for b in batches for row in zip(b.labels(), b.weights(), (b.row(i) for i in range(len(b))))]


def features(frame, **options):
    return [dict(r[2]) for r in rows(to_batches(frame, **options))]


def model_of(batches):
    model = _sluice.Model("ssol", ["lambda=0"], {})
    for batch in batches:
        model.learn_batch(batch)
    return model.to_bytes()


def csv_batches(text, label="label", weight=None):
    return _sluice.Reader(text.encode(), {"format": "csv", "label": label, "weight": weight})


def csv_of(table):
    """A table as csv text, with true and false as Arrow writes them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in zip(*(c.to_pylist() for c in table.columns)):
        writer.writerow([int(v) if isinstance(v, bool) else v for v in row])
    return out.getvalue()


TABLE = {
    "label": [1, 0, 1, 0, 1],
    "age": [30.5, None, 0.0, 5.0, -1e-3],
    "city": ["Bonn", None, "7", 'K,"öln\n', " 1e3 "],
    "empty": ["", " ", "\t", "x", None],
    "kind": ["a", "b", None, "a", "12"],
    "flag": [True, False, None, True, True],
    "count": [1, None, 3, 2**53 + 1, -5],
}


def arrow_table():
    table = pa.table({k: v for k, v in TABLE.items() if k != "kind"})
    return table.append_column("kind", pa.array(TABLE["kind"]).dictionary_encode())


def pandas_frame():
    frame = pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in TABLE.items()})
    return frame.astype({"label": "int8", "age": "float64", "kind": "category", "flag": "boolean", "count": "Int64"})


def test_cells_are_those_of_a_csv_file():
    table = arrow_table()
    assert model_of(to_batches(table, "label")) == model_of(csv_batches(csv_of(table)))
    assert features(table, label="label")[0] == {"age": 30.5, "city=Bonn": 1, "kind=a": 1, "flag": 1, "count": 1}
    assert features(table, label="label")[2] == {"age": 0, "city": 7, "count": 3}
    assert features(table, label="label")[4]["city"] == 1000


def test_pandas_gives_the_same_rows():
    order = list(arrow_table().column_names)
    assert rows(to_batches(pandas_frame()[order], "label")) == rows(to_batches(arrow_table(), "label"))


def test_polars_gives_the_same_rows():
    pl = pytest.importorskip("polars")
    assert rows(to_batches(pl.from_arrow(arrow_table()), "label")) == rows(to_batches(arrow_table(), "label"))


def test_pandas_needs_no_pyarrow():
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import pandas as pd\n"
        "from sluiceway._frames import to_batches\n"
        "frame = pd.DataFrame({'x': [1, 2.5], 't': pd.Series(['a', None], dtype=object)})\n"
        "frame['c'] = pd.Categorical(['u', 'v'])\n"
        "print([[b.row(i) for i in range(len(b))] for b in to_batches(frame)])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[[[('x', 1.0), ('t=a', 1.0), ('c=u', 1.0)], [('x', 2.5), ('c=v', 1.0)]]]\n"


def test_the_program_makes_the_same_model(tmp_path):
    table = pa.table({"label": [1, 0] * 40, "x": np.arange(80) / 7, "city": [f"c{i % 9}" for i in range(80)]})
    (tmp_path / "a.csv").write_text(csv_of(table))
    subprocess.run(
        [sluiceway.program(), "train", "-qq", "-a", "arow", "-o", tmp_path / "m", tmp_path / "a.csv"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    theirs, ours = _sluice.Model.load(str(tmp_path / "m")), _sluice.Model("arow", [], {})
    for batch in to_batches(table, "label"):
        ours.learn_batch(batch)
    assert ours.weights(None) == theirs.weights(None) and ours.facts() == theirs.facts()


def test_chunks_and_offsets():
    whole = arrow_table()
    want = rows(to_batches(whole, "label"))
    chunked = pa.concat_tables([whole[:2], whole[2:3], whole[3:3], whole[3:]])
    assert rows(to_batches(chunked, "label")) == want
    assert rows(to_batches(whole[1:4], "label")) == want[1:4]
    batch = whole.combine_chunks().to_batches()[0]
    assert rows(to_batches(batch[1:], "label")) == want[1:]
    reader = pa.RecordBatchReader.from_batches(whole.schema, iter(chunked.to_batches()))
    assert rows(to_batches(reader, "label")) == want


def test_buffers_that_are_not_aligned():
    def displaced(array):
        """The same array with its buffers one byte further on."""
        buffers = [b and pa.py_buffer(b"\0" + b.to_pybytes())[1:] for b in array.buffers()]
        return pa.Array.from_buffers(array.type, len(array), buffers)

    types = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float16(), pa.float32(),
             pa.float64(), pa.decimal128(30, 2), pa.string(), pa.large_string()]
    arrays = [pa.array(["a", None, "bc"] if "string" in str(t) else [1, None, 3]).cast(t) for t in types]
    names = [str(t) for t in types]
    want = rows(to_batches(pa.Table.from_arrays(arrays, names)))
    assert rows(to_batches(pa.Table.from_arrays([displaced(a) for a in arrays], names))) == want


def test_a_single_array_by_its_capsules():
    batch = arrow_table().combine_chunks().to_batches()[0]

    class Array:
        def __arrow_c_array__(self, requested_schema=None):
            return batch.__arrow_c_array__(requested_schema)

    assert rows(to_batches(Array(), "label")) == rows(to_batches(arrow_table(), "label"))
    capsules = batch.__arrow_c_array__()
    assert len(list(_sluice.ArrowReader(capsules, None, None))) == 1
    with pytest.raises(ValueError, match="used before"):
        _sluice.ArrowReader(capsules, None, None)


def test_rows_that_are_null():
    nulls = pa.StructArray.from_arrays(
        [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])], ["x", "t"], mask=pa.array([False, True, False])
    )

    class Array:
        def __arrow_c_array__(self, requested_schema=None):
            return nulls.__arrow_c_array__(requested_schema)

    assert features(Array()) == [{"x": 1, "t=a": 1}, {}, {"x": 3, "t=c": 1}]


@pytest.mark.parametrize(
    "type",
    [
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "halffloat",
        "float",
        "double",
        pa.decimal128(10, 2),
        pa.decimal128(5, -2),
    ],
)
def test_numbers_of_every_type(type):
    numbers = [0, 100, None, 7] if not str(type).startswith("decimal128(5") else [0, 100, None, 700]
    column = pa.array(
        [None if n is None else decimal.Decimal(n) for n in numbers] if str(type).startswith("dec") else numbers,
        type=type,
    )
    got = features(pa.table({"x": column}))
    assert got == [{} if n is None else {"x": n} for n in numbers]


@pytest.mark.parametrize("value", ["0.01", "-123.45", "0", "-0.07", "99999999.99"])
def test_decimals(value):
    column = pa.array([decimal.Decimal(value)], type=pa.decimal128(12, 2))
    assert features(pa.table({"x": column})) == [{"x": np.float32(value)}]


@pytest.mark.parametrize("type", ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"])
def test_texts_of_every_type(type):
    type = getattr(pa, type)()
    texts = ["a", "", None, "a text of more than twelve bytes", "5", "another one that is longer"]
    column = pa.array([t if t is None or "binary" not in str(type) else t.encode() for t in texts], type=type)
    want = [
        {"t=a": 1},
        {},
        {},
        {"t=a text of more than twelve bytes": 1},
        {"t": 5},
        {"t=another one that is longer": 1},
    ]
    assert features(pa.table({"t": column})) == want
    assert features(pa.table({"t": column})[2:]) == want[2:]


def test_dictionaries_with_nulls():
    inside = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2], pa.int8()), pa.array(["a", None, "3"]))
    assert features(pa.table({"d": inside})) == [{"d=a": 1}, {}, {}, {"d": 3}]
    numbers = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.uint16()), pa.array([0.5, 2.5]))
    assert features(pa.table({"d": numbers})) == [{"d": 2.5}, {"d": 0.5}]


@pytest.mark.parametrize(
    "column, what",
    [
        (pa.array([0], pa.date32()), "dates"),
        (pa.array([0], pa.timestamp("us")), "timestamps"),
        (pa.array([0], pa.time64("us")), "times of day"),
        (pa.array([0], pa.duration("s")), "durations"),
        (pa.array([[1]]), "lists"),
        (pa.array([{"a": 1}]), "structs"),
        (pa.array([decimal.Decimal(1)], pa.decimal256(50, 2)), "256 bits"),
    ],
)
def test_types_without_a_meaning_are_named(column, what):
    with pytest.raises(TypeError, match=f"column 'when' has .*{what}"):
        to_batches(pa.table({"x": [1], "when": column}))


def test_pandas_types_without_a_meaning_are_named():
    for column in (pd.to_datetime(["2020-01-01"]), [[1, 2]], [1j], [{"a": 1}]):
        with pytest.raises(TypeError, match="column 'when' has"):
            to_batches(pd.DataFrame({"x": [1], "when": column}))


def test_numbers_that_are_none():
    for value, what in ((np.nan, "not finite"), (np.inf, "not finite"), (1e300, "range of a float")):
        table = pa.table({"x": [1.0, 2.0, value]})
        with pytest.raises(ValueError, match=f"row 3: column 'x': .*{what}"):
            list(to_batches(table))
    for text in ("-inf", "1e39"):
        with pytest.raises(ValueError, match="row 1: column 'x'"):
            list(to_batches(pa.table({"x": [text]})))
    assert features(pd.DataFrame({"x": ["nan", "NA", "null", "a"]})) == [{}, {}, {}, {"x=a": 1}]  # as cells of csv
    assert features(pd.DataFrame({"x": [1.0, np.nan]})) == [{"x": 1}, {}]  # what is missing in pandas


def test_a_nul_byte():
    with pytest.raises(ValueError, match="row 2: column 't': a NUL byte"):
        list(to_batches(pa.table({"t": ["a", "b\0c"]})))


def test_labels():
    def labels(column, **options):
        return [r[0] for r in rows(to_batches(pa.table({"y": column}), "y", **options))]

    assert labels([1, 0, -1]) == [1, 0, -1]
    assert labels([1.0, 3.0, 0.25]) == [1, "3", "0.25"]
    assert labels([True, False]) == [1, 0]
    assert labels([" spam", "ham "]) == ["spam", "ham"]
    assert labels(pa.array([decimal.Decimal("2.50")])) == ["2.50"]
    for bad in ([1, None], ["a", " "], [1.0, np.nan]):
        with pytest.raises(ValueError, match="row 2: column 'y'"):
            labels(bad)
    with pytest.raises(ValueError, match="there is no column 'z' for the label"):
        to_batches(pa.table({"y": [1]}), "z")
    with pytest.raises(ValueError, match="same column"):
        to_batches(pa.table({"y": [1]}), "y", "y")


def test_weights():
    table = pa.table({"y": [1, 0], "w": [0.5, 2], "x": [3, 4]})
    assert rows(to_batches(table, "y", "w")) == [(1, 0.5, [("x", 3)]), (0, 2, [("x", 4)])]
    for bad, what in ((-1.0, "negative"), (None, "not a number"), (np.inf, "not finite")):
        with pytest.raises(ValueError, match=f"row 2: column 'w': .*{what}"):
            list(to_batches(pa.table({"y": [1, 0], "w": [1.0, bad]}), "y", "w"))


def test_labels_and_weights_beside_the_frame():
    table = pa.table({"x": [3, 4, 5]})
    got = rows(
        to_batches(table, labels=np.array([1, 0, 2], np.int32), words=("a", "b", "c"), weights=np.array([1, 2, 3.0]))
    )
    assert [(r[0], r[1]) for r in got] == [("b", 1), ("a", 2), ("c", 3)]
    assert [r[0] for r in rows(to_batches(table, labels=np.array([1.0, -1.0, 0])))] == [1, -1, 0]
    for n in (2, 4):
        with pytest.raises(ValueError, match="rows"):
            list(to_batches(table, labels=np.ones(n)))
    with pytest.raises(ValueError, match="not in the list"):
        list(to_batches(table, labels=np.array([0, 1, 9]), words=("a", "b")))


def test_features_that_come_twice_are_added():
    table = pa.Table.from_arrays(
        [pa.array([1, 2]), pa.array([3, None]), pa.array(["c", "d"]), pa.array([5, 6])], names=["a", "a", "b", "b=c"]
    )
    assert rows(to_batches(table)) == [(0, 1, [("a", 4), ("b=c", 6)]), (0, 1, [("a", 2), ("b=d", 1), ("b=c", 6)])]
    table = table.append_column("label", pa.array([1, 0]))
    assert model_of(to_batches(table, "label")) == model_of(csv_batches(csv_of(table)))


def test_features_of_two_columns_that_are_the_same():
    def sums(*columns):
        table = pa.Table.from_arrays([pa.array(values) for _, values in columns], names=[name for name, _ in columns])
        return features(table)[0]

    assert sums(("a=b=c", [2.0]), ("a", ["b=c"])) == {"a=b=c": 3}
    assert sums(("a=b", ["c"]), ("a", ["b=c"])) == {"a=b=c": 2}
    assert sums(("a=b=c", ["5"]), ("a=b", ["c"])) == {"a=b=c": 6}
    assert sums(("=x", [2.0]), ("", ["x"])) == {"=x": 3}
    kinds = pa.array(["b"]).dictionary_encode()
    assert sums(("a=b", [2.0]), ("a", kinds)) == {"a=b": 3}
    assert sums(("a=b", [2.0]), ("a", pa.array(["b"], pa.string_view()))) == {"a=b": 3}
    assert sums(("a=b", [2.0]), ("a", [7.0])) == {"a=b": 2, "a": 7}


def test_many_columns_with_an_equals_sign_are_read_as_quickly():
    def seconds(name):
        table = pa.table({f"{name}{i}": np.ones(100) for i in range(4000)})
        start = time.monotonic()
        assert sum(b.rows for b in to_batches(table)) == 100
        return time.monotonic() - start

    assert seconds("colour=") < 10 * seconds("colour ") + 0.1


def test_empty_frames():
    assert list(to_batches(pa.table({"x": pa.array([], pa.int64())}))) == []
    assert list(to_batches(pd.DataFrame({"x": []}))) == []
    assert rows(to_batches(pd.DataFrame(index=range(2)))) == [(0, 1, []), (0, 1, [])]
    assert list(to_batches(pd.DataFrame())) == []


def test_what_is_no_frame():
    with pytest.raises(TypeError, match="no frame"):
        to_batches([1, 2])
    with pytest.raises(TypeError, match="not a table"):
        to_batches(pa.chunked_array([[1, 2]]))
    assert _frames.is_frame(arrow_table()) and _frames.is_frame(pd.DataFrame()) and not _frames.is_frame({"a": 1})


def test_a_stream_that_fails():
    def batches():
        yield arrow_table().combine_chunks().to_batches()[0]
        raise RuntimeError("the source is gone")

    reader = pa.RecordBatchReader.from_batches(arrow_table().schema, batches())
    with pytest.raises(OSError, match="the source is gone"):
        list(to_batches(reader, "label"))


def test_many_rows_come_in_several_batches():
    table = pa.table({"x": np.arange(50_000), "t": [f"word {i % 1000}" for i in range(50_000)]})
    batches = list(to_batches(table))
    assert len(batches) > 1 and sum(len(b) for b in batches) == 50_000
    assert rows(batches)[40_000] == (0, 1, [("x", 40_000), ("t=word 0", 1)])


def random_column(rng, n):
    """A column of a random type, with nulls."""
    texts = [
        "a",
        "b c",
        "7",
        "",
        " ",
        "1e2",
        'q"q',
        "x,y",
        "line\nbreak",
        "ü" * 9,
        "-",
        "+5",
        "5.",
        ".5",
        "0x1f",
        "inf7",
        "nano",
    ]
    kind = rng.integers(0, 9)
    gone = rng.random(n) < rng.choice([0, 0.3])
    if kind == 0:
        column = pa.array(rng.choice(texts, n), mask=gone)
    elif kind == 1:
        column = pa.array(rng.choice(texts, n), mask=gone).dictionary_encode()
    elif kind == 2:
        column = pa.array(rng.choice(texts, n), type=pa.string_view(), mask=gone)
    elif kind == 3:
        column = pa.array(rng.random(n) < 0.5, mask=gone)
    elif kind == 4:
        column = pa.array(rng.integers(-(2**62), 2**62, n), mask=gone)
    elif kind == 5:
        column = pa.array(rng.integers(0, 200, n), type=pa.uint8(), mask=gone)
    elif kind == 6:
        column = pa.array(rng.standard_normal(n) * 10.0 ** rng.integers(-30, 30), mask=gone)
    elif kind == 7:
        column = pa.nulls(n)
    else:
        column = pa.array(
            [decimal.Decimal(int(v)).scaleb(-3) for v in rng.integers(-(10**9), 10**9, n)],
            type=pa.decimal128(20, 3),
            mask=gone,
        )
    return column


@pytest.mark.parametrize("seed", range(60))
def test_random_tables_are_those_of_csv_files(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    columns = {"label": pa.array(rng.choice(["yes", "no"], n))}
    for name in rng.choice(["a", "b", "c=d", "e f", "ö", "12", 'g"'], rng.integers(1, 7), replace=False):
        columns[str(name)] = random_column(rng, n)
    table = pa.table(columns)
    cut = int(rng.integers(0, n))
    pieces = pa.concat_tables([table[:cut], table[cut:]])
    assert model_of(to_batches(pieces, "label")) == model_of(csv_batches(csv_of(table)))


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "polars", "batch"])
def test_a_nul_in_a_column_name_is_refused(kind):
    data = {"a\0b": [1.0, 2.0]}
    if kind == "pandas":
        frame = pd.DataFrame(data)
    elif kind == "polars":
        frame = pytest.importorskip("polars").DataFrame(data)
    else:
        frame = pa.table(data) if kind == "pyarrow" else pa.RecordBatch.from_pydict(data)
    with pytest.raises(ValueError, match=r"column 'a\\x00b': a NUL in its name"):
        features(frame)


@pytest.mark.parametrize("make", ["pandas", "polars", "pyarrow"])
def test_a_column_of_texts_that_never_come_twice_is_warned_of(make):
    pytest.importorskip("sklearn")
    library = pytest.importorskip(make)
    columns = {"mail": [f"free prize {i}" for i in range(300)], "city": ["Bonn", "Rome", "Oslo"] * 100,
               "code": [str(i) for i in range(300)], "x": list(range(300)), "kind": ["a", "b", "b"] * 100}
    frame = library.table(columns) if make == "pyarrow" else library.DataFrame(columns)
    without = frame.drop(columns=["mail"]) if make == "pandas" else frame.drop(["mail"])
    with pytest.warns(UserWarning, match="in the column 'mail' hardly any text comes twice") as found:
        sluiceway.train(frame, "arow", label="kind")
    assert len(found) == 1 and found[0].filename == __file__
    if make != "pyarrow":
        with pytest.warns(UserWarning, match="in the column 'mail'") as found:
            sluiceway.SluiceClassifier("arow").fit(frame, columns["kind"])
        assert len(found) == 1 and found[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sluiceway.train(without, "arow", label="kind")
