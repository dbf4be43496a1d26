"""One classifier for the head of every family of learners, made from the learners' table."""

from __future__ import annotations

import inspect
from typing import Any

from . import _table
from ._heads import HEADS
from .classifier import BaseSluiceClassifier, attribute_of

_OTHERS: dict[str, tuple[Any, str, str]] = {
    "class_weight": (None, 'dict or "balanced"', "Factors for the weights of the rows of each class. ``\"balanced\"``, "
                     "in `fit` alone: in inverse proportion to how often the classes come."),
    "shuffle": (False, "bool", "`fit` shuffles the rows before it learns them: for rows that are sorted by label."),
    "random_state": (None, "int, RandomState instance or None", "What `shuffle` draws with."),
    "warm_start": (False, "bool", "`fit` goes on from what was learned before."),
}


class _OneLearner(BaseSluiceClassifier):
    """What the classes of this module share."""

    _name: str

    def _learner(self) -> str:
        return self._name

    def _learner_params(self) -> dict[str, Any]:
        return {p.key: getattr(self, attribute_of(p.key)) for p in _table.find(self._name).params}


def _signature(learner: _table.Learner) -> inspect.Signature:
    kind = inspect.Parameter.KEYWORD_ONLY
    defaults = {**learner.defaults, **{name: s.default for name, s in _table.SETTINGS.items()},
                **{name: default for name, (default, _, _) in _OTHERS.items()}}
    return inspect.Signature([inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
                             + [inspect.Parameter(name, kind, default=value) for name, value in defaults.items()])


def _doc(name: str, learner: _table.Learner) -> str:
    entries = [_table.param_doc(learner), _table.setting_doc()]
    entries += [_table.entry(f"{key} : {kind}, default={default}", text)
                for key, (default, kind, text) in _OTHERS.items()]
    summary = learner.summary
    return "\n".join([
        f"{summary[:1].upper()}{summary[1:]}: the learner ``{learner.name}``.", "",
        f"The same as ``SluiceClassifier({learner.name!r})``. {_table.sentence(learner.paper)}", "",
        "Parameters", "----------", *(entry for entry in entries if entry), "",
        "Attributes", "----------",
        "classes_ : ndarray of shape (n_classes,)", "    The labels, sorted.",
        "coef_ : ndarray or sparse matrix of shape (1, n_features) or (n_classes, n_features)", "    The weights.",
        "intercept_ : ndarray of shape (1,) or (n_classes,)", "    The weights of the constant feature, times `bias`.",
        "n_features_in_ : int", "    The number of columns.",
        "feature_names_in_ : ndarray of shape (n_features_in_,)", "    Their names, where X was a frame.", ""])


def _make(name: str, learner: _table.Learner) -> type:
    signature = _signature(learner)
    accepted = [p for p in signature.parameters if p != "self"]

    def __init__(self: Any, **params: Any) -> None:
        try:
            bound = signature.bind(self, **_table.canonical(params))
        except TypeError as wrong:
            raise TypeError(f"{name}() {wrong}") from None
        bound.apply_defaults()
        for key in accepted:
            setattr(self, attribute_of(key), bound.arguments[key])

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{name}.__init__"
    return type(name, (_OneLearner,), {"__init__": __init__, "__doc__": _doc(name, learner), "__module__": __name__,
                                       "__qualname__": name, "_name": learner.name})


def stub() -> str:
    """The text of families.pyi, for programs that check types and complete code: they cannot see classes that are made.
    ``python -c "from sluiceway import families; print(families.stub(), end='')"`` writes it anew."""
    lines = ['"""Made by families.stub(). The classes of single learners, as families.py makes them."""', "",
             "from typing import Any", "", "from .classifier import BaseSluiceClassifier", "",
             "def stub() -> str: ..."]
    kinds: dict[str, str] = {name: _hint(setting.type) for name, setting in _table.SETTINGS.items()}
    kinds |= {"class_weight": "dict[Any, float] | str | None", "shuffle": "bool", "random_state": "Any",
              "warm_start": "bool"}
    for name, head in HEADS.items():
        learner = _table.find(head)
        own = {p.key: "str" if p.choices else "int" if p.integer else "float" for p in learner.params}
        lines += ["", f"class {name}(BaseSluiceClassifier):", "    def __init__(", "        self,", "        *,"]
        defaults = {key: p.default for key, p in _signature(learner).parameters.items() if key != "self"}
        lines += [f"        {key}: {(own | kinds)[key]} = {'...' if value == float('inf') else repr(value)},"
                  for key, value in defaults.items()]
        lines += ["    ) -> None: ..."]
    return "\n".join(lines) + "\n"


def _hint(kind: str) -> str:
    """The type of a setting as a type hint."""
    return kind if not kind.startswith("{") else "str | None" if "None" in kind else "str"


for _class, _head in HEADS.items():
    globals()[_class] = _make(_class, _table.find(_head))

__all__ = list(HEADS)
