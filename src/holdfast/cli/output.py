"""Output of the commands: JSON or tables on stdout, progress and errors on stderr.

Rich is loaded when something is shown with it, so that `holdfast --help` does not wait for it.
"""

from __future__ import annotations

import json
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from holdfast.errors import HoldfastNote

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["as_json_text", "human", "notes_on_stderr", "print_json", "progress", "report_error"]

FILLED = re.compile(r" +(?=\n)")


def human() -> Console:
    """Return the console for tables; wide enough for them where the output is no terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120, file=cast("TextIO", _Trimmed()))
    return console


class _Trimmed:
    """Standard output for files and pipes: lines end where their text ends."""

    @property
    def encoding(self) -> str:
        """What standard output can write, which decides how boxes are drawn."""
        return sys.stdout.encoding or "utf-8"

    def write(self, text: str) -> int:
        """Write lines without the spaces that fill up a table or a wrapped line."""
        return sys.stdout.write(FILLED.sub("", text))

    def flush(self) -> None:
        """Write out what is kept back."""
        sys.stdout.flush()


def print_json(data: Any) -> None:
    """Print data as JSON: one document, numbers that JSON has no word for as null."""
    print(as_json_text(data))


def as_json_text(data: Any) -> str:
    """Return what `print_json` prints."""
    return json.dumps(_plain(data), indent=2, allow_nan=False)


def report_error(message: str) -> None:
    """Print one line on stderr."""
    print(f"error: {message}", file=sys.stderr)


@contextmanager
def notes_on_stderr() -> Iterator[None]:
    """Print each note about what was assumed of an input once, in one line on stderr."""
    said = set[str]()
    with warnings.catch_warnings():
        warnings.simplefilter("always", HoldfastNote)
        others = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, HoldfastNote):
                others(message, category, filename, lineno, file, line)
            elif str(message) not in said:
                said.add(str(message))
                print(f"note: {message}", file=sys.stderr)

        warnings.showwarning = show
        yield


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on stderr if that is a terminal; yield what advances it."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _show_nothing
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)


def _show_nothing(count: int) -> None:
    del count


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
