"""The page's script: Vega, Vega-Lite and Vega-Embed as one text, bundled once per machine.

Bundling takes a second and a half and always gives the same text for one version of the library, so
the text is kept beside the plays, in the user's directory for caches. Nothing depends on it: one
that is damaged or can't be kept is made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import vl_convert

from holdfast.audit.exports import write_whole
from holdfast.audit.scenarios.play_cache import cache_folder

__all__ = ["bundle", "runtime"]


@cache
def runtime() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, from the library's own wheel.

    The wheel's script has no notices, and a page is a copy of it: they stand at its head.
    """
    return f"{_notices()}\n{bundle(cache_folder())}".replace("</script", "<\\/script")


def bundle(folder: Path) -> str:
    """Return the library's script, from the folder if it is kept there whole.

    The file's first line is a digest of the rest: one that was cut short, or edited, is made anew.
    What can't be read or written is no error, and costs a second and a half.
    """
    path = folder / f"page-{version('vl-convert-python')}.js"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        digest, _, kept = path.read_text(encoding="utf-8").partition("\n")
        if digest == _digest(kept):
            return kept
    # Without a snippet the bundle defines window.vegaEmbed; the stub forgets that it is optional.
    made: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, f"{_digest(made)}\n{made}")
    return made


def _digest(text: str) -> str:
    return f"// {hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}"


def _notices() -> str:
    """Return the licence notices that go with the script, as a comment of it."""
    versions = [
        f"Vega {vl_convert.get_vega_version()}",
        f"Vega-Lite {vl_convert.get_vegalite_versions()[-1]}",
        f"Vega-Embed {vl_convert.get_vega_embed_version()}",
    ]
    notices = files("holdfast.audit.page").joinpath("runtime_notices.txt")
    return f"/*!\n{', '.join(versions)}\n\n{notices.read_text(encoding='utf-8')}*/"
