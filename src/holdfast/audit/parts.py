"""Which examples a look is scored on, and which decide the final ranking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from holdfast.audit.result import Part
from holdfast.errors import InvalidInput
from holdfast.guard.parts import IGNORED, PRIVATE, PUBLIC, rows_of_parts
from holdfast.label_files import LabelFile
from holdfast.labels import Labels

__all__ = ["Final", "Parts", "parts_of"]

# What decides the final ranking: the private part alone, all examples, or the scored ones.
Final = Literal["private", "all", "public"]


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of a test set, as the platform uses them.

    Attributes
    ----------
    scored
        Labels that looks are scored on, in the file's order.
    where
        Their positions in the file.
    private
        Number of examples that looks never touch but the final ranking may.
    ignored
        Number of examples that nothing is scored on.
    final
        What decides the final ranking.
    """

    scored: Labels = field(repr=False)
    where: np.ndarray[tuple[int], np.dtype[np.intp]] = field(repr=False)
    private: int
    ignored: int
    final: Final

    @property
    def final_share(self) -> float:
        """How much of a gain on the scored part the final ranking sees."""
        if self.final == "private":
            return 0.0
        if self.final == "public":
            return 1.0
        return self.scored.size / (self.scored.size + self.private)

    def described(self) -> tuple[Part, ...]:
        """Return the parts for the record."""
        if not self.private and not self.ignored:
            return (Part("all", int(self.scored.size), True, True),)
        parts = [Part(PUBLIC, int(self.scored.size), True, self.final != "private")]
        if self.private:
            parts.append(Part(PRIVATE, self.private, False, self.final != "public"))
        if self.ignored:
            parts.append(Part(IGNORED, self.ignored, False, False))
        return tuple(parts)


def parts_of(file: LabelFile, final: Final | None = None) -> Parts:
    """Read the parts from a label file; without a `Usage` or `split` column there is one.

    The public part is what looks are scored on. By default the private part alone decides the
    final ranking, as on Kaggle and in Hugging Face competitions.
    """
    parts = rows_of_parts(file)
    if not parts:
        if final == "private":
            raise InvalidInput(
                "final must be all or public where the labels have no public part "
                "(a Usage or split column), got private."
            )
        return Parts(file.labels, np.arange(file.n_examples), 0, 0, final or "public")
    where, private = parts[PUBLIC], int(parts[PRIVATE].size)
    if final == "private" and not private:
        raise InvalidInput("final must not be private where no example is, got private.")
    return Parts(
        scored=file.labels[where],
        where=where,
        private=private,
        ignored=int(parts[IGNORED].size),
        final=final or ("private" if private else "public"),
    )
