#!/usr/bin/env python3
"""Compares sluice's reader of JSON with Python's on random texts, well-formed and spoilt.

    json_oracle.py --library build/release/libsluice.so [--cases 20000] [--seed 1]

What the reader refuses and Python takes is what RFC 8259 leaves out (NaN, Infinity), halves of surrogate pairs, more than
64 levels, and numbers of more than 1,000 characters."""
import argparse
import ctypes
import json
import random
import struct
import sys

WRONG, END, OBJECT, OBJECT_END, ARRAY, ARRAY_END, KEY, STRING, NUMBER, TRUE, FALSE, NULL = range(12)
LEVELS, DIGITS = 64, 1000


class Reader(ctypes.Structure):
    _fields_ = [("token", ctypes.c_int), ("text", ctypes.c_void_p), ("n", ctypes.c_size_t), ("whole", ctypes.c_int),
                ("own", ctypes.c_char * 160)]


class Refused(Exception):
    pass


class Sluice:
    """A text as sluice reads it: the same lists and dicts as json.loads() makes; numbers by the call for their kind."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.sluice_json_skip.restype = ctypes.c_int

    def loads(self, data, skip):
        buffer = ctypes.create_string_buffer(data, len(data) or 1)
        reader = Reader()
        self.library.sluice_json_begin(ctypes.byref(reader), buffer, ctypes.c_size_t(len(data)))
        value = self.value(reader, self.next(reader), skip)
        self.next(reader)
        if reader.token != END:
            raise Refused
        return value

    def next(self, reader):
        token = self.library.sluice_json_next(ctypes.byref(reader))
        assert token == reader.token
        if token == WRONG:
            raise Refused
        return token

    def number(self, reader):
        bits, sign, double = ctypes.c_uint64(), ctypes.c_int64(), ctypes.c_double()
        fits = self.library.sluice_json_int64(ctypes.byref(reader), ctypes.byref(sign))
        fits_unsigned = self.library.sluice_json_uint64(ctypes.byref(reader), ctypes.byref(bits))
        finite = self.library.sluice_json_double(ctypes.byref(reader), ctypes.byref(double))
        text = ctypes.string_at(reader.text, reader.n)
        want = float(text)
        assert finite == (abs(want) != float("inf")), text
        assert not finite or struct.pack("d", double.value) == struct.pack("d", want), text
        whole = reader.whole and int(text)
        assert bool(fits) == (bool(reader.whole) and -2**63 <= whole < 2**63) and (not fits or sign.value == whole), text
        assert bool(fits_unsigned) == (bool(reader.whole) and 0 <= whole < 2**64), text
        assert not fits_unsigned or bits.value == whole, text
        single = ctypes.c_float()
        if self.library.sluice_json_float(ctypes.byref(reader), ctypes.byref(single)) and len(text) < 9:
            assert single.value == struct.unpack("f", struct.pack("f", want))[0], text
        return whole if reader.whole else want

    def later(self, reader):
        """The value by a reader of its own."""
        if not self.library.sluice_json_skip(ctypes.byref(reader)):
            raise Refused
        return self.loads(ctypes.string_at(reader.text, reader.n), None)

    def value(self, reader, token, skip):
        if token in (OBJECT, ARRAY) and skip and skip.random() < 0.3:
            return self.later(reader)
        if token == OBJECT:
            pairs = {}
            while self.next(reader) != OBJECT_END:
                assert reader.token == KEY
                key = self.text(reader)
                pairs[key] = self.later(reader) if skip and skip.random() < 0.3 else self.value(reader, self.next(reader), skip)
            return pairs
        if token == ARRAY:
            values = []
            while self.next(reader) != ARRAY_END:
                values.append(self.value(reader, reader.token, skip))
            return values
        if token == STRING:
            return self.text(reader)
        if token == NUMBER:
            return self.number(reader)
        return {TRUE: True, FALSE: False, NULL: None}[token]

    @staticmethod
    def text(reader):
        return ctypes.string_at(reader.text, reader.n).decode("utf-8")


def depth(data):
    """The levels of a text that is JSON."""
    most = now = 0
    in_string = escaped = False
    for c in data:
        if in_string:
            in_string = escaped or c != '"'
            escaped = c == "\\" and not escaped
        elif c == '"':
            in_string, escaped = True, False
        elif c in "[{":
            now += 1
            most = max(most, now)
        elif c in "]}":
            now -= 1
    return most


def python(data):
    """The same of Python's reader; Refused where one of the differences above is met."""
    def refuse(what):
        raise Refused(what)

    def number(kind):
        def take(text):
            return refuse(text) if len(text) > DIGITS else kind(text)
        return take

    try:
        text = data.decode("utf-8")
        if text.startswith("\ufeff"):
            raise Refused
        value = json.loads(text, parse_constant=refuse, parse_int=number(int), parse_float=number(float))
        json.dumps(value, ensure_ascii=False).encode("utf-8") # no half of a surrogate pair is left
    except (ValueError, RecursionError):
        raise Refused from None
    if depth(text) > LEVELS:
        raise Refused
    return value


ALPHABET = list("abc \"\\/\b\f\n\r\t\x00\x1f\x7f{}[]:,0") + ["ä", "€", "😀", "\u2028", "\ufeff", "\ud7ff", "\U0010ffff"]


def random_value(draw, level):
    kind = draw.randrange(10 if level < 5 else 7)
    if kind < 2:
        return "".join(draw.choice(ALPHABET) for _ in range(draw.randrange(20)))
    if kind == 2:
        return draw.choice([True, False, None])
    if kind == 3:
        return draw.choice([0, 1, -1, 2**31, 2**53 + 1, -2**63, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**draw.randrange(40)])
    if kind == 4:
        return struct.unpack("d", struct.pack("Q", draw.getrandbits(64) & ~(1 << 62)))[0]
    if kind < 7:
        return round(draw.gauss(0, 10), draw.randrange(12))
    if kind == 7:
        return [random_value(draw, level + 1) for _ in range(draw.randrange(6))]
    return {"".join(draw.choice(ALPHABET) for _ in range(draw.randrange(5))): random_value(draw, level + 1) for _ in range(draw.randrange(6))}


def random_text(draw):
    if draw.random() < 0.02:
        n = draw.randrange(60, 70)
        return ("[" * n + "]" * draw.choice([n, n, n - 1])).encode()
    text = json.dumps(random_value(draw, 0), ensure_ascii=draw.random() < 0.5, indent=draw.choice([None, None, 1, "\t"]),
                      separators=draw.choice([None, (",", ":"), (" ,\r\n", " : ")]))
    return text.encode("utf-8")


def spoil(draw, data):
    pieces = [b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\\u", b"\\ud800", b"\\udc00", b"1e5", b"-", b".", b"00", b"e400", b"NaN",
              b"Infinity", b"true", b"nul", b"\xff", b"\xed\xa0\x80", b"\xc3", b"\x00", b"\n", b" ", b"9" * 30, b"0." + b"3" * 1100]
    data = bytearray(data)
    for _ in range(draw.randrange(1, 4)):
        at = draw.randrange(len(data) + 1)
        how = draw.randrange(4)
        if how == 0:
            data[at:at] = draw.choice(pieces)
        elif how == 1:
            del data[at:at + draw.randrange(1, 4)]
        elif how == 2 and at < len(data):
            data[at] = draw.randrange(256)
        else:
            del data[at:]
    return bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cases", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    draw = random.Random(args.seed)
    sluice = Sluice(args.library)
    taken = refused = 0
    for _ in range(args.cases):
        data = random_text(draw)
        if draw.random() < 0.6:
            data = spoil(draw, data)
        try:
            want = repr(python(data))
            taken += 1
        except Refused:
            want = "refused"
            refused += 1
        try:
            got = repr(sluice.loads(data, draw if draw.random() < 0.5 else None))
        except Refused:
            got = "refused"
        if got != want:
            print("%r:\nPython: %s\nsluice: %s" % (data, want, got))
            sys.exit(1)
    print("%d texts taken, %d refused by both" % (taken, refused))
    sys.exit(taken < args.cases // 4 or refused < args.cases // 4)


main()
