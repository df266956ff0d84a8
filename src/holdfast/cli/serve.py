"""`holdfast serve`: the boards of a database, over HTTP."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from holdfast.cli.board import Database
from holdfast.cli.output import human
from holdfast.errors import InvalidInput
from holdfast.extras import needed_for

__all__ = ["serve"]

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
    team and no token. TLS, and limits on slow connections, are a reverse proxy's.

    Examples
    --------
    holdfast serve
    holdfast serve --database postgresql:///boards --workers 4 --url https://boards.example
    """
    if workers > 1 and not database.startswith(("postgresql://", "postgres://")):
        raise InvalidInput(
            f"workers must be 1 with an SQLite database, got {workers}: looks take turns, and "
            "several processes gain nothing; use PostgreSQL for more."
        )
    with needed_for("holdfast serve"):
        import argon2  # noqa: F401 - so that all is there before anything listens
        import uvicorn
        from limits import parse

        from holdfast.server.app import VARIABLE, from_environment, start_logging
        from holdfast.server.gatekeeper import Gatekeeper
        from holdfast.server.settings import Settings
    try:
        parse(flood)
    except ValueError:
        raise InvalidInput(f"flood must be like 50/second, got {flood!r}.") from None
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
        uvicorn.run(
            "holdfast.server.app:from_environment", factory=True, workers=workers, **options
        )
