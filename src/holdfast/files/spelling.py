"""Class names in several spellings: 1, 1.0 and True can be one class.

A table of integers comes back from pandas as "1.0" once a value was missing, and a table of truth
values as "True". Two files that mean the same class must not be told apart by who wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

__all__ = ["class_numbers", "is_integer", "is_number", "plain_spelling", "steps_per_one"]

NUMBER_PATTERN = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:nan|inf|infinity)", re.ASCII | re.IGNORECASE
)
WHOLE_FLOAT_PATTERN = re.compile(r"([+-]?)0*(\d+)\.0*", re.ASCII)
POWER_PATTERN = re.compile(r"[+-]?\d+(?:\.\d*)?[eE][+-]?\d+", re.ASCII)
# Beyond this a float no longer tells neighbouring integers apart.
LARGEST_EXACT_FLOAT = 2**53
TRUTH_VALUES = {"true": "1", "false": "0", "1": "1", "0": "0"}


def is_integer(text: str) -> bool:
    """Return whether a text is an integer as Python writes it, leading zeros aside."""
    return text.isascii() and text.removeprefix("-").isdigit()


def is_number(text: str) -> bool:
    """Return whether a text is a number, whole or not, finite or not."""
    return NUMBER_PATTERN.fullmatch(text) is not None


def plain_spelling(name: str) -> str:
    """Return a whole number that is written as a float as an integer; others as they are.

    >>> plain_spelling("1.0"), plain_spelling("-3."), plain_spelling("1e+06")
    ('1', '-3', '1000000')
    >>> plain_spelling("1.5"), plain_spelling("007"), plain_spelling("cat")
    ('1.5', '007', 'cat')
    """
    whole = WHOLE_FLOAT_PATTERN.fullmatch(name)
    if whole is not None:
        sign, digits = whole.groups()
        return f"-{digits}" if sign == "-" and digits != "0" else digits
    if POWER_PATTERN.fullmatch(name):
        value = float(name)
        if abs(value) <= LARGEST_EXACT_FLOAT and value.is_integer():
            return str(int(value))
    return name


def steps_per_one(names: Sequence[str]) -> int:
    """Return the least power of ten by which numbers become whole; 1 where one is no number.

    >>> steps_per_one(["1.50", "2.25", "-3e1"]), steps_per_one(["1.0", "2"]), steps_per_one(["cat"])
    (100, 1, 1)
    """
    try:
        exponents = [Decimal(name).normalize().as_tuple().exponent for name in names]
    except InvalidOperation:
        return 1
    return int(10 ** -min([0, *(each for each in exponents if isinstance(each, int))]))


def class_numbers(names: Sequence[str], known: Sequence[str]) -> list[int]:
    """Return the place of each name among the known ones, whatever the spelling; -1: unknown.

    The same text comes first; then the same number; and where all known classes are truth values
    (0 and 1, or True and False in any case), the same truth value. A spelling that two known
    classes share settles nothing.

    >>> class_numbers(["1", "2.0", "0", "cat"], ["0", "1", "2"])
    [1, 2, 0, -1]
    >>> class_numbers(["True", "0"], ["0", "1"]), class_numbers(["1.0"], ["False", "True"])
    ([1, 0], [1])
    """
    exact = {name: place for place, name in enumerate(known)}
    if all(name in exact for name in names):
        return [exact[name] for name in names]
    numbers = _by_key([plain_spelling(name) for name in known])
    truths = [TRUTH_VALUES.get(plain_spelling(name).lower()) for name in known]
    truth_values = _by_key([t for t in truths if t is not None]) if None not in truths else {}
    found = []
    for name in names:
        plain = plain_spelling(name)
        place = exact.get(name, numbers.get(plain, -1))
        if place < 0 and truth_values:
            place = truth_values.get(TRUTH_VALUES.get(plain.lower(), ""), -1)
        found.append(place)
    return found


def _by_key(keys: Sequence[str]) -> dict[str, int]:
    """Return the place of each key that occurs once; -1 for the others."""
    places: dict[str, int] = {}
    for place, key in enumerate(keys):
        places[key] = -1 if key in places else place
    return places
