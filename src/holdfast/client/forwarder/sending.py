"""Requests of a forwarder: one submission to a board, tried again with the same key.

Python 3.7 and its standard library: this text is part of a file that runs in hosts' old images.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import random
import ssl
import time
import urllib.error
import urllib.request
from typing import Any

# The board's address, a token of scope service, and the host's names for column and split.
BOARD = "https://boards.example/b/name"
TOKEN = ""
METRIC = "accuracy"
SPLIT = "test_split"

EVERYONE = "everyone"
# What participants are told of the host's own faults, with a word by which the host finds them.
NEUTRAL = "submissions can't be scored at present ({}); please tell the organizers."
RETRIED_STATUSES = (429, 500, 502, 503, 504)
PATIENCE = 90.0


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


def send(body: bytes, team: str, token: str, name: str, marks: str = "") -> dict[str, Any]:
    """Return what the board releases for one submission of a team, or raise `Refused`.

    `marks` is what tells this submission from another one with the same content. The key is made of
    content, team and marks: however often the host calls, it is one look. The board takes keys of
    forwarders by phase: on fresh labels, or under another rule, the same content is another look.
    """
    team = " ".join(team.split())  # a header has one line, and boards spell names in this way, too
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
    deadline, attempt = time.monotonic() + PATIENCE, 0
    while True:
        pause = random.uniform(0.1, min(20.0, 0.2 * 2**attempt))
        try:
            request = urllib.request.Request(url, data=body, headers=headers, method="POST")
            with urllib.request.build_opener(Stay).open(request, timeout=60) as answer:
                told = json.loads(answer.read().decode())
            if not isinstance(told, dict) or not told.get("receipt_id"):
                raise ValueError("no receipt")
            if told.get("released") is None:
                raise Refused("recorded; the score is released when the batch is full.")
            return told
        except urllib.error.HTTPError as error:
            if error.code not in RETRIED_STATUSES:
                raise Refused(detail_of(error)) from None
            wait = error.headers.get("Retry-After") or ""
            pause = max(pause, float(wait) if wait.isdigit() else 0.0)
        except (OSError, ValueError, ssl.SSLError, http.client.HTTPException):
            pass  # nothing is known of this request; the same again costs nothing
        attempt += 1
        if time.monotonic() + pause > deadline:
            raise Refused("the scores' server can't be reached; nothing was released. Try again.")
        time.sleep(pause)


def detail_of(error: urllib.error.HTTPError) -> str:
    """Return what the board says to a participant; of the host's own faults, the word alone."""
    try:
        problem = json.loads(error.read().decode())
        word, detail = str(problem["type"]), str(problem["detail"])
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        word, detail = "http_{}".format(error.code), ""
    if word in ("invalid_submission", "no_look_left", "phase_closed", "too_large"):
        return detail
    return NEUTRAL.format(word if word.replace("_", "").isalnum() else "unknown")
