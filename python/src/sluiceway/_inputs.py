"""What may be read: paths, file objects, iterables of lines; and the readers that read them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

PIECE = 1 << 16  # bytes that are handed to the library at once
_FAILURES = (errno.ENOENT, errno.EACCES, errno.ENOSPC, errno.EISDIR, errno.EIO, errno.EROFS, errno.ENOTDIR, errno.EPERM,
             errno.ENAMETOOLONG, errno.EDQUOT, errno.EFBIG, errno.ELOOP, errno.EMFILE)


def is_path(thing: object) -> bool:
    """Whether it names a file."""
    return isinstance(thing, (str, os.PathLike))


def paths_of(inputs: object) -> list[str] | None:
    """The paths that the inputs are, or None if they are something else."""
    if is_path(inputs):
        return [os.fspath(inputs)]  # type: ignore[call-overload]
    if isinstance(inputs, (list, tuple)) and inputs and all(is_path(p) for p in inputs):
        return None if are_lines(inputs) else [os.fspath(p) for p in inputs]
    return None


def are_lines(texts: Iterable[Any], bare: bool = False) -> bool:
    """Whether several texts are lines of data and not paths: paths all are files, or one has a type of paths. A line
    with a label has a character that parts it from the rest; what has none is a file that is missing, unless lines may
    be `bare`, without labels."""
    if not all(isinstance(text, str) for text in texts):
        return False
    if all(os.path.exists(text) and not os.path.isdir(text) for text in texts):
        return False
    return bare or all(any(c in text for c in " \t\n,{") for text in texts)


def check_files(paths: list[str]) -> None:
    """Raises FileNotFoundError for a path where there is nothing, IsADirectoryError for a folder."""
    for path in paths:
        if not os.path.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)


def number_of_failure(message: str) -> int | None:
    """The error number that a message of the library or the program is about; None: it cannot be told."""
    text = message.lower()
    return next((number for number in _FAILURES if os.strerror(number).lower() in text), None)


@contextmanager
def os_errors(path: Any) -> Iterator[None]:
    """Failures of the library with a file as Python's own functions raise them: FileNotFoundError and so on."""
    try:
        yield
    except OSError as error:
        number = number_of_failure(str(error).removeprefix(os.fsdecode(path))) if error.errno is None else None
        if number is None:
            raise
        raise OSError(number, os.strerror(number), os.fspath(path)) from None


def as_bytes(piece: object) -> bytes:
    """A piece of text as bytes."""
    if isinstance(piece, str):
        return piece.encode("utf-8", "surrogateescape")
    if isinstance(piece, (bytes, bytearray, memoryview)):
        return bytes(piece)
    raise TypeError(f"a line of text is a str or bytes, not {type(piece).__name__}")


def lines_of(lines: Iterable[Any]) -> Iterator[bytes]:
    """Lines, each with its newline, joined to larger pieces."""
    held: list[bytes] = []
    size = 0
    for line in lines:
        piece = as_bytes(line)
        held.append(piece if piece.endswith(b"\n") else piece + b"\n")
        size += len(piece)
        if size >= PIECE:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def pieces_of(stream: Any) -> Iterator[bytes]:
    """The bytes of a file object."""
    while piece := stream.read(PIECE):
        yield as_bytes(piece)


def bytes_of(inputs: Any) -> Iterator[bytes]:
    """The bytes of a file object or of an iterable of lines."""
    if hasattr(inputs, "read"):
        return pieces_of(inputs)
    return lines_of(inputs)


def reader(inputs: Any, **options: Any) -> Any:
    """A reader of paths, bytes, a file object or an iterable of lines. Options: those of the library's readers."""
    from sluiceway import _sluice

    paths = paths_of(inputs)
    if paths is not None:
        check_files([p for p in paths if p != "-"])
        return _sluice.Reader(tuple(os.fsencode(p) for p in paths), options)
    if isinstance(inputs, (bytes, bytearray)):
        return _sluice.Reader(bytes(inputs), options)
    pieces = bytes_of(inputs)
    name = getattr(inputs, "name", None)
    options.setdefault("name", name if isinstance(name, str) else "<lines>")
    return _sluice.Reader(lambda: next(pieces, b""), options)
