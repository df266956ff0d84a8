"""Write the tables of attacks in the docs from the attacks' class attributes.

Run as `python scripts/attack_table.py`; a test fails when a page is stale. What an attack does is
the first line of its docstring.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from pathlib import Path

from holdfast.answers import (
    ComparisonAnswers,
    ExactAnswers,
    NewBestAnswers,
    NoisyAnswers,
    RankAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.attacks.description import Described, Needs
from holdfast.attacks.registry import attack_types
from holdfast.planner import Mixture

DOCS = Path(__file__).resolve().parents[1] / "docs"
BEGIN = "<!-- Written by scripts/attack_table.py; change the attacks' classes instead. -->\n"
END = "<!-- End of the table. -->\n"
MODELS = (
    ExactAnswers,
    RoundedAnswers,
    NoisyAnswers,
    SubsetAnswers,
    ComparisonAnswers,
    RankAnswers,
    NewBestAnswers,
)


def every_attack() -> str:
    """Return the table of what is true of each attack."""
    rows = [
        "| attack | family | what it does | adaptive | reads | prior | proves labels | needs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*rows, *map(_row, attack_types())]) + "\n"


def _row(cls: type[Described]) -> str:
    does = (inspect.getdoc(cls) or "").partition("\n")[0].removesuffix(".")
    needs = cls.needs.value if cls.needs else ""
    facts = [cls.adaptive, cls.reads.value, cls.takes_prior, cls.proves_labels, needs]
    cells = ["yes" if fact is True else fact or "" for fact in facts]
    return " | ".join([f"| `{cls.name}`", cls.family, does, *cells]) + " |"


def tolerated_answers() -> str:
    """Return the table of the answer models that each attack can use."""
    alike = defaultdict(list)
    for cls in [*attack_types(), Mixture]:
        if cls.needs is not Needs.ATTACK:
            told = ["yes" if model in cls.tolerates else "no" for model in MODELS]
            why = cls.intolerance if "no" in told else ""
            alike[*told, why].append(f"`{cls.__name__}`")
    rows = [
        "| attack | exact | rounded | noisy | subset | comparison | ranks | new best "
        "| why no others |",
        "|---|---|---|---|---|---|---|---|---|",
        *(" | ".join([f"| {', '.join(names)}", *cells]) + " |" for cells, names in alike.items()),
    ]
    return "\n".join(rows) + "\n"


PAGES = {"attacks/choosing.md": every_attack, "side_information.md": tolerated_answers}


def page(name: str) -> str:
    """Return a page with its table renewed."""
    before, begin, rest = (DOCS / name).read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    return before + begin + PAGES[name]() + end + after


if __name__ == "__main__":
    for name in PAGES:
        (DOCS / name).write_text(page(name), encoding="utf-8")
