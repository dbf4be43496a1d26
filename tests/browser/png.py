"""Reads the PNG files that chromium writes: 8 bits, RGB or RGBA, not interlaced."""

import struct
import zlib


def paeth(a, b, c):
    p = a + b - c
    x, y, z = abs(p - a), abs(p - b), abs(p - c)
    return a if x <= y and x <= z else b if y <= z else c


def unfiltered(kind, line, above, k):
    if kind == 0:
        return
    if kind == 2:
        for i, b in enumerate(above):
            line[i] = line[i] + b & 255
        return
    for i in range(len(line)):
        a = line[i - k] if i >= k else 0
        if kind == 1:
            line[i] = line[i] + a & 255
        elif kind == 3:
            line[i] = line[i] + (a + above[i] >> 1) & 255
        else:
            line[i] = line[i] + paeth(a, above[i], above[i - k] if i >= k else 0) & 255


def pixels(data):
    """Rows of (r, g, b)."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    at, packed = 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        if kind == b"IHDR":
            width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            k = {2: 3, 6: 4}[colour]
            if bits != 8 or interlaced:
                raise ValueError("another kind of PNG")
        elif kind == b"IDAT":
            packed += body
        at += 12 + n
    raw, stride = zlib.decompress(packed), width * k
    rows, above = [], bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        line = bytearray(raw[start + 1:start + 1 + stride])
        unfiltered(raw[start], line, above, k)
        rows.append(list(zip(line[0::k], line[1::k], line[2::k])))
        above = line
    return rows
