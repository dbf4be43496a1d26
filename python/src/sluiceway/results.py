"""What train, tune, sweep and select give: figures, pictures of them, and the report page for notebooks."""

from __future__ import annotations

import csv
import html
import os
import shutil
import textwrap
from typing import TYPE_CHECKING, Any, Sequence

from sluiceway._child import Folder

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Result:
    """The results of a run. Attributes are the fields of the program's JSON object, which `fields` is, and `notes`: its
    advice, such as that the values would better be scaled."""

    def __init__(self, fields: dict[str, Any], folder: Any, page: str) -> None:
        self.notes: list[str] = fields.pop("notes", [])
        self.fields = fields
        self._folder = folder  # its files go when the result goes
        with open(page, encoding="utf-8") as file:
            self.page = file.read()  #: the report page, HTML that needs nothing else

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["fields"][name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}") from None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_folder"}

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.fields})

    def _repr_html_(self) -> str:
        """The report page in a frame of its own, so that its styles and those of the notebook do not meet."""
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width:100%;height:42rem;border:0"></iframe>'

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Writes the report page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)


class Modelled(Result):
    """Results with a model."""

    def __init__(self, fields: dict[str, Any], folder: Any, page: str, model: str) -> None:
        super().__init__(fields, folder, page)
        self._path = model
        self._model: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """With the model itself: its file goes with the result that made it."""
        with open(self._path, "rb") as file:
            return {**super().__getstate__(), "_path": file.read()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        folder = Folder()
        path = os.path.join(folder.name, "model")
        with open(path, "wb") as file:
            file.write(state["_path"])
        self.__dict__.update(state, _path=path, _folder=folder)

    @property
    def model(self) -> Any:
        """The model as a SluiceClassifier, loaded when it is first asked for."""
        if self._model is None:
            from sluiceway import load

            self._model = load(self._path)
        return self._model

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the model as the program does: the file is complete or not there."""
        part = f"{os.fspath(path)}.part-{os.getpid()}"
        try:
            shutil.copyfile(self._path, part)
            os.replace(part, path)
        finally:
            if os.path.exists(part):
                os.remove(part)


class TrainResult(Modelled):
    """What a run of training gave: figures, the model, and how they came about (`trace`)."""

    def __init__(self, fields: dict[str, Any], folder: Any, page: str, model: str, trace: str) -> None:
        super().__init__(fields, folder, page, model)
        self.trace = read_trace(trace)  #: examples, mistakes, error_rate, ... as lists, as the run went on

    def __repr__(self) -> str:
        text = f"TrainResult({self.learner}: {self.examples:,} examples, error {percent(self.error_rate)}"
        if self.fields.get("classes"):  # each has weights of its own
            text += f", {self.nonzeros:,} weights of {self.features_seen:,} features for {len(self.classes):,} classes"
        else:
            text += f", {self.nonzeros:,} of {self.features_seen:,} weights"
        for name in ("holdout", "test"):
            if self.fields.get(name):
                text += f", {name} error {percent(self.fields[name]['error_rate'])}"
        return text + ")"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Error and nonzero weights over the examples learned; the latter on an axis of their own, to the right."""
        ax = axes(ax)
        first = next((i for i, n in enumerate(self.trace["examples"]) if n >= min(20, self.examples / 10)), 0)
        seen, rates, nonzeros = (self.trace[k][first:] for k in ("examples", "error_rate", "nonzeros"))
        (error,) = ax.plot(seen, [100 * e for e in rates], label="error so far", color=COLOURS[0])
        weights = ax.twinx()
        (kept,) = weights.plot(seen, nonzeros, label="nonzero weights", color=COLOURS[1], linestyle="--")
        if spread(seen):
            ax.set_xscale("log")
        ax.set_ylim(bottom=0)
        weights.set_ylim(bottom=0)
        ax.set_xlabel("examples")
        ax.set_ylabel("error, %")
        weights.set_ylabel("nonzero weights")
        ax.set_title(f"{self.learner}: {percent(self.error_rate)} error over {self.examples:,} examples")
        ax.legend(handles=[error, kept], loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)
        return ax


class TuneResult(Modelled):
    """What cross-validation gave: `best`, all `points`, and the best model of all examples."""

    def __repr__(self) -> str:
        best, n = self.best, len(self.points)
        found = figure(self.measure, best["mean"])
        how = {"random": f"{self.folds} folds", "forward": f"{self.folds} parts forward"}.get(self.mode, self.mode)
        return f"TuneResult({n} points, {how}; best {point_name(best)}: {self.measure} {found})"

    def to_frame(self) -> Any:
        """The points as a frame of pandas: learner, a column for each parameter and setting, figures."""
        return frame_of([{"learner": p["learner"], **p["params"], **p["settings"], **figures(p)} for p in self.points])

    def plot(self, ax: Axes | None = None) -> Axes:
        """The measure of every point, with the standard deviation over the folds, if any, against its nonzero weights."""
        ax = axes(ax)
        scale = 100 if self.measure == "error_rate" else 1
        for i, learner in enumerate(unique(p["learner"] for p in self.points)):
            mine = [p for p in self.points if p["learner"] == learner and p["failed"] is None and p["mean"] is not None]
            ax.errorbar(
                [p["nonzeros"] for p in mine],
                [scale * p["mean"] for p in mine],
                [scale * (p["deviation"] or 0) for p in mine],
                fmt="o", markersize=4, linewidth=0.8, color=COLOURS[i % len(COLOURS)], label=learner,
            )  # fmt: skip
        best = self.best
        ax.plot([best["nonzeros"]], [scale * best["mean"]], "*", markersize=15, color="black", label="best")
        if spread([p["nonzeros"] for p in self.points]):
            ax.set_xscale("log")
        ax.set_xlabel("nonzero weights")
        ax.set_ylabel("error, %" if scale == 100 else self.measure)
        ax.set_title(textwrap.fill(f"best of {len(self.points)} points: {point_name(best)}", 70), fontsize="medium")
        ax.legend(loc="best")
        return ax


class SweepResult(Result):
    """Error against sparsity: `points`, one for every model."""

    def __repr__(self) -> str:
        names = ", ".join(unique(p["learner"] for p in self.points))
        good = [p for p in self.points if rate_of(p) is not None]
        if not good:
            return f"SweepResult({len(self.points)} points of {names})"
        best = min(good, key=lambda p: (rate_of(p), -p["sparsity"]))
        return (
            f"SweepResult({len(self.points)} points of {names}; least error {percent(rate_of(best))} "
            f"at sparsity {percent(best['sparsity'])}: {best['learner']} {best['swept']}={best['value']:g})"
        )

    def to_frame(self) -> Any:
        """The points as a frame of pandas."""
        return frame_of([{"learner": p["learner"], p["swept"]: p["value"], **figures(p)} for p in self.points])

    def plot(self, ax: Axes | None = None) -> Axes:
        """The error of every learner against sparsity; that on the test data where there are any."""
        ax = axes(ax)
        for i, learner in enumerate(unique(p["learner"] for p in self.points)):
            mine = [p for p in self.points if p["learner"] == learner and rate_of(p) is not None and p["nonzeros"]]
            mine.sort(key=lambda p: p["sparsity"])
            ax.plot(
                [100 * p["sparsity"] for p in mine],
                [100 * rate_of(p) for p in mine],
                "o-",
                markersize=4,
                color=COLOURS[i % len(COLOURS)],
                label=learner,
            )
        tested = any(p.get("test") for p in self.points)
        ax.set_xlabel("sparsity, %")
        ax.set_ylabel("test error, %" if tested else "error while learning, %")
        ax.set_title("error against sparsity")
        ax.legend(loc="best")
        return ax


class SelectResult(Result):
    """Features chosen for budgets: `budgets`, each with its error and what was chosen."""

    def __repr__(self) -> str:
        parts = [f"{b['features']}: {percent(b['test']['error_rate'])}" for b in self.budgets]
        return f"SelectResult({self.learner}; error by number of features: {', '.join(parts)})"

    def features(self, budget: int | None = None) -> list[Any]:
        """The features chosen for a budget (None: the largest), names or ids, the most important first."""
        for b in self.budgets:
            if b["features"] == budget or (budget is None and b is self.budgets[-1]):
                return [f["name"] if "name" in f else f["id"] for f in b["selected"]]
        raise ValueError(f"there is no budget of {budget} features")

    def to_frame(self) -> Any:
        """The features of all budgets as a frame of pandas."""
        return frame_of([{"budget": b["features"], **f} for b in self.budgets for f in b["selected"]])

    def plot(self, ax: Axes | None = None) -> Axes:
        """The error of each budget."""
        ax = axes(ax)
        sizes = [b["features"] for b in self.budgets]
        ax.plot(sizes, [100 * b["test"]["error_rate"] for b in self.budgets], "o-", color="#0072b2")
        if spread(sizes):
            ax.set_xscale("log")
        ax.set_ylim(bottom=0)
        ax.set_xlabel("features")
        ax.set_ylabel("test error, %" if "test_file" in self.fields else "error on held-out examples, %")
        ax.set_title(f"{self.learner}: error by number of features")
        return ax


COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1a1a1a"]  # those of the pages


def axes(ax: Axes | None) -> Axes:
    """The axes to draw on."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot() needs matplotlib: pip install matplotlib") from None
    return plt.subplots(layout="constrained")[1]


def frame_of(rows: list[dict[str, Any]]) -> Any:
    """A frame of pandas."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame() needs pandas: pip install pandas") from None
    return pandas.DataFrame(rows)


def figures(point: dict[str, Any]) -> dict[str, Any]:
    """The figures of a point that are numbers or texts; those of its test with `test_` before them, those of the
    examples before they were learned (`progressive`) with `progressive_`."""
    own = {k: v for k, v in point.items() if not isinstance(v, (dict, list)) and k not in ("learner", "swept", "value")}
    measured = {
        f"{name}_{k}": v
        for name in ("test", "progressive")
        for k, v in (point.get(name) or {}).items()
        if not isinstance(v, (dict, list))
    }
    return {**own, **measured}


def rate_of(point: dict[str, Any]) -> float | None:
    """The error of a point of a sweep: on the test data, else while learning."""
    return point["test"]["error_rate"] if point.get("test") else point["error_rate"]


def point_name(point: dict[str, Any]) -> str:
    """A learner and its parameters."""
    values = {**point["params"], **point["settings"]}
    return " ".join(
        [point["learner"], *(f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in values.items())]
    )


def percent(rate: float | None) -> str:
    return "unknown" if rate is None else f"{100 * rate:.3g} %"


def figure(measure: str, value: float | None) -> str:
    return percent(value) if measure == "error_rate" or value is None else f"{value:.4g}"


def unique(names: Any) -> list[str]:
    """Without repeats, in order."""
    return list(dict.fromkeys(names))


def spread(values: Sequence[float | None]) -> bool:
    """Whether positive values are too far apart for a linear axis."""
    real = [v for v in values if v]
    return len(real) > 1 and max(real) > 20 * min(real)


def read_trace(path: str) -> dict[str, list[float]]:
    """The columns of a trace."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [number(row[name]) for row in rows] for name in (rows[0] if rows else ())}


def number(text: str) -> float:
    """A number of a trace; what does not exist is NaN."""
    if not text:
        return float("nan")
    return int(text) if text.isdigit() else float(text)
