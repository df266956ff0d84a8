"""Exports: the board in Kaggle's layout, and the ledger's entries as lines of JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from holdfast.ledger.entry import Entry
from holdfast.ledger.moments import as_datetime
from holdfast.quoting import safe_cell
from holdfast.server.standings import Row

__all__ = ["as_kaggle_csv", "as_lines"]

# The columns of a leaderboard that Kaggle lets download.
COLUMNS = ("Rank", "TeamId", "TeamName", "LastSubmissionDate", "Score", "SubmissionCount",
           "TeamMemberUserNames")  # fmt: skip


def as_kaggle_csv(rows: Iterable[Row]) -> str:
    """Return rows of the board in the layout of Kaggle's download, with its byte order mark.

    Who the members of a team are is nobody's business: the column of their names is empty.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    for row in rows:
        name, last = safe_cell(row.name), as_datetime(row.last).strftime("%Y-%m-%d %H:%M:%S")
        writer.writerow((row.rank, row.team, name, last, row.released, row.looks, ""))
    return "\ufeff" + text.getvalue()


def as_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield entries of the ledger as lines of JSON; they hold released values and no others."""
    for entry in entries:
        yield json.dumps(asdict(entry)) + "\n"
