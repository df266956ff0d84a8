"""Confirmation of presumed labels: one difference of two answers settles any number of them.

Labels are presumed where the answers so far make any other value very unlikely, but do not rule it
out (`many_classes`). Presuming saves looks; confirming makes what was presumed certain, at one or
two looks for all of it. A confirmation that fails names no position: the group starts anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.attacks.exact.rounds.kernels import Ints
from holdfast.attacks.exact.rounds.knowledge import Asking, LabelKnowledge, ask_round
from holdfast.attacks.exact.rounds.layout import Contradiction, MemberRun, PlacedBlock, Round

__all__ = ["confirm", "confirm_groups"]


def confirm(knowledge: LabelKnowledge, members: Ints) -> Asking[bool]:
    """Tell whether all presumed labels of `members` are right, whatever led to them.

    Two queries that differ on the members alone, where one shows the presumed labels and the
    other none of them, differ by at most len(members), and by that only if all are right. If the
    members are all positions, one query and a full count do.

    That is a proof, where the presumption was a likelihood: a position adds 1 to the difference if
    its presumed label is right, and 0 or -1 if it is wrong, so g positions reach g in one way only.
    It names no culprit, though: a difference of g - 1 may come from any of them.

    Yields
    ------
    Two queries, or one; is sent their counts. Members are marked certain if all are right.

    Examples
    --------
    >>> import numpy as np
    >>> hidden = np.array([1, 0, 2, 2])
    >>> known = LabelKnowledge(np.zeros(4, np.int64), n_classes=3, looks=9)
    >>> for position, label in ((0, 1), (2, 2)):
    ...     known.settle(position, label, certain=False)
    >>> script = confirm(known, np.array([0, 2]))
    >>> first = next(script)
    >>> second = script.send(int((first == hidden).sum()))
    >>> first.tolist(), second.tolist()
    ([1, 0, 2, 0], [2, 0, 0, 0])
    >>> try:
    ...     script.send(int((second == hidden).sum()))
    ... except StopIteration as done:
    ...     done.value, known.certain.tolist()
    (True, [True, False, True, False])
    """
    right = yield knowledge.base.copy()
    if members.size == knowledge.base.size:
        good = right == members.size
    else:
        other = knowledge.base.copy()
        other[members] = knowledge.actual(members, knowledge.label[members] + 1)
        wrong = yield other
        good = right - wrong == members.size
    if good:
        knowledge.certain[members] = True
    return good


def confirm_groups(knowledge: LabelKnowledge, groups: Sequence[Ints]) -> Asking[list[bool]]:
    """Tell of every group whether all its presumed labels are right: one look more than groups.

    A round with one group per node. Each shows labels that are one off, and the presumed ones in
    one row of sign +; so its block has value g, the group's size, just if all g are right. The
    round costs len(groups) + 1 looks, where confirming them one by one would cost two for each.
    """
    rnd = Round(len(groups) + 1, halved=False)
    for node, members in enumerate(groups, 1):
        g = members.size
        knowledge.show_all(members, knowledge.label[members] + 1)
        run = MemberRun(1, 0, 1, members, knowledge.label[members].tolist())
        rnd.add(node, PlacedBlock(-g, g, 0, None, [run], g))
    try:
        values = yield from ask_round(knowledge, rnd)
    except Contradiction:
        return [False] * len(groups)
    finally:
        for members in groups:
            knowledge.show_all(members, knowledge.label[members])
    good = [int(value) == g for value, g in zip(values.tolist(), rnd.tags, strict=True)]
    for members, fine in zip(groups, good, strict=True):
        if fine:
            knowledge.certain[members] = True
    return good
