"""Blocks as they are placed: what positions show in the rows of a node, and what a value tells.

A block comes to the node with its unit U: a value v adds v U to the node's sum. Linear blocks show
one label against another in the first U rows of sign +, so that the value itself is what those rows
count more; it may come from any variables. In the other blocks every label, or every value of a
member, has rows of its own, and a table says what each value adds to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from holdfast.attacks.exact.rounds.digit_blocks import DigitBlock, Run, digit_block
from holdfast.attacks.exact.rounds.knowledge import LabelKnowledge
from holdfast.attacks.exact.rounds.layout import MemberRun, PlacedBlock
from holdfast.attacks.exact.rounds.variables import Group, Variable, fresh, leaf
from holdfast.attacks.exact.rounds.weights import WEIGHTS, options

__all__ = ["place_apart", "place_linear"]

Learn = Callable[[int], None]


def place_linear(
    knowledge: LabelKnowledge,
    shown: Sequence[tuple[Variable, int, int | None]],
    low: int,
    high: int,
    unit: int,
    last: bool,
    learn: Learn,
) -> PlacedBlock:
    """Let variables show one value against another one, or against nothing.

    Parameters
    ----------
    knowledge
        Where base labels are kept.
    shown
        Variables, the value that counts 1, and the one that counts -1.
    low, high
        Least and largest sum.
    unit, last
        The block's place at its node.
    learn
        Takes the sum.
    """
    here: dict[int, int] = {}
    base: dict[int, int] = {}
    constant = 0
    for variable, up, down in shown:
        top = leaf(variable, up)
        constant += top.constant
        here[top.position], base[top.position] = top.label, top.elsewhere
        if down is None:
            continue
        bottom = leaf(variable, down)
        constant -= bottom.constant
        base[bottom.position] = bottom.label
        if bottom.position != top.position:
            here[bottom.position] = bottom.elsewhere
            # Two classes: halved counts say "has the other label", 1 less "has this one" (`Round`).
            constant += knowledge.n_classes == 2
    for j, label in base.items():
        knowledge.show(j, label)
    run = MemberRun(1, 0, unit, list(here), list(here.values()))
    radix = 0 if last else high - low + 1
    return PlacedBlock(
        low + constant, high + constant, radix, None, [run], lambda v: learn(v - constant)
    )


@cache
def _apart(values: int, total: int, is_fresh: tuple[bool, ...]) -> DigitBlock:
    """Tabulate the block that tells the options of a group apart; outcomes are their numbers.

    A run shows one value of one member; of a fresh member value 0 fills all rows that no other
    value takes, and who has it loses a match in these.
    """
    g = len(is_fresh)
    every = options(values, g)[total]
    weights = WEIGHTS[values, g, total]
    runs: list[Run] = []
    for i, row in enumerate(weights.rows):
        rows = {1: 0, -1: 0}
        for value, weight in enumerate(row):
            occurs = any(option[i] == value for option in every)
            if weight and occurs and not (is_fresh[i] and value == 0):
                sign = 1 if weight > 0 else -1
                runs.append(Run(i, value, sign, rows[sign], rows[sign] + abs(weight)))
                rows[sign] += abs(weight)
    table = [
        [int(option[r.part] == r.slot) - int(is_fresh[r.part] and not option[r.part]) for r in runs]
        for option in every
    ]
    sums = [
        sum(r.sign * (r.stop - r.start) * c for r, c in zip(runs, row, strict=True))
        for row in table
    ]
    assert len({x % weights.radix for x in sums}) == len(every)
    block = digit_block(runs, weights.need, sums, table, range(len(every)))
    return block._replace(radix=weights.radix)


def place_apart(
    knowledge: LabelKnowledge, group: Group, unit: int, last: bool, learn: Learn
) -> PlacedBlock:
    """Tell the options of a group apart; `learn` takes the number of the true one."""
    is_fresh = tuple(fresh(member) for member in group.members)
    block = _apart(group.values, group.total, is_fresh)
    runs, shift = [], 0
    for r in block.runs:
        member = group.members[r.part]
        here = leaf(member, r.slot)
        bias, elsewhere = here.constant, here.elsewhere
        if is_fresh[r.part]:
            first = leaf(member, 0)
            bias, elsewhere = bias - first.constant, first.label
        knowledge.show(here.position, elsewhere)
        shift += r.sign * (r.stop - r.start) * bias
        runs.append(
            MemberRun(r.sign, r.start * unit, r.stop * unit, (here.position,), (here.label,), bias)
        )
    low = block.low + shift
    high = low + len(block.outcomes) - 1
    radix = 0 if last else block.radix
    return PlacedBlock(
        low, high, radix, block.table, runs, lambda v: learn(block.outcomes[v - low])
    )
