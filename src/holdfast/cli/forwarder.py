"""`holdfast forwarder`: the file that lets another host send its submissions to a board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.boards_access import BoardUrl, Insecure, token_from

__all__ = ["forwarder"]


def forwarder(
    host: Annotated[
        str, typer.Argument(help="The host: codabench, evalai, huggingface or kaggle.")
    ],
    board: BoardUrl,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="File of a token of scope service, to be written into the text. Default: it is "
            "found when it runs, in HOLDFAST_TOKEN or in a file holdfast-token: beside the script, "
            "on Codabench also in the reference data, on EvalAI also beside the annotation file, "
            "on Hugging Face in the competition's repository."
        ),
    ] = None,
    metric: Annotated[
        str, typer.Option(help="The host's key of the leaderboard's column.")
    ] = "accuracy",
    split: Annotated[
        str, typer.Option(help="EvalAI's codename of the data set split.")
    ] = "test_split",
    per_user: Annotated[
        bool,
        typer.Option(
            "--per-user",
            help="Codabench: a budget for each user, whom its worker names in the mounts of the "
            "container. Otherwise all share one.",
        ),
    ] = False,
    insecure: Insecure = False,
) -> None:
    """Write the file with which a host forwards submissions to a board, on stdout.

    The labels, the rule and the ledger stay on the board's server. The file needs Python 3.7 or
    newer and nothing else, and the token of: holdfast board token NAME --scope service.

    Examples
    --------
    holdfast forwarder codabench --board https://boards.example/b/pets > score.py
    holdfast forwarder codabench --board https://boards.example/b/pets --per-user > score.py
    holdfast forwarder evalai --board https://boards.example/b/pets --split test > __init__.py
    """
    from holdfast.client.forwarder import forwarder as text_of

    token = "" if token_file is None else token_from(token_file)
    text = text_of(
        host,
        board,
        token=token,
        metric=metric,
        split=split,
        insecure=insecure,
        per_user=per_user,
    )
    print(text, end="")
