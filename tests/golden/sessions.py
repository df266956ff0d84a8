"""Scripted sessions of a host: commands one after another, with a still clock and known secrets."""

import contextlib
import secrets
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from tests.golden.commands import run
from tests.golden.records import FOLDER

START = 1_767_225_600 * 10**9  # 2026-01-01, in nanoseconds
HOUR = 3600 * 10**9
LEDGER = FOLDER / "ledger.sql"


def _options(policy: str, labels: str = "even") -> str:
    return f"--policy {policy}.toml --labels {labels}.csv --ledger ledger.db"


def _score(team: str, submission: str, policy: str, labels: str = "even") -> str:
    return f"score {_options(policy, labels)} --team {team} --submission {submission}.csv"


# {0} is the receipt of the first command that printed one, {1} of the second, and so on.
SESSIONS = {
    "a ladder": [
        _score("blue", "fair", "ladder"),
        "ledger init ledger.db",
        _score("blue", "fair", "ladder"),
        _score("BLUE", "fair", "ladder"),
        _score("blue", "poor", "ladder"),
        _score("red", "good", "ladder"),
        _score("red", "short", "ladder"),
        _score("blue", "good", "ladder"),
        _score("blue", "model", "ladder"),
        _score("blue", "skewed", "ladder"),
        "ledger verify ledger.db --receipt {0} --labels even.csv",
        "ledger show ledger.db",
    ],
    "noise, a day's window and a witness": [
        "ledger init ledger.db --witness witness",
        _score("blue", "fair", "noisy"),
        _score("blue", "poor", "noisy"),
        _score("blue", "good", "noisy"),
        _score("red", "short", "noisy"),
        "ledger backup copy.db ledger.db",
        "ledger verify copy.db",
        "ledger verify ledger.db --witness witness --labels even.csv",
        "ledger show ledger.db",
    ],
    "a public and a private part": [
        "ledger init ledger.db",
        _score("blue", "fair", "parts", "parts"),
        _score("blue", "good", "parts", "parts"),
        _score("red", "poor", "parts", "parts"),
        _score("red", "fair", "parts", "parts") + " --part all",
        f"choose {_options('parts', 'parts')} --team blue --receipt {{0}}",
        f"choose {_options('parts', 'parts')} --team blue --receipt {{1}}",
        f"choose {_options('parts', 'parts')} --team red --receipt {{1}}",
        f"close {_options('parts', 'parts')}",
        f"close {_options('parts', 'parts')}",
        _score("red", "good", "parts", "parts"),
        "ledger verify ledger.db --labels parts.csv",
        "ledger show ledger.db",
    ],
    "gates": [
        "ledger init ledger.db",
        f"gate {_options('exact')} --baseline poor.csv --candidate good.csv",
        f"gate {_options('exact')} --baseline fair.csv --candidate good.csv",
        f"gate {_options('exact')} --baseline fair.csv --candidate good.csv --confidence 0.6",
        f"gate {_options('exact')} --baseline good.csv --candidate fair.csv",
        f"gate {_options('ladder')} --baseline fair.csv --candidate good.csv",
        f"gate {_options('noisy')} --baseline poor.csv --candidate good.csv --team other",
        "ledger show ledger.db",
    ],
    "the ledger of an older day": [
        "ledger verify ledger.db --labels even.csv",
        "ledger show ledger.db",
        _score("blue", "fair", "ladder"),  # answered from the record
        _score("blue", "skewed", "ladder"),  # no look left
        _score("red", "poor", "ladder"),
        _score("green", "good", "noisy"),
        f"close {_options('parts', 'parts')}",
        "ledger verify ledger.db --labels even.csv",
        "ledger verify ledger.db --labels parts.csv",
        "ledger show ledger.db",
    ],
}
# What the ledger of an older day was made with; it was dumped as ledger.sql, and stays as it is.
OLDER_DAY = [
    *SESSIONS["a ladder"][1:9],
    *SESSIONS["a public and a private part"][1:5],
    f"choose {_options('parts', 'parts')} --team blue --receipt {{5}}",
]


@contextlib.contextmanager
def still(hours: int, seed: int) -> Iterator[None]:
    """Stop the clock so many hours after the start, and draw secrets from a seed."""
    numbers, texts = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    with (
        patch.object(time, "time_ns", lambda: START + hours * HOUR),
        patch.object(secrets, "randbits", lambda bits: int.from_bytes(numbers.bytes(bits // 8))),
        patch.object(secrets, "token_bytes", texts.bytes),
    ):
        yield


def play(commands: list[str], folder: Path, first_hour: int = 0) -> dict[str, Any]:
    """Run the commands an hour apart; return what each said, and the ledger's entries."""
    receipts: list[str] = []
    found: dict[str, Any] = {}
    for hour, command in enumerate(commands, start=first_hour):
        with still(hour, seed=hour):
            outcome = run(command.format(*receipts), folder)
        found[f"{hour}: {command}"] = outcome
        receipt = outcome.get("out", {}).get("receipt_id")
        if receipt is not None and receipt not in receipts:
            receipts.append(receipt)
    return {**found, "entries": entries(folder / "ledger.db")}


def entries(ledger: Path) -> list[str]:
    """Return the chain: an entry's hash is about everything in it and before it."""
    columns = "number, kind, team, rule, released, team_looks, data_set_looks, substr(hash, 1, 12)"
    with contextlib.closing(sqlite3.connect(ledger)) as connection:
        rows = connection.execute(f"SELECT {columns} FROM holdfast_entries ORDER BY number")
        return ["|".join(map(str, row)) for row in rows]


def older_day(folder: Path) -> None:
    """Put the recorded ledger into the folder."""
    with contextlib.closing(sqlite3.connect(folder / "ledger.db")) as connection:
        connection.executescript(LEDGER.read_text())
    (folder / "ledger.db").chmod(0o600)


def outcome(name: str, folder: Path) -> dict[str, Any]:
    """Play the session with that name."""
    if name != "the ledger of an older day":
        return play(SESSIONS[name], folder)
    older_day(folder)
    return play(SESSIONS[name], folder, first_hour=len(OLDER_DAY))
