"""Description and addresses of a built package: links that lead somewhere from anywhere.

In the repository links are relative, so that they fit every copy and every branch. A package index
shows the README elsewhere: there they lead to the `origin` of the clone that is built, and so do
the package's own addresses (`[project.urls]`). Where there is none, a link becomes its text and the
path in the repository, and a picture its caption: none is dead.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# Code in fences, which stays as it is; or a picture's mark, a text and a path in the repository.
LINK = re.compile(
    r"^```.*?^```|(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)", re.DOTALL | re.MULTILINE
)
# git@host:owner/name and https://host/owner/name, with and without .git.
ORIGIN = re.compile(r"(?:https://(?:[^@/]+@)?|git@|ssh://git@)([\w.-]+)[:/](.+?)(?:\.git)?/?$")


def description(readme: str, repository: str | None) -> str:
    """Return the README for readers outside the repository."""

    def replaced(link: re.Match[str]) -> str:
        picture, text, path = link.groups()
        if path is None:
            return link[0]
        if repository is not None:
            kind = "raw" if picture else "blob"
            return f"{picture}[{text}]({repository}/{kind}/HEAD/{path})"
        return f"*{text}*" if picture else f"{text} (`{path}`)"

    return LINK.sub(replaced, readme)


def address(origin: str) -> str | None:
    """Return the page of a repository by the address that it was cloned from; None: it has none."""
    found = ORIGIN.match(origin.strip())
    return None if found is None else f"https://{found[1]}/{found[2]}"


def addresses(repository: str | None) -> dict[str, str]:
    """Return what an index lists of the project: the paper, and what the repository has."""
    paper = {"Paper": "https://arxiv.org/abs/1908.03156"}
    if repository is None:
        return paper
    pages = {"Documentation": "docs/index.md", "Changelog": "CHANGELOG.md"}
    shown = {name: f"{repository}/blob/HEAD/{path}" for name, path in pages.items()}
    return {"Repository": repository, **shown, "Issues": f"{repository}/issues", **paper}


class CustomMetadataHook(MetadataHookInterface):
    """Fill in the description and the addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description from the README, and the addresses from where the clone is from."""
        root = Path(self.root)
        repository = address(_origin(root))
        metadata["urls"] = addresses(repository)
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": description(text, repository),
        }


def _origin(root: Path) -> str:
    """Return where the clone comes from; nothing where there is no clone, or no git."""
    command = ["git", "-C", str(root), "config", "--get", "remote.origin.url"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
