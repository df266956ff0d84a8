"""A headless Chromium for the page tests, or the reason why there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Milliseconds for the browser to start and for anything on a page to appear: a machine that does
# other things too may take many times the usual second.
PATIENCE = 600_000

# No sandbox inside containers; no errand of the browser's own on the network.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]


def executable() -> str | None:
    """Return the browser to use: HOLDFAST_CHROMIUM, or the system's."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("HOLDFAST_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser for the length of a block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable(), args=FLAGS, timeout=PATIENCE
        )
        try:
            yield browser
        finally:
            browser.close()
