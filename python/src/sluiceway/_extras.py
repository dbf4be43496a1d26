"""What is said where a library is missing that only some of the package needs."""

from __future__ import annotations

from typing import Any


def missing(what: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """The error of something that needs scikit-learn or scipy; any other error as it is."""
    library = (error.name or "").partition(".")[0]
    if library not in ("sklearn", "scipy"):
        return error
    return ModuleNotFoundError(f"{what} needs scikit-learn and scipy, and {library} is not installed: "
                               "pip install 'sluiceway[sklearn]'", name=error.name)


def scipy_sparse(what: str) -> Any:
    """The module scipy.sparse."""
    try:
        import scipy.sparse
    except ModuleNotFoundError as error:
        raise missing(what, error) from None
    return scipy.sparse
