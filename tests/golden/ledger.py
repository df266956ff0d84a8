"""The script that made ledger.sql: a ledger of format 2, with looks, parts, choices and refusals.

    python -m tests.golden.ledger

Formats are for ever, so the file is not made again, and `--write` leaves it alone.
"""

import contextlib
import sqlite3
import tempfile
from pathlib import Path

from tests.golden import files
from tests.golden.sessions import LEDGER, OLDER_DAY, play

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files.write(folder)
        for command, outcome in play(OLDER_DAY, folder).items():
            print(command, outcome)
        with contextlib.closing(sqlite3.connect(folder / "ledger.db")) as connection:
            LEDGER.write_text("\n".join(connection.iterdump()) + "\n")
