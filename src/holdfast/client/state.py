"""The state of a run against a board: keys before requests, answers after them.

A look's key is on disk before the look is asked for, so that whatever happens it is asked for
again under the same key. An attack is deterministic given its seed: rebuilt, it asks the same
queries, and the recorded answers bring it back to where it stopped.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput, TranscriptMismatch
from holdfast.files.json_lines import JsonLines
from holdfast.protocols import Answer
from holdfast.quoting import quoted

__all__ = ["RunState"]

FORMAT = "holdfast-run-1"


class RunState:
    """Looks of one run, in memory or in a file of JSON lines.

    Parameters
    ----------
    path
        The file; one that is there is gone on with. None: memory only.
    about
        What the run is about; a file about something else is refused.
    looks
        How many looks the run was begun with, which is what its attack was made for; a file that is
        there says it itself.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None, about: dict[str, Any], looks: int
    ) -> None:
        self.path = None if path is None else Path(path)
        self.about, self.looks = about, looks
        self._keys: list[tuple[str, str]] = []
        self._answers: dict[int, Answer] = {}
        self._lines = None if self.path is None else JsonLines(self.path, FORMAT)
        if self._lines is not None:
            entries = self._lines.load()
            for number, entry in enumerate(entries, start=1):
                self._take(dict(entry), number)
            self._lines.cut()
            if not entries:
                self._append({"format": FORMAT, "looks": looks, **about})

    def answer(self, look: int, query: str) -> Answer | None:
        """Return the recorded answer to a look; None: it has none.

        Raises
        ------
        TranscriptMismatch
            Another query was asked at this place: the file is of another run.
        """
        if look < len(self._keys) and self._keys[look][0] != query:
            raise TranscriptMismatch(
                f"{self.path} must be of this run, but its look {look + 1} asked something else: "
                "the attack, its settings or its seed are others."
            )
        return self._answers.get(look)

    def key(self, look: int, query: str, fresh: str) -> str:
        """Return the key of a look: the recorded one, or `fresh`, which is recorded first."""
        if look < len(self._keys):
            return self._keys[look][1]
        self._append({"look": look, "query": query, "key": fresh})
        self._keys.append((query, fresh))
        return fresh

    def record(self, look: int, answer: Answer, receipt: str) -> None:
        """Record an answer."""
        self._append({"look": look, "answer": answer, "receipt": receipt})
        self._answers[look] = answer

    def _append(self, line: dict[str, Any]) -> None:
        if self._lines is not None:
            self._lines.append(line)

    def _take(self, entry: dict[str, Any], number: int) -> None:
        try:
            if number == 1:
                self._take_header(entry)
            elif "key" in entry:
                if entry["look"] != len(self._keys):
                    raise ValueError
                self._keys.append((str(entry["query"]), str(entry["key"])))
            else:
                told = entry["answer"]
                several = tuple(map(float, told)) if isinstance(told, list) else float(told)
                self._answers[int(entry["look"])] = several
        except (KeyError, OverflowError, TypeError, ValueError):
            raise InvalidInput(
                f"{self.path} line {number} must be one of a run, got {quoted(entry)}."
            ) from None

    def _take_header(self, entry: dict[str, Any]) -> None:
        del entry["format"]
        self.looks = int(entry.pop("looks"))
        if entry != self.about:
            different = sorted(k for k in self.about if entry.get(k) != self.about[k])
            raise TranscriptMismatch(
                f"{self.path} must be of this run; its {', '.join(different)} is another."
            )
