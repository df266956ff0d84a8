"""The detector of a whole board: panels, bits, the rate of others, evidence, between teams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from holdfast.detect.evidence import LEAST_RATE, evidence_of
from holdfast.detect.looks import Detection, Look, TeamFound
from holdfast.detect.panel import MOST_MEMBERS, Candidate, Panel, admitted
from holdfast.detect.watch import CONSTANT, Judged, Watch, checked
from holdfast.errors import InvalidInput
from holdfast.labels import Labels

__all__ = ["FALSE_SHARE", "FEW_LOOKS", "MERGED", "detect", "stands"]

# Accounts with fewer looks than this can't be flagged by themselves; they are run as one stream.
# Probes from a model need ten. With those of six to nine in it, too, most of a board's teams would
# be, and no others would be left to measure p0 on.
FEW_LOOKS = 6
MERGED = f"accounts with fewer than {FEW_LOOKS} looks, as one stream"

# Among many teams at most this share of those that stand is false: e-BH.
FALSE_SHARE = 0.1

# p0 is the upper end of the 95 % interval of the rate of ones among the other teams, of whose looks
# each team gives so many at most: one team that probes must not hide the next one.
CONFIDENCE = 0.95
LOOKS_PER_TEAM = 20

# With a higher rate coin flips are what this board's teams do, whatever the reason.
HIGHEST_RATE = 0.5

# On fewer examples edits are so small that hardly one is told: of probes from a model one in eight
# was flagged at 200 examples of two classes, one in forty at 100.
LEAST_EXAMPLES = 200

# So many teams at most, evenly chosen, are asked who agrees with whom, where no baseline is given.
MOST_CANDIDATES = 60


class _Rate(NamedTuple):
    """How many looks of other teams are ones, and of how many that could have been."""

    teams: int
    ones: int
    decided: int

    @property
    def upper(self) -> float:
        """p0."""
        if not self.decided:
            return 1.0
        ends = betaincinv(self.ones + 1, self.decided - self.ones, CONFIDENCE)
        return max(LEAST_RATE, float(ends) if self.ones < self.decided else 1.0)


def detect(
    looks: Iterable[Look], baselines: Sequence[Labels] = (), *, rate: float | None = None
) -> Detection:
    """Look for probes among the submissions of a board. No hidden label is used.

    Parameters
    ----------
    looks
        All scored submissions in time order. Each is read three times at most, and sixteen of one
        team are held at a time.
    baselines
        Submissions of the host's own, nine at most. They are the root of every panel.
    rate
        p0, the rate of ones of an honest team; by default it is measured on the other teams.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(10, size=5000)
    >>> models = [np.where(rng.random(5000) < 0.3, 0, truth) for _ in range(9)]
    >>> probes = {"blue": [rng.integers(10, size=5000) for _ in range(9)]}
    >>> from holdfast.detect import looks_of
    >>> found = detect(looks_of(probes), models, rate=0.1)
    >>> found.teams[0].flagged_at
    6
    """
    if rate is not None and not LEAST_RATE <= rate <= HIGHEST_RATE:
        raise InvalidInput(f"rate must be from {LEAST_RATE} to {HIGHEST_RATE}, got {rate}.")
    by_team: dict[str, list[Look]] = {}
    order = list(looks)
    for look in order:
        by_team.setdefault(look.team, []).append(look)
    if not order:
        raise InvalidInput("looks must hold at least one submission, got none.")
    board = _Board(by_team, baselines)
    judged = {team: board.watched(own, {team}) for team, own in by_team.items()}
    n = board.n_examples
    rates = _rates(judged)
    found = [
        _team(team, by_team[team], judged[team], n, _others(rates, {team}), rate)
        for team in by_team
    ]
    few = [team for team in by_team if len(by_team[team]) < FEW_LOOKS]
    if len(few) > 1:
        stream = [look for look in order if look.team in set(few)]
        bits = board.watched(stream, set(few))
        others = _others(rates, set(few))
        found.append(_team(MERGED, stream, bits, n, others, rate, merged=True))
    # The merged stream is no further team: it stands by its own evidence.
    teams = [each for each in found if not each.merged]
    teams.sort(key=lambda each: -each.last_log_evidence)
    log_e = {each.team: each.last_log_evidence for each in teams if not each.refused}
    return Detection(
        n_examples=n,
        panel=board.names,
        baselines=len(baselines),
        teams=(*teams, *(each for each in found if each.merged)),
        between_teams=stands(log_e),
    )


def stands(log_evidence: Mapping[str, float], false_share: float = FALSE_SHARE) -> frozenset[str]:
    """Return the teams that stand among all of them: at most a share of these is false (e-BH).

    The k teams with the most evidence stand if that of each is at least N / (k share), for the
    largest such k. It holds whatever teams have to do with each other.

    >>> sorted(stands({"blue": np.log(500), "red": np.log(30), "grey": 0.0}))
    ['blue', 'red']
    """
    ranked = sorted(log_evidence, key=lambda team: -log_evidence[team])
    n = len(ranked)
    good = [
        k for k in range(1, n + 1)
        if log_evidence[ranked[k - 1]] >= np.log(n / (k * false_share))
    ]  # fmt: skip
    return frozenset(ranked[: max(good, default=0)])


class _Board:
    """Panels for every team: the host's baselines, then first submissions of other teams."""

    def __init__(self, by_team: Mapping[str, Sequence[Look]], baselines: Sequence[Labels]) -> None:
        if len(baselines) > MOST_MEMBERS:
            raise InvalidInput(f"baselines must be {MOST_MEMBERS} at most, got {len(baselines)}.")
        self.n_examples = 0
        self._baselines = [
            self._checked(each, f"baseline {at}") for at, each in enumerate(baselines, start=1)
        ]
        self._members = self._admitted(by_team)
        self.names = tuple(each.team for each in self._members[: self._room])
        self._usual = self.panel(set())

    def _admitted(self, by_team: Mapping[str, Sequence[Look]]) -> list[Candidate]:
        """Return first submissions of teams that agree with the root, one more than there is room.

        With a baseline teams are asked until there are so many: a flood does not use up the places.
        """
        names = list(by_team)
        if not self._baselines and len(names) > MOST_CANDIDATES:
            chosen = np.linspace(0, len(names) - 1, MOST_CANDIDATES).astype(int)
            names = [names[at] for at in chosen]
        found: list[Candidate] = []
        for name in names:
            labels = self._first(by_team[name])
            if labels is None:
                continue
            one = [Candidate(name, labels)]
            found += admitted(one, self._baselines) if self._baselines else one
            if self._baselines and len(found) > self._room:
                break
        return found if self._baselines else admitted(found, ())

    @property
    def _room(self) -> int:
        return MOST_MEMBERS - len(self._baselines)

    def panel(self, without: set[str]) -> Panel | None:
        """Return the panel for some teams, without their own submissions; None: it is empty."""
        others = [each.labels for each in self._members if each.team not in without]
        members = [*self._baselines, *others[: self._room]]
        return Panel(np.array(members)) if members else None

    def watched(self, looks: Sequence[Look], teams: set[str]) -> list[Judged]:
        """Return what each look of a team is, or of several as one; without a panel nothing."""
        panel = self._usual if teams.isdisjoint(self.names) else self.panel(teams)
        watch = None if panel is None else Watch(panel)
        judged = []
        for look in looks:
            labels = self._read(look)
            if watch is not None:
                judged.append(watch.look(labels))
        return judged

    def _first(self, looks: Sequence[Look]) -> Labels | None:
        """Return a team's first submission that is no constant."""
        for look in looks:
            labels = self._read(look)
            if np.bincount(labels).max() < CONSTANT * len(labels):
                return labels
        return None

    def _read(self, look: Look) -> Labels:
        return self._checked(look.read(), f"{look.name} of {look.team}")

    def _checked(self, labels: Labels, name: str) -> Labels:
        labels = checked(labels, name)
        self.n_examples = self.n_examples or len(labels)
        if len(labels) != self.n_examples:
            raise InvalidInput(
                f"{name} must have {self.n_examples} rows as the first submission that was read, "
                f"got {len(labels)}."
            )
        return labels


def _rates(judged: Mapping[str, Sequence[Judged]]) -> dict[str, _Rate]:
    """Return of each team how many of its looks are ones, among the first that could be."""
    rates = {}
    for team, found in judged.items():
        bits = [each.bit for each in found if each.bit is not None][:LOOKS_PER_TEAM]
        rates[team] = _Rate(1, sum(bit is True for bit in bits), len(bits))
    return rates


def _others(rates: Mapping[str, _Rate], without: set[str]) -> _Rate:
    found = [rate for team, rate in rates.items() if team not in without and rate.decided]
    return _Rate(len(found), sum(each.ones for each in found), sum(each.decided for each in found))


def _team(
    name: str,
    looks: Sequence[Look],
    judged: Sequence[Judged],
    n_examples: int,
    others: _Rate,
    rate: float | None,
    *,
    merged: bool = False,
) -> TeamFound:
    """Return what is found of a team, or why nothing is said."""
    used = others.upper if rate is None else rate
    refused = ""
    if n_examples < LEAST_EXAMPLES:
        refused = f"{LEAST_EXAMPLES} examples at least are needed, here are {n_examples}"
    elif not judged:
        refused = "nobody to hold it against: give a baseline of the host's (--baseline)"
    elif used > HIGHEST_RATE:
        refused = (
            f"of the other teams' looks {others.ones} of {others.decided} are unexplained, so that "
            "no honest rate below one half is known; give one (holdfast detect --rate)"
        )
    logs = evidence_of((each.bit for each in judged), min(used, 0.99))
    return TeamFound(
        team=name,
        looks=looks if judged else (),
        judged=judged,
        rate=used,
        log_evidence=logs,
        others=others.teams,
        others_ones=others.ones,
        others_decided=others.decided,
        merged=merged,
        rate_given=rate is not None,
        refused=refused,
    )
