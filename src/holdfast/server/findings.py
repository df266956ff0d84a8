"""Probes on a board: found on demand or by night, kept for hosts, told to no team.

Looks are read again from the predictions that the ledger keeps, in views of their own, never in a
look's transaction. What was found is kept beside the standings: every worker shows the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from holdfast.detect import Detection, detect
from holdfast.detect.page import as_page
from holdfast.detect.words import summary
from holdfast.errors import HoldfastError
from holdfast.ledger.moments import clock
from holdfast.server.gatekeeper import Gatekeeper
from holdfast.server.records import Board, Phase

__all__ = ["Finding", "Findings"]

OF_PHASE = "FROM holdfast_findings WHERE board = ? AND phase = ?"


class Finding(NamedTuple):
    """What was found last: when, after which entry, in one line, and as a whole page in HTML."""

    time: int
    entry: int
    summary: str
    page: str


class Findings:
    """Judges boards one after the other."""

    def __init__(self, gatekeeper: Gatekeeper) -> None:
        self._gatekeeper, self._thread = gatekeeper, ThreadPoolExecutor(1)
        self._busy = set[int]()

    def judge(
        self,
        board: Board,
        phase: Phase,
        baselines: Sequence[bytes] = (),
        rate: float | None = None,
    ) -> Detection:
        """Judge all looks of a board at the test set of a phase, and keep what was found.

        Parameters
        ----------
        board, phase
            Whose looks; those of teams that were merged are one team's.
        baselines
            Files of the host's own submissions.
        rate
            p0; None: that of the other teams, for each team.
        """
        guards = self._gatekeeper
        with guards.store.reading() as transaction:
            entry = transaction.head().number
        files = [guards.labels_of(phase, each) for each in baselines]
        found = detect(guards.kept_looks(board, phase), files, rate=rate)
        page = as_page(found, board.title)
        self._keep(phase, Finding(clock(), entry, summary(found), page))
        return found

    def ask(self, board: Board, phase: Phase) -> None:
        """Judge a board beside the requests, unless it is being judged."""
        if not self.busy(board):
            self._busy.add(board.id)
            self._thread.submit(self._judge_beside, board, phase)

    def busy(self, board: Board) -> bool:
        """Tell whether a board is being judged, or waits for it."""
        return board.id in self._busy

    def _judge_beside(self, board: Board, phase: Phase) -> None:
        try:
            self.judge(board, phase)
        except Exception as error:
            told = str(error) if isinstance(error, HoldfastError) else type(error).__name__
            self._keep(phase, Finding(clock(), 0, f"Nothing could be judged: {told}", ""))
        finally:
            self._busy.discard(board.id)

    def _keep(self, phase: Phase, found: Finding) -> None:
        key = (phase.board, phase.number)
        with self._gatekeeper.store.writing() as transaction:
            transaction.execute(f"DELETE {OF_PHASE}", key)
            into = "INSERT INTO holdfast_findings VALUES (?, ?, ?, ?, ?, ?)"
            transaction.execute(into, (*key, *found))

    def last(self, phase: Phase) -> Finding | None:
        """Return what was found last, here or by `holdfast detect --board`."""
        question = f"SELECT time, entry, summary, page {OF_PHASE}"
        rows = self._gatekeeper.store.rows((question, (phase.board, phase.number)))
        return Finding(*rows[0]) if rows else None

    def close(self) -> None:
        """End, without what still waits."""
        self._thread.shutdown(cancel_futures=True)
