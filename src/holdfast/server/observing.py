"""Log lines and metrics: what happened, never who scored what.

A log line has the fields of an allow-list and nothing else; a metric's labels are the method, the
route's template and the status. No path, no query, no body and no header is ever written.
"""

from __future__ import annotations

import json
import logging
import time
import traceback
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

__all__ = ["JsonLines", "Meter", "log"]

log = logging.getLogger("holdfast.server")

# Of how long requests take, in seconds.
BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
LOGGED_FIELDS: Final = ("method", "route", "status", "milliseconds", "request", "problem", "board")


class JsonLines(logging.Formatter):
    """One JSON object per line, of fields from the allow-list."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; of an exception only its type, since its message may hold anything."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "event": record.msg if record.name.startswith("holdfast") else record.name,
        }
        for name in LOGGED_FIELDS:
            if name in vars(record):
                line[name] = vars(record)[name]
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = record.exc_info[0].__name__
            for place in traceback.extract_tb(record.exc_info[2])[-1:]:
                line["at"] = f"{place.filename.rpartition('/')[2]}:{place.lineno}"
        return json.dumps(line)


class Meter:
    """Counters of one process, for Prometheus."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._registry = CollectorRegistry()
        own, names = self._registry, ["method", "route", "status"]
        self._requests = Counter("holdfast_requests", "Answered requests.", names, registry=own)
        name, told = "holdfast_request_seconds", "Time from request to answer."
        self._seconds = Histogram(name, told, ["route"], registry=own, buckets=BUCKETS)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        key = (method, route, status)
        if key not in self._known:  # to find a series by its labels takes longer than to count
            series = self._requests.labels(method, route, str(status)), self._seconds.labels(route)
            self._known[key] = series
        requests, times = self._known[key]
        requests.inc()
        times.observe(seconds)

    def text(self) -> bytes:
        """Return the metrics in Prometheus' text format."""
        return generate_latest(self._registry)
