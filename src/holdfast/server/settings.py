"""Settings of a server: where its database is, how it is reached, and its limits."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """What `holdfast serve` is told; workers get it as text through the environment.

    Attributes
    ----------
    database
        The ledger: a path or postgresql://...
    public_url
        How the board is reached from outside; https makes cookies secure.
    flood
        Requests per token or account, as the `limits` library writes it.
    sign_ins
        Tries to sign in, per address and per name.
    sign_up
        Whether anybody may make an account; if not, an invitation is needed.
    upload_seconds
        How long the body of a request may take.
    """

    database: str = "holdfast-board.db"
    public_url: str = "http://127.0.0.1:8000"
    flood: str = "50/second"
    sign_ins: str = "10/minute"
    sign_up: bool = True
    upload_seconds: float = 30.0

    @property
    def secure(self) -> bool:
        """Whether cookies travel over HTTPS only."""
        return self.public_url.startswith("https://")

    def to_text(self) -> str:
        """Return the settings as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Settings:
        """Return the settings that were written as text."""
        return cls(**json.loads(text))
