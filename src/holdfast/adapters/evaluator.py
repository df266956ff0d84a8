"""OpenEvolve and ShinkaEvolve: an evaluator that runs a program elsewhere and asks a board.

An evaluator file of a few lines is in `examples/openevolve`. Both load programs into the process of
the evaluator in their own examples; here the program is a process of its own, of another user if
`run` says so, with an empty environment, and what it prints is the submission.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from holdfast.adapters.asking import of_board
from holdfast.client import BoardClient
from holdfast.errors import NotSupported

__all__ = ["evaluator", "shinka"]

LARGEST_OUTPUT = 1 << 28


def evaluator(
    client: BoardClient, run: Sequence[str], *, seconds: float = 600.0, worst: float = 0.0
) -> Callable[[str], dict[str, float]]:
    """Return OpenEvolve's `evaluate(program_path)`.

    Parameters
    ----------
    client
        The board. A rule that may tell another's value is refused here, and a metric that is better
        when it is lower.
    run
        The command that runs a program, "{program}" in it for its path, such as
        ["sudo", "-u", "candidate", "timeout", "-k", "1", "600", "python3", "{program}"]: what runs
        as another user can be ended by that user alone.
    seconds
        How long a program is waited for.
    worst
        The `combined_score` of a program that fails or is refused.
    """
    ask = of_board(client, frame="evolution", own=True)
    if not ask.higher_is_better:
        raise NotSupported(
            f"evolution searches for the highest combined_score, and {ask.metric} is better when "
            "it is lower: take a board of another metric."
        )

    def evaluate(program_path: str) -> dict[str, float]:
        printed = _printed([part.replace("{program}", program_path) for part in run], seconds)
        answer = None if printed is None else ask(printed)
        if answer is None or answer.refused or answer.score is None:
            return {"combined_score": worst, "answered": 0.0}
        left = float(answer.looks_left)
        return {"combined_score": answer.score, "answered": 1.0, "looks_left": left}

    return evaluate


def _printed(command: Sequence[str], seconds: float) -> bytes | None:
    """Return what a command prints; None: it fails, prints too much, or takes too long.

    Then it is not waited for: what runs as another user can't be ended from here, and children
    that it left may hold its output open.
    """
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={},
        )  # fmt: skip
    except OSError:
        return None
    output = process.stdout
    assert output is not None
    found: list[bytes] = []
    reader = threading.Thread(
        target=lambda: found.append(output.read(LARGEST_OUTPUT + 1)), daemon=True
    )
    reader.start()
    reader.join(seconds)
    status = None
    if found and len(found[0]) <= LARGEST_OUTPUT:
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(1.0)
    if status is None:
        with suppress(PermissionError, subprocess.TimeoutExpired):
            process.kill()
            process.wait(1.0)
    return found[0] if status == 0 else None


def shinka(
    evaluate: Callable[[str], dict[str, float]], program_path: str, results_dir: str
) -> None:
    """Write what ShinkaEvolve reads of an evaluation: metrics.json and correct.json."""
    metrics: dict[str, Any] = dict(evaluate(program_path))
    answered = bool(metrics["answered"])
    folder = Path(results_dir)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metrics.json").write_text(json.dumps({**metrics, "public": {}, "private": {}}))
    error = None if answered else "the program failed, or the board told nothing of it"
    (folder / "correct.json").write_text(json.dumps({"correct": answered, "error": error}))
