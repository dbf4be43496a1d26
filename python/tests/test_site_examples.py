"""Runs the examples of the site and of the README: every `pycon` block of a page, in one namespace a page."""
import doctest
import os
import pathlib
import re
import sys
import warnings

import pytest

PYTHON = pathlib.Path(__file__).resolve().parent.parent
DOCS = PYTHON / "docs"
PAGES = sorted(DOCS.glob("**/*.md")) + [PYTHON / "README.md"] if DOCS.is_dir() else []
NEEDED = ["sklearn", "scipy", "pandas", "polars", "river", "matplotlib"]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(text):
    """The text with everything but its `pycon` blocks made blank, so that lines keep their numbers; and how many."""
    lines, inside, count = [], None, 0
    for line in text.split("\n"):
        fence = re.match(r"(\s*)```(\S*)", line)
        if fence and inside is None:
            inside, indent = fence.group(2), len(fence.group(1))
            count += inside == "pycon"
        elif fence:
            inside = None
        elif inside == "pycon":
            lines.append(line[indent:])
            continue
        lines.append("")
    return "\n".join(lines), count


def test_only_the_examples_of_a_page_are_left():
    text = "a\n```pycon\n>>> 1\n1\n```\n>>> 2\n\n    ```pycon\n    >>> 3\n    3\n    ```\n```python\n>>> 4\n```\n"
    assert blocks(text) == ("\n\n>>> 1\n1\n\n\n\n\n>>> 3\n3\n\n\n\n\n", 2)


@pytest.mark.skipif(not PAGES, reason="the site is not part of this copy of the package")
def test_the_site_has_examples():
    assert sum(blocks(page.read_text())[1] for page in PAGES) > 20


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page.read_text())[1]],
                         ids=lambda page: str(page.relative_to(PYTHON)))
def test_examples_of(page, tmp_path, monkeypatch):
    text, _ = blocks(page.read_text())
    for module in NEEDED:
        pytest.importorskip(module)
    import matplotlib
    import sluiceway

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)  # examples write files
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PATH", os.path.dirname(sluiceway.program()), prepend=os.pathsep)
    examples = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, page.name, str(page), 0)
    report = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what a user does should not warn
        failed = doctest.DocTestRunner(optionflags=FLAGS).run(examples, out=report.append).failed
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    assert not failed, "".join(report)
