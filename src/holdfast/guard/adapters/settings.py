"""Environment variables and paths of an adapter's policy and ledger."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.files.text_files import read_text_file
from holdfast.guard.policy import Policy

__all__ = ["find_ledger", "find_policy", "has_ledger"]

# A URL of a database is shorter.
LONGEST_URL = 1 << 16


def find_policy(folder: str | os.PathLike[str] | None = None) -> Policy:
    """Read the policy named by HOLDFAST_POLICY, else policy.toml in a folder of the host's."""
    named = os.environ.get("HOLDFAST_POLICY")
    return Policy.read(named or Path(folder or ".") / "policy.toml")


def find_ledger(folder: str | os.PathLike[str] | None = None) -> str:
    """Return the ledger named by HOLDFAST_LEDGER, else by ledger.url in a folder of the host's.

    There is no default: a scoring program runs in a container that is thrown away, and a ledger
    in there would forget every look.
    """
    named = os.environ.get("HOLDFAST_LEDGER")
    if named:
        return named
    file = Path(folder or ".") / "ledger.url"
    if not file.is_file():
        raise InvalidInput(
            f"HOLDFAST_LEDGER must name the ledger, or {file} hold its URL: one that outlives "
            "this process."
        )
    return read_text_file(file, LONGEST_URL).strip()


def has_ledger(folder: str | os.PathLike[str] | None = None) -> bool:
    """Tell whether a ledger is named at all, by HOLDFAST_LEDGER or by a file."""
    return bool(os.environ.get("HOLDFAST_LEDGER")) or (Path(folder or ".") / "ledger.url").is_file()
