"""Calls every kind of function of the extension so many times and checks that memory stays flat; run by python_sanitizers.sh.

    many_calls.py CALLS [--no-memory]
"""
from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable

import numpy as np
from sluiceway import _sluice

ROWS, COLUMNS = 4, 50
ALLOWED = 4 << 20  # bytes: what the allocator of the C library may still spread by after the warm-up


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def refused(kinds: type[Exception] | tuple[type[Exception], ...], call: Callable, *arguments) -> None:
    """The call must fail in one of these ways."""
    try:
        call(*arguments)
    except kinds:
        return
    raise AssertionError(f"{call} was not refused")


class Calls:
    """Small inputs drawn once, and one method a kind of call. Each returns how many calls of the extension it made."""

    def __init__(self, folder: str) -> None:
        random = np.random.default_rng(1)
        self.path = os.path.join(folder, "model.sluice")
        self.indptr = np.arange(0, 5 * (ROWS + 1), 5, dtype=np.int32)
        self.indices = np.concatenate([np.sort(random.choice(COLUMNS, 5, replace=False)) for _ in range(ROWS)]).astype(np.int32)
        self.values = random.standard_normal(5 * ROWS).astype(np.float32)
        self.labels = np.array([1, -1, 1, -1], dtype=np.float32)
        self.codes = np.array([0, 1, 2, 1], dtype=np.uint32)
        self.words = (b"ham", b"spam", b"scam")
        self.columns = tuple(f"column {i}" for i in range(COLUMNS))
        self.margins = np.zeros(ROWS)
        self.best = np.zeros(ROWS, dtype=np.uint32)
        self.wide = np.zeros((ROWS, 3))
        self.event = {f"word {i}": 0.5 + i for i in range(20)}
        self.mixed = {"colour": "red", ("a", 1): np.float32(1), 3: True, b"raw\xff": 2, "gone": None, "\udcff": "\udcfe"}
        self.plain = _sluice.Model("arow", (), {})
        self.several = _sluice.Model("pa-1", (), {"classes": 1})
        self.named = _sluice.Model("ssol", ("lambda=0.01",), {})
        self.auto = _sluice.Model("auto", (), {})
        self.matrix()
        self.classes()
        self.names()
        self.bytes = self.plain.to_bytes()
        self.svm = b"spam 1:0.5 3:2\n-1 2:1\n1\n"
        self.svm_path = os.path.join(folder, "rows.svm")
        self.numbers = np.arange(ROWS, dtype=np.float64)
        self.positions = np.array([0, 1, 0, 1], dtype=np.int32)
        self.texts = (np.array([0, 1, 3], dtype=np.int32), np.frombuffer(b"redblue", dtype=np.uint8))
        self.probable = _sluice.Model("arow", (), {})
        self.probable.learn_one({1: 1.0}, 1)

    def rows(self) -> tuple:
        return self.indptr, self.indices, self.values

    def matrix(self) -> int:
        self.plain.learn_csr(*self.rows(), self.labels, None, None, None, None)
        self.auto.learn_csr(*self.rows(), self.labels, self.labels * self.labels, None, None, None)
        self.plain.margins_csr(*self.rows(), None, self.margins)
        self.auto.margins_csr(*self.rows(), None, self.margins)
        return 4

    def classes(self) -> int:
        self.several.learn_csr(*self.rows(), self.codes, None, self.words, None, None)
        self.several.classify_csr(*self.rows(), None, self.best, self.wide, None)
        return 2

    def names(self) -> int:
        self.named.learn_csr(*self.rows(), self.labels, None, None, self.columns, None)
        self.named.margins_csr(*self.rows(), self.columns, self.margins)
        return 2

    def one(self) -> int:
        self.named.learn_one(self.event, 1.0, 1.0)
        self.named.margin_one(self.event)
        self.several.learn_one(self.event, b"spam", 1.0)
        self.several.classify_one(self.event)
        self.named.explain_one(self.event, 0)
        self.named.learn_one(self.mixed, 0.0)
        self.named.predict_one(self.mixed)
        self.named.probability_one({3: 1.0, 2**64 - 1: 2})
        self.several.predict_one(self.mixed)
        refused(TypeError, self.named.learn_one, {**self.mixed, "list": [1]}, 1.0)
        refused(ValueError, self.named.margin_one, {"word": float("nan")})
        return 11

    def files(self) -> int:
        self.plain.save(self.path)
        _sluice.Model.load(self.path)
        _sluice.Model.from_bytes(self.several.to_bytes())
        self.named.copy().learn_csr(*self.rows(), self.labels, None, None, self.columns, None)
        self.plain.final()
        other = _sluice.Model.from_bytes(self.bytes)
        other.set_metadata("key", b"value")
        other.set_metadata("key", None)
        other.set_threshold(0.5)
        other.several((b"0", b"1")).learn_one(self.event, b"third")
        refused(ValueError, self.several.several, None)
        return 14

    def facts(self) -> int:
        for model in (self.plain, self.several, self.named, self.auto):
            model.facts(), model.quick_facts(), model.settings(), model.params(), model.classes()
            model.metadata_keys(), model.growth(), model.newest(3), model.memory()
        for model in (self.plain, self.named):
            model.weights(None), model.bias_weight(), model.nonzeros()
        self.several.problems(), self.several.weights(0), self.several.find_class(b"ham")
        self.auto.candidates(), self.auto.race_events()
        _sluice.learners(), _sluice.version(), _sluice.build_info()
        return 36 + 6 + 3 + 2 + 3

    def answers(self) -> int:
        """What is asked of margins."""
        model = self.probable
        model.predict_positive(self.margins, self.best)
        model.probabilities(self.margins.copy())
        model.probability(0.5), model.margin_of_probability(0.5), model.has_probability(), model.predicts_positive(0.5)
        model.calibrate(np.array([-1.0, 2, 1, -2]), np.array([-1.0, 1, 1, -1]), None, 3)
        model.set_threshold(None), model.threshold(), model.set_threads(1), model.weight_of(1), model.weight_of("a\udcff")
        model.metadata("key"), model.end_run(), model.finished()
        self.auto.snapshot(), self.auto.leader()
        refused(ValueError, model.calibrate, self.margins, self.margins, None, 9)
        return 18

    def readers(self) -> int:
        """Readers of bytes, files and functions; batches; matrices; writers."""
        pieces = iter([self.svm, b""])
        for source in (self.svm, lambda: next(pieces)):
            for batch in _sluice.Reader(source, {"name": "rows"}):
                batch.labels(), batch.weights(), batch.row(0), len(batch)
        model = _sluice.Model("pa-1", (), {"classes": 1})
        for batch in _sluice.Reader(self.svm, {}):
            model.learn_batch(batch)
            wide = np.zeros((len(batch), len(model.classes())))
            model.classify_batch(batch, None, wide, None)
        model.learn_reader(_sluice.Reader(self.svm, {}))
        refused(TypeError, model.learn_reader, self.svm)
        refused(ValueError, model.learn_reader, _sluice.Reader(b"1 1:1\n1 x\n", {}))
        for zero_based in (False, True):
            _sluice.Reader(self.svm, {}).read_matrix(zero_based)
        _sluice.Reader(b"1 5000000000:1\nham 1:2\n", {}).read_matrix(False)
        reader = _sluice.Reader(b"1 1:1\n1 x\n", {"skip_errors": True})
        next(reader), reader.skipped(), reader.format(), reader.close()
        refused(ValueError, next, reader)
        refused(ValueError, _sluice.Reader(b"1 0:1\n", {}).read_matrix, False)
        refused(ZeroDivisionError, list, _sluice.Reader(lambda: 1 // 0, {}))
        refused(TypeError, list, _sluice.Reader(lambda: "text", {}))
        refused(TypeError, _sluice.Reader, b"", {"nothing": 1})
        refused(OSError, _sluice.Reader, (b"/nonexistent/rows",), {})
        writer = _sluice.Writer(self.svm_path.encode(), "bin")
        writer.put_csr(*self.rows(), self.labels, None, False, None)
        writer.put_csr(*self.rows(), self.positions, (b"ham", b"spam"), True, self.numbers)
        refused(ValueError, writer.put_csr, *self.rows(), self.positions + 5, (b"ham",), False, None)
        writer.close()
        writer = _sluice.Writer(self.svm_path.encode(), "libsvm")
        for batch in _sluice.Reader(self.svm, {}):
            writer.put_batch(batch)
        writer.commit(), writer.close()
        list(_sluice.Reader((self.svm_path.encode(),), {}))
        refused(OSError, _sluice.Writer, b"/nonexistent/rows", None)
        return 60

    def frames(self) -> int:
        """Columns as Arrow has them."""

        def column(name: str, form: str, rows: int, *arrays: np.ndarray, dictionary: tuple | None = None) -> tuple:
            return name, form, rows, 0, (0, *(a.ctypes.data for a in arrays)), dictionary

        colours = column("colour", "i", ROWS, self.positions, dictionary=column("", "u", 2, *self.texts))
        columns = [column("x", "g", ROWS, self.numbers), colours]
        for batch in _sluice.ArrowReader(columns, "x", None):
            batch.row(0), batch.nonzeros
        list(_sluice.ArrowReader(columns, None, "x", self.positions, ("ham", "spam"), None))
        list(_sluice.ArrowReader(columns, None, None, self.numbers, None, self.numbers))
        refused(ValueError, _sluice.ArrowReader, columns, "y", None)
        refused(TypeError, _sluice.ArrowReader, [column("t", "tdD", ROWS, self.numbers)], None, None)
        refused(ValueError, list, _sluice.ArrowReader(columns, None, None, self.numbers[:2], None, None))
        return 15

    def errors(self) -> int:
        wrong = (ValueError, TypeError)
        refused(wrong, _sluice.Model, "no such learner", (), {})
        refused(wrong, _sluice.Model, "arow", ("r=-1",), {})
        refused(wrong, self.plain.learn_csr, *self.rows(), self.labels[:2], None, None, None, None)
        refused(wrong, self.plain.learn_csr, *self.rows(), [1, 2, 3, 4], None, None, None, None)
        refused(wrong, self.plain.margins_csr, *self.rows(), None, self.margins[:2])
        refused(wrong, self.plain.margins_csr, self.indptr[::2], self.indices, self.values, None, self.margins[:2])
        refused(wrong, self.several.learn_csr, *self.rows(), self.codes + 5, None, self.words, None, None)
        refused(wrong, self.named.learn_csr, *self.rows(), self.labels, None, None, self.columns[:3], None)
        refused(wrong, _sluice.Model.from_bytes, self.bytes[:100])
        refused(OSError, _sluice.Model.load, "/nonexistent/model")
        refused(OSError, self.plain.save, "/nonexistent/model")
        refused(wrong, self.plain.merge, self.named)
        refused(ZeroDivisionError, self.plain.learn_csr, *self.rows(), self.labels, None, None, None, lambda done, total: 1 // 0)
        return 13


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("calls", type=int)
    parser.add_argument("--no-memory", action="store_true", help="do not look at the memory: a sanitizer keeps what was freed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        calls = Calls(folder)
        # files cost a hundred times as much as the rest: every fiftieth round
        often = [calls.matrix, calls.classes, calls.names, calls.one]
        seldom = [calls.files, calls.facts, calls.answers, calls.readers, calls.frames, calls.errors]
        done = rounds = 0
        warm = None
        while done < args.calls:
            for kind in often if rounds % 50 else often + seldom:
                done += kind()
            rounds += 1
            if warm is None and done >= args.calls // 4:
                warm = resident()
        grown = resident() - warm
    print(f"{done} calls, {warm >> 10} KiB after a quarter of them, {grown >> 10} KiB more at the end")
    if not args.no_memory and grown > ALLOWED:
        raise SystemExit(f"memory grew by {grown} bytes; at most {ALLOWED}")


if __name__ == "__main__":
    main()
