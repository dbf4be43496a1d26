"""Builds the site as `make site` does: no warnings, every page and picture there, nothing taken from the network."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

PYTHON = pathlib.Path(__file__).resolve().parent.parent
SETTINGS = PYTHON / "mkdocs.yml"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if not SETTINGS.exists():
        pytest.skip("the site is not part of this copy of the package")
    if sys.version_info < (3, 11):
        pytest.skip("of the packages for Python 3.10, mkdocstrings and pymdown-extensions do not go together")
    for module in ("mkdocs", "material", "mkdocstrings_handlers.python", "sklearn", "scipy", "pandas", "river", "matplotlib"):
        pytest.importorskip(module)
    import sluiceway

    folder = tmp_path_factory.mktemp("site")
    package = str(pathlib.Path(sluiceway.__file__).parent.parent)
    env = dict(os.environ, PYTHONPATH=package, NO_MKDOCS_2_WARNING="1", PYTHONDONTWRITEBYTECODE="1")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", str(SETTINGS), "-d", str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, env=env)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


def pages(site):
    return {str(path.relative_to(site)): path.read_text() for path in site.glob("**/*.html")}


def test_every_page_is_built(site):
    written = {str(path.relative_to(PYTHON / "docs").with_suffix(".html")) for path in (PYTHON / "docs").glob("**/*.md")}
    assert written <= set(pages(site))


def test_nothing_is_loaded_from_elsewhere(site):
    for name, text in pages(site).items():
        loaded = re.findall(r"<(?:script|img|iframe)\b[^>]*\bsrc=[\"']?([^\"'\s>]+)", text)
        loaded += [link for tag in re.findall(r"<link\b[^>]*>", text) if "canonical" not in tag
                   for link in re.findall(r"href=[\"']?([^\"'\s>]+)", tag)]
        assert loaded, name
        assert [link for link in loaded if re.match(r"(?:[a-z]+:)?//", link)] == [], name
    for style in site.glob("**/*.css"):
        assert not re.search(r"url\([\"']?https?:|@import", style.read_text()), style


def test_pictures_are_there_in_both_colours(site):
    shown = set()
    for name, text in pages(site).items():
        for link in re.findall(r"<img\b[^>]*\bsrc=[\"']?([^\"'\s>#]+)", text):
            picture = (site / name).parent / link
            assert picture.exists(), f"{name}: {link}"
            shown.add(picture.resolve())
    made = {path.resolve() for path in (site / "pictures").glob("*.svg")}
    assert made and made == shown


def test_every_learner_is_listed(site):
    from sluiceway import _sluice

    text = pages(site)["reference/learners.html"]
    for learner in _sluice.learners():
        assert f'id="{learner["name"]}"' in text
        for param in learner["params"]:
            assert f">{param['name']}" in text


def test_docstrings_are_filled_in(site):
    text = pages(site)["reference/scikit-learn.html"]
    assert "{settings}" not in text and "{params}" not in text
    assert "hash_bits" in text
