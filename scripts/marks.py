"""Logo, favicon and social card, as SVG: a climbing score, and the steps that a Ladder tells of it.

    python scripts/marks.py

writes logo.svg, favicon.svg and social_card.svg in docs/_static; a test fails when a file is not
what is drawn here.
"""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).resolve().parents[1] / "docs" / "_static"
NIGHT, CLIMB, HELD = "#10324a", "#ff9d4d", "#ffffff"
SENTENCE = ("How far a hidden test set can be overfit", "through its score feedback,")
PROMISE = "and scores served so that it can’t."
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" aria-label="{}">\n'


def mark() -> str:
    """Return the sign on a square of 64: the climb of all scores, above the steps that are told."""
    return (
        f'<rect width="64" height="64" rx="14" fill="{NIGHT}"/>\n'
        f'<path d="M9 45C23 43 30 35 36 25S47 11 55 9" fill="none" stroke="{CLIMB}"'
        ' stroke-width="5" stroke-linecap="round"/>\n'
        f'<path d="M9 56H29V47H45V40H55" fill="none" stroke="{HELD}" stroke-width="6"'
        ' stroke-linecap="round" stroke-linejoin="round"/>\n'
    )


def favicon() -> str:
    """Return the sign alone."""
    return SVG.format(64, 64, "Holdfast") + mark() + "</svg>\n"


def logo() -> str:
    """Return the sign and the name, on white and on dark pages alike."""
    name = (
        '<text x="78" y="45" font-family="system-ui, sans-serif" font-size="36" font-weight="600"'
        ' fill="#3f83ad">Holdfast</text>\n'
    )
    return SVG.format(264, 64, "Holdfast") + mark() + name + "</svg>\n"


def social_card() -> str:
    """Return the picture of 1280 by 640 that a link to the project shows."""
    lines = [
        SVG.format(1280, 640, "Holdfast: " + " ".join((*SENTENCE, PROMISE))),
        f'<rect width="1280" height="640" fill="{NIGHT}"/>\n',
        # The sign's two lines, large, on the right.
        '<g transform="translate(800 120) scale(6.6)" fill="none" stroke-linecap="round">\n',
        f'<path d="M3 50C24 48 30 40 36 28S48 2 60 -4" stroke="{CLIMB}" stroke-width="2.4"/>\n',
        f'<path d="M3 57H27V47H46V40H62" stroke="{HELD}" stroke-width="2.8"'
        ' stroke-linejoin="round"/>\n</g>\n',
        '<g font-family="system-ui, sans-serif" fill="#ffffff">\n',
        '<text x="80" y="210" font-size="104" font-weight="700">Holdfast</text>\n',
    ]
    for at, text in enumerate((*SENTENCE, PROMISE)):
        lines.append(f'<text x="84" y="{310 + 54 * at}" font-size="38">{text}</text>\n')
    lines.append(
        f'<text x="84" y="540" font-size="32" font-family="monospace" fill="{CLIMB}">'
        "$ holdfast audit labels.csv</text>\n</g>\n</svg>\n"
    )
    return "".join(lines)


DRAWN = {"favicon.svg": favicon, "logo.svg": logo, "social_card.svg": social_card}

if __name__ == "__main__":
    for name, draw in DRAWN.items():
        (STATIC / name).write_text(draw(), encoding="utf-8")
