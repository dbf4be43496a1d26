"""Which columns of a frame a model of csv or JSON Lines leaves out: those that its `columns` and `ignore` say."""

from __future__ import annotations

import re
from typing import Any

_PIECES = re.compile(rb"(?:\\.|[^,\\]|\\$)+", re.DOTALL)  # of a list, at the commas that no backslash stands before


def left_out(model: Any, names: list[str]) -> list[str]:
    """Those of the names that are columns without features; label and weight are none of them."""
    kept = {key: model.metadata(f"reader.{key}") or b"" for key in ("columns", "ignore", "label", "weight")}
    columns, ignore = (_PIECES.findall(kept[key]) for key in ("columns", "ignore"))
    other = {kept["label"], kept["weight"]}
    found = []
    for name in names:
        text = name.encode("utf-8", "surrogateescape")
        chosen = not columns or any(_matches(p, text) for p in columns)
        if text not in other and (not chosen or any(_matches(p, text) for p in ignore)):
            found.append(name)
    return found


def _matches(pattern: bytes, name: bytes) -> bool:
    """As the program does it (docs/input.md): a name is also itself, whatever is in it."""
    plain = re.sub(rb"\\(.)", rb"\1", pattern, flags=re.DOTALL)
    return name in (pattern, plain) or re.fullmatch(_expression(pattern), name, re.DOTALL) is not None


def _expression(pattern: bytes) -> bytes:
    out, at = b"", 0
    while at < len(pattern):
        c = pattern[at : at + 1]
        at += 1
        if c == b"*":
            out += b".*"
        elif c == b"?":
            out += b"."
        elif c == b"[" and (end := _set_end(pattern, at)):
            out += _set(pattern[at:end])
            at = end + 1
        else:
            if c == b"\\" and at < len(pattern):
                c = pattern[at : at + 1]
                at += 1
            out += re.escape(c)
    return out


def _set_end(pattern: bytes, at: int) -> int:
    """Where the set that begins here has its ], which is not its first byte; 0: it has none."""
    at += pattern[at : at + 1] in (b"!", b"^")
    return max(pattern.find(b"]", at + 1), 0)


def _set(text: bytes) -> bytes:
    inverted = text[:1] in (b"!", b"^")
    text, members, at = text[inverted:], set[int](), 0
    while at < len(text):
        is_range = text[at + 1 : at + 2] == b"-" and at + 2 < len(text)
        members.update(range(text[at], text[at + 2 * is_range] + 1))
        at += 1 + 2 * is_range
    members = set(range(256)) - members if inverted else members
    return b"[" + b"".join(re.escape(bytes([m])) for m in sorted(members)) + b"]" if members else b"(?!)"
