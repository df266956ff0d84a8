"""Candidates of the positions in play, shared by all families."""

from __future__ import annotations

from holdfast.attacks.exact.lattice.knowledge import LabelKnowledge

__all__ = ["InPlay"]


class InPlay:
    """The positions that are being worked on.

    Attributes
    ----------
    candidates
        The labels that each position in play can still have, in the order in which they are asked.
    wrong
        A label known to be wrong, for the positions that have one (m = 2: label 0): shown as the
        base label it adds nothing to any count.

    Parameters
    ----------
    knowledge
        What is known of all positions.
    certain
        Whether what is found here follows from answers alone, or also from what was presumed.
    """

    def __init__(self, knowledge: LabelKnowledge, *, certain: bool) -> None:
        self.knowledge = knowledge
        self.n_classes = knowledge.n_classes
        self.candidates: dict[int, list[int]] = {}
        self.wrong: dict[int, int] = {}
        self._certain = certain

    def settle(self, j: int, label: int) -> None:
        """Take a position's label as known, and the position out of play."""
        self.knowledge.settle(j, label, self._certain)
        self.drop(j)

    def drop(self, j: int) -> None:
        """Take a position out of play."""
        del self.candidates[j]
        self.wrong.pop(j, None)
