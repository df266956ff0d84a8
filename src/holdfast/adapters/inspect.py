"""Inspect: a tool with which the model under evaluation submits to a board.

A metric or scorer can't be one: Inspect calls them on partial results, and a look would be spent at
each call. Give the tool to a solver, as in `react(tools=[board_look(client)])`.
"""

from __future__ import annotations

from typing import Any

from holdfast.adapters.asking import of_board
from holdfast.client import BoardClient
from holdfast.errors import NotSupported

__all__ = ["board_look"]


def board_look(client: BoardClient) -> Any:
    """Return the tool, of which each call with a new submission costs a look of the client's team.

    Raises
    ------
    NotSupported
        The board takes no text that a model can write, or tells no score at once.
    """
    from inspect_ai.tool import tool

    takes = client.board().get("takes")
    if takes == "outcomes":
        raise NotSupported(
            "Inspect's tool submits predictions, and a model that submits outcomes of tasks grades "
            "itself: submit them from the log, with holdfast submit log.eval."
        )
    ask = of_board(client, frame="Inspect")

    @tool
    def holdfast_look() -> Any:
        async def execute(submission: str) -> str:
            """Submit predictions to the board and read what it tells. Looks are few.

            Args:
                submission: A CSV text with a header, the columns id and label, and a row for each
                    example.
            """
            import anyio.to_thread

            answer = await anyio.to_thread.run_sync(ask, submission.encode())
            if answer.refused:
                return f"refused: {answer.refused}"
            told = "not told" if answer.score is None else f"{answer.score}"
            return f"score {told}, {answer.looks_left} looks left"

        return execute

    return holdfast_look()
