"""Variables: what is still unknown, in parts that are independent and can be asked on their own.

A *variable* has some values, one of which is true. It is a position with its candidates
(`Single`), or several variables of which a sum is known (`Group`), among them "has this position
that label?" (`Hit`). What counts for planning is the *kind* alone: whatever has two, or three,
equally likely values and can be shown against something that is wrong is asked alike, wherever it
comes from.

To *show* a value is to let positions show labels in some rows such that these rows count 1 more if
the value is true, up to a constant (`leaf`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import log2
from typing import NamedTuple

from holdfast.attacks.exact.rounds.weights import WEIGHTS, options

__all__ = [
    "OTHER",
    "Equal",
    "Group",
    "Hit",
    "Kind",
    "Leaf",
    "Lone",
    "Options",
    "Single",
    "Tie",
    "Variable",
    "entropy",
    "fresh",
    "leaf",
    "width",
]

OTHER = -1
"""Two classes: as a label known to be wrong, the one of the two that is not shown (`Round`)."""

SAME_KIND_DECIMALS = 2
"""Doubts that agree to so many decimals make positions of one kind."""


class Kind:
    """What planning knows of a variable: variables of one kind are interchangeable."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Equal(Kind):
    """So many (2 or 3) equally likely values, whatever the variable is."""

    values: int


@dataclass(frozen=True, slots=True)
class Options(Kind):
    """A group with so many options, told apart by weights of this radix and need."""

    options: int
    radix: int
    need: int


@dataclass(frozen=True, slots=True)
class Lone(Kind):
    """A position with so many likely and unlikely candidates."""

    likely: int
    unlikely: int
    wrong: bool
    """Whether a label is known to be wrong."""
    doubt: float
    """Probability of all unlikely candidates together."""


@cache
def _kind_of(likely: int, unlikely: int, wrong: bool, doubt: float) -> Kind:
    if not unlikely and (likely == 3 or (likely == 2 and wrong)):
        return Equal(likely)
    return Lone(likely, unlikely, wrong, round(doubt, SAME_KIND_DECIMALS))


@cache
def bits_of(likely: int, unlikely: int, doubt: float) -> float:
    """Return the entropy of a position with so many candidates.

    >>> bits_of(8, 0, 0.0)
    3.0
    """
    if not likely:
        return log2(unlikely)
    bits = (1.0 - doubt) * log2(likely)
    if unlikely and doubt:
        bits += doubt * log2(unlikely) + entropy([doubt, 1.0 - doubt])
    return bits


def entropy(probabilities: list[float]) -> float:
    """Return the bits of a distribution, which need not be normalised.

    >>> entropy([1, 1, 2])
    1.5
    """
    positive = [p for p in probabilities if p > 0.0]
    total = sum(positive)
    return -sum(p / total * log2(p / total) for p in positive)


class Tie(NamedTuple):
    """Two positions, each with two labels: one has its first and one its second, or neither any."""

    other: int
    theirs: tuple[int, int]
    mine: tuple[int, int]


class Single:
    """A position with likely and unlikely candidates, and a label known to be wrong, if there is.

    Immutable: what is learnt makes another one.
    """

    __slots__ = ("doubt", "kind", "likely", "position", "ties", "unlikely", "wrong")

    def __init__(
        self,
        position: int,
        likely: tuple[int, ...],
        unlikely: tuple[int, ...] = (),
        wrong: int | None = None,
        doubt: float = 0.0,
        ties: tuple[Tie, ...] = (),
    ) -> None:
        self.position = position
        self.likely = likely
        self.unlikely = unlikely
        self.wrong = wrong
        self.doubt = doubt
        self.ties = ties
        self.kind = _kind_of(len(likely), len(unlikely), wrong is not None, doubt)

    @property
    def bits(self) -> float:
        """Return the entropy of its label."""
        return bits_of(len(self.likely), len(self.unlikely), self.doubt)

    @property
    def candidates(self) -> tuple[int, ...]:
        """Return all labels that it can have."""
        return self.likely + self.unlikely

    def without(self, label: int) -> Single:
        """Return it with a label proved wrong."""
        likely = tuple(x for x in self.likely if x != label)
        unlikely = tuple(x for x in self.unlikely if x != label)
        return Single(self.position, likely, unlikely, label, self.doubt, self.ties)

    def against(self, label: int) -> int:
        """Return the label to show where `label` is not shown."""
        assert self.wrong is not None
        return 1 - label if self.wrong == OTHER else self.wrong


class Hit(NamedTuple):
    """Has the position this label? 1: yes; 0: it is wrong. Only as the member of a group."""

    single: Single
    label: int

    @property
    def bits_behind(self) -> float:
        """Return the bits that are left if it has another label."""
        return self.single.without(self.label).bits


class Group:
    """Variables of v values each of which a sum is known, so that their options are as likely.

    Parameters
    ----------
    members
        The variables.
    values
        How many values each has.
    total
        Their sum (`weights.summand`).
    behind
        Bits that are left, on average, when the option is known.
    """

    __slots__ = ("behind", "kind", "members", "options", "owners", "total", "values")

    def __init__(
        self, members: list[Variable], values: int, total: int, behind: float = 0.0
    ) -> None:
        self.values, self.total, self.behind = values, total, behind
        self.options = options(values, len(members))[total]
        weights = WEIGHTS[values, len(members), total]
        count = len(self.options)
        self.kind: Kind = Options(count, weights.radix, weights.need)
        self.owners: tuple[int, ...] = ()
        if count == weights.radix <= 3 and weights.need == 1 and values < 4:
            self.kind = Equal(count)
            self.owners = _owners(values, len(members), total)
        self.members = [
            _ruled_out(member, missing[0]) if missing else member
            for member, missing in zip(members, _missing(values, len(members), total), strict=True)
        ]

    @property
    def bits(self) -> float:
        """Return the entropy of its option, and what is behind it."""
        return log2(len(self.options)) + self.behind


Variable = Single | Hit | Group


def width(variable: Variable) -> int:
    """Return how many positions a variable has."""
    return sum(map(width, variable.members)) if isinstance(variable, Group) else 1


@cache
def _owners(values: int, members: int, total: int) -> tuple[int, ...]:
    """Return, by option, a member whose value no other option shares; if it can be, not value 0.

    >>> _owners(2, 3, 1), _owners(2, 3, 2), _owners(3, 2, 0)
    ((2, 1, 0), (0, 1, 2), (0, 0, 0))
    """
    every = options(values, members)[total]
    out = []
    for option in every:
        own = [i for i in range(members) if sum(o[i] == option[i] for o in every) == 1]
        out.append(max(own, key=lambda i: option[i] != 0) if values == 2 else own[0])
    return tuple(out)


@cache
def _missing(values: int, members: int, total: int) -> list[list[int]]:
    """Return, by member, the values that no option has.

    >>> _missing(3, 2, 1)
    [[0], [0]]
    """
    every = options(values, members)[total]
    return [[x for x in range(values) if all(o[i] != x for o in every)] for i in range(members)]


def _ruled_out(member: Variable, value: int) -> Variable:
    """Return a member with a value that its sum rules out: a label of it is then wrong."""
    if isinstance(member, Single) and member.wrong is None:
        label = member.likely[value]
        return Single(member.position, member.likely, member.unlikely, label, member.doubt)
    if isinstance(member, Group) and member.owners and fresh(member):
        owner = member.owners[value]
        changed = list(member.members)
        changed[owner] = _ruled_out(changed[owner], member.options[value][owner])
        return Group(changed, member.values, member.total, member.behind)
    return member


def fresh(variable: Variable) -> bool:
    """Tell whether nothing is known to be wrong that could be shown instead of a value."""
    if isinstance(variable, Single):
        return variable.wrong is None
    if isinstance(variable, Group):
        return any(fresh(variable.members[i]) for i in variable.owners)
    return False


class Leaf(NamedTuple):
    """How to show a value: a position, its label, and what it shows in the other rows."""

    position: int
    label: int
    elsewhere: int
    constant: int
    """What the rows count more if the value is not true: 0, or -1."""


def leaf(variable: Variable, value: int) -> Leaf:
    """Return how rows show a value: they count 1 more if it is true than if it is not.

    A fresh variable shows one of its values in every row: `elsewhere` is of no use then.
    """
    if isinstance(variable, Single):
        label = variable.likely[value]
        elsewhere = label if variable.wrong is None else variable.against(label)
        return Leaf(variable.position, label, elsewhere, 0)
    if isinstance(variable, Hit):
        single, label = variable
        blank = single.against(label)
        if value:
            return Leaf(single.position, label, blank, 0)
        # Whoever has another label loses nothing in the rows where the label is not shown.
        return Leaf(single.position, blank, label, -1)
    owner = variable.owners[value]
    return leaf(variable.members[owner], variable.options[value][owner])
