"""Rows go from a reader to a model without a copy."""

import numpy as np
import pytest
from sluiceway import _sluice


def test_a_reader_is_learned_without_its_batches():
    rng = np.random.default_rng(1)
    whole = b"".join(b"%d %d:1 %d:0.5\n" % (label, label + 3, i) for label, i in zip(rng.choice([-1, 1], 500), rng.integers(9, 99, 500)))
    one, two = _sluice.Model("arow", [], {}), _sluice.Model("arow", [], {})
    for batch in _sluice.Reader(whole, {}):
        one.learn_batch(batch)
    pieces = iter([whole[:100], whole[100:], b""])
    assert two.learn_reader(_sluice.Reader(lambda: next(pieces), {})) is None
    assert one.to_bytes() == two.to_bytes()

    before = two.to_bytes()
    for source, error, message in [(b"1 x\n1 1:1\n", ValueError, "rows:1:3"), (lambda: 1 / 0, ZeroDivisionError, "division")]:
        reader = _sluice.Reader(source, {"name": "rows"})
        with pytest.raises(error, match=message):
            two.learn_reader(reader)
    reader = _sluice.Reader(lambda: two.learn_reader(reader), {})
    with pytest.raises(RuntimeError, match="in use"):
        two.learn_reader(reader)
    with pytest.raises(TypeError, match="a Reader is needed, not <class 'bytes'>"):
        two.learn_reader(whole)
    closed = _sluice.Reader(whole, {})
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        two.learn_reader(closed)
    assert two.to_bytes() == before
