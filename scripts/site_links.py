"""Every link of the built site leads to a file, and to a place in it.

    python scripts/site_links.py out/site

prints what is dead and exits with 1 if anything is; addresses on other machines are left alone.
"""

from __future__ import annotations

import html
import re
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote

LINK = re.compile(r'(?:href|src)="([^"]+)"')


@cache
def _places(page: Path) -> frozenset[str]:
    return frozenset(re.findall(r'\bid="([^"]+)"', page.read_text(encoding="utf-8")))


def dead(site: Path) -> list[str]:
    """Return the links that lead nowhere, each with its page."""
    found = set()
    for page in site.rglob("*.html"):
        for link in map(html.unescape, LINK.findall(page.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:|//", link):
                continue
            path, _, place = link.partition("#")
            there = (page.parent / unquote(path.partition("?")[0])).resolve() if path else page
            known = there.suffix != ".html" or not place
            if not there.exists() or not (known or unquote(place) in _places(there)):
                found.add(f"{page.relative_to(site)}: {link}")
    return sorted(found)


if __name__ == "__main__":
    lines = dead(Path(sys.argv[1]))
    print(*lines, sep="\n", end="\n" if lines else "")
    sys.exit(bool(lines))
