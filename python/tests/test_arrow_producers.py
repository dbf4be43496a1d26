"""Arrow data that does not fit its own description: refused in words, once and for all, and never read beyond its end."""

import ctypes
import struct

import pytest

from sluiceway import _sluice


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)

Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
                   ("release", RELEASE), ("private_data", ctypes.c_void_p)]
Array._fields_ = [(name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")] + [
    ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)), ("release", RELEASE), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", GET), ("get_next", GET), ("get_last_error", LAST_ERROR), ("release", RELEASE),
                   ("private_data", ctypes.c_void_p)]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """Makes schemas, arrays and streams; `released` counts the calls of release."""

    def __init__(self):
        self.keep, self.released, self.refused = [], {Schema: 0, Array: 0, Stream: 0}, False
        self.releases = {kind: RELEASE(lambda p, kind=kind: self.release(kind, p)) for kind in self.released}

    def release(self, kind, address):
        self.released[kind] += 1
        ctypes.cast(address, ctypes.POINTER(kind)).contents.release = RELEASE()

    def children(self, kind, items):
        pointers = (ctypes.POINTER(kind) * max(1, len(items)))(*(ctypes.pointer(item) for item in items))
        self.keep.append(pointers)
        return ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(kind)))

    def schema(self, format, children=(), dictionary=None, **changed):
        made = Schema(format=format, name=b"x", n_children=len(children), release=self.releases[Schema])
        if children:
            made.children = self.children(Schema, children)
        if dictionary:
            made.dictionary = ctypes.pointer(dictionary)
        return self.changed(made, changed)

    def array(self, rows, arrays=(None,), columns=(), values=None, **changed):
        addresses = (ctypes.c_void_p * max(1, len(arrays)))(
            *(None if a is None else ctypes.cast(a, ctypes.c_void_p) for a in arrays))
        self.keep.extend((addresses, arrays))
        made = Array(length=rows, n_buffers=len(arrays), n_children=len(columns), release=self.releases[Array],
                     buffers=ctypes.cast(addresses, ctypes.POINTER(ctypes.c_void_p)))
        if columns:
            made.children = self.children(Array, columns)
        if values:
            made.dictionary = ctypes.pointer(values)
        return self.changed(made, changed)

    def changed(self, made, changed):
        for name, value in changed.items():
            setattr(made, name, value)
        self.keep.append(made)
        return made

    def reader(self, schema, *chunks):
        left = iter(chunks)

        def get_next(stream, out):
            chunk = next(left, None)
            if chunk is None:
                ctypes.memset(out, 0, ctypes.sizeof(Array))
            else:
                ctypes.memmove(out, ctypes.byref(chunk), ctypes.sizeof(Array))
            return 0

        def get_schema(stream, out):
            ctypes.memmove(out, ctypes.byref(schema), ctypes.sizeof(Schema))
            return 0

        stream = Stream(get_schema=GET(get_schema), get_next=GET(get_next), get_last_error=LAST_ERROR(),
                        release=self.releases[Stream])
        self.keep.append(stream)
        capsule = new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)
        return _sluice.ArrowReader(capsule, None, None)


@pytest.fixture
def make():
    producer = Producer()
    yield producer
    if producer.refused:  # now that nothing holds the reader: in Python 3.10 a caller holds its arguments until the call ends
        assert producer.released == {Schema: 1, Array: 1, Stream: 1}


def doubles(*numbers):
    return (ctypes.c_double * len(numbers))(*numbers)


def offsets(*numbers):
    return (ctypes.c_int32 * len(numbers))(*numbers)


def text_views(*views):
    """Views of (length, first bytes, buffer, offset)."""
    return ctypes.create_string_buffer(b"".join(struct.pack("<i4sii", *view) for view in views))


def check_refused(make, reader, words):
    for _ in range(3):  # the same for good
        with pytest.raises(ValueError, match=words):
            next(reader)
    make.refused = True  # and everything is released: `make` looks when the test is over


def test_sound_data_are_read(make):
    schema = make.schema(b"+s", [make.schema(b"g"), make.schema(b"u", name=b"t")])
    chunk = make.array(2, columns=[make.array(2, (None, doubles(1, 2))),
                                    make.array(2, (None, offsets(0, 1, 3), ctypes.create_string_buffer(b"abc")))])
    batches = list(make.reader(schema, chunk))
    assert [b.row(i) for b in batches for i in range(b.rows)] == [[("x", 1.0), ("t=a", 1.0)], [("x", 2.0), ("t=bc", 1.0)]]
    assert make.released == {Schema: 1, Array: 1, Stream: 1}


@pytest.mark.parametrize("changed", [{"n_children": -1}, {"n_children": 5}, {"n_children": 2**62}])
def test_a_schema_without_its_columns(make, changed):
    with pytest.raises(ValueError, match="number of columns"):
        make.reader(make.schema(b"+s", **changed))
    assert make.released[Schema] == 1


def test_a_schema_without_one_column(make):
    schema = make.schema(b"+s", [make.schema(b"g"), make.schema(b"g")])
    schema.children[1] = ctypes.POINTER(Schema)()
    with pytest.raises(ValueError, match="without one of its columns"):
        make.reader(schema)


@pytest.mark.parametrize("changed", [
    {"length": 3}, {"length": 2**40}, {"length": -1}, {"offset": -1}, {"offset": 1}, {"offset": 2**63 - 1},
    {"length": 2**63 - 1, "offset": 2**63 - 1}, {"n_children": -1}, {"n_children": 2}, {"n_children": 0},
    {"children": ctypes.POINTER(ctypes.POINTER(Array))()}, {"null_count": 1}, {"null_count": -2}, {"n_buffers": -1},
    {"buffers": ctypes.POINTER(ctypes.c_void_p)()},
], ids=lambda changed: " ".join(changed))
def test_a_table_that_does_not_fit(make, changed):
    chunk = make.array(2, columns=[make.array(2, (None, doubles(1, 2)))], **changed)
    check_refused(make, make.reader(make.schema(b"+s", [make.schema(b"g")]), chunk), "does not fit its schema")


@pytest.mark.parametrize("changed", [
    {"length": 1}, {"length": -1}, {"offset": -1}, {"offset": 2**63 - 1}, {"offset": 2**60}, {"null_count": 1},
    {"null_count": -2}, {"n_buffers": -1}, {"n_buffers": 1}, {"buffers": ctypes.POINTER(ctypes.c_void_p)()},
], ids=lambda changed: " ".join(changed))
def test_a_column_that_does_not_fit(make, changed):
    chunk = make.array(2, columns=[make.array(2, (None, doubles(1, 2)), **changed)])
    check_refused(make, make.reader(make.schema(b"+s", [make.schema(b"g")]), chunk), "does not fit its schema")


def test_a_column_without_numbers(make):
    chunk = make.array(2, columns=[make.array(2, (None, None))])
    check_refused(make, make.reader(make.schema(b"+s", [make.schema(b"g")]), chunk), "does not fit its schema")


def test_a_missing_column(make):
    chunk = make.array(2, columns=[make.array(2, (None, doubles(1, 2)))])
    chunk.children[0] = ctypes.POINTER(Array)()
    check_refused(make, make.reader(make.schema(b"+s", [make.schema(b"g")]), chunk), "does not fit its schema")


@pytest.mark.parametrize("ends, data", [((0, 5), None), ((0, -1), b"abcde"), ((-1, 3), b"abcde"), ((3, 1), b"abcde")])
def test_texts_out_of_place(make, ends, data):
    data = None if data is None else ctypes.create_string_buffer(data)
    chunk = make.array(1, columns=[make.array(1, (None, offsets(*ends), data))])
    check_refused(make, make.reader(make.schema(b"+s", [make.schema(b"u")]), chunk), "the text of a cell is out of place")


def test_a_text_beyond_the_end_of_all(make):
    data = ctypes.create_string_buffer(b"abcde")
    chunk = make.array(2, columns=[make.array(2, (None, offsets(0, 1 << 20, 5), data))])
    check_refused(make, make.reader(make.schema(b"+s", [make.schema(b"u")]), chunk), "the text of a cell is out of place")


@pytest.mark.parametrize("view", [(-1, b"abcd", 0, 0), (20, b"abcd", 0, 0), (20, b"abcd", -1, 0), (20, b"abcd", 0, 5),
                                  (20, b"abcd", 0, -5), (20, b"abcd", 2**31 - 1, 0)])
@pytest.mark.parametrize("data", ["none", "no sizes", "no data", "too small"])
def test_text_views_out_of_place(make, view, data):
    buffers = {"none": (None,), "no sizes": (ctypes.create_string_buffer(b"a" * 24), None),
               "no data": (None, (ctypes.c_int64 * 1)(24)),
               "too small": (ctypes.create_string_buffer(b"a" * 19), (ctypes.c_int64 * 1)(19))}[data]
    chunk = make.array(1, columns=[make.array(1, (None, text_views(view), *buffers))])
    check_refused(make, make.reader(make.schema(b"+s", [make.schema(b"vu")]), chunk), "the text of a cell is out of place")


def dictionary(make, codes, **changed):
    values = make.array(2, (None, offsets(0, 1, 2), ctypes.create_string_buffer(b"ab")), **changed)
    kind = make.schema(b"+s", [make.schema(b"i", dictionary=make.schema(b"u"))])
    return kind, make.array(len(codes), columns=[make.array(len(codes), (None, offsets(*codes)), values=values)])


@pytest.mark.parametrize("code", [2, -1, 2**31 - 1, -2**31])
def test_a_position_beyond_the_dictionary(make, code):
    check_refused(make, make.reader(*dictionary(make, [code])), "a position that is not in the dictionary")


@pytest.mark.parametrize("changed", [{"length": -1}, {"offset": -1}, {"n_buffers": 2}, {"null_count": 1},
                                     {"offset": 2**63 - 1}], ids=str)
def test_a_dictionary_that_does_not_fit(make, changed):
    check_refused(make, make.reader(*dictionary(make, [0], **changed)), "does not fit its schema")


def test_a_missing_dictionary(make):
    kind, chunk = dictionary(make, [0])
    chunk.children[0].contents.dictionary = ctypes.POINTER(Array)()
    check_refused(make, make.reader(kind, chunk), "does not fit its schema")


def test_rows_that_are_null_have_no_features(make):
    bits = ctypes.create_string_buffer(b"\x02")
    chunk = make.array(2, (bits,), columns=[make.array(2, (None, doubles(1, 2)))], null_count=1)
    batch = next(make.reader(make.schema(b"+s", [make.schema(b"g")]), chunk))
    assert [batch.row(0), batch.row(1)] == [[], [("x", 2.0)]]


def test_a_bad_row_fails_for_good(make):
    chunk = make.array(2, columns=[make.array(2, (None, doubles(1, float("inf"))))])
    check_refused(make, make.reader(make.schema(b"+s", [make.schema(b"g")]), chunk), "row 2: column 'x': a value that is not")
