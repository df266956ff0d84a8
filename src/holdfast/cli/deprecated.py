"""Old spellings on the command line, which work for one version more and are said to be old."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["renewed"]

RULE = {"--mechanism": "--rule"}
# By command, what an option was called and what it is called now.
OLD_WORDS = {
    "audit": RULE,
    "lint": {"--release": "--rule"},
    "plan": RULE,
    "policy": {"--release": "--rule"},
}


# By command, what the policy says now.
COLUMNS = ("--id-column", "--label-column")
GUARDED = (*COLUMNS, "--shared-labels")
IN_POLICY = {
    "audit": (*COLUMNS, "--final", "--final-choices"),
    "board": COLUMNS,
    "choose": (*GUARDED, "--part"),
    "close": GUARDED,
    "gate": (*GUARDED, "--part"),
    "score": (*GUARDED, "--part"),
}


# What were commands of their own, and where they are now.
OLD_COMMANDS = {
    "figures": ("sweep", "figures"),
    "matrix": ("bench", "matrix"),
    "reproduce": ("paper", "reproduce"),
    "statements": ("paper", "statements"),
}


def renewed(given: Sequence[str], command: str) -> tuple[list[str], list[str]]:
    """Return the words of a command as they are called now, and a note for each that was not.

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
        if old in IN_POLICY.get(command, ()):
            key = old.removeprefix("--").replace("-", "_")
            notes.append(
                f"{old} is deprecated; write {key} into the policy (holdfast policy init {old})."
            )
    if command in OLD_COMMANDS:
        now_at = OLD_COMMANDS[command]
        at = words.index(command)
        words[at : at + 1] = now_at
        notes.append(f"holdfast {command} is deprecated; write holdfast {' '.join(now_at)}.")
    return words, notes
