"""The page of what is found on a board: one file in the style of the audit's."""

from __future__ import annotations

from html import escape

from holdfast.detect.looks import Detection, TeamFound
from holdfast.detect.pictures import (
    MOST_LOOKS,
    direction_picture,
    evidence_picture,
    rows_picture,
)
from holdfast.detect.words import (
    ALIKE,
    CAUTION,
    assumption,
    evidence_text,
    held_against,
    sentence,
    summary,
    which_looks,
)
from holdfast.plain_page import framed, section, table

__all__ = ["as_page", "findings"]

STYLE = """.picture { margin: 1rem 0; } .picture figcaption { max-width: 46rem; }
.picture figcaption { color: var(--quiet); font-size: .88rem; }
.picture text { fill: var(--ink); font-size: 11px; } .picture .mark { fill: var(--ink); }
.picture .frame-of { fill: none; stroke: var(--line); } .picture .axis { stroke: var(--line); }
.picture .towards { fill: #d7301f; } .picture .away { fill: #2171b5; }
.picture .one { fill: var(--ink); } .picture .none { fill: var(--quiet); }
.picture .zero { fill: none; stroke: var(--ink); }
.picture .limit { stroke: var(--unsafe); stroke-dasharray: 5 3; }
.picture .evidence { fill: none; stroke: var(--series-1); stroke-width: 2; }"""


def as_page(found: Detection, name: str) -> str:
    """Return the page; `name` is what the host calls the board."""
    teams = [each for each in found.teams if not each.merged]
    looks = sum(len(each.looks) for each in teams)
    parts = [section("caution", "First of all", f"<p><strong>{escape(CAUTION)}</strong></p>")]
    parts.append(section("summary", summary(found), *(findings(found))))
    if found.flagged:
        listed = "".join(f"<li>{escape(text)}</li>" for text in ALIKE)
        parts.append(section("alike", "Honest work that looks alike", f"<ul>{listed}</ul>"))
    assumed = f"<p>{escape(assumption(found.teams[0]))}</p>"
    parts.append(section("assumption", "What is assumed", assumed))
    parts.append(section("teams", "All teams, by evidence", _teams(found)))
    parts.append(section("panel", "The panel", f"<p>{escape(held_against(found))}</p>"))
    return framed(
        brand="Holdfast detect",
        title=f"Probes: {name}",
        heading=f"Probes among the submissions of {name}",
        facts=f"{len(teams)} teams, {looks:,} submissions of {found.n_examples:,} rows each",
        style=STYLE,
        sections=parts,
    )


def findings(found: Detection) -> list[str]:
    """Return a part for each team that is flagged: the sentence, rows, directions, evidence."""
    return [
        _finding(each, stands=each.team in found.between_teams)
        if each.flagged_at is not None
        else ""
        for each in found.teams
    ]


def _finding(found: TeamFound, *, stands: bool) -> str:
    first = max(0, len(found.looks) - MOST_LOOKS) + 1
    looks = [look.read() for look in found.looks[first - 1 :]]
    among = "" if found.merged else ("; stands" if stands else "; does not stand")
    among += "" if found.merged else " among all teams"
    title = f"{found.team}: flagged at look {found.flagged_at}{among}"
    accounts = ""
    if found.merged:
        most = [f"{team} {ones}" for team, ones in found.accounts().items() if ones][:10]
        accounts = f"<p>Unexplained, by account: {escape(', '.join(most))}.</p>"
    return "\n".join(
        [
            f"<h3>{escape(title)}</h3>",
            f"<p>{escape(sentence(found))} {escape(which_looks(found))}</p>{accounts}",
            rows_picture(looks, first),
            direction_picture(found, first),
            evidence_picture(found, first),
        ]
    )


def _teams(found: Detection) -> str:
    titles = ("team", "looks", "unexplained", "decided", "p0", "evidence", "flagged at look")
    rows = [
        (
            each.team,
            str(len(each.looks)),
            str(each.ones),
            str(each.decided),
            f"{each.rate:.3g}",
            "not judged" if each.refused else evidence_text(each.last_log_evidence),
            str(each.flagged_at or "–"),
        )
        for each in found.teams
    ]
    reasons = dict.fromkeys(each.refused for each in found.teams if each.refused)
    return table(titles, rows, label="All teams, by evidence") + "".join(
        f"<p>Not judged: {escape(reason)}.</p>" for reason in reasons
    )
