"""Transcripts: recorded queries and answers, replayed to resume an attack.

A board that allows a few looks per day is attacked over weeks. An attack is deterministic given its
generator, so the recorded answers alone bring it back to where it stopped; the digest of each
query proves that it is the same attack.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from holdfast.errors import InvalidInput, TranscriptMismatch
from holdfast.files.json_lines import JsonLines
from holdfast.problem import Problem
from holdfast.protocols import Answer, Attack
from holdfast.quoting import quoted

__all__ = ["Look", "Transcript", "query_digest"]

FORMAT = "holdfast-transcript-1"


class Look(NamedTuple):
    """One answered query: its digest and what was released."""

    query: str
    answer: Answer


def query_digest(query: object) -> str:
    """Return a short digest of a query, the same in every process.

    A label vector is digested by its values, whatever its integer dtype; scores and probabilities
    by their bits and their shape; a classifier by its pickle.
    """
    if isinstance(query, np.ndarray) and query.dtype.kind == "f":
        content = repr(query.shape).encode() + np.ascontiguousarray(query, dtype="<f8").tobytes()
    elif isinstance(query, np.ndarray):
        content = np.ascontiguousarray(query, dtype="<u4").tobytes()
    else:
        content = pickle.dumps(query, protocol=4)
    return hashlib.blake2b(content, digest_size=16).hexdigest()


class Transcript:
    """A record of looks, in memory or in a JSON-lines file that survives a crash.

    Parameters
    ----------
    problem
        The sizes that the looks belong to.
    path
        A file to append to, one line per look, each flushed to disk before `record` returns.
        One that exists is loaded, and must be for the same problem. None: memory only.

    Examples
    --------
    >>> transcript = Transcript(Problem(3, 2, 5))
    >>> transcript.record(np.array([0, 1, 1]), 2 / 3)
    >>> len(transcript), transcript.answers
    (1, [0.6666666666666666])
    """

    def __init__(self, problem: Problem, path: str | os.PathLike[str] | None = None) -> None:
        self.problem = Problem(*problem)
        self.path = None if path is None else Path(path)
        self._looks: list[Look] = []
        self._lines = None if self.path is None else JsonLines(self.path, FORMAT)
        if self._lines is not None:
            entries = self._lines.load()
            for number, entry in enumerate(entries, start=1):
                self._take(entry, number)
            self._lines.cut()
            if not entries:
                self._lines.append({"format": FORMAT, "problem": self.problem._asdict()})

    def __len__(self) -> int:
        return len(self._looks)

    def __iter__(self) -> Iterator[Look]:
        return iter(self._looks)

    @property
    def answers(self) -> list[Answer]:
        """The released answers, in order."""
        return [look.answer for look in self._looks]

    def record(self, query: object, answer: Answer) -> None:
        """Append one look; when this returns it is on disk."""
        look = Look(query_digest(query), _as_answer(answer))
        if self._lines is not None:
            self._lines.append(look._asdict())
        self._looks.append(look)

    def replay(self, attack: Attack[Any]) -> int:
        """Tell the recorded answers to a fresh attack; return how many there were.

        Raises
        ------
        TranscriptMismatch
            The attack asks something else than was recorded: another seed, attack or version.
        """
        if tuple(attack.problem) != tuple(self.problem):
            raise TranscriptMismatch(
                f"the transcript is for {self.problem}, the attack plays {attack.problem}."
            )
        for index, look in enumerate(self._looks):
            query = attack.ask()
            if query is None or query_digest(query) != look.query:
                raise TranscriptMismatch(
                    f"query {index} differs from the recorded one: the attack, its settings or "
                    f"its seed are not those of the transcript."
                )
            attack.tell(look.answer)
        return len(self._looks)

    def _take(self, entry: dict[str, Any], number: int) -> None:
        if number == 1:
            if entry.get("problem") != self.problem._asdict():
                raise InvalidInput(
                    f"{self.path} must be for {self.problem}, "
                    f"got {quoted(entry.get('problem'))} in its header."
                )
            return
        try:
            self._looks.append(Look(str(entry["query"]), _as_answer(entry["answer"])))
        except (KeyError, OverflowError, TypeError, ValueError):
            raise InvalidInput(
                f"{self.path} line {number} must hold a look, got {quoted(entry)}."
            ) from None


def _as_answer(answer: Any) -> Answer:
    """Return a float, or a tuple of them where there are several: a list in JSON."""
    if isinstance(answer, tuple | list):
        return tuple(float(number) for number in answer)
    return float(answer)
