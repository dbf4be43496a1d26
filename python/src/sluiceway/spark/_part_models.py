"""Models of partitions: learned from text and merged. It imports the library alone: workers of Spark begin with it."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple

from .. import _sluice


class PartModel(NamedTuple):
    """What a partition gives: its number, how many examples it has learned, and the bytes of its model."""

    part: int
    examples: int
    model: bytes


def examples_of(model: Any) -> int:
    """How many examples a model has learned."""
    return int(model.quick_facts()["examples"])


def learn_text(model: Any, blocks: Iterable[bytes], reader: dict[str, Any], name: str) -> None:
    """Learns the lines of blocks of bytes; a line may go from one block to the next."""
    pieces = (block for block in blocks if block)
    model.learn_reader(_sluice.Reader(lambda: next(pieces, b""), {**reader, "name": name}))


def merged(models: Iterable[PartModel], start: Any) -> tuple[Any, int]:
    """One model of all partitions, None where there are none, and how many examples they had. They are merged in the order
    of their numbers, whatever order they have come in. `start`: the model that all began with."""
    began = start if examples_of(start) else None
    whole, examples = None, 0
    for _, learned, data in sorted(models, key=lambda one: one[0]):
        model = _sluice.Model.from_bytes(bytes(data))
        examples += learned
        if whole is None:
            whole = model
            continue
        try:
            whole.merge(model, began)
        except ValueError as wrong:
            if "classes" not in str(wrong):
                raise
            raise ValueError(f"{wrong}; name all labels: SluiceClassifier(classes=[...])") from None
    return whole, examples
