"""`holdfast mcp`: a board as tools of an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.boards_access import BoardUrl, Insecure, TokenFile, token_from

__all__ = ["mcp"]


def mcp(
    board: BoardUrl,
    token_file: TokenFile = None,
    folder: Annotated[Path, typer.Option(help="Files are submitted from here and below.")] = Path(),
    patience: Annotated[
        float, typer.Option(min=0, help="Seconds to try for if the board does not answer.")
    ] = 60.0,
    insecure: Insecure = False,
) -> None:
    """Serve a board to an agent as MCP tools, on standard input and output.

    The tools: submit a file or outcomes, looks left and when, a receipt. The process has a token
    and no label; the token should be a file that the agent can't read, under another user.

    Examples
    --------
    holdfast mcp --board https://boards.example/b/fixes --token-file token
    holdfast mcp --board https://boards.example/b/fixes --token-file token --folder workspace
    """
    from holdfast.adapters.mcp_tools import serve
    from holdfast.client import BoardClient

    serve(BoardClient(board, token_from(token_file), patience=patience, insecure=insecure), folder)
