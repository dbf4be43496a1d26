"""The console script `sluice`: becomes the program that the package carries."""
from __future__ import annotations

import os
import sys


def program() -> str:
    """Path of the command-line program that came with this package."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "sluice")


def main() -> None:
    """Replaces this process by the program, with the same arguments."""
    path = program()
    try:
        os.execv(path, ["sluice", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"sluice: {path}: {error.strerror}")
