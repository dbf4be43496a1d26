"""Metadata of a model: bytes under keys, which saving keeps."""
from sluiceway import _sluice


def test_keys_are_listed_in_order_and_kept():
    model = _sluice.Model("arow", [], {})
    assert model.metadata_keys() == []
    model.set_metadata("b", b"2\0")
    model.set_metadata("a", b"")
    again = _sluice.Model.from_bytes(model.to_bytes())
    for each in model, again:
        assert each.metadata_keys() == ["a", "b"]
        assert [each.metadata(key) for key in "abc"] == [b"", b"2\0", None]
    model.set_metadata("a", None)
    assert model.metadata_keys() == ["b"]
