"""The PEP 517 backend: scikit-build-core's, for which the licence and, for an sdist, the C sources (csrc/) lie beside pyproject.toml."""
from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scikit_build_core import build as _build
from scikit_build_core.build import (  # noqa: F401
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

HERE = Path(__file__).resolve().parent
C_TREE = ["CMakeLists.txt", "LICENSE", "cli", "cmake", "include", "src"]  # what CMake needs of the repository


def in_repository() -> bool:
    """Whether this is the repository, not an unpacked sdist, which has all it needs."""
    return (HERE.parent / "include" / "sluice.h").exists()


@contextlib.contextmanager
def licence() -> Iterator[None]:
    """LICENSE is there inside the `with`, as a file of its own: a link would lead nowhere from an sdist."""
    if not in_repository():
        yield
        return
    shutil.copy2(HERE.parent / "LICENSE", HERE / "LICENSE")
    try:
        yield
    finally:
        (HERE / "LICENSE").unlink(missing_ok=True)


@contextlib.contextmanager
def c_sources() -> Iterator[None]:
    """csrc/ is there inside the `with`. That of an unpacked sdist stays."""
    csrc = HERE / "csrc"
    if not in_repository():
        yield
        return
    shutil.rmtree(csrc, ignore_errors=True)
    try:
        for name in C_TREE:
            source = HERE.parent / name
            if source.is_dir():
                shutil.copytree(source, csrc / name)
            else:
                csrc.mkdir(exist_ok=True)
                shutil.copy2(source, csrc / name)
        yield
    finally:
        shutil.rmtree(csrc, ignore_errors=True)


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    with licence(), c_sources():
        return _build.build_sdist(sdist_directory, config_settings)


def build_wheel(wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None) -> str:
    with licence():
        return _build.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None) -> str:
    with licence():
        return _build.build_editable(wheel_directory, config_settings, metadata_directory)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    with licence():
        return _build.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def prepare_metadata_for_build_editable(metadata_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    with licence():
        return _build.prepare_metadata_for_build_editable(metadata_directory, config_settings)
