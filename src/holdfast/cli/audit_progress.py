"""The audit while it runs, on stderr: the outlook first, then a bar with the time that is left.

Stopped by Ctrl-C, it says what is known so far.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from holdfast.audit import KnownSoFar, Outlook, Play, PlayCache, Request
from holdfast.audit.events import Event
from holdfast.audit.scenarios.expected_time import expected_seconds
from holdfast.cli.plain import point_word

__all__ = ["AuditProgress", "duration", "watched"]

# Seconds that worker processes take to start.
STARTING = 1.5
MOST_SHOWN = 5


def duration(seconds: float) -> str:
    """Return a time in words that do not claim to know it.

    >>> duration(0.3), duration(43.0), duration(290.0)
    ('a second', '45 s', '5 min')
    """
    if seconds < 1.5:
        return "a second"
    if seconds < 10.0:
        return f"{seconds:.0f} s"
    if seconds < 100.0:
        return f"{5 * round(seconds / 5)} s"
    return f"{seconds / 60:.0f} min"


class AuditProgress:
    """Shows the plays of an audit, and what they have found so far.

    Parameters
    ----------
    board
        What is audited.
    processes
        How many processes play.
    kept
        Where plays of earlier audits are found, which take no time.
    """

    def __init__(self, board: Request, processes: int, kept: PlayCache | None = None) -> None:
        self.known, self._processes, self._kept = KnownSoFar(board), processes, kept
        self._board, self._n = board, board.labels.size
        self._console = Console(stderr=True, highlight=False)
        self._what = ""
        self._start = time.perf_counter()
        self._total, self._done, self._plays = 1.0, 0.0, 0
        self._left = "..."
        self._bar = Progress(
            TextColumn("{task.description:<20}"),
            BarColumn(),
            TextColumn("{task.fields[plays]}"),
            TextColumn("{task.fields[left]}"),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("audit", total=1.0, plays="", left="")

    def hear(self, event: Event) -> None:
        """Show what an event of the audit tells."""
        self.known.hear(event)
        if isinstance(event, Outlook):
            self._outlook(event)
        elif isinstance(event, Play):
            self._played(event)
        else:
            self._what = event.name
            if not self._console.is_terminal:
                self.say(f"{self._what} ...")
            self._show()

    def _outlook(self, ahead: Outlook) -> None:
        """Say what is known before the first play: findings, forecast, and how long it takes."""
        for finding in ahead.findings:
            self.say(f"{finding.severity}: {finding.what}")
        about = "No forecast for this rule"
        if not self._board.display.plain:
            about = f"Metric: {self._board.shown}"
        elif ahead.points is not None:
            about = f"Forecast: about {point_word(ahead.points / 100)} ({ahead.attack})"
        wall = ahead.seconds / self._processes + (STARTING if self._processes > 1 else 0.0)
        self._left = f"about {duration(wall)} left"
        self.say(f"{about}; measuring, {self._left}.")
        self._total, self._plays = max(ahead.seconds, 1e-3), ahead.plays
        self._start = time.perf_counter()

    def _played(self, play: Play) -> None:
        """Move the bar on; a play that was kept has taken no time."""
        if self._kept is not None and play.job in self._kept.reused:
            self._show()
            return
        self._done += expected_seconds([play.job], self._n)
        # Fixes take more plays than were planned.
        self._total = max(self._total, 1.02 * self._done)
        spent = time.perf_counter() - self._start
        left = spent * (self._total - self._done) / self._done
        self._left = f"about {duration(left)} left"
        self._show()

    def stopped(self) -> None:
        """Say what is known so far."""
        lines = self.known.lines()[:MOST_SHOWN]
        plays = f"{self.known.n_plays:,} play{'' if self.known.n_plays == 1 else 's'}"
        self.say(f"Stopped after {plays}; known so far, and no verdict:")
        for line in lines:
            self.say(f"  {line}")
        if not lines:
            self.say("  no attack has played the policy's rule yet.")
        self.say("What is not listed was not played, which does not mean that it gains less.")

    @contextmanager
    def showing(self) -> Iterator[None]:
        """Show the bar inside the block, and what is known if Ctrl-C leaves it."""
        try:
            with self._bar:
                yield
        except KeyboardInterrupt:
            self.stopped()
            raise

    def _show(self) -> None:
        plays = max(self._plays, self.known.n_plays)
        self._bar.update(
            self._task,
            description=self._what,
            completed=self._done,
            total=self._total,
            plays=f"{self.known.n_plays:,} of about {plays:,} plays",
            left=self._left,
        )

    def say(self, text: str) -> None:
        """Print a line beside the bar."""
        if self._console.is_terminal:
            self._console.print(escape(text))
        else:
            print(text, file=sys.stderr, flush=True)


@contextmanager
def watched(board: Request, processes: int, kept: PlayCache | None) -> Iterator[AuditProgress]:
    """Show the progress of the audit in the block."""
    progress = AuditProgress(board, processes, kept)
    with progress.showing():
        yield progress
