"""What a host decides about its test set, in ten lines of TOML."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.guard.windows import Microseconds, Window, parse_duration, parse_window
from holdfast.mechanisms import Rule, parse_mechanism
from holdfast.problem import check_at_least

__all__ = ["POLICY_TEMPLATE", "Policy"]

POLICY_TEMPLATE = """\
# A Holdfast policy. Every key but `release` may be left out; then it has the value shown here.
# `holdfast policy check` names the line of a mistake. Times are UTC.
release = "ladder:0.01"      # what a look tells: exact, round:3, ladder:0.01, gaussian:0.005, ...
memory = "team"              # whose past looks the rule remembers: a "team"'s or the "data_set"'s
looks_per_team = 100         # answered looks a team has in one window
looks_per_data_set = 10000   # answered looks of all teams together; no window renews them
window = "total"             # "total", a UTC "day", "week" or "month", or a rolling span: "7 days"
min_gap = "0 seconds"        # least time between two looks of one team
failed = "free"              # what a submission that can't be scored costs: "free" or "look"
final_choices = 2            # submissions a team may name for the final result
"""

CHOICES = {"memory": ("team", "data_set"), "failed": ("free", "look")}


@dataclass(frozen=True)
class Policy:
    r"""What is released, and how often.

    Parameters
    ----------
    release
        The release rule as text, such as "ladder:0.01".
    memory
        Whose past looks the rule remembers: one history per "team", or one per "data_set". A
        rule's guarantee is for one history; teams that work together have as many as teams.
    looks_per_team
        Answered looks that a team has in one window.
    looks_per_data_set
        Answered looks of all teams together. Nothing renews them: what was learned stays learned.
    window
        "total", a UTC "day", "week" or "month", or a rolling span such as "7 days".
    min_gap
        Least time between two looks of one team, such as "10 minutes".
    failed
        What a submission that can't be scored costs: "free", or a "look".
    final_choices
        How many of its submissions a team may name for the final result.

    Examples
    --------
    >>> Policy(release="exact", looks_per_team=5, window="day").looks_per_team
    5
    >>> Policy.parse('release = "exact"\nlooks_per_team = 0')
    Traceback (most recent call last):
        ...
    holdfast.errors.InvalidInput: policy line 2: looks_per_team must be at least 1, got 0.
    """

    release: str
    memory: str = "team"
    looks_per_team: int = 100
    looks_per_data_set: int = 10_000
    window: str = "total"
    min_gap: str = "0 seconds"
    failed: str = "free"
    final_choices: int = 2
    mechanism: Rule = field(init=False, repr=False, compare=False)
    span: Window = field(init=False, repr=False, compare=False)
    gap: Microseconds = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, value in self.settings().items():
            _check(name, value)
        object.__setattr__(self, "mechanism", parse_mechanism(self.release))
        # One text per rule, however it was written: the ledger finds its state by it.
        object.__setattr__(self, "release", str(self.mechanism))
        object.__setattr__(self, "span", parse_window(self.window))
        object.__setattr__(self, "gap", parse_duration(self.min_gap, name="min_gap"))

    @classmethod
    def parse(cls, text: str, *, source: str = "policy") -> Policy:
        """Read a policy; an error names the line."""
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidInput(f"{source} must be TOML: {error}.") from None
        known = [f.name for f in fields(cls) if f.init]
        for name, value in document.items():
            where = f"{source} line {_line_of(name, text)}"
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"; did you mean {close[0]}?" if close else f"; known: {', '.join(known)}."
                raise InvalidInput(f"{where}: unknown key {name}{hint}")
            try:
                _check(name, value)
            except InvalidInput as error:
                raise InvalidInput(f"{where}: {error}") from None
        if "release" not in document:
            raise InvalidInput(f'{source} must have a release rule, such as release = "exact".')
        return cls(**document)

    @classmethod
    def read(cls, path: str | Path) -> Policy:
        """Read a policy file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"policy {path} must be a readable text file: {error}.") from None
        return cls.parse(text, source=str(path))

    def settings(self) -> Mapping[str, Any]:
        """Return the keys of the file and their values."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    @cached_property
    def digest(self) -> str:
        """A short name for exactly these settings, recorded with every look."""
        text = json.dumps(dict(self.settings()), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _check(name: str, value: object) -> None:
    """Raise `InvalidInput` if one setting breaks its rule, whatever the others are."""
    if name in ("looks_per_team", "looks_per_data_set"):
        check_at_least(name, value, 1)  # type: ignore[arg-type]  # it checks the type itself
        return
    if name == "final_choices":
        check_at_least(name, value, 0)  # type: ignore[arg-type]  # as above
        return
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string, got {value!r}.")
    if name == "release":
        parse_mechanism(value)
    elif name == "window":
        parse_window(value)
    elif name == "min_gap":
        parse_duration(value, name=name)
    elif value not in CHOICES[name]:
        allowed = " or ".join(f'"{choice}"' for choice in CHOICES[name])
        raise InvalidInput(f"{name} must be {allowed}, got {value!r}.")


def _line_of(name: str, text: str) -> int:
    """Return the line on which a top-level key or table of a valid document is written."""
    # tomllib keeps no positions; a key of this flat format starts its own line, quoted or not.
    pattern = re.compile(rf"""\s*\[*\s*["']?{re.escape(name)}["']?\s*[.=\]]""")
    for number, line in enumerate(text.splitlines(), start=1):
        if pattern.match(line):
            return number
    return 1
