"""Templates, style and scripts of the page, filled and put together into one text.

The page must open from a mail or a file share, so it is one file: style, scripts and the chart
runtime are inside, and it loads nothing. Every value is escaped (`autoescape`), and a name that a
template misspells is an error (`StrictUndefined`), not a blank.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
import vl_convert

from holdfast._version import __version__
from holdfast.attacks.registry import summary_of
from holdfast.audit.judgement.sentences import blur_of_row
from holdfast.audit.page.formats import interval, most, points
from holdfast.audit.page.runtime import runtime
from holdfast.audit.page.tiles import tiles
from holdfast.audit.result import Verdict, in_digits, unit_after

__all__ = ["drawing", "filled", "json_for_script"]

# How wide a chart is drawn for readers without scripts, in pixels, and the room left at its right.
DRAWN, FOR_WIDER_FONTS = 900, 36


def filled(template: str, **values: Any) -> str:
    """Return the whole page that a template gives with these values.

    Parameters
    ----------
    template
        `page.html`, `quick.html` or `compare.html`.
    **values
        What the template names; version, style, scripts and chart runtime are added here.
    """
    return (
        _environment()
        .get_template(template)
        .render(
            version=__version__,
            style=_text("style.css"),
            script=_text("what_if.js") + _text("page.js"),
            runtime=runtime(),
            **values,
        )
    )


def json_for_script(value: object) -> str:
    r"""Return JSON that can stand inside a script element: no `</script>` can end it early.

    A name of a test set or a team is anybody's text. Escaped as JSON escapes a character, it is the
    same value to a parser, and no tag to a browser.

    >>> print(json_for_script({"name": "</script>"}))
    {"name":"\u003c/script>"}
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def drawing(spec: dict[str, Any]) -> str:
    """Return a chart as a finished drawing (SVG), for browsers that run no scripts.

    With scripts the chart that follows the pointer takes its place (`page.js`).
    """
    # A reader's own font may be wider than the one that the labels were measured with.
    roomy = {**spec, "width": DRAWN, "padding": {**spec["padding"], "right": FOR_WIDER_FONTS}}
    svg: str = vl_convert.vegalite_to_svg(roomy)
    return svg


@cache
def _environment() -> jinja2.Environment:
    """Return the templates with the filters that they use; made once per process."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("holdfast.audit.page", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["points"] = points
    environment.filters["most"] = lambda value, audit: most(value, audit.rounding_unit)
    environment.filters["blur"] = blur_of_row
    environment.filters["gain"] = lambda value, audit: _gain(value, audit.rounding_unit)
    environment.filters["interval"] = lambda found, audit: interval(found, audit.rounding_unit)
    environment.filters["count"] = lambda value: "" if value is None else f"{value:,}"
    environment.filters["summary"] = summary_of
    environment.filters["unit_after"] = unit_after
    environment.filters["share"] = _share
    environment.filters["reason"] = _reason
    environment.filters["tiles"] = tiles
    return environment


def _text(name: str) -> str:
    return files("holdfast.audit.page").joinpath(name).read_text(encoding="utf-8")


def _gain(value: float | None, unit: float) -> str:
    """Return a number that was computed from labels, without digits below its rounding unit."""
    return "–" if value is None else in_digits(value, unit)


def _share(value: float | None, scale: float) -> str:
    """Return how much of a bar a number fills, in per cent; what is not 0 can be seen.

    >>> _share(1.0, scale=4.0), _share(0.001, scale=4.0), _share(None, scale=4.0)
    ('25.0', '0.8', '0')
    """
    if value is None or value <= 0.0 or not math.isfinite(value):
        return "0"
    return f"{min(max(100.0 * value / scale, 0.8), 100.0):.1f}"


def _reason(verdict: Verdict) -> str:
    """Return a verdict's sentence without the word, which stands above it."""
    rest = verdict.sentence.removeprefix(verdict.word).strip()
    return f"{rest[:1].upper()}{rest[1:]}"
