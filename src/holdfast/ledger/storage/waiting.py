"""Patience with a database that went away for a moment."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from holdfast.errors import LedgerError, LedgerMissing

__all__ = ["waited_for"]

Result = TypeVar("Result")

# A database that crashed recovers within seconds; whoever starts meanwhile waits for so long.
PATIENCE_SECONDS = 30.0
PAUSE_SECONDS = 0.2


def waited_for(make: Callable[[], Result], seconds: float = PATIENCE_SECONDS) -> Result:
    """Return what `make` returns, called again while the ledger can't be used; then its error.

    A ledger that is not there at all is not waited for.

    Examples
    --------
    >>> waited_for(lambda: 7)
    7
    """
    latest = time.monotonic() + seconds
    while True:
        try:
            return make()
        except LedgerMissing:
            raise
        except LedgerError:
            if time.monotonic() > latest:
                raise
        time.sleep(PAUSE_SECONDS)
