"""Settings of a server: where its database is, how it is reached, and its limits."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import NamedTuple

from holdfast.errors import InvalidInput
from holdfast.quoting import quoted

__all__ = ["Rate", "Settings"]

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


class Rate(NamedTuple):
    """So many requests in so many seconds."""

    amount: int
    seconds: int

    @classmethod
    def parse(cls, name: str, text: str) -> Rate:
        """Return the rate of a setting, or raise `InvalidInput`.

        >>> Rate.parse("flood", "50/second"), Rate.parse("flood", "100/2 minutes")
        (Rate(amount=50, seconds=1), Rate(amount=100, seconds=120))
        """
        found = re.fullmatch(r"(\d{1,9})/(\d{0,9}) ?(second|minute|hour|day)s?", text.strip())
        amount, spans = (int(found[1]), int(found[2] or 1)) if found else (0, 0)
        if found is None or amount < 1 or spans < 1:
            raise InvalidInput(f"{name} must be like 50/second, got {quoted(text)}.")
        return cls(amount, spans * SECONDS[found[3]])


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
        Requests per token or account, such as 50/second or 100/2 minutes.
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
