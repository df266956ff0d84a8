"""A witness: the newest head of a ledger, in a second place of its owner's choice.

Whoever can put an older copy of a ledger in its place gives looks back that were spent, and the
chain holds. A witness that lies elsewhere tells: it names an entry that such a copy does not have.
"""

from __future__ import annotations

import os
import secrets
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from holdfast.errors import InvalidInput, LedgerError
from holdfast.files.text_files import open_regular_file
from holdfast.ledger.storage.copies import flush_folder
from holdfast.ledger.storage.file_lock import FileQueue
from holdfast.quoting import quoted

__all__ = ["FileWitness", "Mark", "Witness", "open_witness"]

# How long to wait for another process that writes the witness, in seconds.
PATIENCE_SECONDS = 60.0
# Longer than any head.
LONGEST_LINE = 200


@dataclass(frozen=True)
class Mark:
    """A place in the chain: an entry's number and hash.

    >>> Mark.parse(str(Mark(2, "ab" * 32))) == Mark(2, "ab" * 32)
    True
    """

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}-{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Mark:
        """Read what `str` has written."""
        number, _, digest = text.strip().partition("-")
        if not (number.isascii() and number.isdecimal() and len(number) < 19 and len(digest) == 64):
            raise LedgerError(
                f"the witness must hold N-HASH, got {quoted(text)}. Nothing was released. If it is "
                "lost, move it away and run: holdfast ledger witness PLACE LEDGER"
            )
        return cls(int(number), digest)


class Witness(Protocol):
    """A place outside the ledger that remembers its newest head."""

    def read(self) -> Mark | None:
        """Return the head that was last confided to it; None: there was none yet."""
        ...

    def move(self, mark: Mark, *, back: bool = False) -> None:
        """Remember a head, durably; an older one than it has only if it may go `back`."""
        ...


def open_witness(place: str | os.PathLike[str]) -> Witness:
    """Return the witness at a path, or in the database that a postgresql:// URL names."""
    text = os.fspath(place)
    if text.startswith(("postgresql://", "postgres://")):
        # Imported here: psycopg is an extra.
        from holdfast.ledger.postgres_witness import PostgresWitness

        return PostgresWitness(text)
    if not text or "://" in text:
        raise InvalidInput(
            "witness must be the path of a file or postgresql://..., "
            f"got {quoted(text.split('://')[0] + '://...' if text else text)}."
        )
    return FileWitness(Path(text).absolute())


@dataclass(frozen=True)
class FileWitness:
    """A file that holds one line, N-HASH; on another disk, or another machine's."""

    path: Path

    def read(self) -> Mark | None:
        """Return the head that was last confided to it; None: there is no file."""
        if not os.path.lexists(self.path):
            return None
        try:
            with open_regular_file(self.path, name=f"witness {self.path}") as file:
                content = file.read(LONGEST_LINE)
        except InvalidInput as error:
            raise LedgerError(f"{error} Nothing was released.") from None
        except OSError as error:
            raise self._unusable(error) from None
        return Mark.parse(content.decode("ascii", errors="replace"))

    def move(self, mark: Mark, *, back: bool = False) -> None:
        """Put a new file in the place of the old one, when it is on disk."""
        draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}")
        try:
            with closing(FileQueue(self.path)) as queue, queue.turn(PATIENCE_SECONDS):
                known = self.read()
                if known is not None and known.number >= mark.number and not back:
                    return  # another process has confided a later one meanwhile
                handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                try:
                    os.write(handle, f"{mark}\n".encode())
                    os.fsync(handle)
                finally:
                    os.close(handle)
                draft.replace(self.path)
                flush_folder(self.path.parent)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise self._unusable(error) from None

    def _unusable(self, error: OSError) -> LedgerError:
        return LedgerError(
            f"witness {self.path} can't be used: {error.strerror}. Nothing was released."
        )
