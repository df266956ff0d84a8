"""A board as tools of the Model Context Protocol, over standard input and output.

The process knows the board's address and a token, and no label: whatever an agent makes of it, it
gets what the board tells its team. Each tool returns a refusal as an answer with `refused`, since a
model can read a sentence and not an exception.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import Any

from holdfast.client.http import BoardClient, Unscorable
from holdfast.errors import BudgetExhausted, HoldfastError, InvalidInput
from holdfast.extras import needed_for
from holdfast.files.outcomes import read_outcomes
from holdfast.files.text_files import open_regular_file
from holdfast.quoting import quoted

__all__ = ["BoardTools", "content", "serve"]

LARGEST_FILE = 1 << 30


def content(client: BoardClient, file: Path, *, key: str | None, mean: bool) -> bytes:
    """Return what is sent of a file: itself, or the outcomes that a tool wrote into it."""
    if client.board().get("takes") == "outcomes":
        return json.dumps(read_outcomes(file, score=key, mean=mean)).encode()
    with open_regular_file(file) as opened:
        return opened.read(LARGEST_FILE)


class BoardTools:
    """What an agent may ask of a board.

    Parameters
    ----------
    client
        The board, with a token of a team.
    folder
        Files are taken from here and below: what is wrong with a file is quoted to the agent, so
        that it could read others with the rights of this process.
    """

    def __init__(self, client: BoardClient, folder: Path) -> None:
        self._client, self._folder = client, folder.resolve()

    @property
    def tools(self) -> tuple[Callable[..., dict[str, Any]], ...]:
        """The functions that are served; their texts are what the agent reads."""
        return self.submit_file, self.submit_outcomes, self.looks_left, self.receipt

    def submit_file(self, path: str, key: str = "", mean: bool = False) -> dict[str, Any]:
        """Submit a file of predictions, or of outcomes of tasks; costs a look unless repeated.

        `score` is this submission's own score, null where the answer is another's or nothing.
        `key` names the score to read where a file of outcomes has several, and `mean` takes the
        mean where a task was run several times.
        """

        def body() -> bytes:
            given = PurePath(os.path.normpath(self._folder / path))
            if not given.is_relative_to(self._folder):
                raise InvalidInput(f"path must be in the folder of this server, got {quoted(path)}")
            inner = given.relative_to(self._folder)
            with tempfile.TemporaryDirectory() as own:
                # A copy: the agent could put a link in the place of a file that was looked at.
                copy = Path(own, "submission")
                with open_regular_file(inner, below=self._folder) as opened:
                    copy.write_bytes(opened.read(LARGEST_FILE))
                try:
                    return content(self._client, copy, key=key or None, mean=mean)
                except InvalidInput as error:
                    raise InvalidInput(str(error).replace(str(copy), quoted(path))) from None

        return _answer(lambda: _submitted(self._client, body(), Path(path).name))

    def submit_outcomes(self, outcomes: dict[str, bool | float]) -> dict[str, Any]:
        """Submit the outcome of each task by its id: true, false, or a grade.

        `score` is this submission's own score, null where the answer is another's or nothing.
        """
        body = json.dumps(outcomes).encode()
        return self.submitted(self._client, body, "outcomes.json")

    def looks_left(self) -> dict[str, Any]:
        """Say how many looks the team has left, when the next is allowed, and what is released."""

        def told() -> dict[str, Any]:
            left, board = self._client.allowance(), self._client.board()
            wanted = ("takes", "n_examples")
            return {**left, **{name: board[name] for name in wanted if name in board},
                    "release": board["policy"]["release"]}  # fmt: skip

        return _answer(told)

    def receipt(self, receipt_id: str) -> dict[str, Any]:
        """Look up a receipt: whether it is in the chain, and what was released; costs nothing."""
        return _answer(lambda: self._client.receipt(receipt_id))

    @staticmethod
    def submitted(client: BoardClient, body: bytes, name: str) -> dict[str, Any]:
        """Return what a board tells of a submission, or why it tells nothing."""
        return _answer(lambda: _submitted(client, body, name))


def _submitted(client: BoardClient, body: bytes, name: str) -> dict[str, Any]:
    told = client.submit(body, key=f"file-{client.key_for(body)}", file=name)
    return {"score": told.score, **asdict(told), "refused": ""}


def _answer(ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what is told, or why nothing is."""
    try:
        return ask()
    except BudgetExhausted as refusal:
        at = refusal.next_allowed_at
        moment = None if at is None else at.isoformat()
        return _refused(refusal, looks_left=0, next_allowed_at=moment)
    except Unscorable as refusal:
        return _refused(refusal, rows=refusal.rows)
    except (HoldfastError, OSError) as refusal:
        return _refused(refusal)


def _refused(reason: Exception, **more: Any) -> dict[str, Any]:
    return {"score": None, "refused": str(reason), **more}


def serve(client: BoardClient, folder: Path) -> None:
    """Serve a board's tools until standard input ends."""
    with needed_for("holdfast mcp"):
        from mcp.server.mcpserver import MCPServer
    server = MCPServer(
        "holdfast",
        instructions=f"The board {client.name}: each new submission costs a look, looks are few, "
        "and all that is told is what its rule releases.",
    )
    for tool in BoardTools(client, folder).tools:
        server.tool()(tool)
    server.run()
