"""Write the table of release rules in docs/rules.md from the rules themselves.

Run as `python scripts/rule_table.py`; a test fails when the page is stale. What is released is the
first line of a rule's docstring, the resolution that of its `resolution`.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from holdfast.rules import Rule, rule_classes

PAGE = Path(__file__).resolve().parents[1] / "docs" / "rules.md"
BEGIN = "<!-- Written by scripts/rule_table.py; change the rules' docstrings instead. -->\n"
END = "<!-- End of the table. -->\n"


def table() -> str:
    """Return the table, one row per rule."""
    rows = ["| text form | class | what it does | resolution |", "|---|---|---|---|"]
    rows += [_row(rule) for rule in rule_classes()]
    return "\n".join(rows) + "\n"


def _row(rule: type[Rule]) -> str:
    forms = ", ".join(f"`{text}`" for text in rule.text_forms)
    does = _first_line(rule).removesuffix(".")
    lost = _first_line(rule.resolution).removeprefix("Return ").removesuffix(".")
    return f"| {forms} | `{rule.__name__}` | {does} | {lost} |"


def _first_line(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def page(text: str) -> str:
    """Return the page with the table renewed."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return before + begin + table() + end + after


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
