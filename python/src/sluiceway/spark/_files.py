"""Files that every executor can read, cut into ranges of bytes that begin and end with lines. Executors import this, and
beside it the library alone."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Iterator, NamedTuple

from .. import _sluice
from . import _part_models

_BLOCK = 1 << 20  # bytes that are read at once: they stay in the processor's cache until they are parsed
_PACKED = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"))


class Range(NamedTuple):
    """The lines of a file that begin in these bytes; `end` None: the whole file, which may be compressed."""

    path: str
    begin: int
    end: int | None
    size: int = 0  # of the file

    @property
    def is_cut(self) -> bool:
        """Whether the file has other ranges."""
        return self.end is not None and (self.begin > 0 or self.end < self.size)


def names_of(paths: Any) -> list[str]:
    """The absolute paths of files; ValueError for what is no path."""
    names = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if not names:
        raise ValueError("there is no file")
    for name in names:
        if "://" in name:
            raise ValueError(f"{name} is no path: executors open files themselves; read others with spark.read.text(...) and "
                             "fit the data frame of lines")
    return [os.path.abspath(name) for name in names]


def is_packed(path: str) -> bool:
    """Whether a file is compressed: it has one range."""
    with open(path, "rb") as f:
        head = f.read(8)
    return any(head.startswith(magic) for magic, _ in _PACKED)


def ranges_of(paths: list[str], parts: int) -> list[list[Range]]:
    """What each of `parts` partitions reads: neighbouring ranges, of about as many bytes."""
    sizes = [os.path.getsize(path) for path in paths]
    share = max(1, -(-sum(sizes) // parts))
    found: list[list[Range]] = [[] for _ in range(parts)]
    place = 0
    for path, size in zip(paths, sizes):
        if is_packed(path):
            found[min(place // share, parts - 1)].append(Range(path, 0, None, size))
            place += size
            continue
        begin = 0
        while begin < size:
            part = min(place // share, parts - 1)
            end = size if part == parts - 1 else min(size, begin + share * (part + 1) - place)
            found[part].append(Range(path, begin, end, size))
            place += end - begin
            begin = end
    return found


def blocks_of(piece: Range) -> Iterator[bytes]:
    """The lines that begin in a range of an uncompressed file, in blocks; the last one ends with a newline."""
    assert piece.end is not None
    with open(piece.path, "rb", buffering=0) as f:
        left = piece.end - piece.begin
        if piece.begin:
            f.seek(piece.begin - 1)
            skipped = 0
            while True:  # the line that began before is the other range's
                block = f.read(_BLOCK)
                at = block.find(b"\n")
                if at >= 0 or not block:
                    break
                skipped += len(block)
            begins = skipped + at  # of the first line, after piece.begin
            if not block or begins >= left:
                return
            f.seek(piece.begin + begins)
            left -= begins
        while left > 0:
            block = f.read(min(_BLOCK, left))
            if not block:
                return
            left -= len(block)
            yield block
        last = block[-1:]
        while last != b"\n":  # the last line goes on behind the range
            block = f.read(1 << 16)
            if not block:
                yield b"\n"
                return
            at = block.find(b"\n")
            yield block if at < 0 else block[:at + 1]
            last = b"\n" if at >= 0 else b""


def _whole_records(blocks: Iterable[bytes], path: str) -> Iterator[bytes]:
    """Blocks of csv of which every line is a record: where a line ends inside of quotes, the file must not be cut."""
    quotes = 0  # in a line so far
    for block in blocks:
        if quotes or b'"' in block:
            *lines, last = block.split(b"\n")
            for line in lines:
                if (quotes + line.count(b'"')) % 2:
                    raise ValueError(f"{path}: a quoted field goes on in the next line; such a file cannot be cut. Take "
                                     "partitions=1, or compress the file: compressed files are not cut")
                quotes = 0
            quotes += last.count(b'"')
        yield block


def _records(piece: Range) -> Iterator[bytes]:
    """The records of a range of csv, behind the header of the file."""
    if piece.begin:
        with open(piece.path, "rb") as f:
            yield f.readline()
    yield from blocks_of(piece)


def learn_ranges(model: Any, ranges: list[Range], reader: dict[str, Any]) -> None:
    """Learns the ranges one after the other."""
    for piece in ranges:
        if piece.end is None:
            model.learn_reader(_sluice.Reader((os.fsencode(piece.path),), reader))
            continue
        blocks = blocks_of(piece)
        if reader["format"] == "csv" and piece.is_cut:
            blocks = _whole_records(_records(piece), piece.path)
        _part_models.learn_text(model, blocks, reader, f"{piece.path} from byte {piece.begin}")


def job_of(spark: Any, ranges: list[list[Range]], reader: dict[str, Any]) -> Callable[[Any], Any]:
    """The job that learns files: a partition for each list of ranges. It gives an RDD, which needs no plan of SQL, and whose
    workers do not import Arrow."""

    def job(start: Any) -> Any:
        def learn(one: tuple[int, list[Range]]) -> _part_models.PartModel:
            part, own = one
            model = _sluice.Model.from_bytes(start.value)
            before = _part_models.examples_of(model)
            learn_ranges(model, own, reader)
            return _part_models.PartModel(part, _part_models.examples_of(model) - before, model.to_bytes())

        return spark.sparkContext.parallelize(list(enumerate(ranges)), len(ranges)).map(learn)

    return job
