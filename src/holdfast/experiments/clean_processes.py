"""Worker processes that start clean: a forked copy of a process with threads can hang."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from multiprocessing.context import BaseContext

__all__ = ["clean_context"]

# The server that forks clean processes listens on a socket "pymp-XXXXXXXX/listener-XXXXXXXX" in
# the folder for temporary files, and systems take names of about 100 bytes for a socket.
LONGEST_FOLDER = 68


def clean_context() -> BaseContext:
    """Return how to start worker processes here: forked from a clean one, or one by one.

    >>> clean_context().get_start_method() in ("forkserver", "spawn")
    True
    """
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    if forks and len(os.fsencode(tempfile.gettempdir())) <= LONGEST_FOLDER:
        return multiprocessing.get_context("forkserver")
    return multiprocessing.get_context("spawn")
