"""The PEP 517 backend: scikit-build-core's, which for an sdist first puts the C sources beside pyproject.toml, into csrc/."""
from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scikit_build_core import build as _build
from scikit_build_core.build import (  # noqa: F401
    build_editable,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

HERE = Path(__file__).resolve().parent
C_TREE = ["CMakeLists.txt", "LICENSE", "cli", "cmake", "include", "src"]  # what CMake needs of the repository


@contextlib.contextmanager
def c_sources() -> Iterator[None]:
    """csrc/ is there inside the `with`. That of an unpacked sdist stays."""
    csrc = HERE / "csrc"
    if not (HERE.parent / "include" / "sluice.h").exists():
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
    with c_sources():
        return _build.build_sdist(sdist_directory, config_settings)
