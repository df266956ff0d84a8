"""Subjects of released answers: the submission's own score, or one that stands."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

__all__ = ["OWN_SCORE", "SCORE", "Told", "Wording", "in_words"]

SCORE = "score of this submission"


@dataclass(frozen=True, slots=True)
class Told:
    """What a rule says of its answer, besides the value.

    Nothing here tells more than the answers do: the limits on information count it.

    Attributes
    ----------
    new_best
        Whether this submission is the best so far by the rule's own comparison; None: the rule
        has none, or hides it.
    own
        Whether the value is of this submission; False: it is one that stood before; None: not
        told.
    part
        The part of the examples that was scored, counted from 0, where there are several.
    """

    new_best: bool | None = None
    own: bool | None = True
    part: int | None = None

    def as_text(self, *, speaks: bool) -> str:
        """Return a note for the record; none for a rule whose answers are all alike."""
        if self == OWN_SCORE and not speaks:
            return ""
        values = {"new_best": self.new_best, "own": self.own, "part": self.part}
        return json.dumps({k: v for k, v in values.items() if v is not None or k == "own"})

    @classmethod
    def from_text(cls, text: str, *, speaks: bool) -> Told:
        """Return what a record says; a rule that `speaks` and wrote no note told nothing.

        >>> note = Told(new_best=True).as_text(speaks=True)
        >>> Told.from_text(note, speaks=True)
        Told(new_best=True, own=True, part=None)
        >>> Told.from_text("", speaks=True).own is None
        True
        """
        if not text:
            return cls(own=None) if speaks else OWN_SCORE
        try:
            note: Any = json.loads(text)
        except (ValueError, RecursionError):
            note = None
        if not isinstance(note, dict):
            return cls(own=None)  # no note of ours: it says nothing
        new_best, own, part = (note.get(name) for name in ("new_best", "own", "part"))
        return cls(
            new_best if isinstance(new_best, bool) else None,
            own if isinstance(own, bool) else None,
            part if isinstance(part, int) else None,
        )


# What most answers are.
OWN_SCORE = Told()


@dataclass(frozen=True, slots=True)
class Wording:
    """A phrase that rules extend in turn: what is told, and how it was treated.

    `whose` names the submissions that the rule remembers: "team blue", "all teams".
    """

    whose: str
    head: str = SCORE
    tail: str = ""

    def about(self, head: str) -> Wording:
        """Return the phrase with another subject."""
        return Wording(self.whose, head, self.tail)

    def then(self, treatment: str) -> Wording:
        """Return the phrase with one more treatment."""
        return Wording(self.whose, self.head, self.tail + treatment)


def in_words(wording: Wording) -> str:
    """Return the phrase as text.

    >>> in_words(Wording("team blue")), in_words(Wording("all teams").then(", rounded"))
    ('exact score of this submission', 'score of this submission, rounded')
    """
    plain = wording.head == SCORE and not wording.tail
    return ("exact " if plain else "") + wording.head + wording.tail
