"""Options of the commands that ask a board, and the token they ask with."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Annotated

import typer

from holdfast.errors import InvalidInput

__all__ = ["EXIT_UNREACHABLE", "BoardUrl", "Insecure", "TokenFile", "Wait", "token_from"]

EXIT_UNREACHABLE = 5
VARIABLE = "HOLDFAST_TOKEN"
LONGEST_TOKEN = 1000

BoardUrl = Annotated[str, typer.Option(help="The board's address, https://host/b/NAME.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(help=f"File of the team's token, readable by you alone. Default: ${VARIABLE}."),
]
Insecure = Annotated[
    bool,
    typer.Option(
        "--insecure",
        help="Take a board without https on another machine: the token travels in clear text.",
    ),
]
Wait = Annotated[bool, typer.Option("--wait", help="If no look is left, wait for the next window.")]


def token_from(file: Path | None) -> str:
    """Return a token from its file or the environment; never from an argument, which others see."""
    from holdfast.files.text_files import read_text_file

    if file is None:
        token = os.environ.get(VARIABLE, "").strip()
        if not token:
            raise InvalidInput(
                f"a token is needed: put it into {VARIABLE}, or into a file of yours alone for "
                "--token-file; your team's page makes one."
            )
        return token
    text = read_text_file(file, LONGEST_TOKEN, name=f"token file {file}").strip()
    mode = stat.S_IMODE(file.stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        raise InvalidInput(
            f"token file {file} must be readable by its owner alone, got mode {mode:04o}; "
            f"run: chmod 600 {file}"
        )
    return text
