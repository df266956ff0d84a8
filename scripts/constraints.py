"""Write constraints.txt: the versions that the tests were run with.

Run as `python scripts/constraints.py` after a full run of the tests, in the environment that they
ran in. The file holds every package that Holdfast and its extras need, directly or not. Whoever
wants the same installation again says `pip install -c constraints.txt`; nobody has to.
"""

from __future__ import annotations

import importlib.metadata
import platform
import sys
import tomllib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
OURSELVES = "holdfast"


def requirements() -> list[Requirement]:
    """Return what the project and all its extras ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    texts = [*project["dependencies"], *(text for extra in extras for text in extra)]
    found = [Requirement(text) for text in texts]
    return [each for each in found if canonicalize_name(each.name) != OURSELVES]


def installed(wanted: Iterable[Requirement]) -> dict[str, str]:
    """Return the version of every package wanted here, and of what these want in turn."""
    versions: dict[str, str] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    left = [each for each in wanted if each.marker is None or each.marker.evaluate()]
    while left:
        each = left.pop()
        name, extras = canonicalize_name(each.name), frozenset(each.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            sys.exit(f"error: {each} must be installed; run: pip install -e '.[dev]'")
        versions[name] = package.version
        for text in package.requires or ():
            part = Requirement(text)
            if part.marker is None or any(
                part.marker.evaluate({"extra": extra}) for extra in ("", *extras)
            ):
                left.append(part)
    return versions


def constraints() -> str:
    """Return the whole file."""
    lines = [
        "# Versions that Holdfast was tested with: no requirement, only an installation to repeat.",
        "# Use: pip install -c constraints.txt 'holdfast[cli]'",
        f"# Python {platform.python_version()}, {datetime.now(UTC):%Y-%m-%d}, "
        "made by: python scripts/constraints.py",
    ]
    found = installed(requirements())
    return "\n".join([*lines, *(f"{name}=={found[name]}" for name in sorted(found)), ""])


if __name__ == "__main__":
    (ROOT / "constraints.txt").write_text(constraints(), encoding="utf-8")
