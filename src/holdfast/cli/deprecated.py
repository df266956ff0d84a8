"""Old spellings on the command line, which work for one version more and are said to be old."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["renewed"]

LOOKS, RULE = {"--n-queries": "--looks"}, {"--mechanism": "--rule"}
# By command, what an option was called and what it is called now.
OLD_WORDS = {
    "attack": LOOKS,
    "audit": RULE,
    "bounds": LOOKS,
    "lint": {"--release": "--rule"},
    "matrix": LOOKS,
    "plan": LOOKS | RULE,
    "policy": {"--release": "--rule"},
}


def renewed(given: Sequence[str], command: str) -> tuple[list[str], list[str]]:
    """Return the words of a command with options as they are called now, and a note for each.

    >>> renewed(["plan", "--mechanism=round:3"], "plan")
    (['plan', '--rule=round:3'], ['--mechanism is deprecated; write --rule.'])
    """
    words, notes = [], []
    for word in given:
        old, equals, value = word.partition("=")
        now = OLD_WORDS.get(command, {}).get(old)
        words.append(word if now is None else f"{now}{equals}{value}")
        if now is not None:
            notes.append(f"{old} is deprecated; write {now}.")
    return words, notes
