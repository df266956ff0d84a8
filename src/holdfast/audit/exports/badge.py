"""A badge for a README: the verdict as a small SVG picture."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from holdfast.audit.result import Audit, Word, unit_after

__all__ = ["badge"]

# White text on each has a contrast of more than 4.5.
COLOURS: dict[Word, str] = {"SAFE": "#0b6b3a", "MARGINAL": "#8a5300", "UNSAFE": "#b3261e"}
LEFT = "test set"
LEFT_COLOUR = "#444c56"
MARGIN, HEIGHT = 7, 20


def badge(audit: Audit) -> str:
    """Return the SVG text: the verdict, and the worst gain found.

    The picture needs no font and no network, and says the same to a screen reader, with the date:
    a badge is read long after the audit. Its colours are the verdict's, but the word stands beside
    them, for those who see no difference between green and red.

    Parameters
    ----------
    audit
        Of accuracies or of a metric; the gain is in its own unit.
    """
    verdict = audit.verdict
    right = f"{verdict.word}: +{audit.worst:g} {unit_after(audit.worst, audit.unit)}"
    title = f"{audit.name}: {verdict.sentence} (Holdfast, {audit.date})"
    widths = [_width(text) for text in (LEFT, right)]
    split, whole = widths[0] + 2 * MARGIN, sum(widths) + 4 * MARGIN
    texts = "".join(
        f'<text x="{x}" y="14" textLength="{width}" lengthAdjust="spacingAndGlyphs">'
        f"{escape(text)}</text>"
        for text, x, width in (
            (LEFT, MARGIN, widths[0]),
            (right, split + MARGIN, widths[1]),
        )
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{HEIGHT}" '
        f'viewBox="0 0 {whole} {HEIGHT}" role="img" aria-label={quoteattr(title)}>'
        f"<title>{escape(title)}</title>"
        f'<clipPath id="r"><rect width="{whole}" height="{HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{split}" height="{HEIGHT}" fill="{LEFT_COLOUR}"/>'
        f'<rect x="{split}" width="{whole - split}" height="{HEIGHT}" '
        f'fill="{COLOURS[verdict.word]}"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">'
        f"{texts}</g></svg>\n"
    )


def _width(text: str) -> int:
    """Return about how many pixels a text takes in Verdana at 11 pixels.

    It is then fitted to just this width (`textLength`), so that every font gives the same picture:
    an estimate that is a little off spreads the letters, and moves no edge.

    >>> _width("SAFE"), _width("illicit")
    (29, 32)
    """
    narrow, wide = set("ijltf.,:'"), set("+MNUGRA")
    return round(sum(4.1 if c in narrow or c == " " else 8.4 if c in wide else 7.0 for c in text))
