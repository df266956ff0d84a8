"""Policies: a host's rules for its test set, as a TOML file."""

from __future__ import annotations

import difflib
import hashlib
import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.files.text_files import LARGEST_SETTINGS, read_text_file
from holdfast.guard.class_names import checked_classes, read_classes
from holdfast.guard.windows import LONGEST_DAYS, Window, parse_duration, parse_window
from holdfast.ledger.moments import Microseconds
from holdfast.metrics import Metric, OwnMetric
from holdfast.metrics.by_class import BY_CLASS
from holdfast.metrics.display import Display, check_column
from holdfast.metrics.registry import parse_metric
from holdfast.quoting import quoted
from holdfast.rules import Rule, check_metric, parse_rule

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
refusals_per_team = 20       # submissions of a team that can't be scored, in one window
final_choices = 2            # submissions a team may name for the final result
part = "auto"                # rows a look is scored on: "public", "private", "all"; "auto": public,
                             # or all where the labels name no public part
metric = "accuracy"          # what is scored, as scikit-learn spells it: f1_macro, roc_auc, ...
also = []                    # further metrics that a look tells: ["accuracy"]
shared_labels = false        # whether labels that others than their owner can read are accepted
# What follows has no default; take the # away to set it.
# days = 60                  # how long the board runs
# teams = 40                 # teams on the board
# ranking_gap = 1.0          # gap in points that the ranking should be able to show
# classes = ["cat", "dog"]   # the classes, which are public; or a file's name, one class per line
# breakdown = "subject"      # column of the labels: a look tells the metric of each group, too
# witness = "../witness.db"  # a second place, path or URL, that holds the ledger's newest head
# final = "private"          # rows that decide the final ranking: "private", "all" or "public"
# id_column = "key"          # column of ids of labels and submissions, if it is not found by itself
# label_column = "answer"    # column of labels of both, if it is not found by itself
"""

SETTING_CHOICES = {
    "memory": ("team", "data_set"),
    "failed": ("free", "look"),
    "part": ("auto", "public", "private", "all"),
    "final": ("private", "all", "public"),
}
# Least and largest value of each whole number. No board has more looks or runs for longer.
MOST_LOOKS = 10**12
WHOLE_NUMBER_RANGES = {
    "looks_per_team": (1, MOST_LOOKS),
    "looks_per_data_set": (1, MOST_LOOKS),
    "final_choices": (0, MOST_LOOKS),
    "refusals_per_team": (1, MOST_LOOKS),
    "days": (1, LONGEST_DAYS),
    "teams": (1, MOST_LOOKS),
}
OPTIONAL_KEYS = (
    *("days", "teams", "ranking_gap", "classes", "witness", "breakdown"),
    *("final", "id_column", "label_column"),
)
# Keys that came later: at their defaults they leave the digest of an older policy as it was.
KEYS_ADDED_LATER = ("refusals_per_team", "part", "metric", "also", *OPTIONAL_KEYS)
# Where a copy of the head lies says nothing of what is released, and a URL may hold a password.
# How a file is read shows in the data set, which has its own name.
NOT_IN_DIGEST = ("witness", "id_column", "label_column", "shared_labels")
# What leaves it open which rows are scored.
OPEN = {"part": "auto"}


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
    refusals_per_team
        How many submissions of a team that can't be scored are read in one window.
    part
        Which rows a look is scored on: the "public" or "private" ones of the labels' `Usage` or
        `split` column, "all", or "auto": the public ones where there are any, else all.
    days, teams
        How long the board runs, and how many teams it has; None: not said.
    ranking_gap
        Gap in points that the ranking should be able to show; None: not said.
    classes
        Names of the classes, which are public; None: those that the labels hold.
    witness
        Path or URL of a second place that holds the ledger's newest head; None: there is none.
    metric
        What is scored: the text of a metric such as "f1_macro" or "log_loss[0,10]", clipped to a
        range; in Python also a `Metric`, one of one's own too.
    breakdown
        The column of the labels whose groups the metric is released of, besides the whole; None:
        there is none.
    also
        Further metrics that are released of each submission; "recall_per_class" and
        "confusion_matrix" are numbers of each class.
    final
        Which rows decide the final ranking: the "private" ones, "all" or the "public" ones; None:
        the private ones where there are any.
    id_column, label_column
        The columns of ids and labels, in the labels and in submissions; None: those that are
        found by their names, or alone.
    shared_labels
        Whether labels that others than their owner can read are accepted.

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
    refusals_per_team: int = 20
    part: str = "auto"
    days: int | None = None
    teams: int | None = None
    ranking_gap: float | None = None
    classes: tuple[str, ...] | None = None
    witness: str | None = None
    breakdown: str | None = None
    metric: str | Metric = "accuracy"
    also: tuple[str | Metric, ...] = ()
    final: str | None = None
    id_column: str | None = None
    label_column: str | None = None
    shared_labels: bool = False
    mechanism: Rule = field(init=False, repr=False, compare=False)
    span: Window = field(init=False, repr=False, compare=False)
    gap: Microseconds = field(init=False, repr=False, compare=False)
    display: Display = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, value in self.settings().items():
            _check(name, value)
        if self.classes is not None:
            object.__setattr__(self, "classes", checked_classes(self.classes))
        object.__setattr__(self, "mechanism", parse_rule(self.release))
        # One text per rule, however it was written: the ledger finds its state by it.
        object.__setattr__(self, "release", str(self.mechanism))
        object.__setattr__(self, "span", parse_window(self.window))
        object.__setattr__(self, "gap", parse_duration(self.min_gap, name="min_gap"))
        display = Display.of(self.metric, self.breakdown, self.also)
        for metric in display.released:
            check_metric(self.mechanism, metric)
        object.__setattr__(self, "display", display)
        object.__setattr__(self, "metric", _told(display.metric))
        also = (*map(_told, display.also), *map(str, display.by_class))
        object.__setattr__(self, "also", also)

    @classmethod
    def parse(cls, text: str, *, source: str = "policy", folder: Path | None = None) -> Policy:
        """Read a policy; an error names the line.

        Parameters
        ----------
        text
            The file's text.
        source
            What error messages call it.
        folder
            Where a relative path in it starts; None: the working folder.
        """
        document = _toml(text, source)
        known = [f.name for f in fields(cls) if f.init]
        for name, value in document.items():
            where = f"{source} line {_line_of(name, text)}"
            if name not in known:
                close = difflib.get_close_matches(name[:80], known, n=1)
                hint = f"; did you mean {close[0]}?" if close else f"; known: {', '.join(known)}."
                raise InvalidInput(f"{where}: unknown key {name[:80]}{hint}")
            try:
                if name == "classes" and isinstance(value, str):
                    document[name] = read_classes((folder or Path()) / value)
                    continue
                _check(name, value)
            except InvalidInput as error:
                raise InvalidInput(f"{where}: {error}") from None
            if name == "witness" and folder is not None and "://" not in value:
                document[name] = str(folder / value)
        if "release" not in document:
            raise InvalidInput(f'{source} must have a release rule, such as release = "exact".')
        return cls(**document)

    @classmethod
    def read(cls, path: str | Path) -> Policy:
        """Read a policy file; relative paths in it start at its folder."""
        text = read_text_file(path, LARGEST_SETTINGS, name=f"policy {path}")
        return cls.parse(text, source=str(path), folder=Path(path).parent)

    def agreeing(self, **said: Any) -> Policy:
        """Return the policy with what is said beside it, which must not contradict it.

        None says nothing, and a key that the policy leaves open may be said.

        >>> Policy("exact").agreeing(id_column="key").id_column
        'key'
        >>> Policy("exact", id_column="key").agreeing(id_column="row")
        Traceback (most recent call last):
            ...
        holdfast.errors.InvalidInput: id_column must be 'key', as the policy says, got 'row'.
        """
        news = {name: value for name, value in said.items() if value is not None}
        for name, value in news.items():
            _check(name, value)
            stated = getattr(self, name)
            if stated not in (None, OPEN.get(name), value):
                raise InvalidInput(
                    f"{name} must be {quoted(stated)}, as the policy says, got {quoted(value)}."
                )
        changed = any(value != getattr(self, name) for name, value in news.items())
        return replace(self, **news) if changed else self

    def settings(self) -> Mapping[str, Any]:
        """Return the keys of the file and their values."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    @cached_property
    def digest(self) -> str:
        """A short name for exactly these settings, recorded with every look."""
        defaults = {f.name: f.default for f in fields(self) if f.name in KEYS_ADDED_LATER}
        told = {
            name: value
            for name, value in self.settings().items()
            if name not in NOT_IN_DIGEST
            and (name not in KEYS_ADDED_LATER or value != defaults[name])
        }
        text = json.dumps(told, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{source} must be TOML: {str(error)[:200]}.") from None
    except RecursionError:
        raise InvalidInput(f"{source} must be TOML: it is nested too deeply.") from None
    except ValueError:  # an integer of thousands of digits
        raise InvalidInput(f"{source} must be TOML: a number in it is too long.") from None


def _check(name: str, value: Any) -> None:
    """Raise `InvalidInput` if one setting breaks its rule, whatever the others are."""
    if value is None and name in OPTIONAL_KEYS:
        return
    if name in WHOLE_NUMBER_RANGES:
        _check_whole(name, value, *WHOLE_NUMBER_RANGES[name])
    elif name == "classes":
        checked_classes(value)
    elif name == "ranking_gap":
        _check_points(name, value)
    elif name == "metric":
        _check_metric(name, value)
    elif name == "also":
        if isinstance(value, str | Metric) or not isinstance(value, Sequence):
            raise InvalidInput(f"{name} must be a list of metrics, got {quoted(value)}.")
        for each in value:
            if not (isinstance(each, str) and each in BY_CLASS):
                _check_metric(name, each)
    elif name == "shared_labels":
        if not isinstance(value, bool):
            raise InvalidInput(f"{name} must be true or false, got {quoted(value)}.")
    elif not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string, got {quoted(value)}.")
    elif name == "release":
        parse_rule(value)
    elif name == "window":
        parse_window(value)
    elif name == "min_gap":
        parse_duration(value, name=name)
    elif name == "breakdown":
        check_column(value)
    elif name in ("id_column", "label_column"):
        if not value.strip():
            raise InvalidInput(f"{name} must be the name of a column, got {quoted(value)}.")
    elif name == "witness":
        if not value.strip() or "\0" in value:
            raise InvalidInput(f"{name} must be a path or a URL, got {quoted(value)}.")
    elif value not in SETTING_CHOICES[name]:
        *most, last = (f'"{choice}"' for choice in SETTING_CHOICES[name])
        raise InvalidInput(f"{name} must be {', '.join(most)} or {last}, got {quoted(value)}.")


def _check_metric(name: str, value: Any) -> None:
    if not isinstance(value, str | Metric):
        raise InvalidInput(f"{name} must be a string, got {quoted(value)}.")
    if isinstance(value, str):
        parse_metric(value)
    elif not isinstance(value, OwnMetric) and parse_metric(str(value)) != value:
        raise InvalidInput(f"{name} must be a known metric or an OwnMetric, got {quoted(value)}.")


def _told(metric: Metric) -> str | Metric:
    """Return a metric's text where that can be read again, else the metric itself."""
    return metric if isinstance(metric, OwnMetric) else str(metric)


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidInput(f"{name} must be an integer, got {quoted(value)}.")
    whole = int(value)
    if whole < least:
        raise InvalidInput(f"{name} must be at least {least}, got {quoted(whole)}.")
    if whole > most:
        raise InvalidInput(f"{name} must be at most {most:,}, got {quoted(whole)}.")


def _check_points(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInput(f"{name} must be a number of points, got {quoted(value)}.")
    if not (0 < value <= 100) or not math.isfinite(value):
        raise InvalidInput(f"{name} must lie in (0, 100] points, got {quoted(value)}.")


def _line_of(name: str, text: str) -> int:
    """Return the line on which a top-level key or table of a valid document is written."""
    # tomllib keeps no positions; a key of this flat format starts its own line, quoted or not.
    pattern = re.compile(rf"""\s*\[*\s*["']?{re.escape(name)}["']?\s*[.=\]]""")
    for number, line in enumerate(text.splitlines(), start=1):
        if pattern.match(line):
            return number
    return 1
