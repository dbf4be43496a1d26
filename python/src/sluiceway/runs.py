"""train, tune, sweep and select: what the program does, from Python, with results to look at."""

from __future__ import annotations

import os
from typing import Any, Callable, TypeVar

from sluiceway._child import Run
from sluiceway._table import filled
from sluiceway.results import SelectResult, SweepResult, TrainResult, TuneResult

INPUTS = """inputs : path or several, lines, texts with labels, pairs, frame or (X, y)
    Lines are an iterable of str or bytes, or a file object, in the format that `format` names; an item is one
    example: with ``format="text"`` newlines inside are blanks, otherwise errors. A list of str names files where
    all are files, or where none has a blank and the first is a file or all end in ``.svm``, ``.csv`` and so on;
    others are lines. (texts, labels) needs ``format="text"`` or ``"url"``; pairs are (dict of features, label); a
    frame needs ``label="COLUMN"``; in (X, y) and (X, y, weights) X is a matrix or a frame."""
OPTIONS = """**options
    Every option of ``sluice {command} --help`` under its name with _ for -, such as ``on_error="skip"`` or
    ``{examples}``; other names are parameters of the learner, ``lambda_`` being `lambda`."""
VERBOSE = """verbose : int, default=0
    1 shows the program's progress."""


F = TypeVar("F", bound=Callable[..., Any])


def described(command: str, examples: str) -> Callable[[F], F]:
    """Puts what all of these functions share into a docstring."""

    def put(function: F) -> F:
        options = OPTIONS.replace("{command}", command).replace("{examples}", examples)
        function.__doc__ = filled(function.__doc__, inputs=INPUTS, verbose=VERBOSE, options=options)
        return function

    return put


@described("train", 'normalize="l2", cost={"spam": 5}')
def train(inputs: Any, learner: str | None = "auto", *, verbose: int = 0, **options: Any) -> TrainResult:
    """Learns from a stream of labelled examples: `sluice train`.

    Every example is predicted first and then learned, so that the error is that of unseen examples.

    Parameters
    ----------
    {inputs}
    learner : str, default="auto"
        The rule to learn with; with ``resume="MODEL"`` it is that of the model.
    {verbose}
    {options} `test`, `holdout` and `calibrate` take data as the inputs are; ``holdout=0.2``, ``holdout="last:0.2"`` and
        ``holdout=5`` hold out a part of the inputs.

    Returns
    -------
    TrainResult
        Its attributes are the fields of ``sluice train --json``, and `notes`: the program's advice.

    Examples
    --------
    >>> result = train(["1 1:1", "0 2:1"] * 50, "arow", r=0.5)
    >>> result.examples, result.mistakes, result.params["r"]
    (100, 1, 0.5)
    """
    if not isinstance(learner, (str, type(None))):
        raise TypeError("the second argument is the name of a learner; features and labels are one: train((X, y))")
    given = options.get("output")
    if learner is not None and (learner != "auto" or options.get("resume") is None):
        options = {"learner": learner, **options}
    run = Run("train", options, verbose)
    model = run.path("model") if given is None else os.fspath(given)
    trace, page = run.path("trace.csv"), run.path("report.html")
    run.options["output"] = model
    run.extra = ["--trace", trace, "--report", page]
    fields = run.start(inputs)
    return TrainResult(fields, run.folder, page, model, trace)


@described("tune", 'folds="forward", measure="ap"')
def tune(inputs: Any, learner: Any = None, *, grid: Any = None, verbose: int = 0, **options: Any) -> TuneResult:
    """Finds the parameters that suit the data, by cross-validation or along a stream: `sluice tune`.

    Parameters
    ----------
    {inputs}
    learner : str or list, default=None
        The rule to try, or several; None: ssol.
    grid : dict, default=None
        The values of parameters, of `normalize`, `bias`, `transform` and `scale` and, for texts, of `ngrams`, `tf`,
        `chars`, `min_length` and `stop_words`: a list, or a text such as ``"2^-5..2^5"`` or ``"0.01..100:9"``; None:
        the usual ones.
    {verbose}
    {options}

    Returns
    -------
    TuneResult
        `best`, `points`, and the best model of all examples as `model`.

    Notes
    -----
    ``folds=5`` are random folds. For streams, ``folds="forward"`` or ``"forward:8"`` learns the past and measures the
    next part, and ``progressive=True`` measures every example before it is learned. ``measure`` is ``"error"``,
    ``"balanced"``, ``"auc"``, ``"f1"``, ``"cost"``, ``"ap"``, ``"logloss"`` or ``"recall@precision=0.95"``.

    Examples
    --------
    >>> result = tune(["1 1:1", "0 2:1"] * 50, "arow", grid={"r": [0.1, 1, 10]}, folds=4)
    >>> len(result.points), result.best["mean"]
    (3, 0)
    """
    given = options.get("output")
    run = Run("tune", {"learner": learner, "grid": grid, **options}, verbose)
    model, page = run.path("model") if given is None else os.fspath(given), run.path("report.html")
    run.options["output"] = model
    run.extra = ["--report", page]
    fields = run.start(inputs)
    return TuneResult(fields, run.folder, page, model)


@described("sweep", "repeats=5, sparsity=[0.9, 0.99]")
def sweep(inputs: Any, learner: Any = None, *, test: Any = None, verbose: int = 0, **options: Any) -> SweepResult:
    """Error against sparsity: many models in one pass: `sluice sweep`.

    Parameters
    ----------
    {inputs}
    learner : str or list, default=None
        The rule to sweep, or several; None: ssol.
    test : data as the inputs are, default=None
        What to measure every model on.
    {verbose}
    {options} `lambda_` are the values to sweep: a list, or a text such as ``"10^-4..10^1"``.

    Returns
    -------
    SweepResult
        `points`, one for every model.

    Examples
    --------
    >>> result = sweep(["1 1:1 3:1", "0 2:1 3:1"] * 50, ["ssol", "ftrl"], lambda_=[0.1, 1, 10])
    >>> len(result.points)
    6
    """
    run = Run("sweep", {"learner": learner, "test": test, **options}, verbose)
    page = run.path("report.html")
    run.extra = ["--html", page]
    fields = run.start(inputs)
    return SweepResult(fields, run.folder, page)


@described("select", "holdout=10")
def select(
    inputs: Any, features: Any, learner: str | None = None, *, test: Any = None, verbose: int = 0, **options: Any
) -> SelectResult:
    """Chooses the features that matter, for several budgets, with the error of each: `sluice select`.

    Parameters
    ----------
    {inputs}
    features : int or list
        The budgets: how many features to choose at most.
    learner : str, default=None
        The rule to learn with; None: sbcw.
    test : data as the inputs are, default=None
        What to measure every budget's model on; None: held-out examples.
    {verbose}
    {options}

    Returns
    -------
    SelectResult
        `budgets`, each with its error and its features.

    Examples
    --------
    >>> result = select(["1 1:1 3:1", "0 2:1 3:1"] * 50, [1, 2])
    >>> result.features(1)
    [1]
    """
    run = Run("select", {"learner": learner, "features": features, "test": test, **options}, verbose)
    page = run.path("report.html")
    run.extra = ["--report", page]
    fields = run.start(inputs)
    return SelectResult(fields, run.folder, page)
