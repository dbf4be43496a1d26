"""What may be read: paths, file objects, iterables of lines; and the readers that read them."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

PIECE = 1 << 16  # bytes that are handed to the library at once
_FAILURES = (errno.ENOENT, errno.EACCES, errno.ENOSPC, errno.EISDIR, errno.EIO, errno.EROFS, errno.ENOTDIR, errno.EPERM,
             errno.ENAMETOOLONG, errno.EDQUOT, errno.EFBIG, errno.ELOOP, errno.EMFILE)
_ENDINGS = tuple(ending + packed for ending in (".svm", ".libsvm", ".vw", ".jsonl", ".ndjson", ".csv", ".tsv", ".bin", ".txt")
                 for packed in ("", ".gz", ".zst", ".bz2", ".xz"))
_KINDS = {b"PAR1": ("Parquet", 'pandas.read_parquet(path) or pyarrow.parquet.read_table(path)'),
          b"ARRO": ("Arrow", 'pandas.read_feather(path) or pyarrow.feather.read_table(path)'),
          b"PK\3\4": ("Excel or a zip archive", 'pandas.read_excel(path)')}  # by their first bytes
_NO_NAME = re.compile(r"[\s,{]|://")  # lines have it, and names of data files hardly ever


def is_path(thing: object) -> bool:
    """Whether it names a file."""
    return isinstance(thing, (str, os.PathLike))


def paths_of(inputs: object, bare: bool = False) -> list[str] | None:
    """The paths that the inputs are, or None if they are something else. `bare`: as for `are_paths`."""
    if is_path(inputs):
        return [os.fspath(inputs)]  # type: ignore[call-overload]
    if isinstance(inputs, (list, tuple)) and inputs and all(is_path(p) for p in inputs) and are_paths(inputs, bare):
        return [os.fspath(p) for p in inputs]
    return None


def are_paths(items: Sequence[Any], bare: bool = False) -> bool:
    """Whether the items of a list name files, or are lines of data. They name files where one has a type of paths; where
    all are files; or where all could be names, without blanks, and the first one is a file or all end as data files
    do. Texts without labels (`bare`) may be a word each: they name files only where all are files."""
    if not all(isinstance(item, str) for item in items):
        return True
    if all(is_file(item) for item in items):
        return True
    if bare or any(not item or _NO_NAME.search(item) for item in items):
        return False
    return is_file(items[0]) or all(item.lower().endswith(_ENDINGS) for item in items)


def is_file(path: str) -> bool:
    """Whether there is something to read, a pipe too."""
    try:
        return os.path.exists(path) and not os.path.isdir(path)
    except ValueError:  # a NUL
        return False


def check_files(paths: list[str]) -> None:
    """Raises FileNotFoundError for a path where there is nothing, IsADirectoryError for a folder, ValueError for a file
    of a kind that is not read."""
    for path in paths:
        if not os.path.exists(path):
            text = os.fsdecode(path)
            hint = " (it is taken for a path; one line of data is a list of one)" if re.search(r"\s", text) else ""
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT) + hint, path)
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                kind = _KINDS.get(file.read(4))
            if kind is not None:
                raise ValueError(f"{os.fsdecode(path)} is a file of {kind[0]}, which is not read as a path: pass a frame, "
                                 f"such as {kind[1]}")


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


def one_line(item: object, number: int, format: Callable[[], str | None]) -> bytes:
    """An item as one line, without its end: line ends inside would make several examples of one, whose answers stand
    beside the wrong items, and would let a text bring labels of its own."""
    try:
        piece = as_bytes(item)
    except TypeError as wrong:
        raise TypeError(f"item {number}: {wrong}") from None
    line = piece.rstrip(b"\r\n")
    if b"\n" not in line and b"\r" not in line and b'"' not in line:
        return line
    kind = format()
    if kind == "csv":
        if line.count(b'"') % 2:
            raise ValueError(f"item {number}: a quote is not closed; an item is one record of csv. Files whose records have "
                             "newlines are read by path, or as file objects")
        if b"\n" in b"".join(line.split(b'"')[::2]):  # what is not in quotes
            raise ValueError(f"item {number} has a newline outside quotes: an item is one example")
        return line
    if kind == "text":
        return line.replace(b"\r", b" ").replace(b"\n", b" ")
    if b"\n" in line:
        raise ValueError(f"item {number} has a newline inside: an item is one example, and one line"
                         + ("" if kind else '; with format="text" it would be a blank'))
    return line


def lines_of(lines: Iterable[Any], format: Callable[[], str | None] = lambda: None) -> Iterator[bytes]:
    """Lines, each with its newline, joined to larger pieces. `format` tells the one that they have, where that
    matters; None: the default."""
    held: list[bytes] = []
    size = 0
    for number, line in enumerate(lines, 1):
        piece = one_line(line, number, format)
        held.append(piece + b"\n")
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


def bytes_of(inputs: Any, format: Callable[[], str | None] = lambda: None) -> Iterator[bytes]:
    """The bytes of a file object or of an iterable of lines."""
    if hasattr(inputs, "read"):
        return pieces_of(inputs)
    return lines_of(inputs, format)


def reader(inputs: Any, **options: Any) -> Any:
    """A reader of paths, bytes, a file object or an iterable of lines. Options: those of the library's readers."""
    from sluiceway import _sluice

    paths = paths_of(inputs)
    if paths is not None:
        check_files([p for p in paths if p != "-"])
        return _sluice.Reader(tuple(os.fsencode(p) for p in paths), options)
    if isinstance(inputs, (bytes, bytearray)):
        return _sluice.Reader(bytes(inputs), options)
    pieces = bytes_of(inputs, lambda: options.get("format"))
    name = getattr(inputs, "name", None)
    options.setdefault("name", name if isinstance(name, str) else "<lines>")
    return _sluice.Reader(lambda: next(pieces, b""), options)
