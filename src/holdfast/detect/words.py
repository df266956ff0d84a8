"""The words of a finding: what was seen, what is assumed, and what honest work looks alike."""

from __future__ import annotations

from typing import Final

from holdfast.detect.board import LOOKS_PER_TEAM
from holdfast.detect.evidence import FLAG, GRACE, LEAST_RATE
from holdfast.detect.looks import Detection, TeamFound
from holdfast.detect.watch import Why

__all__ = [
    "ALIKE",
    "CAUTION",
    "assumption",
    "evidence_text",
    "held_against",
    "sentence",
    "summary",
    "which_looks",
]

CAUTION: Final = (
    "Whoever reads how this works evades it at no cost: the ledger is the defence. A finding is a "
    "reason to ask, no proof, and no finding is no proof either."
)

ALIKE: Final = (
    "Other seeds of an ensemble, where it is large and its looks are few: ask for two more runs, "
    "which must differ from each other as the looks do.",
    "A model whose predictions are disturbed at random: a test of robustness, dropout that was "
    "left on while predicting, rows swapped by a fault.",
    "Few rows taken at random from another model.",
    "Small changes that are tried one at a time and taken back: ask what each was made for.",
    "Shuffled rows, or ids that were lost, in more than three looks.",
)


def sentence(found: TeamFound) -> str:
    """Return what a team's looks are, in words that its host may repeat."""
    coins, chance = found.counted(Why.COIN), found.counted(Why.CHANCE)
    parts = []
    if coins:
        parts.append(
            f"{coins} changed rows as a coin does, neither towards nor away from other models or a "
            "class, and not as the team's own earlier looks explain"
        )
    if chance:
        parts.append(f"{chance} agree with other models no more than shuffled rows do")
    told = f"Of {len(found.looks)} looks {found.ones} are unexplained: {'; '.join(parts)}. "
    if found.others_decided:
        share = 100.0 * found.others_ones / found.others_decided
        told += (
            f"Among the other {found.others} teams {share:.1f} % of looks are "
            f"({found.others_ones} of {found.others_decided}). "
        )
    return told + (
        f"A team may be wrong about {GRACE} looks; beyond those, one whose looks are so at a rate "
        f"of {100.0 * found.rate:.3g} % at most ever gets here with probability "
        f"{100.0 / FLAG:.0f} % at most."
    )


def which_looks(found: TeamFound) -> str:
    """Return the numbers of the looks that are unexplained, counted from 1."""
    parts, start = [], 0
    bits = [each.bit is True for each in found.judged]
    for at, bit in enumerate([*bits, False], start=1):
        if bit and not start:
            start = at
        elif start and not bit:
            parts.append(f"{start}" if start == at - 1 else f"{start} to {at - 1}")
            start = 0
    return f"Unexplained looks: {', '.join(parts)}."


def assumption(found: TeamFound) -> str:
    """Return the assumption under which the rate of false alarms holds."""
    told = (
        f"Assumed: an honest team has at most {GRACE} looks that may be anything; each other look "
        f"that can be decided is unexplained with probability {found.rate:.3g} at most, given "
        "all before it. "
    )
    told += "That rate was given. " if found.rate_given else ""
    if not found.others_decided:
        return told + "No other team's looks were there to compare that with."
    measured = f"{found.others_ones} of {found.others_decided}"
    if found.rate_given:
        return told + (
            f"Of the other teams' looks, at most {LOOKS_PER_TEAM} of each, {measured} are "
            "unexplained: where honest teams' are more often than the rate, honest teams are "
            "flagged."
        )
    return told + (
        f"Measured on the other teams: {measured} looks, at most {LOOKS_PER_TEAM} of each team; "
        "the upper 95 % limit of that is the rate, but "
        f"at least {LEAST_RATE}. An honest team with a lasting rate above it is a false alarm."
    )


def evidence_text(log_evidence: float) -> str:
    """Return evidence as a number that can be read.

    >>> evidence_text(0.0), evidence_text(5.0), evidence_text(30.0)
    ('1', '148', '10^13')
    """
    power = log_evidence / 2.302585092994046
    if power >= 6.0:
        return f"10^{power:.0f}"
    return f"{10.0**power:,.0f}" if power >= 1.0 else f"{10.0**power:.2g}"


def held_against(found: Detection) -> str:
    """Return what the teams' looks were held against."""
    own = f"{found.baselines} baseline{'' if found.baselines == 1 else 's'} of the host's"
    others = f"the first submissions of {', '.join(found.panel)}" if found.panel else "no team's"
    return f"Held against {own} and {others}; a team's own are never among them."


def summary(found: Detection) -> str:
    """Return the one line about a board."""
    teams = [each for each in found.teams if not each.merged]
    refused = sum(bool(each.refused) for each in teams)
    flagged = [each for each in found.flagged if not each.merged]
    told = f"{len(flagged)} of {len(teams)} teams flagged"
    if flagged:
        standing = sum(each.team in found.between_teams for each in flagged)
        told += f", {standing} of them even among so many teams"
    if any(each.merged for each in found.flagged):
        told += "; the stream of accounts with few looks is flagged, too"
    return told + (f"; of {refused} nothing can be said." if refused else ".")
