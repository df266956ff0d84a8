"""The lowest versions that pyproject.toml allows, as a constraints file for pip.

    python scripts/lowest.py > lowest.txt

Only what a user installs is held at its lowest version: the core and the extras. Tools of
development (tests, lint, types) may be as new as they like.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
LOWEST = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?\s*>=\s*([0-9][^,;\s]*)")


def lowest_versions(text: str) -> dict[str, str]:
    """Return each dependency's name and lowest version."""
    project = tomllib.loads(text)["project"]
    extras = project.get("optional-dependencies", {})
    wanted = [*project["dependencies"]]
    for name, requirements in extras.items():
        if name != "dev":
            wanted += [each for each in requirements if not each.startswith(project["name"])]
    found = {}
    for requirement in wanted:
        match = LOWEST.match(requirement)
        if match is None:
            sys.exit(f"{requirement} must name its lowest version, as in name>=1.2.")
        found[match[1]] = match[2]
    return found


if __name__ == "__main__":
    for name, version in sorted(lowest_versions(PROJECT.read_text(encoding="utf-8")).items()):
        print(f"{name}=={version}.*" if version.count(".") < 2 else f"{name}=={version}")
