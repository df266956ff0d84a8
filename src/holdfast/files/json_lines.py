"""Journals: files of JSON objects, one per line, that survive whatever ends their writer.

The first line is a header that names the format. A crash can tear only the last line, which counts
for nothing and is cut off before the next one is written.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.files.text_files import open_regular_file
from holdfast.quoting import quoted

__all__ = ["JsonLines"]


class JsonLines:
    r"""A journal on disk, of one format; its writer alone knows what its lines mean.

    Parameters
    ----------
    path
        The file; it is made by the first line that is appended, which is the header.
    form
        What the header has as `format`, its first key.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = JsonLines(Path(folder) / "looks.jsonl", "looks-1")
    ...     lines.append({"format": "looks-1"})
    ...     lines.append({"look": 0})
    ...     _ = lines.path.write_bytes(lines.path.read_bytes() + b'{"look')
    ...     lines.load()
    [{'format': 'looks-1'}, {'look': 0}]
    """

    def __init__(self, path: Path, form: object) -> None:
        self.path = path
        self._form = form
        self._whole = 0

    def load(self) -> list[dict[str, Any]]:
        """Return the whole lines, the header first; none of a new file or of a torn header.

        Nothing is written: `cut` drops a torn line, once the journal is known to be the right one.
        """
        if not self.path.exists():
            return []
        with open_regular_file(self.path) as file:
            content = file.read()
        self._whole = content.rfind(b"\n") + 1
        lines = content[: self._whole].split(b"\n")[:-1]
        entries = [self._parsed(number, line) for number, line in enumerate(lines, start=1)]
        # The beginning of every header: what is torn before its end begins a header, too.
        mark = json.dumps({"format": self._form})[:-1].encode()
        ours = entries[0].get("format") == self._form if entries else _agree(content, mark)
        if not ours:
            got = entries[0] if entries else content
            raise InvalidInput(
                f"{self.path} must start with a {self._form} header, got {quoted(got)}."
            )
        return entries

    def cut(self) -> None:
        """Cut off what a crash left of a line, as `load` found it."""
        if self.path.exists() and self._whole < self.path.stat().st_size:
            os.truncate(self.path, self._whole)

    def append(self, entry: dict[str, Any]) -> None:
        """Append a line; when this returns it is on disk, and when it raises it is not there."""
        try:
            with self.path.open("ab") as file:
                before = file.tell()
                try:
                    file.write(json.dumps(entry).encode() + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
                except OSError:
                    # Else the next line would be glued to what a full disk took of this one.
                    with contextlib.suppress(OSError):
                        os.truncate(self.path, before)
                    raise
        except OSError as error:
            raise InvalidInput(
                f"{self.path} must be a file that can be written: {error.strerror}."
            ) from None

    def _parsed(self, number: int, line: bytes) -> dict[str, Any]:
        entry: Any = None
        with contextlib.suppress(ValueError, RecursionError):
            entry = json.loads(line)
        if not isinstance(entry, dict):
            raise InvalidInput(
                f"{self.path} line {number} must be a JSON object, got {quoted(line)}."
            )
        return entry


def _agree(one: bytes, other: bytes) -> bool:
    return one.startswith(other) or other.startswith(one)
