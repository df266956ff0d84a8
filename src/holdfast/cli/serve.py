"""`holdfast serve`: the boards of a database, over HTTP."""

from __future__ import annotations

import os
import socket
import sys
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from holdfast.cli.board_places import Database
from holdfast.cli.output import human
from holdfast.errors import InvalidInput
from holdfast.extras import needed_for

if TYPE_CHECKING:
    import uvicorn

__all__ = ["check_workers", "serve"]

# How long a request that is being answered may go on after a stop, in seconds.
PATIENCE = 10


def serve(
    database: Database = "holdfast-board.db",
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    url: Annotated[
        str | None,
        typer.Option(help="How the board is reached from outside; https makes cookies secure."),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="Processes; more than one needs PostgreSQL.")
    ] = 1,
    behind: Annotated[
        str,
        typer.Option(help="Addresses of proxies whose X-Forwarded-For is believed, with commas."),
    ] = "127.0.0.1",
    invited_only: Annotated[
        bool, typer.Option("--invited-only", help="Make accounts by invitation only.")
    ] = False,
    flood: Annotated[
        str, typer.Option(help="Most requests per token or account, such as 50/second.")
    ] = "50/second",
) -> None:
    """Serve the boards of a database: pages, and an API for programs.

    Make a board first: holdfast board init. Log lines go to stderr as JSON; they hold no score, no
    team and no token. TLS, and limits for all workers together, are a reverse proxy's.

    Examples
    --------
    holdfast serve
    holdfast serve --database postgresql:///boards --workers 4 --url https://boards.example
    """
    check_workers(workers, database)
    with needed_for("holdfast serve"):
        import argon2  # noqa: F401 - so that all is there before anything listens
        import uvicorn

        from holdfast.server.app import VARIABLE, from_environment, start_logging
        from holdfast.server.gatekeeper import Gatekeeper
        from holdfast.server.listening import Limited
        from holdfast.server.settings import Rate, Settings
    Rate.parse("flood", flood)
    shown = f"[{host}]" if ":" in host else host
    settings = Settings(
        database=database,
        public_url=(url or f"http://{shown}:{port}").rstrip("/"),
        sign_up=not invited_only,
        flood=flood,
    )
    # Faults of the database or of the labels are one line here, before anything listens.
    gatekeeper = Gatekeeper(database)
    gatekeeper.warm_up()
    gatekeeper.close()
    os.environ[VARIABLE] = settings.to_text()
    human().print(f"Serving on {settings.public_url} with {workers} process(es).", soft_wrap=True)
    options: dict[str, Any] = {
        "host": host,
        "port": port,
        "http": Limited,
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": True,
        "forwarded_allow_ips": behind,
        "timeout_graceful_shutdown": PATIENCE,
    }
    if workers == 1:
        uvicorn.run(from_environment(), **options)
    else:
        start_logging()
        if sys.platform == "linux":  # elsewhere, sockets of one address do not share its load
            uvicorn.Config.bind_socket = _bound_socket  # type: ignore[assignment, method-assign]
        uvicorn.run(
            "holdfast.server.app:from_environment", factory=True, workers=workers, **options
        )


def check_workers(workers: int, database: str) -> None:
    """Raise if a database can't be served by so many processes."""
    if workers > 1 and not database.startswith(("postgresql://", "postgres://")):
        raise InvalidInput(
            f"workers must be 1 with an SQLite database, got {workers}: looks take turns, and "
            "several processes gain nothing; use PostgreSQL for more."
        )


class _SocketOfEach(socket.socket):
    """An address on which every worker listens with a socket of its own.

    The system spreads connections over the sockets. Of one socket that all workers share, the
    worker that wakes up first would take every connection of a crowd.
    """

    def __reduce__(self) -> Any:
        """Travel to a worker as an address; the worker's own socket is made there."""
        return _SocketOfEach.bound, (self.family, self.getsockname())

    @classmethod
    def bound(cls, family: socket.AddressFamily, address: Any) -> Self:
        """Return a socket for an address that others may have, too."""
        found = cls(family)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        found.bind(address)
        return found


def _bound_socket(config: uvicorn.Config) -> socket.socket:
    """Hold the address for the workers; what uvicorn does of itself with one socket for all."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # Nobody else may have it: only the workers share it.
    with socket.socket(family) as alone:
        alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            alone.bind((config.host, config.port))
        except OSError as error:
            raise InvalidInput(
                f"port must be free, got {config.port}: {error.strerror or error}."
            ) from None
        address = alone.getsockname()
    return _SocketOfEach.bound(family, address)
