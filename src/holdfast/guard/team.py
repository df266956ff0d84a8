"""Team names: one key for every spelling of a name."""

from __future__ import annotations

import re
import unicodedata

from holdfast.errors import InvalidInput
from holdfast.quoting import shortened

__all__ = ["spelling_key", "team_key"]

LONGEST_TEAM = 200

# Printed as nothing or as a blank, and yet letters, marks or symbols to Unicode, so that neither
# compatibility folding nor `isprintable` says anything about them.
INVISIBLE_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

# Blanks that are no blank of one line.
LINE_BREAKS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]")

# Alphabets whose letters look alike in print; a word of one of them is a word, of two a disguise.
ALPHABETS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "DESERET")


def spelling_key(name: str) -> str:
    r"""Return what all spellings of a name share: no width, case, style of type or outer blanks.

    >>> spelling_key("\u00a0\uff22lue   TEAM ") == spelling_key("blue team")
    True
    """
    if name.isascii():
        return " ".join(name.split()).lower()
    # The compatibility caseless match of the Unicode standard (D146), composed at the end: folding
    # case may leave what the normal form would change again, and the other way round.
    once = unicodedata.normalize("NFKD", unicodedata.normalize("NFD", name).casefold())
    return " ".join(unicodedata.normalize("NFKC", once.casefold()).split())


def team_key(name: object) -> str:
    """Return the key under which a team's looks are counted, or raise `InvalidInput`.

    A name must have something to see and nothing that can't be seen, and no word of it may mix
    letters of alphabets that look alike: a Cyrillic "е" makes "bluе" another word than "blue",
    but nobody could tell.

    >>> team_key(" Blue")
    'blue'
    """
    if not isinstance(name, str):
        raise InvalidInput(f"team must be a name, got {type(name).__name__}.")
    if len(name) > LONGEST_TEAM:
        raise InvalidInput(f"team must have at most {LONGEST_TEAM} characters, got {len(name)}.")
    key = spelling_key(name)
    if (
        not key
        or not key.isprintable()
        or INVISIBLE_LETTERS.search(key)
        or LINE_BREAKS.search(name.strip())
    ):
        raise InvalidInput(
            "team must be a printable name without invisible characters, "
            f"got {shortened(ascii(name))}."
        )
    if not key.isascii():
        if len(key) > LONGEST_TEAM:
            raise InvalidInput(
                f"team must have at most {LONGEST_TEAM} characters when its ligatures are taken "
                f"apart, got {len(key)}."
            )
        for word in re.findall(r"[^\W\d_]+", key):
            found = sorted({script for letter in word if (script := _alphabet(letter))})
            if len(found) > 1:
                raise InvalidInput(
                    f"team must not mix {' and '.join(f.capitalize() for f in found)} letters in "
                    f"one word, got {shortened(ascii(word))}."
                )
    return key


def _alphabet(letter: str) -> str | None:
    name = unicodedata.name(letter, "").partition(" ")[0]
    return name if name in ALPHABETS else None
