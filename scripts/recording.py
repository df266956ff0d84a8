"""A recording of a terminal as an SVG that plays by itself: the first tutorials' commands.

    python scripts/recording.py

writes docs/_static/recording.svg. Commands and answers are those of the tutorials in docs/start,
which the tests run; a test fails when the file shows anything else. Whoever wants no motion sees
the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
RECORDING = DOCS / "_static" / "recording.svg"
PAGES = {
    "start/audit.md": "600 hidden labels, and teams that may look ten times a day",
    "start/guard_a_loop.md": "a loop that asked 400 times, behind a guard",
    "start/run_a_board.md": "a board, and a file that is submitted to it",
}
ROWS, COLUMNS, LINE, CHARACTER = 26, 122, 19, 8.05
# Seconds: for a key, after a command, after a line of its answer, before the next page.
KEY, RUNS, READ, PAUSE = 0.06, 1.5, 1.6, 5.0
FONT = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
ABOUT = "A terminal in which labels are audited, a loop is guarded, and a board is run"
BLOCK = re.compile(r"^```(console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """A line of the terminal: its text, its colour and the second at which it is there."""

    text: str
    colour: str
    second: float


def script() -> list[Shown]:
    """Return every line with its second, for the pages in their order."""
    now, lines = 0.5, []
    for page, about in PAGES.items():
        lines.append(Shown(f"# {about}", "#8fb8d3", now))
        now += 2.0
        blocks = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
        # A block of Python has a text block of its own, before the first command.
        first = next(at for at, (kind, _) in enumerate(blocks) if kind == "console")
        for kind, text in blocks[first:]:
            for line in (_whole(each) for each in text.splitlines()):
                if kind == "console":
                    now += KEY * len(line)
                    lines.append(Shown(line, "#ffffff", now))
                    now += RUNS
                else:
                    loud = line.startswith(("UNSAFE", "Final ranking", "The chain holds"))
                    lines.append(Shown(line, "#ff9d4d" if loud else "#d0d7de", now))
                    now += READ / 4 if line[:1] in "┏┡└┃[" else READ
        lines.append(Shown("", "#ffffff", now))
        now += PAUSE
    return lines


def _whole(line: str) -> str:
    """Return a line as wide as it was: a table's left-out cell is as wide as its column."""
    return line.replace("[...] │", f"{'[...]':25} │") if line.startswith("│") else line


def svg() -> str:
    """Return the recording: lines appear one by one, and the screen scrolls when it is full."""
    lines = script()
    length = lines[-1].second + 2 * PAUSE
    width, height = round(COLUMNS * CHARACTER) + 32, ROWS * LINE + 56
    style, drawn, scrolls = [], [], [(0.0, 0)]
    for at, each in enumerate(lines):
        share = 100 * each.second / length
        hidden, there = f"0%,{share:.2f}%{{opacity:0}}", f"{share + 0.01:.2f}%,100%{{opacity:1}}"
        style.append(f"@keyframes l{at}{{{hidden}{there}}}")
        style.append(f".l{at}{{animation:l{at} {length:.1f}s linear infinite}}")
        place = f'class="l{at}" x="16" y="{48 + LINE * (at + 1)}" fill="{each.colour}"'
        drawn.append(f"<text {place}>{escape(each.text[:COLUMNS])}</text>\n")
        if at >= ROWS:
            scrolls.append((share, -LINE * (at - ROWS + 1)))
    last = f"translateY({scrolls[-1][1]}px)"
    steps = "".join(f"{at:.2f}%{{transform:translateY({up}px)}}" for at, up in scrolls)
    style.append(f"@keyframes scroll{{{steps}100%{{transform:{last}}}}}")
    style.append(f".s{{transform:{last};animation:scroll {length:.1f}s step-end infinite}}")
    style.append("@media (prefers-reduced-motion:reduce){*{animation:none!important}}")
    style.append(f"text{{font:13.4px {FONT};white-space:pre}}")
    inner = f'y="40" width="{width}" height="{height - 48}" viewBox="0 40 {width} {height - 48}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' aria-label="{ABOUT}">\n<style>{"".join(style)}</style>\n'
        f'<rect width="{width}" height="{height}" rx="10" fill="#0d1b26"/>\n'
        f'<svg {inner}>\n<g class="s">\n{"".join(drawn)}</g>\n</svg>\n</svg>\n'
    )


if __name__ == "__main__":
    RECORDING.write_text(svg(), encoding="utf-8")
