"""A board over HTTP as an oracle, so that any attack can play it."""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from holdfast.client import BoardClient, Released, RunState
from holdfast.errors import BudgetExhausted, NotSupported
from holdfast.labels import Labels, label_dtype
from holdfast.problem import Problem
from holdfast.protocols import Answer
from holdfast.rules import PENDING, is_pending
from holdfast.transcript import query_digest

__all__ = ["Remote"]


class Remote:
    """Ask a board in the name of the token's team; the board counts the looks.

    A lost connection or a crash can't spend a look twice: each look has a key, which is on disk
    before it is asked for if there is a `state` file. The same attack with the same seed goes on
    from that file where it stopped.

    Parameters
    ----------
    url
        The board's address, https://host/b/NAME.
    token
        A token of a team.
    n_queries
        How many looks an attack may take; None: those that the team has left.
    state
        A file for keys and answers; None: nothing survives this process.
    wait
        Wait for the next window when no look is left, instead of raising `BudgetExhausted`.
    patience
        How long a request that is not answered is tried again, in seconds.
    insecure
        Ask a board without https on another machine, too: as for `BoardClient`.
    run
        What tells this run from others in the state file, such as the attack and its seed.

    Attributes
    ----------
    problem
        The sizes, with the looks that were left when the run began.
    receipts
        One receipt id per answered look of this process.
    looks_left
        What the board said last.
    release, metric
        What the board's public policy says: the rule, and all that a look shows.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        n_queries: int | None = None,
        state: str | os.PathLike[str] | None = None,
        wait: bool = False,
        patience: float = 600.0,
        insecure: bool = False,
        run: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.client = BoardClient(url, token, patience=patience, insecure=insecure, sleep=sleep)
        self._wait, self._sleep = wait, sleep
        board, team = self.client.board(), self.client.allowance()
        self.looks_left = int(team["looks_left"])
        self._classes = int(board["n_classes"])
        about = {"board": self.client.url, "team": team["team_id"], "run": run}
        looks = max(1, self.looks_left) if n_queries is None else n_queries
        self.state = RunState(state, about, looks)
        # In another phase the labels or the rule are others: no key is the same.
        if board.get("takes") == "outcomes":
            raise NotSupported("a board of tasks has no labels to ask for: it takes outcomes.")
        self.release = str(board["policy"]["release"])
        self.metric = _display(board["policy"])
        self._policy = f"{board['policy']['digest']} phase {board['phase']}"
        self.problem = Problem(int(board["n_examples"]), self._classes, self.state.looks)
        self.batch: list[Answer] = []
        self.receipts: list[str] = []
        self._waiting: list[tuple[int, Labels]] = []
        self._asked = 0

    def query(self, query: Labels) -> Answer:
        """Return what the board releases; raises what `BoardClient.submit` raises."""
        look, self._asked = self._asked, self._asked + 1
        answer = self._answer(look, query)
        self._waiting.append((look, query))
        if not is_pending(answer):
            # The look that fills a batch has the earlier ones answered: they ask again, free.
            self.batch = [*(self._answer(*each) for each in self._waiting[:-1]), answer]
            self._waiting.clear()
        return answer

    def _answer(self, look: int, query: Labels) -> Answer:
        digest = query_digest(np.asarray(query))
        known = self.state.answer(look, digest)
        if known is not None:
            return known
        parts = f"{self.state.about} {self._policy} {digest} {look}"
        fresh = hashlib.blake2b(parts.encode(), digest_size=20).hexdigest()
        told = self.send(query, self.state.key(look, digest, fresh))
        if told.answer is None:
            return PENDING
        self.receipts.append(told.receipt_id)
        self.state.record(look, told.answer, told.receipt_id)
        return told.answer

    def send(self, query: Labels, key: str) -> Released:
        """Send a prediction under a key, waiting for a window if that was asked for."""
        file, given = io.BytesIO(), np.asarray(query)
        kind = given.dtype if given.dtype.kind == "f" else label_dtype(self._classes)
        np.save(file, given.astype(kind))
        while True:
            try:
                told = self.client.submit(file.getvalue(), key=key, file="query.npy")
            except BudgetExhausted as refusal:
                at = refusal.next_allowed_at
                if not self._wait or at is None:
                    raise
                self._sleep(max(1.0, (at - datetime.now(UTC)).total_seconds() + 0.5))
                continue
            self.looks_left = told.looks_left
            return told


def _display(policy: Mapping[str, Any]) -> str:
    """Return what a look shows, in words, by a board's public policy."""
    by = f" by {policy['breakdown']}" if policy.get("breakdown") else ""
    also = ", ".join(map(str, policy.get("also") or ()))
    return f"{policy['metric']}{by}{f', also {also}' if also else ''}"
