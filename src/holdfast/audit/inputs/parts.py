"""Public and private part: the examples that looks are scored on, and those that decide."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from holdfast.audit.result import AuditedPart
from holdfast.errors import InvalidInput
from holdfast.files.label_files import LabelFile
from holdfast.guard.parts import AUTO, IGNORED, PRIVATE, PUBLIC, rows_of_parts, scored_part
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
        What decides the final ranking; "public" stands for the scored examples.
    name
        What the scored part is called.
    """

    scored: Labels = field(repr=False)
    where: np.ndarray[tuple[int], np.dtype[np.intp]] = field(repr=False)
    private: int
    ignored: int
    final: Final
    name: str = PUBLIC

    @property
    def final_share(self) -> float:
        """How much of a gain on the scored part the final ranking sees."""
        if self.final == "private":
            return 0.0
        if self.final == "public":
            return 1.0
        return self.scored.size / (self.scored.size + self.private)

    def described(self) -> tuple[AuditedPart, ...]:
        """Return the parts for the record."""
        if not self.private and not self.ignored:
            return (AuditedPart("all", int(self.scored.size), True, True),)
        parts = [AuditedPart(self.name, int(self.scored.size), True, self.final != "private")]
        if self.private:
            parts.append(AuditedPart(PRIVATE, self.private, False, self.final != "public"))
        if self.ignored:
            parts.append(AuditedPart(IGNORED, self.ignored, False, False))
        return tuple(parts)


def parts_of(file: LabelFile, final: Final | None = None, part: str = AUTO) -> Parts:
    """Read the parts from a label file; without a `Usage` or `split` column there is one.

    Parameters
    ----------
    file
        The labels, with their split if they have one.
    final
        What decides the final ranking. By default it is the private part alone where there is
        one, as on Kaggle and in Hugging Face competitions.
    part
        What looks are scored on: "public", "private", "all" (but ignored examples), or "auto":
        the public part where there is one. Where it is not the public one, the examples that
        looks are scored on decide the final ranking, too.
    """
    parts = rows_of_parts(file)
    found = scored_part(parts, file.n_examples, part)
    name, where = found.name, found.rows
    if not parts:
        if final == "private":
            raise InvalidInput(
                "final must be all or public where the labels have no public part "
                "(a Usage or split column), got private."
            )
        return Parts(file.labels, where, 0, 0, final or "public", name)
    scored = file.labels[where]
    if name != PUBLIC:
        if final not in (None, name):
            raise InvalidInput(f"final must be {name}, as looks are scored on it, got {final}.")
        return Parts(scored, where, 0, file.n_examples - scored.size, "public", name)
    private = int(parts[PRIVATE].size)
    if final == "private" and not private:
        raise InvalidInput("final must not be private where no example is, got private.")
    return Parts(
        scored=scored,
        where=where,
        private=private,
        ignored=int(parts[IGNORED].size),
        final=final or ("private" if private else "public"),
    )
