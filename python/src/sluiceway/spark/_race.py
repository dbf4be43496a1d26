"""auto on Spark: it races on one partition, and its winner is trained on all."""

from __future__ import annotations

from typing import Any

from .. import _sluice, _table
from . import _jobs

_MERGING_SCALES = (0, _table.SETTINGS["scale"].words["idf"])


def winner(spark: Any, auto: Any, job: Any) -> Any:
    """An empty model of the configuration that was best on the first partition with examples, of those that merge; None where
    there are no examples."""
    start = spark.sparkContext.broadcast(auto.to_bytes())
    try:
        data = _jobs.first_with_examples(job(start))
    finally:
        start.destroy()
    if data is None:
        return None
    raced = _sluice.Model.from_bytes(data)
    fit = [c for c in raced.candidates() if c["error"] is not None and c["scale"] in _MERGING_SCALES
           and _table.find(c["learner"]).flags & _table.MERGES]
    if not fit:
        raise ValueError("auto raced, and no candidate is left whose models merge; name a learner")
    best = min(fit, key=lambda c: (not c["is_alive"], c["error"]))
    settings = {**auto.settings(), **{name: best[name] for name in ("bias", "normalize", "transform", "scale")}}
    return _sluice.Model(best["learner"], _table.param_strings(_table.find(best["learner"]), best["params"]), settings)
