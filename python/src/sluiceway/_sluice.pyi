"""What of the extension module is public; the rest is for this package alone."""

from typing import Any

class FormatError(ValueError):
    """No model file, or a damaged one."""

class UnsupportedError(ValueError):
    """This learner or model cannot do that."""

def version() -> str: ...
def __getattr__(name: str) -> Any: ...
