"""Kernels of hit pools: rows are written, sums are read, and misreadings are corrected."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from holdfast.attacks.exact.subset_lattice import moebius, odd_bits, subtract_from_subsets

__all__ = ["correct_misreadings", "likelier", "read_sums", "switched_on", "write_labels"]


@njit(cache=True, nogil=True)
def switched_on(inside: Any, size: Any, node: Any, unit: Any, out: Any) -> None:
    """Write which slots show their alternative label, given the row's bits inside every node."""
    for t in range(node.size):
        y = inside[node[t]]
        out[t] = odd_bits(y) == (size[node[t]] & 1) and (y >> 1) < unit[t]


@njit(cache=True, nogil=True)
def write_labels(on: Any, home: Any, alternative: Any, base: Any, out: Any) -> None:
    """Write what every example shows: the alternative where its slot is on."""
    for j in range(home.size):
        out[j] = alternative[j] if on[home[j]] else base[j]


@njit(cache=True, nogil=True, inline="always")
def _read_node(
    x: Any, start: Any, stop: Any, radix: Any, low: Any, moved: Any, values: Any
) -> None:
    """Write the values of a node's slots, given its sum."""
    for t in range(start, stop):
        value = x
        if radix[t]:
            value = (x - low[t]) % radix[t] + low[t] + moved[t] * radix[t]
            x = (x - value) // radix[t]
        values[t] = value


@njit(cache=True, nogil=True, inline="always")
def _add_shown(value: Any, unit: Any, bits: Any, shown: Any) -> None:
    """Add a slot's value to the rows in which it is on."""
    for y in range(min(np.int64(1) << bits, 2 * unit)):
        if odd_bits(y) == (bits & 1):
            shown[y] += value


@njit(cache=True, nogil=True, inline="always")
def _odds_of(value: Any, odds: Any) -> Any:
    """Return the log-probability of a value; those beyond the table have the last one."""
    reach = odds.size // 2
    return odds[reach + min(max(value, -reach), reach)]


@njit(cache=True, nogil=True)
def read_sums(sums: Any, size: Any, first: Any, order: Any, unit: Any, radix: Any, low: Any,
              moved: Any, values: Any) -> None:  # fmt: skip
    """Read the slots of all nodes. `sums`, the alternating sums, become those that were read.

    `order` lists the nodes, large ones first; the slots of node a are first[a] .. first[a + 1], in
    order of their units, the last of them without a limit. `moved` says by how many radices a
    digit is off.
    """
    shown = np.empty(np.int64(1) << size.max(), np.int64)
    for a in order:
        start, stop = first[a], first[a + 1]
        _read_node(sums[a], start, stop, radix, low, moved, values)
        room = np.int64(1) << size[a]
        if (values[start:stop] == 0).all():
            continue
        here = sums[a]
        shown[:room] = 0
        for t in range(start, stop):
            if values[t]:
                _add_shown(values[t], unit[t], size[a], shown)
        subtract_from_subsets(sums, a, shown[:room])
        sums[a] = here


@njit(cache=True, nogil=True)
def likelier(slot: Any, change: Any, node: Any, seen: Any, size: Any, first: Any, unit: Any,
             radix: Any, low: Any, moved: Any, odds: Any, values: Any, trial: Any, delta: Any,
             shown: Any) -> Any:  # fmt: skip
    """Return by how much moving one digit changes the log-likelihood.

    Only the node's subsets can change, and of these only what is read from a changed sum: `delta`
    holds the changes, by the bits inside the node. A larger set has a larger number, so going down
    every node comes after all that change it.
    """
    full = (np.int64(1) << size[node]) - 1
    delta[: full + 1] = 0
    moved[slot] += change
    total = 0.0
    b = node
    for place in range(full, 0, -1):
        if place == full or delta[place] != 0:
            start, stop = first[b], first[b + 1]
            _read_node(seen[b] + delta[place], start, stop, radix, low, moved, trial)
            room = np.int64(1) << size[b]
            shown[:room] = 0
            same = True
            for t in range(start, stop):
                more = trial[t] - values[t]
                if more:
                    same = False
                    total += _odds_of(trial[t], odds[t]) - _odds_of(values[t], odds[t])
                    _add_shown(more, unit[t], size[b], shown)
            if not same:
                moebius(shown[:room])
                inside = np.int64(0)
                for y in range(room - 1):
                    delta[inside] -= shown[y]
                    inside = (inside - place) & place
        b = (b - 1) & node
    moved[slot] -= change
    return total


@njit(cache=True, nogil=True)
def correct_misreadings(
    sums: Any, size: Any, first: Any, order: Any, unit: Any, radix: Any, low: Any, odds: Any,
    clearly: Any, at_most: Any, values: Any,
) -> Any:  # fmt: skip
    """Read all sums, then move the digits that were out of their window while that is likelier.

    A value outside the window is read a radix off, the digit above it by one, and nodes below get
    wrong sums: together far less likely than the one value. `odds[t, r + v]` is the log-probability
    of value v in slot t, for v from -r to r. Returns how many digits were moved.
    """
    moved = np.zeros(unit.size, np.int64)
    trial = np.empty_like(values)
    delta = np.empty(np.int64(1) << size.max(), np.int64)
    shown = np.empty_like(delta)
    for step in range(at_most + 1):
        seen = sums.copy()
        read_sums(seen, size, first, order, unit, radix, low, moved, values)
        best, at, by = clearly, -1, 0
        for a in order:
            for t in range(first[a], first[a + 1]):
                if radix[t]:
                    for change in (-1, 1):
                        found = likelier(t, change, a, seen, size, first, unit, radix, low, moved,
                                         odds, values, trial, delta, shown)  # fmt: skip
                        if found > best:
                            best, at, by = found, t, change
        if at < 0 or step == at_most:
            return step
        moved[at] += by
    return at_most
