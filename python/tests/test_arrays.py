"""Arrays that the extension reads by __array_interface__: where they lie, what they say of themselves."""

import numpy as np
import pytest
from sluiceway import _sluice

INDPTR, INDICES, VALUES = np.array([0, 1, 2]), np.array([0, 1]), np.array([1.0, 2.0])


def displaced(values):
    """The same array one byte beside the places of its type."""
    room = np.zeros(values.nbytes + 1, np.uint8)[1:]
    room[:] = np.ascontiguousarray(values).view(np.uint8)
    return room.view(values.dtype)


def margins(indptr, indices, values, out=None):
    out = np.empty(2) if out is None else out
    _sluice.Model("arow", (), {}).margins_csr(indptr, indices, values, None, out)
    return out


def test_an_array_that_is_not_aligned_is_refused():
    for k, name in enumerate(("indptr", "indices", "data", "out")):
        arrays = [INDPTR, INDICES, VALUES, np.empty(2)]
        arrays[k] = displaced(arrays[k])
        assert not arrays[k].flags.aligned
        with pytest.raises(TypeError, match=f"{name}: the array is not aligned"):
            margins(*arrays)


def test_elements_at_address_0_are_refused():
    class Nowhere:
        __array_interface__ = {"typestr": "<f8", "shape": (2,), "data": (0, False)}

    with pytest.raises(ValueError, match="out: the array lies nowhere"):
        margins(INDPTR, INDICES, VALUES, Nowhere())


def test_an_exception_of_the_array_comes_through():
    class Interrupted:
        @property
        def __array_interface__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        margins(INDPTR, INDICES, Interrupted())
    with pytest.raises(TypeError, match="data: not an array"):
        margins(INDPTR, INDICES, [1.0, 2.0])
