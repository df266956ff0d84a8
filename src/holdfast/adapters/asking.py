"""Questions of adapters to a guard or a board: an answer with a score of its own, or a refusal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.adapters.mcp_tools import BoardTools
from holdfast.client import BoardClient
from holdfast.errors import NotSupported
from holdfast.rules import parse_rule

__all__ = ["Answer", "Ask", "of_board", "of_guard"]


class Answer(Protocol):
    """A receipt, or what stands for one: `score` is None where there is none of its own."""

    @property
    def score(self) -> float | None:
        """The submission's own released value."""

    @property
    def refused(self) -> str:
        """Why nothing was released; nothing if something was."""

    @property
    def looks_left(self) -> int:
        """How many looks the team has left; -1 where nobody told."""


@dataclass(frozen=True)
class Ask:
    """What asks for a look at a submission and returns what is told, and which scores are better.

    Attributes
    ----------
    look
        Called with a submission.
    metric
        The name of the metric that is told.
    higher_is_better
        Whether a larger value of it is a better one.
    """

    look: Callable[[Any], Answer]
    metric: str
    higher_is_better: bool

    def __call__(self, submission: Any) -> Answer:
        """Ask for a look."""
        return self.look(submission)


class _Told:
    def __init__(self, told: dict[str, Any]) -> None:
        self.score: float | None = told["score"]
        self.refused: str = told["refused"]
        # Not known where a submission could not be scored, or the board not be reached.
        self.looks_left: int = told.get("looks_left", -1)


def of_guard(guard: Any, *, team: str, frame: str, own: bool = False) -> Ask:
    """Return what asks a `Guard`, `GuardedFile` or `OutcomeGuard` in this process.

    Whatever runs in this process has the labels: for candidates' code, ask a board.
    """
    inner = getattr(guard, "guard", guard)
    _refuse_rule(inner.policy.release, frame, own=own)
    metric = inner.policy.display.metric
    return Ask(
        lambda submission: guard.try_score(submission, team=team),
        str(metric),
        metric.higher_is_better,
    )


def of_board(client: BoardClient, *, frame: str, own: bool = False) -> Ask:
    """Return what sends bytes to a board; `own`: every answer must be the submission's own."""
    policy = client.board()["policy"]
    _refuse_rule(policy["release"], frame, own=own)

    def ask(body: bytes) -> Answer:
        return _Told(BoardTools.submitted(client, body, f"{frame}.csv"))

    return Ask(ask, policy["metric"], policy.get("higher_is_better", True))


def _refuse_rule(release: str, frame: str, *, own: bool) -> None:
    """Raise `NotSupported` for a rule of which the frame can make nothing."""
    rule = parse_rule(release)
    if rule.shows != "scores" or rule.waits:
        raise NotSupported(
            f"{frame} needs a score at once, and {release} tells none: take release = "
            '"round:2", or a rule with noise.'
        )
    if own and rule.speaks:
        raise NotSupported(
            f"{frame} takes what is told for each program's own score, and {release} may tell "
            'another\'s: take release = "round:2", or a rule with noise.'
        )
