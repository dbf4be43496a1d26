"""sluice on Spark: a model for every partition, merged by a tree (docs/spark.md). Needs pyspark 4 and pyarrow.

Names are imported when they are first used: the Python workers of executors then begin without pyspark.ml and pandas.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .estimator import SluiceClassificationModel as SluiceClassificationModel, SluiceClassifier as SluiceClassifier
    from .spark_tuning import tune as tune
    from .streaming import StreamLearner as StreamLearner

_NAMES = {"SluiceClassificationModel": "estimator", "SluiceClassifier": "estimator", "StreamLearner": "streaming",
          "tune": "spark_tuning"}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    module = _NAMES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(f".{module}", __name__), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pyspark", "pyarrow"):
            raise
        raise ModuleNotFoundError(f"sluiceway.spark needs pyspark and pyarrow, and {error.name} is not installed: "
                                  "pip install 'sluiceway[spark]'", name=error.name) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_NAMES))
