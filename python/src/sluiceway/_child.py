"""Runs the program that the package carries: options from keyword arguments, inputs from whatever Python has."""

from __future__ import annotations

import itertools
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from sluiceway import _frames, _inputs, _matrix, _sluice, _table
from sluiceway._labels import is_missing, text_of
from sluiceway._program import program
from sluiceway.svm import label_words, put_matrix

# How a keyword becomes an option: the program's name is the keyword's with - for _, unless the table says otherwise.
FLAGS = {"final", "allow_empty", "no_header", "progressive"}
JOINED = {"features", "learner", "sparsity", "lambda"}  # several values are one, separated by commas
LISTS = {"columns", "ignore", "text"}  # of names and patterns, separated by commas, which names may have, too
NAMES = {"hash_bits": "hash", "multiclass": "classes", "lambda_": "lambda"}
READINGS = {"ngrams", "tf", "chars", "min_length", "stop_words"}  # with grids of these the data are read several times
COMMON = {
    "bias", "transform", "scale", "normalize", "positive", "classes", "cost", "ngrams", "chars", "tf", "min_length",
    "stop_words", "format", "label",
    "weight", "no_header", "separator", "columns", "ignore", "text", "quadratic", "on_error", "threads", "seed",
    "learner", "passes",
}  # fmt: skip
OPTIONS = {
    "train": COMMON | {
        "sparsity", "resume", "hash", "max_features", "output", "save_every", "skip", "final", "allow_empty", "test",
        "holdout", "calibrate", "calibration", "threshold", "pseudo", "pseudo_weight", "top", "dim", "trace_every",
        "drift", "on_drift", "mu_pos", "cost_missed", "cost_alarm", "progress", "min_count",
    },
    "tune": COMMON | {
        "grid", "random", "folds", "progressive", "measure", "choose", "cost_missed", "cost_alarm", "output", "top",
    },
    "sweep": COMMON | {"lambda", "grid", "test", "sparsity", "repeats", "shuffle", "dim", "csv"},
    "predict": {"format", "label", "weight", "no_header", "separator", "on_error", "threads", "threshold"},
    "select": COMMON | {"features", "test", "holdout", "top", "output"},
}  # fmt: skip
TURN = 0.05  # seconds that a wait lasts at most: a signal that comes to another thread wakes up none in the main thread
SORTED = "note: the labels come in "  # of which the classifier warns too
DATA = ("test", "holdout", "calibrate")  # options of train, sweep and select whose values are data as the inputs are


def is_hold_out(value: Any) -> bool:
    """Whether it is no data but a part of the inputs: 5, 0.2, "last:0.2"."""
    return isinstance(value, (int, float, np.integer, np.floating)) or (isinstance(value, str) and value.startswith("last:"))


class Folder:
    """A folder of temporary files, which goes with the object."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="sluiceway-")
        self.remove = weakref.finalize(self, shutil.rmtree, self.name, True)


class Run:
    """One run of the program: its folder of temporary files, its command line, what it printed."""

    def __init__(self, command: str, options: Mapping[str, Any], verbose: int = 0) -> None:
        self.folder = Folder()
        self.command = command
        self.options = dict(options)
        self.verbose = verbose
        self.extra: list[str] = []  # further arguments
        self.notes: list[str] = []  # advice of the program
        self.shown: dict[str, str] = {}  # temporary files and what messages call them
        self.kept: Any = None  # the model that goes on, where it says how lines are read

    def path(self, name: str) -> str:
        """A place in the folder."""
        return os.path.join(self.folder.name, name)

    def start(self, inputs: Any) -> dict[str, Any]:
        """Runs it; returns the JSON object that it printed, with its `notes`."""
        self.extra.append("--json")
        fields = json.loads(self.output(inputs))
        return {**fields, "notes": self.notes}

    def output(self, inputs: Any) -> bytes:
        """Runs it; returns what it printed."""
        self.check_columns(inputs)
        if self.command != "predict" and self.is_table(inputs):
            options = self.options.get("label"), self.options.get("weight")
            _frames.warn_of_texts(inputs if _frames.is_frame(inputs) else inputs[0], options, stacklevel=5)
        arguments, feed = self.read_from(inputs)
        for name in DATA:
            if self.options.get(name) is not None and not is_hold_out(self.options[name]):
                self.options[name] = self.file_of(self.options[name], name)
        line = [
            program(),
            self.command,
            *self.arguments(),
            *self.extra,
            *(() if self.verbose else ("-q",)),
            "--",
            *arguments,
        ]
        status, out, err = self.execute(line, feed)
        if status != 0:
            raise self.failure(status, err)
        for text in messages(err):
            if text.startswith(SORTED):
                warnings.warn(self.sorted_warning(text), UserWarning, stacklevel=4)
            elif text.startswith("note: "):
                self.notes.append(self.plain(text[len("note: ") :]))
            if text.startswith("warning: ") and not self.verbose:
                warnings.warn(self.plain(text[len("warning: ") :]), UserWarning, stacklevel=4)
        return out

    @staticmethod
    def sorted_warning(text: str) -> str:
        """What to do about labels in long runs, from Python."""
        said = text[len("note: "):].partition("; unless")[0]
        return said + "; unless that order has a meaning, shuffle the examples first, for example frame.sample(frac=1)"

    def check_columns(self, inputs: Any) -> None:
        """ValueError where an option names a column of the data, and none of them can have it."""
        data = [inputs, *(self.options.get(name) for name in DATA)]
        data = [d for d in data if d is not None and not is_hold_out(d)]
        for name in sorted(LISTS):
            if self.options.get(name) is not None and any(self.is_table(d) for d in data):
                raise ValueError(f"{name} is for csv and JSON Lines; of a frame or matrix pass the columns that count, such as "
                                 "frame[['age', 'town']], and texts as (texts, labels) with format='text'")
        if not all(has_labels(d) for d in data):
            return
        if self.options.get("label") is not None:
            raise ValueError("label names a column of a frame or file; the labels of (X, y) are y")
        if self.options.get("weight") is not None and not any(_frames.is_frame(d[0]) and len(d) == 2 for d in data):
            raise ValueError("weight names a column of a frame or file; others go beside it: (X, y, weights)")

    # ---- the command line

    def arguments(self) -> Iterator[str]:
        """The options as the program takes them."""
        known = OPTIONS[self.command]
        for key, value in self.options.items():
            name = NAMES.get(key, key)
            if value is None or value is False and name in FLAGS:
                continue
            if name not in known:
                yield from ("-P", f"{name}={number_text(value)}")
            elif name in FLAGS:
                yield option_name(name)
            elif isinstance(value, Mapping):
                for k, v in value.items():
                    yield from (option_name(name), f"{grid_name(k)}={list_text(v)}")
            elif name in LISTS and not isinstance(value, str):
                yield from (option_name(name), ",".join(re.sub(r"([\\,])", r"\\\1", str(v)) for v in value))
            elif isinstance(value, (list, tuple, np.ndarray)) and name not in JOINED:
                for v in value:
                    yield from (option_name(name), number_text(v))
            else:
                yield from (option_name(name), list_text(value))

    # ---- inputs

    def format_of_lines(self) -> str | None:
        """The format of lines: the one given, or the one that the model keeps (text and url)."""
        if self.options.get("format") is not None:
            return str(self.options["format"])
        kept = self.kept_model()
        found = None if kept is None else kept.metadata("reader.format")
        return None if found is None else found.decode()

    def kept_model(self) -> Any:
        """The model that goes on; None: it is a new one."""
        path = self.options.get("resume")
        if self.kept is None and path is not None:
            with _inputs.os_errors(path):
                self.kept = _sluice.Model.load(os.fspath(path))
        return self.kept

    def read_from(self, inputs: Any) -> tuple[list[str], Iterator[bytes] | None]:
        """The paths to read, or what to feed to standard input."""
        paths = _inputs.paths_of(inputs)
        if paths is not None:
            _inputs.check_files([p for p in paths if p != "-"])
            return [p if p != "-" else "./-" for p in paths], None
        if self.is_table(inputs):
            return [self.file_of(inputs, "input")], None
        pieces = self.text_of(inputs)
        passes = self.options.get("passes")
        again = passes is not None and number_text(passes) != "1"
        grid = self.options.get("grid")
        if again or (isinstance(grid, Mapping) and READINGS & set(grid)):
            return [self.write(pieces, "input")], None
        return [], pieces

    def file_of(self, data: Any, name: str) -> str:
        """A file that has these data."""
        paths = _inputs.paths_of(data)
        if paths is not None:
            if len(paths) != 1:
                raise ValueError(f"{name} is one file, not {len(paths)}")
            _inputs.check_files(paths)
            return paths[0]
        if not self.is_table(data):
            return self.write(self.text_of(data), name)
        kept = self.kept_model()
        if kept is not None:
            X = data[0] if has_labels(data) else data
            _matrix.refuse_rows(kept, X, self.options.get("label"), self.options.get("weight"))
        path = self.path(name + ".bin")
        self.shown[path] = name
        writer = _sluice.Writer(os.fsencode(path), "bin")
        try:
            put_table(writer, data, self.options.get("label"), self.options.get("weight"))
            writer.commit()
        finally:
            writer.close()
        self.options.pop("format", None)  # its content says what it is
        return path

    def is_table(self, data: Any) -> bool:
        """Whether it is a frame, or (X, y) or (X, y, weights) of a frame or matrix, and no texts with their labels."""
        format = self.options.get("format")
        if format in ("text", "url"):
            if _frames.is_frame(data) or (has_labels(data) and _frames.is_frame(data[0])):
                raise ValueError(f"the columns of a frame are features, and format={format!r} is for lines: pass the column "
                                 f'of texts and that of labels, train((frame["text"], frame["label"]), format={format!r})')
            if has_labels(data):
                return not has_texts(data[0])
        return _frames.is_frame(data) or has_labels(data)

    def text_of(self, data: Any) -> Iterator[bytes]:
        """Lines of text, or of the JSON of (dict, label) pairs."""
        if isinstance(data, (bytes, bytearray)):
            return iter([bytes(data)])
        if has_labels(data):
            return _inputs.lines_of(labelled_lines(*data), self.format_of_lines)
        if hasattr(data, "read"):
            return _inputs.bytes_of(data, self.format_of_lines)
        if not isinstance(data, Iterable):
            raise TypeError(f"no data to learn from: {type(data).__name__}")
        items = iter(data.to_pylist() if hasattr(data, "to_pylist") else data)
        first = list(itertools.islice(items, 1))
        everything = itertools.chain(first, items)
        if first and is_pair(first[0]):
            self.options["format"] = "jsonl"
            return _inputs.lines_of(pair_line(pair) for pair in everything)
        if first and isinstance(first[0], Mapping):
            if self.command != "predict":
                raise TypeError("an example to learn from is a pair: (dict of features, label)")
            self.options["format"] = "jsonl"
            return _inputs.lines_of(json_line(features) for features in everything)
        return _inputs.lines_of(everything, self.format_of_lines)

    def write(self, pieces: Iterator[bytes], name: str) -> str:
        path = self.path(name)
        self.shown[path] = name
        with open(path, "wb") as out:
            out.writelines(pieces)
        return path

    # ---- the process

    def execute(self, line: list[str], feed: Iterator[bytes] | None) -> tuple[int, bytes, str]:
        """The exit status and what was printed. An exception here, KeyboardInterrupt too, ends the process at once."""
        child = subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL if feed is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # signals of the terminal come to Python, which ends the child
        )
        said: list[str] = []
        printed: list[bytes] = []
        listener = threading.Thread(target=listen, args=(child.stderr, said, self.verbose > 0), daemon=True)
        collector = threading.Thread(target=collect, args=(child.stdout, printed), daemon=True)
        try:
            listener.start()
            collector.start()  # while the child is fed: it stops reading when nobody takes what it prints
            if feed is not None:
                give(child.stdin, feed)
            while collector.is_alive():
                collector.join(TURN)
            status = wait(child)
        except BaseException:
            end(child)
            raise
        finally:
            for thread in (listener, collector):
                if thread.is_alive():
                    thread.join(1)
        return status, b"".join(printed), "".join(said)

    def plain(self, text: str) -> str:
        """A message with what the user gave in place of temporary files, and options as keywords."""
        for path, name in self.shown.items():
            text = text.replace(path, name)
        return in_python(text.replace("<stdin>", "input"))

    def failure(self, status: int, err: str) -> Exception:
        """The exception of a run that failed."""
        lines = [t for t in messages(err) if not t.startswith(("note: ", "warning: "))]
        message = self.plain("; ".join(lines)) or f"sluice {self.command} ended with status {status}"
        if status < 0:
            return RuntimeError(f"sluice {self.command} was ended by signal {-status}")
        unknown = re.search(r"has no parameter '([^']*)'", message)
        if unknown:
            message += _table.nearest(unknown[1], sorted(OPTIONS[self.command]))
        number = _inputs.number_of_failure(message.rpartition(": ")[2]) if status == 1 else None
        return ValueError(message) if number is None else OSError(number, message)


SHORT = {"i": "resume", "o": "output", "f": "format", "m": "model"}  # options of one letter


def in_python(text: str) -> str:
    """A message in which options are keywords."""
    text = re.sub(r"(?<![\w-])-a ([a-z][a-z0-9-]*)", r"learner='\1'", text)
    text = re.sub(r"(?<![\w-])-P (?=[A-Za-z])", "", text)
    text = re.sub(r"(?<![\w-])(?<!iconv )-([iofm])(?: [A-Z]+)?(?![\w-])", lambda m: SHORT[m[1]], text)
    text = re.sub(r"(?<![\w-])-a(?![\w-])", "learner", re.sub(r"(?<![\w-])-P(?![\w-])", "parameters", text))
    text = re.sub(r"(?<![\w-])--on-error skip", "on_error='skip'", text)
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda m: m[1].replace("-", "_"), text)


def messages(err: str) -> list[str]:
    """What the program said, message by message; the advice to read its help is left out."""
    lines = [line for line in err.splitlines() if not line.startswith("try: ")]
    found = re.split(r"^sluice: (?! )", "\n".join(lines), flags=re.M)[1:]  # further lines of a message are set in
    return [" ".join(text.replace("\nsluice: ", " ").split()) for text in found]


def option_name(name: str) -> str:
    return "--" + name.replace("_", "-")


def grid_name(name: str) -> str:
    """What a grid is of, as the program calls it: options with -, parameters of learners as they are."""
    return name.replace("_", "-") if name in READINGS else NAMES.get(name, name)


def number_text(value: Any) -> str:
    """A value as the program reads it."""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, np.generic):
        value = value.item()
    return (
        repr(value) if isinstance(value, float) else os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    )


def list_text(value: Any) -> str:
    """Several values as one, separated by commas."""
    if isinstance(value, (list, tuple, np.ndarray, range)):
        return ",".join(number_text(v) for v in value)
    return number_text(value)


def has_labels(data: Any) -> bool:
    """Whether it is (X, y) or (X, y, weights)."""
    if not isinstance(data, tuple) or len(data) not in (2, 3) or is_pair(data[0]):
        return False
    if isinstance(data[0], (str, bytes, Mapping, os.PathLike)):
        return False
    return _frames.is_frame(data[0]) or isinstance(data[0], (list, tuple)) or any(
        hasattr(data[0], name) for name in ("shape", "to_pylist"))


def has_texts(X: Any) -> bool:
    """Whether it is a list, series or array of texts, and not of rows."""
    if len(getattr(X, "shape", (0,))) != 1 or hasattr(X, "tocsr"):
        return False
    first = next(iter(X), None)
    return isinstance(first.as_py() if hasattr(first, "as_py") else first, (str, bytes))


def items_of(column: Any) -> list[Any]:
    """A list, series or array as a list."""
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)


def labelled_lines(texts: Any, labels: Any, weights: Any = None) -> Iterator[bytes]:
    """The lines of texts whose labels are given apart."""
    if weights is not None:
        raise ValueError("lines of text have no weights; cost={label: factor} has one for each label")
    texts, labels = items_of(texts), items_of(labels)
    if len(texts) != len(labels):
        raise ValueError(f"there are {len(texts)} texts, but {len(labels)} labels")
    for number, (text, label) in enumerate(zip(texts, labels), 1):
        try:
            word = text_of(label)
            line = _inputs.as_bytes(text)
        except TypeError as wrong:
            raise TypeError(f"item {number}: {wrong}") from None
        if word.strip() != word or any(c in word for c in b"\t\r\n"):
            raise ValueError(f"item {number}: the label {label!r} has blanks around it, or a tab or newline inside")
        yield word + b"\t" + line


def put_table(writer: Any, data: Any, label: str | None, weight: str | None) -> None:
    """Writes a frame, or (X, y), or (X, y, weights)."""
    if _frames.is_frame(data):
        if label is None:
            raise ValueError('which column is the label? give label="NAME", or (frame, y)')
        for batch in _frames.to_batches(data, label, weight):
            writer.put_batch(batch)
        return
    X, y, *more = data
    if _frames.is_frame(X):
        labels, words = label_words(np.asarray(y))
        if more:
            weight, weights = None, np.ascontiguousarray(more[0], dtype=np.float64)
        else:
            weights = None
        for batch in _frames.to_batches(X, None, weight, labels=labels, words=words, weights=weights):
            writer.put_batch(batch)
        return
    put_matrix(writer, X, y, weights=more[0] if more else None)


def is_pair(thing: Any) -> bool:
    """Whether it is an example: a dict of features and its label."""
    return isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[0], Mapping)


def pair_line(pair: Any) -> str:
    """An example as a line of JSON."""
    features, label = pair
    if is_missing(label):
        raise ValueError(f"a label is missing ({label}): leave such examples out")
    if "label" in features:
        raise ValueError("a feature is called 'label', which stands for the label here: rename it")
    if isinstance(label, (bool, np.bool_)):
        label = int(label)
    return json_line({**features, "label": label})


def json_line(features: Any) -> str:
    """Features as a line of JSON."""
    return json.dumps(features, allow_nan=False, ensure_ascii=False, default=plain_value)


def plain_value(value: Any) -> Any:
    """Numbers of numpy as JSON has them."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} has no meaning as a feature: use numbers, texts, lists or dicts")


def give(stream: Any, pieces: Iterator[bytes]) -> None:
    """Feeds the child, until it wants no more."""
    pipe = stream.fileno()
    os.set_blocking(pipe, False)
    room = select.poll()
    room.register(pipe, select.POLLOUT)
    try:
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                room.poll(int(1000 * TURN))
                try:
                    rest = rest[os.write(pipe, rest) :]
                except BlockingIOError:
                    pass
    except BrokenPipeError:
        pass
    stream.close()


def wait(child: subprocess.Popen[bytes]) -> int:
    """Its exit status, when it has ended."""
    while True:
        try:
            return child.wait(TURN)
        except subprocess.TimeoutExpired:
            pass


def listen(stream: Any, said: list[str], shown: bool) -> None:
    """Collects what the child says, and shows it as it comes."""
    for piece in iter(lambda: stream.read1(4096), b""):
        text = piece.decode("utf-8", "replace")
        said.append(text)
        if shown:
            sys.stderr.write(text)
            sys.stderr.flush()
    stream.close()


def collect(stream: Any, printed: list[bytes]) -> None:
    """Collects what the child prints."""
    with stream:
        printed.append(stream.read())


def end(child: subprocess.Popen[bytes]) -> None:
    """Ends the child: it may save what it has learned, but not take long."""
    child.terminate()
    try:
        child.wait(0.05)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
