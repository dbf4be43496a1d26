"""Makes the pictures of the site, each in two sets of colours. Run alone, it writes them to a folder: make_pictures.py FOLDER"""
from __future__ import annotations

import io
import pathlib
import sys
from typing import Any, Callable, Iterator

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

COLOURS = {  # text, grid, series
    "light": ("#37474f", "#cfd8dc", ["#00796b", "#e65100", "#5e35b1", "#78909c"]),
    "dark": ("#cfd8dc", "#455a64", ["#4db6ac", "#ffb74d", "#b39ddb", "#90a4ae"]),
}
SIZE = (7.2, 3.4)
Draw = Callable[[list[str]], None]
PICTURES: dict[str, Callable[[], Draw]] = {}


def picture(function: Callable[[], Draw]) -> Callable[[], Draw]:
    """A function that does the work once and gives another one, which draws it with the colours it is handed."""
    PICTURES[function.__name__.replace("_", "-")] = function
    return function


def style(kind: str) -> dict[str, Any]:
    """The look of a picture."""
    text, grid, series = COLOURS[kind]
    return {
        "figure.figsize": SIZE, "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none",
        "figure.constrained_layout.use": True, "svg.fonttype": "none", "svg.hashsalt": "sluiceway", "font.size": 10,
        "font.family": "sans-serif", "text.color": text, "axes.labelcolor": text, "axes.edgecolor": grid,
        "xtick.color": text, "ytick.color": text, "axes.grid": True, "axes.axisbelow": True, "grid.color": grid, "grid.linewidth": 0.6,
        "axes.spines.top": False, "axes.spines.right": False, "axes.prop_cycle": plt.cycler(color=series),
        "lines.linewidth": 1.8, "legend.frameon": False, "axes.titlesize": 10, "axes.titlelocation": "left",
    }


def all_pictures() -> Iterator[tuple[str, bytes]]:
    """Names and contents of all SVG files."""
    for name, make in PICTURES.items():
        draw = make()
        for kind, (_, _, series) in COLOURS.items():
            with plt.rc_context(style(kind)):
                draw(series)
                out = io.BytesIO()
                plt.gcf().savefig(out, format="svg", metadata={"Date": None, "Creator": None})
                plt.close("all")
            yield f"{name}-{kind}", out.getvalue()


def moving_error(wrong: np.ndarray, window: int) -> np.ndarray:
    """The share of mistakes in the last `window` rows, in percent."""
    total = np.concatenate([[0], np.cumsum(wrong)])
    return 100 * (total[window:] - total[:-window]) / window


def progressive_mistakes(model: Any, X: Any, y: np.ndarray, batch: int = 100) -> np.ndarray:
    """Which rows a model gets wrong, each predicted before its batch is learned."""
    model.partial_fit(X[:batch], y[:batch], classes=np.unique(y))
    wrong = []
    for start in range(batch, X.shape[0], batch):
        rows = slice(start, start + batch)
        wrong.append(model.predict(X[rows]) != y[rows])
        model.partial_fit(X[rows], y[rows])
    return np.concatenate(wrong)


@picture
def drift() -> Draw:
    """The error of arow over a stream with two changes, with and without forgetting."""
    from sluiceway import SluiceClassifier, synth

    X, y = synth("drift", rows=30_000, changes=2)
    curves = [("forget=1: the plain rule", {}), ("forget=0.999", {"forget": 0.999})]
    window = 1500
    errors = [(name, moving_error(progressive_mistakes(SluiceClassifier("arow", normalize="l2", **more), X, y), window))
              for name, more in curves]

    def draw(series: list[str]) -> None:
        for (name, error), colour in zip(errors, series[1::-1]):
            plt.plot((window + np.arange(len(error)))[::100], error[::100], label=name, color=colour)
        for change in 10_000, 20_000:
            plt.axvline(change, color=series[3], linestyle=":", linewidth=1.2)
        plt.ylim(0, 60)
        plt.xlim(0, 30_000)
        plt.xlabel("examples (dotted: the stream changes)")
        plt.ylabel(f"error of the last {window:,}, %")
        plt.legend(loc="lower right", ncols=2)

    return draw


@picture
def thresholds() -> Draw:
    """Precision and recall of alarms against the threshold."""
    import pandas
    from sklearn.metrics import precision_recall_curve
    from sluiceway import SluiceClassifier
    from sluiceway.datasets import make_payments

    payments, fraud = make_payments(40_000)
    X = pandas.DataFrame(payments)
    model = SluiceClassifier().fit(X[:25_000], fraud[:25_000])
    rows = slice(25_000, 32_500)
    precision, recall, margins = precision_recall_curve(fraud[rows], model.decision_function(X[rows]))
    line = margins[np.argmax(precision[:-1] >= 0.75)]
    shown = margins > np.quantile(margins, 0.9)

    def draw(series: list[str]) -> None:
        plt.plot(margins[shown], precision[:-1][shown], label="precision", color=series[0])
        plt.plot(margins[shown], recall[:-1][shown], label="recall", color=series[1])
        for at, text in (0.0, " margin 0"), (line, " precision 0.75"):
            plt.axvline(at, color=series[3], linestyle=":", linewidth=1.2)
            plt.text(at, 1.03, text, fontsize=9, ha="left" if at == max(0.0, line) else "right")
        plt.ylim(0, 1.1)
        plt.xlabel("threshold on the margin")
        plt.legend(loc="center right")

    return draw


def recolour(series: list[str]) -> None:
    """Gives what the package has drawn the colours of the page."""
    from matplotlib.colors import to_hex
    from sluiceway.results import COLOURS as THEIRS

    ours = dict(zip(THEIRS, series))
    for axes in plt.gcf().axes:
        legend = axes.get_legend()
        for line in [*axes.get_lines(), *(legend.get_lines() if legend else ())]:
            line.set_color(ours.get(to_hex(line.get_color()), line.get_color()))


@picture
def learning_curve() -> Draw:
    """The error and the weights of a run."""
    import pandas
    from sluiceway import train
    from sluiceway.datasets import make_payments

    payments, fraud = make_payments(40_000)
    run = train(pandas.DataFrame(payments[:30_000]).assign(fraud=fraud[:30_000]), label="fraud")

    def draw(series: list[str]) -> None:
        run.plot(plt.gca())
        plt.gcf().axes[1].grid(False)
        recolour(series)

    return draw


@picture
def sweep() -> Draw:
    """Error against sparsity of three learners."""
    from sluiceway import sweep as sweep_learners
    from sluiceway import synth

    X, y = synth("sparse", rows=20_000, dim=10_000)
    curves = sweep_learners((X[:15_000], y[:15_000]), ["ssol", "fsol", "ada-rda"], test=(X[15_000:], y[15_000:]))

    def draw(series: list[str]) -> None:
        curves.plot(plt.gca())
        recolour(series)

    return draw


@picture
def selection() -> Draw:
    """The error by number of words."""
    from sluiceway import select
    from sluiceway.datasets import make_mail

    texts, labels = make_mail(6000)
    lines = [f"{label}\t{text}" for text, label in zip(texts, labels)]
    chosen = select(lines[:4500], [5, 10, 20, 40, 80, 160], format="text", test=lines[4500:])

    def draw(series: list[str]) -> None:
        chosen.plot(plt.gca())
        recolour(series)

    return draw


@picture
def explanation() -> Draw:
    """What the words of a mail add to its margin."""
    from sluiceway import train
    from sluiceway.datasets import make_mail

    texts, labels = make_mail(4000)
    run = train([f"{label}\t{text}" for text, label in zip(texts, labels)], format="text")
    why = run.model.explain({word: 1.0 for word in "claim your free prize before lunch on friday".split()})
    names = ["(bias)" if term.feature is None else term.feature for term in why]
    parts = [term.contribution for term in why]

    def draw(series: list[str]) -> None:
        bars = plt.barh(names, parts, color=[series[1] if part > 0 else series[0] for part in parts], height=0.65)
        plt.bar_label(bars, [f"{part:+.2f}" for part in parts], padding=4, fontsize=9)
        plt.gca().invert_yaxis()
        plt.grid(False, axis="y")
        plt.margins(x=0.14)
        plt.axvline(0, color=series[3], linewidth=1)
        plt.xlabel(f"what the word adds to the margin, {why.margin:.2f} in all (above 0: spam)")

    return draw


@picture
def growth() -> Draw:
    """How many features a model has, without and with a limit."""
    from sluiceway import StreamClassifier
    from sluiceway.datasets import make_apps

    apps, malicious = make_apps(4000)
    models = [StreamClassifier("ftrl"), StreamClassifier("ftrl", l1=1.0, forget=0.999, max_features=200)]
    sizes: list[list[tuple[int, int]]] = [[], []]
    for i, (app, bad) in enumerate(zip(apps, malicious.tolist()), 1):
        for model, found in zip(models, sizes):
            model.learn_one(app, bad)
            if i % 50 == 0:
                facts = model.model_.facts()
                found.append((facts["features_seen"], facts["nonzeros"]))

    def draw(series: list[str]) -> None:
        events = range(50, 4001, 50)
        for found, colour, name in zip(sizes, (series[1], series[0]), ("no limit", "max_features=200")):
            plt.plot(events, [seen for seen, _ in found], color=colour, label=f"{name}: features")
            plt.plot(events, [kept for _, kept in found], color=colour, linestyle="--", label=f"{name}: weights")
        plt.xlim(0, 4000)
        plt.ylim(bottom=0)
        plt.xlabel("events")
        plt.legend(loc="upper left")

    return draw


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in all_pictures():
        (folder / f"{name}.svg").write_bytes(content)
