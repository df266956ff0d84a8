"""Requests of a forwarder: one submission to a board, tried again with the same key.

Python 3.7 and its standard library: this text is part of a file that runs in hosts' old images.
"""

from __future__ import annotations

import hashlib
import http.client
import ipaddress
import json
import os
import random
import re
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

# The board's address, a token of scope service, and the host's names for column and split.
BOARD = "https://boards.example/b/name"
TOKEN = ""
METRIC = "accuracy"
SPLIT = "test_split"
# "yes": the token may travel in clear text to another machine.
INSECURE = ""
# "yes": on Codabench every user has a budget, where its worker tells who it is.
PER_USER = ""

EVERYONE = "everyone"
# What participants are told of the host's own faults, with a word by which the host finds them.
NEUTRAL = "submissions can't be scored at present ({}); please tell the organizers."
RETRIED_STATUSES = (429, 500, 502, 503, 504)
PATIENCE = 90.0
# Bytes of an answer, which has one number and some words, and letters of one of its texts.
LARGEST_ANSWER, LONGEST_TEXT = 1 << 20, 1000
RECEIPT_ID = re.compile("[0-9]+-[0-9a-f]+")


class Stay(urllib.request.HTTPRedirectHandler):
    """No redirects: they would carry the token elsewhere, and the submission nowhere."""

    def redirect_request(self, *arguments: Any) -> None:
        """Follow none."""


class Refused(Exception):
    """The board released nothing; the message is for the participant."""


def find_token(*folders: str) -> str:
    """Return the token: of this file, of HOLDFAST_TOKEN, or of a file holdfast-token."""
    token = TOKEN or os.environ.get("HOLDFAST_TOKEN", "")
    for folder in folders:
        path = os.path.join(folder, "holdfast-token")
        if not token and os.path.isfile(path):
            with open(path) as file:
                token = file.read().strip()
    if not token:
        raise Refused(NEUTRAL.format("no_token"))
    return token


def is_in_clear(board: str) -> bool:
    """Return whether what is sent to this address can be read on its way to another machine."""
    parts = urllib.parse.urlsplit(board)
    host = parts.hostname or ""
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost"
    return parts.scheme != "https" and not loopback


def send(body: bytes, team: str, token: str, name: str, marks: str = "") -> dict[str, Any]:
    """Return what the board releases for one submission of a team, or raise `Refused`.

    `marks` is what tells this submission from another one with the same content. The key is made of
    content, team and marks: however often the host calls, it is one look. The board takes keys of
    forwarders by phase: on fresh labels, or under another rule, the same content is another look.
    """
    if is_in_clear(BOARD) and INSECURE != "yes":
        raise Refused(NEUTRAL.format("insecure_board"))
    team = " ".join(team.split())  # a header has one line, and boards spell names in this way, too
    if not team.isprintable():
        raise Refused("team must be a printable name, got {}.".format(ascii(team)[:80]))
    origin, _, board = BOARD.rstrip("/").rpartition("/b/")
    url = "{}/api/v1/boards/{}/service/submissions".format(origin, board)
    secret = "\0".join([url, team, marks, hashlib.sha256(body).hexdigest()])
    headers = {
        "Authorization": "Bearer " + token,
        "Idempotency-Key": "forwarder-" + hashlib.sha256(secret.encode()).hexdigest(),
        "Content-Type": "application/octet-stream",
        "X-Team": team.encode().decode("latin-1"),
        "X-File-Name": "".join(c if " " <= c <= "~" else "?" for c in name)[:200],
    }
    # A proxy of the environment reads what is not encrypted, also on the way to this machine.
    proxies = None if url.startswith("https:") else {}  # type: dict[str, str] | None
    opener = urllib.request.build_opener(Stay, urllib.request.ProxyHandler(proxies))
    deadline, attempt = time.monotonic() + PATIENCE, 0
    while True:
        pause = random.uniform(0.1, min(20.0, 0.2 * 2**attempt))
        try:
            request = urllib.request.Request(url, data=body, headers=headers, method="POST")
            with opener.open(request, timeout=60) as answer:
                return checked(content_of(answer))
        except urllib.error.HTTPError as error:
            if error.code not in RETRIED_STATUSES:
                raise Refused(detail_of(error)) from None
            wait = error.headers.get("Retry-After") or ""
            pause = max(pause, float(wait) if re.fullmatch("[0-9]+", wait) else 0.0)
        except (OSError, ValueError, RecursionError, ssl.SSLError, http.client.HTTPException):
            pass  # nothing is known of this request; the same again costs nothing
        attempt = min(attempt + 1, 10)
        if time.monotonic() + pause > deadline:
            raise Refused("the scores' server can't be reached; nothing was released. Try again.")
        time.sleep(pause)


def content_of(answer: Any, most: int = LARGEST_ANSWER) -> dict[str, Any]:
    """Return the JSON object of an answer of at most so many bytes, or raise `ValueError`."""
    content = answer.read(most + 1)
    told = json.loads(content.decode()) if len(content) <= most else None
    if not isinstance(told, dict):
        raise ValueError("no object, or too large")
    return told


def checked(told: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of which a host may show each part, or raise `Refused`.

    What is released is a finite number; texts are short, of one line, and hold no markup.
    """
    released = told.get("released", "")
    if released is None:
        waits = told.get("waiting", True)
        when = "the score is released when the batch is full" if waits else "no score was released"
        raise Refused("recorded; {}.".format(when))
    receipt = RECEIPT_ID.fullmatch(str(told.get("receipt_id")))
    shape = is_number(released) and type(told.get("looks_left")) is int
    if not (shape and receipt and isinstance(told.get("numbers") or {}, dict)):
        raise Refused(NEUTRAL.format("bad_answer"))
    texts = {name: plain(said) for name, said in told.items() if isinstance(said, str)}
    counts = {name: n for name, n in told.items() if n is None or isinstance(n, int)}
    found = told.get("numbers") or {}
    numbers = {plain(name): n for name, n in found.items() if is_number(n)}
    several = {"numbers": numbers} if numbers else {}
    return {"meaning": "", **counts, **texts, "released": released, **several}


def row_of(told: dict[str, Any]) -> dict[str, Any]:
    """Return an answer's numbers by the host's columns: the one that ranks, others by their names.

    So a column that is called as another number of the board, as "recall_macro" or "subject=law",
    shows that; Codabench drops what it has no column for.
    """
    return {**(told.get("numbers") or {}), METRIC: told["released"]}


def is_number(value: Any) -> bool:
    """Return whether a value of JSON is a finite number; beyond 1e300 is no score."""
    return type(value) in (int, float) and abs(value) < 1e300


def plain(text: str) -> str:
    """Return a text as one line without markup."""
    return "".join("?" if c in "<>" or not c.isprintable() else c for c in text)[:LONGEST_TEXT]


def detail_of(error: urllib.error.HTTPError) -> str:
    """Return what the board says to a participant; of the host's own faults, the word alone."""
    try:
        problem = content_of(error)
        word, detail = str(problem["type"]), str(problem["detail"])
    except (OSError, ValueError, KeyError, RecursionError, http.client.HTTPException):
        word, detail = "http_{}".format(error.code), ""
    if word in ("invalid_submission", "invalid_team", "no_look_left", "phase_closed", "too_large"):
        return plain(detail)
    return NEUTRAL.format(word if re.fullmatch("[a-z0-9_]{1,40}", word) else "unknown")
