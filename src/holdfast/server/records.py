"""Records of the server: boards, phases, teams, submissions and standings as plain data."""

from __future__ import annotations

import json
from typing import NamedTuple, Self

__all__ = [
    "Board",
    "Member",
    "Outcomes",
    "Phase",
    "Standing",
    "Submission",
    "Team",
    "Token",
    "User",
    "ledger_name",
    "team_number",
]


class Board(NamedTuple):
    """A leaderboard; `visibility` is "open" (all), "own" (a team its own row) or "host".

    `changed` counts the changes of the board, its phases and the number of its teams.
    """

    id: int
    slug: str
    title: str
    visibility: str
    created: int
    changed: int = 0


class Outcomes(NamedTuple):
    """How outcomes of tasks are hidden and read: the secret's file, and the owner's word.

    `missing` is what becomes of a task without an outcome, "refuse" or "fail"; `between` the range
    of graded outcomes, None where each task is passed or failed.
    """

    secret: str
    missing: str = "refuse"
    between: tuple[float, float] | None = None

    def as_text(self) -> str:
        """Return a text that `from_text` reads."""
        return json.dumps(self._asdict())

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return what a text says."""
        told = json.loads(text)
        between = told["between"]
        return cls(told["secret"], told["missing"], None if between is None else tuple(between))


class Phase(NamedTuple):
    """One test set under one rule, for a time; the newest phase that has opened is in force.

    `shows` says which look of a team stands on the board: "best", "latest" or "chosen".
    `start` is the number of the ledger's last entry when it began. Where `outcomes` is a text, the
    file of labels is a list of tasks.
    """

    board: int
    number: int
    labels: str
    id_column: str | None
    label_column: str | None
    data_set: str
    n_examples: int
    policy: str
    digest: str
    shows: str
    opens: int
    closes: int | None
    start: int
    frozen: int | None
    finals: str | None
    outcomes: str | None = None

    @property
    def of_outcomes(self) -> Outcomes | None:
        """How outcomes of tasks are read; None where labels are hidden."""
        return None if self.outcomes is None else Outcomes.from_text(self.outcomes)


class Team(NamedTuple):
    """A team of one board. The ledger knows it as `ledger_name`, whatever it is called.

    `pooled_into` is the team that it was merged into.
    """

    id: int
    board: int
    name: str
    key: str
    outside: str | None
    hidden: int
    refusals: int
    created: int
    pooled_into: int | None = None

    @property
    def ledger_name(self) -> str:
        """The name under which looks are counted: a new name gives no fresh budget."""
        return ledger_name(self.board, self.id)


def ledger_name(board: int, team: int) -> str:
    """Return what the ledger calls a team of a board."""
    return f"b{board}-t{team}"


def team_number(board: int, name: str) -> int | None:
    """Return which team of a board the ledger calls so; None: it is another board's.

    >>> team_number(3, ledger_name(3, 12)), team_number(1, "b3-t12")
    (12, None)
    """
    ours = ledger_name(board, 0)[:-1]
    return int(name.removeprefix(ours)) if name.startswith(ours) else None


class User(NamedTuple):
    """An account."""

    id: int
    name: str
    key: str
    password: str
    created: int


class Member(NamedTuple):
    """What an account may do on a board: role "host", or "member" of a team."""

    member: int
    board: int
    team: int
    role: str


class Token(NamedTuple):
    """An API token; `scope` is "submit" (a team), "host" or "service" (a board) or "metrics"."""

    id: str
    hash: str
    owner: int | None
    board: int
    team: int
    scope: str
    name: str
    created: int
    expires: int | None
    revoked: int | None
    used_on: int | None


class Submission(NamedTuple):
    """What was sent, and the ledger entry that it became.

    `outcome` is "answered", "repeated" (from the record of an earlier look), "refused" (could not
    be scored, free) or "failed" (could not be scored, and cost a look).
    """

    id: int
    board: int
    phase: int
    team: int
    sender: int | None
    key: str
    body: str
    entry: int
    outcome: str
    note: str
    file: str
    time: int


class Standing(NamedTuple):
    """A team's row on the board: a cache of ledger entries.

    `history` holds what was released to it in turn, as texts with blanks between them. `fixed` is
    1 where the team has chosen which look stands.
    """

    board: int
    phase: int
    team: int
    released: str | None
    value: int
    reached: int
    entry: int
    looks: int
    last: int
    history: str
    fixed: int
