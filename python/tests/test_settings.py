"""Settings and options that are objects of Python's, whose code changes the dict that they are in."""
from sluiceway import _sluice


class Number:
    """A number that empties the dict when it is asked for."""

    def __init__(self, dict):
        self.dict = dict

    def __float__(self):
        self.dict.clear()
        return 1.0

    def __index__(self):
        self.dict.clear()
        return 1


def test_settings_of_a_model():
    settings = {"positive": bytes(bytearray(b"spam" * 20))}
    settings["scale"] = Number(settings)
    assert _sluice.Model("arow", (), settings).settings()["positive"] == b"spam" * 20
    assert not settings


def test_settings_that_the_parameters_change():
    def params():
        settings.clear()
        yield "r=2"

    settings = {"positive": bytes(bytearray(b"spam" * 20))}
    assert _sluice.Model("arow", params(), settings).settings()["positive"] is None


def test_options_of_a_reader():
    options = {"name": "".join(["a", "file"])}
    options["threads"] = Number(options)
    options["hint"] = "".join(["lib", "svm"])
    assert [b.rows for b in _sluice.Reader(b"1 1:1\n", options)] == [1]
    assert not options
