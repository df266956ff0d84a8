"""Quotation of untrusted values in messages: one line, at most 80 characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["LONGEST_QUOTE", "choice", "listed", "printable", "quoted", "safe_cell", "shortened"]

LONGEST_QUOTE = 80
MOST_LISTED = 6
# Where a program begins a cell, whatever it takes for a separator, and what begins a formula there.
FORMULA = re.compile(r"(?:^|(?<=[,;|\t\r\n]))(?=\s*[=+\-@\t\r＝＋－＠])")


def quoted(value: object) -> str:
    """Return `repr(value)`, cut where it grows longer than a message should be.

    >>> quoted("cat"), quoted(2.5)
    ("'cat'", '2.5')
    >>> len(quoted("x" * 1_000_000))
    80
    """
    if isinstance(value, str | bytes):
        value = value[: LONGEST_QUOTE + 1]  # a repr of megabytes would only be thrown away
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        # Python writes out no integer of more than 4,300 digits, and no list inside itself.
        return f"a very long {type(value).__name__}"
    return _cut(text) if text.isprintable() else shortened(text)


def shortened(text: str) -> str:
    r"""Return a text as one printable line of at most 80 characters.

    >>> shortened("expected\na number")
    'expected a number'
    """
    return _cut(printable(text[: 4 * LONGEST_QUOTE]))


def printable(text: str) -> str:
    r"""Return a text as one printable line, however long: no name may command a terminal.

    >>> printable("red\x1b[2J\nteam")
    'red?[2J team'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))


def listed(values: Iterable[object], *, quote: bool = True) -> str:
    """Return the first few values and how many more there are, in 80 characters or little more.

    >>> listed(["id", "label"])
    "'id', 'label'"
    >>> listed(range(30))
    '0, 1, 2, 3, 4, 5 and 24 more'
    """
    texts: list[str] = []
    room, more = LONGEST_QUOTE, 0
    for value in values:
        text = "" if more else quoted(value) if quote else shortened(str(value))
        # At least one is shown, so that there is something to recognise.
        if more or len(texts) == MOST_LISTED or (texts and len(text) + 2 > room):
            more += 1
            continue
        texts.append(text)
        room -= len(text) + 2
    shown = ", ".join(texts)
    return f"{shown} and {more} more" if more else shown


def choice(value: object, names: Iterable[str]) -> str:
    """Return what stands after "must be": the names there are, what was got, and what was meant.

    >>> choice("latter", ["ladder", "rank"])
    "one of ladder, rank, got 'latter'; did you mean ladder?"
    >>> choice("rung", ["ladder", "rank"])
    "one of ladder, rank, got 'rung'."
    """
    import difflib  # a message is rare, and the start of the command line is not

    known = list(names)
    close = difflib.get_close_matches(str(value)[:LONGEST_QUOTE], known, n=1)
    hint = f"; did you mean {close[0]}?" if close else "."
    return f"one of {', '.join(known)}, got {quoted(value)}{hint}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."


def safe_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula.

    A quote stands before every sign that begins a formula, also in full width, and also behind what
    another program takes for the end of a cell.

    >>> safe_cell("=HYPERLINK(1)"), safe_cell("a;＝1+1"), safe_cell("blue-green")
    ("'=HYPERLINK(1)", "a;'＝1+1", 'blue-green')
    """
    return FORMULA.sub("'", text)
