"""Making sure of labels that were only presumed: one answer settles any number of them."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.attacks.exact.lattice.board import Asking, Board, ask_round
from holdfast.attacks.exact.lattice.layout import Contradiction, Placed, Round, Shown
from holdfast.attacks.exact.lattice.rows import Ints

__all__ = ["confirm", "confirm_groups"]


def confirm(board: Board, members: Ints) -> Asking[bool]:
    """Tell whether all presumed labels of `members` are right.

    Two queries that differ on the members alone, where one shows the presumed labels and the
    other none of them, differ by at most len(members), and by that only if all are right. If the
    members are all positions, one query and a full count do.
    """
    right = yield board.base.copy()
    if members.size == board.base.size:
        good = right == members.size
    else:
        other = board.base.copy()
        other[members] = board.actual(members, board.label[members] + 1)
        wrong = yield other
        good = right - wrong == members.size
    if good:
        board.certain[members] = True
    return good


def confirm_groups(board: Board, groups: Sequence[Ints]) -> Asking[list[bool]]:
    """Tell of every group whether all its presumed labels are right: one look more than groups."""
    rnd = Round(len(groups) + 1, halved=False)
    for node, members in enumerate(groups, 1):
        g = members.size
        board.show_all(members, board.label[members] + 1)
        shown = Shown(1, 0, 1, members, board.label[members].tolist())
        rnd.add(node, Placed(-g, g, 0, None, [shown], g))
    try:
        values = yield from ask_round(board, rnd)
    except Contradiction:
        return [False] * len(groups)
    finally:
        for members in groups:
            board.show_all(members, board.label[members])
    good = [int(value) == g for value, g in zip(values.tolist(), rnd.tags, strict=True)]
    for members, fine in zip(groups, good, strict=True):
        if fine:
            board.certain[members] = True
    return good
