"""Messages to the workers of a cluster, for those alone who have the client's version.

Another version may play the same seed otherwise, and may not find what it is sent.
"""

from __future__ import annotations

import pickle
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from holdfast._version import __version__
from holdfast.errors import NotSupported

__all__ = ["needs_holdfast", "packed", "unpacked"]


def packed(content: Any) -> bytes:
    """Return what a worker of this version unpacks."""
    return pickle.dumps((__version__, pickle.dumps(content)))


def unpacked(message: bytes) -> Any:
    """Return what was packed, or raise if that was another version."""
    theirs, content = pickle.loads(message)
    if theirs != __version__:
        raise NotSupported(
            f"the workers on {socket.gethostname()} have Holdfast {__version__}, and the client "
            f"has {theirs}: a cluster needs one version."
        )
    return pickle.loads(content)


@contextmanager
def needs_holdfast() -> Iterator[None]:
    """Say in one line what a worker could not import."""
    try:
        yield
    except ImportError as error:
        raise NotSupported(
            f"a worker of the cluster can't do this: {error}; each needs Holdfast {__version__} "
            "and what your own attacks and rules import."
        ) from None
