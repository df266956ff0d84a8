"""Past submissions: a CSV of team, time and score, and optionally the private score.

Boards export such files under many column names, and many of them score something else than
accuracy. A column is found by a list of names. What can only be another metric, by its name or its
values, is refused: read as an accuracy it would give gaps and verdicts that are wrong and look
right. What may be one is accepted here and questioned later, by the scores that no number of
matches can give (`judgement.history_findings`).
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from holdfast.errors import InvalidInput
from holdfast.files.text_files import open_regular_file
from holdfast.quoting import listed, quoted

__all__ = ["Submission", "most_looks", "read_history"]

LONGEST_LINE = 1 << 16
MOST_ROWS = 2_000_000
TEAM = ("team", "teamname", "team_name", "teamid", "user", "submitter", "participant")
TIME = ("time", "date", "timestamp", "submissiondate", "submitted", "submitted_at")
SCORE = ("score", "public", "public_score", "publicscore", "accuracy")
# Scores that are no accuracies, as boards name their columns.
OTHER_METRICS = (
    "aucs?", "roc_?auc", "auroc", "prc?_?auc", "auprc", "gini", "f[12]", "f1_?(score|macro|micro)",
    "(macro|micro|weighted)_?f1", "precision", "recall", "map", "map@?k?", "mean_average_precision",
    "ndcg", "mrr", "mcc", "kappa", "qwk", "iou", "miou", "dice", "bleu", "rouge.*", "wer", "cer",
    "r?mse", "rmsle", "msle", "mae", "mape", "smape", "r2", "pearson", "spearman", "log_?loss",
    "loss", "cross_?entropy", "brier", "error", "perplexity",
)  # fmt: skip
PRIVATE = ("private", "private_score", "privatescore", "final_score")


@dataclass(frozen=True, slots=True)
class Submission:
    """One answered look: scores are accuracies in [0, 1].

    `time` is in UTC unless the file says another zone; None: the file has no times. `private` is
    the score on the examples that decide in the end.
    """

    team: str
    time: datetime | None
    score: float
    private: float | None


def read_history(path: str | Path) -> list[Submission]:
    """Read a history, or raise `InvalidInput` naming the file, the rule and the line.

    Columns are found by name, in any case; where only another metric has one, such as RMSE or AUC,
    the file is refused. Scores above 1 are taken as per cent if all scores would be valid so.

    Parameters
    ----------
    path
        A CSV file with a header. Team and score are needed. Times only tell the first and the last
        day; without private scores nothing is said of public against private.

    Returns
    -------
    list of Submission
        In the order of the file.
    """
    path = Path(path)
    try:
        with TextIOWrapper(open_regular_file(path), encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(_lines(path, file), strict=True)
            header = [name.strip().lower() for name in next(reader, [])]
            places = [_place(path, header, names, what) for what, names in COLUMNS]
            rows = []
            for row in reader:
                if not row:
                    continue
                if len(row) != len(header):
                    raise InvalidInput(
                        f"{path} must have {len(header)} values in every row, got {len(row)} at "
                        f"line {reader.line_num}."
                    )
                rows.append(_submission(path, row, places, reader.line_num))
                if len(rows) > MOST_ROWS:
                    raise InvalidInput(f"{path} must have at most {MOST_ROWS:,} rows, got more.")
    except OSError as error:
        raise InvalidInput(f"{path} must be readable, got: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} must be UTF-8 text, got other bytes.") from None
    except csv.Error as error:
        raise InvalidInput(f"{path} must be CSV, got: {error}.") from None
    if not rows:
        raise InvalidInput(f"{path} must hold at least one submission, got none.")
    return _as_shares(path, rows)


def _lines(path: Path, file: TextIO) -> Iterator[str]:
    """Yield lines of bounded length: a file of another kind is refused, not read into memory."""
    while line := file.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE or "\0" in line:
            raise InvalidInput(f"{path} must be a table of short lines, got something else.")
        yield line


COLUMNS = (("team", TEAM), ("time", TIME), ("score", SCORE), ("private score", PRIVATE))


def _place(path: Path, header: Sequence[str], names: Sequence[str], what: str) -> int | None:
    """Return where a column stands; None: it isn't there and may be missing.

    The first of `names` that occurs decides, so that `score` wins over `public_score`.
    """
    folded = [name.replace(" ", "_") for name in header]
    for name in names:
        if name in folded:
            return folded.index(name)
    if what == "score":
        other = [name for name in folded if _is_other_metric(name)]
        if other:
            raise InvalidInput(
                f"{path} must have accuracies in a column named score or accuracy, got "
                f"{listed(other)}, which is another metric."
            )
    if what in ("team", "score"):
        found = listed(header) or "nothing"
        raise InvalidInput(f"{path} must have a column named {what}, found {found}.")
    return None


def _is_other_metric(name: str) -> bool:
    """Tell whether a column is called after another metric, whatever part it is of."""
    bare = re.sub(
        r"^(public|private|test|val|mean|best)_|_(public|private|test|val|score)$", "", name
    )
    return re.fullmatch("|".join(OTHER_METRICS), bare) is not None


def most_looks(history: Sequence[Submission]) -> int:
    """Return the looks of the team that took the most; 0: nobody took any.

    What a board in use grants, where nothing else is said of it: an attacker has as many.
    """
    return max(Counter(row.team for row in history).values(), default=0)


def _submission(
    path: Path, row: Sequence[str], places: Sequence[int | None], line: int
) -> Submission:
    team, time, score, private = (None if place is None else row[place].strip() for place in places)
    if not team:
        raise InvalidInput(f"{path} must name a team in every row, got a blank at line {line}.")
    return Submission(
        team=team,
        time=_moment(path, time, line) if time else None,
        score=_number(path, score or "", line),
        private=_number(path, private, line) if private else None,
    )


def _number(path: Path, text: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= 100.0:
        raise InvalidInput(
            f"{path} must have scores that are accuracies, got {quoted(text)} at line {line}."
        )
    return value


def _moment(path: Path, text: str, line: int) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{path} must have times such as 2026-03-01T12:00, got {quoted(text)} at line {line}."
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _as_shares(path: Path, rows: Sequence[Submission]) -> list[Submission]:
    """Return the submissions with scores in [0, 1]: divided by 100 if they are per cent.

    One score above 1 tells that all are per cent. Unless some lie below 1 and none above 2, which
    is no board: then they are of two kinds, or of neither.
    """
    scores = [score for row in rows for score in (row.score, row.private) if score is not None]
    if max(scores) <= 1.0:
        return list(rows)
    if min(score for score in scores if score > 0.0) < 1.0 < max(scores) <= 2.0:
        raise InvalidInput(f"{path} must have scores of one kind, got some above 1 and some below.")
    return [
        Submission(
            row.team,
            row.time,
            row.score / 100.0,
            None if row.private is None else row.private / 100.0,
        )
        for row in rows
    ]
