"""The application: routes, errors, headers, log lines and the settings of its workers."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from argon2 import PasswordHasher
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast._version import __version__
from holdfast.ledger.storage import waited_for
from holdfast.server import api, pages
from holdfast.server.observing import JsonLines, log
from holdfast.server.problems import Problem, as_problem
from holdfast.server.settings import Settings
from holdfast.server.site import Site, address, site_of
from holdfast.server.uploads import LARGEST_BODY, given, is_upload

__all__ = ["create", "from_environment"]

# Where a worker process finds its settings.
VARIABLE = "HOLDFAST_SERVER_SETTINGS"

LOOKS = "/boards/{slug}/submissions"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
}


def create(settings: Settings, *, hasher: PasswordHasher | None = None) -> FastAPI:
    """Return the application; the database is opened when it starts."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # A worker that starts anew while the database recovers would end all others with it.
        outer = getattr(app.state, "site", None)
        site = waited_for(lambda: Site(settings, hasher=hasher))
        waited_for(site.gatekeeper.warm_up)
        app.state.site = site
        yield
        app.state.site = outer  # where one application is started twice, as tools do
        site.looks.close()
        site.findings.close()
        site.gatekeeper.close()

    app = FastAPI(
        title="Holdfast board",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    # Looks first, past the layers that take other requests apart; the router describes them.
    app.router.routes.insert(
        0, _Direct(f"{api.router.prefix}{LOOKS}", api.submit, methods=["POST"])
    )
    app.include_router(api.router)
    app.include_router(pages.router)
    for path, answer in (("/healthz", healthy), ("/readyz", ready), ("/metrics", metrics)):
        app.add_api_route(path, answer, methods=["GET", "HEAD"], include_in_schema=False)
    for kind in (Exception, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _told)
    app.add_middleware(_Watched)
    return app


def from_environment() -> FastAPI:
    """Return the application of a worker process."""
    start_logging()
    return create(Settings.from_text(os.environ[VARIABLE]))


def start_logging() -> None:
    """Write log lines to stderr, and only those that the allow-list knows."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    for name in ("holdfast", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
    logging.getLogger("holdfast").setLevel(logging.INFO)
    logging.getLogger("uvicorn.access").disabled = True


def healthy() -> Response:
    """Say that the process runs."""
    return JSONResponse({"healthy": True})


def ready(request: Request) -> Response:
    """Say whether the ledger answers."""
    with site_of(request).store.reading() as transaction:
        transaction.head()
    return JSONResponse({"ready": True})


def metrics(request: Request) -> Response:
    """Return counters for Prometheus, to this machine or to a token of scope metrics."""
    site = site_of(request)
    if address(request) not in ("127.0.0.1", "::1"):
        token = site.caller(request).token
        if token is None or token.scope != "metrics":
            raise Problem("not_allowed", "A token of scope metrics is needed from elsewhere.")
    return Response(site.meter.text(), media_type="text/plain; version=0.0.4")


async def _told(request: Request, error: Exception) -> Response:
    """Answer with a problem: as JSON to programs, as a page to people."""
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        problem = Problem("invalid_input", f"{where}: {first['msg']}.")
    elif isinstance(error, HTTPException):
        words = {404: "not_found", 405: "wrong_method", 400: "bad_request"}
        problem = Problem(words.get(error.status_code, "bad_request"), str(error.detail))
    else:
        problem = as_problem(error)
        if problem.status >= 500:
            log.error("failed", exc_info=error, extra={"problem": problem.word})
    request.scope["holdfast.problem"] = problem.word
    if problem.word == "wrong_method":
        every = (*request.app.routes, *api.router.routes, *pages.router.routes)
        here = [r for r in every if isinstance(r, Route) and r.matches(request.scope)[0].value]
        methods = sorted({method for route in here for method in route.methods or ()})
        problem.headers["Allow"] = ", ".join(methods)
    if request.url.path.startswith("/api/") or problem.word == "wrong_method":
        kind = "application/problem+json"
        return JSONResponse(problem.body, problem.status, problem.headers, kind)
    return pages.error_page(request, problem)


class _Direct(Route):
    """A route of Starlette's own that is noted like any other."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        found, more = super().matches(scope)
        return found, {**more, "route": self}


class _Watched:
    """Headers, one log line and one count for every request; unexpected errors, told as such.

    What is no upload is read here, within its size and time, before anything looks into it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, begun = time.perf_counter(), 500, False

        async def answer(message: Message) -> None:
            nonlocal status, begun
            if message["type"] == "http.response.start":
                status, begun = message["status"], True
                own = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(pair for pair in ENCODED if pair[0] not in own),
                ]
                if b"cache-control" not in own:
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        try:
            if not is_upload(scope["method"], scope["path"]):
                site: Site = scope["app"].state.site
                body = await site.body(Request(scope, receive), LARGEST_BODY)
                receive = given(body, receive)
            await self._app(scope, receive, answer)
        except Exception as error:  # so that no traceback reaches anybody's log
            if not begun:
                await (await _told(Request(scope, receive), error))(scope, receive, answer)
        finally:
            self._note(scope, status, time.perf_counter() - started)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route: Any = scope.get("route")
        template = getattr(route, "path", "none")
        scope["app"].state.site.meter.count(scope["method"], template, status, seconds)
        if not log.isEnabledFor(logging.INFO):
            return
        # Made here, since a logger would look through the stack for who has called it.
        record = logging.LogRecord(log.name, logging.INFO, "", 0, "answered", (), None)
        vars(record).update(
            method=scope["method"],
            route=template,
            status=status,
            milliseconds=round(seconds * 1e3, 1),
            request=f"{os.getpid():x}-{next(REQUESTS):x}",
        )
        if "holdfast.problem" in scope:
            vars(record)["problem"] = scope["holdfast.problem"]
        log.handle(record)


REQUESTS = count(1)
ENCODED = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
