"""The scheduler of a Dask cluster: whether one answers at an address, before anything is made.

Dask itself takes long to say that there is none, says it in many lines, and waits for ever where
something else listens.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any

from holdfast.errors import InvalidInput, NotSupported
from holdfast.extras import needed_for
from holdfast.quoting import choice, quoted

__all__ = ["LOCAL", "SECONDS_TO_CONNECT", "check_cluster"]

# Instead of an address: a cluster of this machine's own, for as long as it is needed.
LOCAL = "local"
# Seconds to wait for a scheduler that may not be there.
SECONDS_TO_CONNECT = 10.0
# Ways to reach a scheduler of another process, all of them by host and port.
SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")
# How a scheduler of this very process is called.
WITHIN = "inproc"


def check_cluster(address: str) -> None:
    """Raise unless an address is that of a scheduler which answers, and has workers."""
    with needed_for("a cluster"):
        import distributed  # noqa: F401 - only whether it is there
    if address == LOCAL:
        return
    kind, _, place = address.rpartition("://")
    if kind == WITHIN:
        return
    host, _, port = place.rpartition(":")
    if not (host and port.isdecimal() and 0 < int(port) < 1 << 16):
        raise InvalidInput(
            "cluster must be local or the address of a Dask scheduler, such as "
            f"tcp://127.0.0.1:8786, got {quoted(address)}."
        )
    if kind and kind not in SCHEMES:
        raise InvalidInput(f"the scheme of a cluster's address must be {choice(kind, SCHEMES)}")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_CONNECT):
            pass
    except OSError as error:
        raise NotSupported(
            f"no Dask scheduler answers at {address}: {error.strerror or error}."
        ) from None
    if not _identity(address)["workers"]:
        raise NotSupported(f"the Dask scheduler at {address} has no workers yet.")


def _identity(address: str) -> dict[str, Any]:
    """Ask who listens there.

    In a thread of its own, whose end is not waited for beyond the deadline: a notebook has a loop
    in this one, and what else may listen can keep Dask's reading from being cancelled.
    """
    found: list[dict[str, Any] | Exception] = []

    def ask() -> None:
        try:
            found.append(asyncio.run(asyncio.wait_for(_asked(address), SECONDS_TO_CONNECT)))
        except Exception as error:  # whatever it is, nobody who answers as a scheduler does
            found.append(error)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(SECONDS_TO_CONNECT + 1.0)
    answer = found[0] if found else TimeoutError()
    if isinstance(answer, dict) and "workers" in answer:
        return answer
    why = "something else listens there"
    if isinstance(answer, Exception) and not isinstance(answer, TimeoutError):
        why += f" ({next(iter(str(answer).splitlines()), type(answer).__name__)})"
    raise NotSupported(f"no Dask scheduler answers at {address}: {why}.")


async def _asked(address: str) -> dict[str, Any]:
    from distributed.core import rpc
    from distributed.security import Security

    security: Any = Security
    connect: Any = rpc
    scheduler = connect(
        address,
        timeout=SECONDS_TO_CONNECT,
        connection_args=security().get_connection_args("client"),
    )
    try:
        told: dict[str, Any] = await scheduler.identity()
        return told
    finally:
        await scheduler.close_rpc()
