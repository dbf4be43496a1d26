"""Sparse linear classifiers learned from data streams: estimators for scikit-learn and river over the C library sluice.

Names are imported from their modules when they are first used: `import sluiceway` needs numpy alone, and is quick.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._extras import missing as _missing
from ._heads import HEADS as _HEADS
from ._sluice import version as _version

if TYPE_CHECKING:  # the names below, for programs that check types
    from ._program import program as program
    from ._sluice import FormatError as FormatError, UnsupportedError as UnsupportedError
    from .classifier import SluiceClassifier as SluiceClassifier, load as load
    from .datasets import synth as synth
    from .families import *
    from .predictions import predict as predict
    from .runs import select as select, sweep as sweep, train as train, tune as tune
    from .stream_classifier import StreamClassifier as StreamClassifier
    from .svm import read_svm as read_svm, write_svm as write_svm

__version__: str = _version()

# public name -> the module of this package that defines it; `import sluiceway` itself imports none of them
_NAMES: dict[str, str] = {
    "program": "_program",
    "StreamClassifier": "stream_classifier",
    "read_svm": "svm",
    "synth": "datasets",
    "write_svm": "svm",
    "FormatError": "_sluice",
    "UnsupportedError": "_sluice",
    "SluiceClassifier": "classifier",
    "load": "classifier",
    **dict.fromkeys(_HEADS, "families"),
    "train": "runs",
    "tune": "runs",
    "sweep": "runs",
    "select": "runs",
    "predict": "predictions",
}

__all__ = sorted(_NAMES) + ["__version__"]


def __getattr__(name: str) -> Any:
    module = _NAMES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(f".{module}", __name__), name)
    except ModuleNotFoundError as error:
        raise _missing(f"sluiceway.{name}", error) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_NAMES))
