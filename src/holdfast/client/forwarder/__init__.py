"""Forwarders: one self-contained file per host that sends its submissions to a board.

A file is made of the text of two modules here: that of a host's frame, and `sending`. Both keep to
Python 3.7 and its standard library, which is what hosts' images have.
"""

from __future__ import annotations

import re
from pathlib import Path

from holdfast.client.forwarder.sending import is_in_clear
from holdfast.errors import InvalidInput
from holdfast.quoting import quoted

__all__ = ["HOSTS", "forwarder", "refuse_in_clear"]

HOSTS = ("codabench", "evalai", "huggingface", "kaggle")
OWN_IMPORT = re.compile(r"^from holdfast\.[\s\S]*?(?:\)|[^,(\n])\n", re.MULTILINE)
FUTURE = "from __future__ import annotations\n"


def forwarder(
    host: str,
    board: str,
    *,
    token: str = "",
    metric: str = "accuracy",
    split: str = "test_split",
    insecure: bool = False,
    per_user: bool = False,
) -> str:
    """Return the text of a host's file.

    Parameters
    ----------
    host
        One of `HOSTS`.
    board
        The board's address.
    token
        A token of scope service to be written into the file; empty: it is found when it runs.
    metric, split
        The host's own names of the leaderboard's column and of the split.
    insecure
        Let the token travel in clear text, to a board without https on another machine.
    per_user
        On Codabench, a budget for each user, by a detail of its worker that is not documented.

    Examples
    --------
    >>> print(forwarder("evalai", "https://host/b/pets").splitlines()[0])
    # Written by: holdfast forwarder evalai
    """
    if host not in HOSTS:
        raise InvalidInput(f"host must be one of {', '.join(HOSTS)}, got {quoted(host)}.")
    if re.fullmatch(r"https?://[^/\s\"'\\]+(?:/[^\s\"'\\]*)?/b/[a-z0-9-]+", board) is None:
        raise InvalidInput(
            f"board must be an address like https://host/b/name, got {quoted(board)}."
        )
    refuse_in_clear(board, insecure)
    settings = {"BOARD": board, "TOKEN": token, "METRIC": metric, "SPLIT": split}
    settings["INSECURE"] = "yes" if insecure else ""
    settings["PER_USER"] = "yes" if per_user else ""
    if per_user and host != "codabench":
        raise InvalidInput(f"per_user must be for codabench; {host} tells the team, or never does.")
    for name, value in settings.items():
        if not value.isprintable() or not value.isascii() or set(value) & set("\"'\\"):
            raise InvalidInput(f"{name.lower()} must be plain printable text, got {quoted(value)}.")
    frame, sending = (
        (Path(__file__).parent / f"{module}.py").read_text(encoding="utf-8")
        for module in (host, "sending")
    )
    for name, value in settings.items():
        sending = re.sub(rf'^{name} = ".*"$', f'{name} = "{value}"', sending, flags=re.MULTILINE)
    opening, _, frame = frame.partition(FUTURE)
    _, _, sending = sending.partition(FUTURE)
    return (
        f"# Written by: holdfast forwarder {host}\n{opening.rstrip()}\n\n{FUTURE}"
        f"{sending.rstrip()}\n\n\n{OWN_IMPORT.sub('', frame).lstrip()}"
    )


def refuse_in_clear(board: str, insecure: bool) -> None:
    """Raise `InvalidInput` for a board to which a token would travel in clear text."""
    if is_in_clear(board) and not insecure:
        raise InvalidInput(
            f"board must have an address with https, or be on this machine, got {quoted(board)}: "
            "the token would travel in clear text; --insecure (insecure=True) insists."
        )
