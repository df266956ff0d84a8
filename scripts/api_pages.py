"""Pages of the site that are written from the code: the API, and the paper's statements.

`docs/conf.py` calls `write` before every build. What is written is not committed: docs/api, and
docs/paper/statements.rst.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from types import ModuleType

from holdfast import statements

__all__ = ["INTERNAL", "PUBLIC", "about_constant", "public_names", "write"]

DOCS = Path(__file__).resolve().parents[1] / "docs"

# What users import, by what they do with it.
PUBLIC = {
    "Games": (
        "holdfast",
        "holdfast.protocols",
        "holdfast.oracles",
        "holdfast.answers",
        "holdfast.priors",
        "holdfast.features",
        "holdfast.labels",
        "holdfast.evaluate",
        "holdfast.optimal",
    ),
    "Attacks": (
        "holdfast.attacks",
        "holdfast.attacks.without_features",
        "holdfast.attacks.through_metrics",
        "holdfast.attacks.base",
        "holdfast.attacks.description",
        "holdfast.planner",
        "holdfast.setting",
        "holdfast.votes",
    ),
    "Bounds": ("holdfast.bounds", "holdfast.certificates", "holdfast.statements"),
    "Rules and metrics": (
        "holdfast.rules",
        "holdfast.metrics",
        "holdfast.plugins",
        "holdfast.testing",
    ),
    "Guard and board": (
        "holdfast.guard",
        "holdfast.guard.adapters.kaggle",
        "holdfast.guard.adapters.scikit_learn",
        "holdfast.ledger",
        "holdfast.client",
        "holdfast.detect",
    ),
    "Loops": (
        "holdfast.adapters.asking",
        "holdfast.adapters.evaluator",
        "holdfast.adapters.gepa",
        "holdfast.adapters.inspect",
        "holdfast.adapters.optuna",
    ),
    "Audits and experiments": (
        "holdfast.audit",
        "holdfast.lint",
        "holdfast.bench",
        "holdfast.experiments",
        "holdfast.sweeps",
    ),
    "Errors": ("holdfast.errors",),
}
# What the rest is made of: may change without a word. Its docstrings are in the source.
INTERNAL = (
    "adapters", "cli", "compiling", "cores", "extras", "files", "hashing", "interrupts", "kernels",
    "loop", "measured", "mechanisms", "plain_page", "problem", "quoting", "roots", "server",
    "transcript",
)  # fmt: skip


def public_names(module: ModuleType) -> list[str]:
    """Return the names that a module offers: those of `__all__`, or what it imports for others."""
    offered = getattr(module, "__all__", None)
    if offered is None:
        offered = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "").startswith("holdfast.")
        ]
    return [
        name
        for name in offered
        if not name.startswith("_") and not inspect.ismodule(getattr(module, name))
    ]


def write() -> None:
    """Write every page."""
    pages = dict(_pages())
    pages["paper/statements"] = _statements()
    for name, text in pages.items():
        path = DOCS / f"{name}.rst"
        path.parent.mkdir(exist_ok=True)
        # A page that is as it was is not read again by the next build.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in (DOCS / "api").glob("*.rst"):
        if f"api/{path.stem}" not in pages:
            path.unlink()


def _pages() -> Iterator[tuple[str, str]]:
    """Yield the API's pages, one per module; a name has its entry where it is offered first."""
    yield "api/index", _overview()
    seen: dict[int, str] = {}
    for modules in PUBLIC.values():
        for name in modules:
            yield f"api/{name}", _page(name, seen)


def _page(name: str, seen: dict[int, str]) -> str:
    module = import_module(name)
    parts = [_title(f"``{name}``"), f".. automodule:: {name}\n   :no-members:\n"]
    elsewhere = []
    for each in public_names(module):
        value = getattr(module, each)
        first = seen.setdefault(id(value), f"{name}.{each}")
        if first != f"{name}.{each}" and callable(value):
            elsewhere.append(f"* :py:obj:`{each} <{first}>`")
        elif inspect.isclass(value):
            parts.append(f".. autoclass:: {name}.{each}\n   :members:\n")
        elif inspect.isroutine(value):
            parts.append(f".. autofunction:: {name}.{each}\n")
        else:
            parts.append(f".. py:data:: {name}.{each}\n\n   {_code(about_constant(name, each))}\n")
    if elsewhere:
        parts.append("Also here:\n\n" + "\n".join(elsewhere) + "\n")
    return "\n".join(parts)


def about_constant(module: str, name: str) -> str:
    """Return the comment above a constant where it is set."""
    value = getattr(import_module(module), name)
    inside = [place for place in sorted(sys.modules) if place.startswith("holdfast.")]
    for place in sorted(inside, key=lambda place: not place.startswith(module)):
        if vars(sys.modules[place]).get(name) is value:
            lines = inspect.getsource(sys.modules[place]).splitlines()
            at = next((i for i, line in enumerate(lines) if re.match(rf"{name}\b.*=", line)), None)
            if at is not None:
                above = list(takewhile(lambda line: line.startswith("#"), reversed(lines[:at])))
                return " ".join(line.lstrip("#: ") for line in reversed(above))
    return ""


def _overview() -> str:
    """Return the page that lists the modules."""
    parts = [
        _title("Python API"),
        "What is listed here is public. ``import holdfast`` loads nothing more than it needs.\n",
    ]
    for group, modules in PUBLIC.items():
        parts.append(f"{group}\n{'-' * len(group)}\n")
        for name in modules:
            first = (import_module(name).__doc__ or "").partition("\n")[0]
            parts.append(f":doc:`{name}`\n   {_code(first)}\n")
    tree = "\n".join(f"   {name}" for modules in PUBLIC.values() for name in modules)
    parts.append(f".. toctree::\n   :hidden:\n\n{tree}\n")
    return "\n".join(parts)


def _statements() -> str:
    """Return the paper's statements with the code and the tests of each."""
    parts = [
        _title("Statements of the paper"),
        "Every theorem, lemma, figure and remark of Acharya and Suresh :cite:p:`acharya2020`, the"
        " code that names it, and the tests that measure it.\n",
    ]
    for each in statements.load():
        parts.append(_title(f"{each.kind.capitalize()} {each.number} ({each.label})", "-"))
        parts.append(_code(each.summary) + "\n")
        for what, where in (("Code", each.files), ("Tests", each.tests)):
            parts += [f"{what}:\n", *(f"* ``{place}``" for place in where), ""]
    return "\n".join(parts)


def _code(text: str) -> str:
    """Return text whose single backticks are code, for pages written in reStructuredText."""
    return text.replace("`", "``").replace("*", r"\*")


def _title(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n"


if __name__ == "__main__":
    write()
