"""The learners' table as Python sees it: parameters, settings, their checks, and the text of docstrings."""

from __future__ import annotations

import difflib
import inspect
import keyword
import math
import numbers
import textwrap
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Iterable, Mapping

from . import _sluice

#: Bits of ``Learner.flags``, as in sluice.h.
PROBABILITY, MERGES, DENSE, BATCH, MATRIX, TUNES = 1, 2, 4, 8, 16, 32


@dataclass(frozen=True)
class Param:
    """A parameter of a learner. `name` is the library's name, `key` the name of the keyword argument."""

    name: str
    key: str
    help: str
    default: float | int | str
    minimum: float
    maximum: float
    integer: bool
    choices: tuple[str, ...] | None
    extra: bool


@dataclass(frozen=True)
class Learner:
    """A learner: a rule with its parameters."""

    name: str
    summary: str
    paper: str
    flags: int
    bytes_per_feature: int
    params: tuple[Param, ...]

    def param(self, name: str) -> Param | None:
        """The parameter of this name, as the library or as Python writes it."""
        return next((p for p in self.params if name in (p.name, p.key)), None)

    @property
    def defaults(self) -> dict[str, float | int | str]:
        """The defaults of all parameters by their keys."""
        return {p.key: p.default for p in self.params}


def key_of(name: str) -> str:
    """The keyword argument for a parameter: a name that Python reserves gets an underscore (``lambda_``)."""
    return name + "_" if keyword.iskeyword(name) else name


def canonical(params: Mapping[str, Any]) -> dict[str, Any]:
    """The same values under the keys of `key_of`."""
    out: dict[str, Any] = {}
    for name, value in params.items():
        key = key_of(name)
        if key in out:
            raise TypeError(f"parameter {name!r} is given twice")
        out[key] = value
    return out


def _make_param(row: Mapping[str, Any]) -> Param:
    low = -math.inf if row["min"] is None else row["min"]
    high = math.inf if row["max"] is None else row["max"]
    return Param(row["name"], key_of(row["name"]), row["help"], row["default"], low, high, row["integer"],
                 row["choices"], row["extra"])


@lru_cache(maxsize=None)
def learners() -> dict[str, Learner]:
    """All learners by name, in the order in which to list them."""
    return {row["name"]: Learner(row["name"], row["summary"], row["paper"], row["flags"], row["bytes_per_feature"],
                                 tuple(_make_param(p) for p in row["params"]))
            for row in _sluice.learners()}


@lru_cache(maxsize=None)
def _aliases() -> dict[str, str]:
    """Other names of learners, and the names that models say."""
    return _sluice.learner_aliases()


def find(name: str) -> Learner:
    """A learner by its name or another one that it has; ValueError names those that exist."""
    found = learners().get(_aliases().get(name, name)) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"unknown learner {name!r}{nearest(name, learners())}; there are: {', '.join(learners())}")
    return found


def nearest(name: Any, names: Iterable[str]) -> str:
    """`` (did you mean 'NAME'?)`` where one of the names is like a wrong one, else nothing."""
    found = difflib.get_close_matches(str(name).lower(), list(names), 1)
    return f" (did you mean {found[0]!r}?)" if found else ""


@lru_cache(maxsize=None)
def all_keys() -> frozenset[str]:
    """The keys of the parameters of all learners."""
    return frozenset(p.key for learner in learners().values() for p in learner.params)


def value_text(value: Any) -> str:
    """A value as the library reads it; what is wrong with it the library says."""
    if isinstance(value, (bool,)) or type(value).__name__ in ("bool_", "bool"):
        return str(int(value))
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return str(value)


def param_strings(learner: Learner, params: Mapping[str, Any]) -> list[str]:
    """The ``name=value`` strings of a model; ValueError for a name that the learner has not."""
    out = []
    for name, value in canonical(params).items():
        param = learner.param(name)
        if param is None:
            have = ", ".join(p.key for p in learner.params) or "none"
            settings = [setting for setting in SETTINGS if setting != "verbose"]
            meant = nearest(name, [*(p.key for p in learner.params), *settings])
            raise ValueError(f"{learner.name} has no parameter {name!r}{meant}; it has {have}, and all learners take "
                             f"{', '.join(settings)}")
        out.append(f"{param.name}={value_text(value)}")
    return out


# ---- settings -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """A setting that every estimator has. `words` gives the number in sluice.h for each word."""

    name: str
    default: Any
    type: str
    help: str
    words: Mapping[Any, int] | None = None
    minimum: float = 0
    maximum: float = math.inf


SETTINGS: dict[str, Setting] = {s.name: s for s in (
    Setting("bias", 0.0, "float", "Value of a constant feature that is added to every example; 0: none.",
            minimum=-math.inf),
    Setting("normalize", None, '{None, "l2"}', "``\"l2\"``: scale every example to length 1.", {"l2": 1}),
    Setting("scale", None, '{None, "running", "maxabs", "idf"}',
            "Divide every value by the largest absolute value of its feature so far: ``\"running\"`` (weights grow "
            "with it, so that predictions stay) or ``\"maxabs\"`` (weights stay); or multiply it by the inverse document "
            "frequency of its feature so far: ``\"idf\"``, for words, with ``normalize=\"l2\"``.",
            {"running": 1, "maxabs": 2, "idf": 3}),
    Setting("transform", None, '{None, "log1p", "binary"}',
            "Change every value v first: ``\"log1p\"`` (sign(v) log(1 + abs(v))) or ``\"binary\"`` (sign(v)).",
            {"log1p": 1, "binary": 2}),
    Setting("hash_bits", 0, "int", "Hash features to that many bits, 1 to 30: bounded memory, but features may "
            "collide. 0: features are exact.", maximum=30),
    Setting("max_features", 0, "int", "Keep at most that many features; when full, those of weight 0 are evicted, "
            "least recently seen first. 0: no limit."),
    Setting("multiclass", "ovr", '{"ovr", "ovo", "matrix"}',
            "How more than two classes are learned: each against the rest, one against one, or in one matrix.",
            {"ovr": 1, "ovo": 2, "matrix": 3}),
    Setting("passes", 1, "int", "How often `fit` goes over the examples.", minimum=1, maximum=10**9),
    Setting("verbose", 0, "int", "1: show a progress bar on standard error."),
)}

#: The settings that are part of a model.
MODEL_SETTINGS = ("bias", "normalize", "scale", "transform", "hash_bits", "max_features")


def setting_value(name: str, value: Any) -> Any:
    """A setting as the library takes it, checked; ValueError says what it takes."""
    setting = SETTINGS[name]
    if setting.words is not None:
        if setting.default is None and (value is None or value == "none"):
            return 0
        if not isinstance(value, str) or value not in setting.words:
            takes = ([] if setting.default is not None else ["None"]) + [repr(w) for w in setting.words]
            raise ValueError(f"{name}={value!r}: it takes {', '.join(takes)}")
        return setting.words[value]
    whole = setting.type == "int"
    kind: Any = numbers.Integral if whole else numbers.Real
    if not isinstance(value, kind):
        raise ValueError(f"{name}={value!r}: it takes a {'whole ' if whole else ''}number")
    if not setting.minimum <= float(value) <= setting.maximum or not math.isfinite(value):
        raise ValueError(f"{name}={value!r}: it is at least {setting.minimum}"
                         + (f" and at most {setting.maximum}" if math.isfinite(setting.maximum) else ""))
    return int(value) if whole else float(value)


def setting_word(name: str, value: Any) -> Any:
    """A setting of the library as Python has it: the inverse of `setting_value`."""
    words = SETTINGS[name].words
    return value if words is None else next((word for word, number in words.items() if number == value), None)


def model_settings(values: Mapping[str, Any], several_classes: bool, positive: bytes | None = None) -> dict[str, Any]:
    """The settings dict of a new model. `values` has all of `MODEL_SETTINGS` and ``multiclass``."""
    out = {name: setting_value(name, values[name]) for name in MODEL_SETTINGS}
    kind = setting_value("multiclass", values["multiclass"])
    out["classes"] = kind if several_classes else 0
    out["positive"] = positive
    return out


# ---- docstrings -----------------------------------------------------------------------------------------------------


def sentence(text: str) -> str:
    """A help text as a sentence."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def _number(value: Any) -> str:
    return repr(value) if isinstance(value, (str, int)) else f"{value:g}"


def _range(param: Param) -> str:
    low = "" if math.isinf(param.minimum) else f"at least {_number(param.minimum)}"
    high = "" if math.isinf(param.maximum) else f"at most {_number(param.maximum)}"
    return " and ".join(part for part in (low, high) if part)


def entry(head: str, text: str) -> str:
    """One parameter of a numpydoc list."""
    body = textwrap.fill(text, 112, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    return f"{head}\n{body}"


def filled(doc: str | None, **parts: str) -> str | None:
    """A docstring with texts in place of ``{name}`` in lines of their own. It is not indented: from Python 3.13 on
    the compiler takes the indentation away, and texts would be set in otherwise than what stands around them."""
    if doc is None:  # python -OO
        return None
    doc = inspect.cleandoc(doc)
    for name, text in parts.items():
        doc = doc.replace("{" + name + "}", text)
    return doc


def param_entry(param: Param) -> str:
    """The numpydoc entry of a learner's parameter."""
    if param.choices is not None:
        kind = "{" + ", ".join(f'"{c}"' for c in param.choices) + "}"
        return entry(f"{param.key} : {kind}, default={param.default!r}", sentence(param.help))
    limits = _range(param)
    text = sentence(param.help) + (f" Between {_number(param.minimum)} and {_number(param.maximum)}."
                                    if " and " in limits else f" {limits.capitalize()}." if limits else "")
    return entry(f"{param.key} : {'int' if param.integer else 'float'}, default={_number(param.default)}", text)


def setting_entry(name: str) -> str:
    """The numpydoc entry of a setting."""
    setting = SETTINGS[name]
    return entry(f"{name} : {setting.type}, default={setting.default!r}", setting.help)


def param_doc(learner: str | Learner) -> str:
    """The numpydoc list of a learner's parameters."""
    found = learner if isinstance(learner, Learner) else find(learner)
    return "\n".join(param_entry(p) for p in found.params)


def setting_doc(names: Iterable[str] = tuple(SETTINGS)) -> str:
    """The numpydoc list of settings."""
    return "\n".join(setting_entry(name) for name in names)


def all_params_doc() -> str:
    """A list of the parameters of all learners, each once, with the learners that have it."""
    owners: dict[str, list[tuple[Learner, Param]]] = {}
    for learner in learners().values():
        for param in learner.params:
            owners.setdefault(param.key, []).append((learner, param))
    entries = []
    for key in sorted(owners, key=str.lower):
        names = ", ".join(learner.name for learner, _ in owners[key])
        param = owners[key][0][1]
        kind = "str" if param.choices else "int" if param.integer else "float"
        entries.append(textwrap.fill(f"- ``{key}`` ({kind}): {sentence(param.help)} Of {names}.", 112,
                                     subsequent_indent="  ", break_on_hyphens=False))
    return "\n".join(entries)
