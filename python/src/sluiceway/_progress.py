"""A progress bar on standard error."""

from __future__ import annotations

import sys
import time


class ProgressBar:
    """Shows how many of `total` rows are done; `close` ends its line. Use it as a context manager."""

    WIDTH = 30

    def __init__(self, title: str, total: int):
        self.title, self.total = title, max(total, 1)
        self.started = time.monotonic()
        self.before = 0  # rows of earlier calls
        self.done = 0

    def __call__(self, done: int, total: int) -> None:
        """Called by the library: `done` of the rows of this call are learned."""
        self.done = self.before + done
        self._draw("")

    def add(self, rows: int) -> None:
        """A call has learned all of its rows."""
        self.before += rows
        self.done = self.before

    def _draw(self, end: str) -> None:
        share = min(self.done / self.total, 1.0)
        filled = int(share * self.WIDTH)
        seconds = time.monotonic() - self.started
        left = f", {seconds / share - seconds:.0f} s left" if 0 < share < 1 else ""
        bar = "#" * filled + "." * (self.WIDTH - filled)
        text = f"\r{self.title}: [{bar}] {share:4.0%} of {self.total} rows, {seconds:.1f} s{left}"
        try:
            sys.stderr.write(f"{text:<100}{end}")
            sys.stderr.flush()
        except (AttributeError, OSError, ValueError):  # there is no standard error, or it is closed
            pass

    def __enter__(self) -> "ProgressBar":
        self._draw("")
        return self

    def __exit__(self, *error: object) -> None:
        self._draw("\n")
