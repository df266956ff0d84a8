"""Whole boards: a season of 500 teams, a flood of accounts, and attacks spread over many accounts.

    python -m benchmarks.detect.season --data DIR --out OUT

Each board goes through `holdfast.detect.detect`: its own panels, its own rate p0, the stream of
accounts with few looks, and which teams stand between all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.detect.common import rng_of, rows_into
from benchmarks.detect.honest import KINDS, plain
from holdfast.detect import Look, detect, looks_of
from holdfast.labels import Labels

SETS, TEAMS, PROBES, LOOKS = ("letter", "mnist"), 500, 5, 30


def probes(rng: np.random.Generator, models: Labels, looks: int, rows: int = 400) -> list[Labels]:
    """Return looks that choose by a coin between two models on some rows."""
    one, two = models[rng.permutation(len(models))[:2]]
    close = rng.permutation(np.flatnonzero(one != two))[:rows]
    found = []
    for _ in range(looks):
        look = one.copy()
        turned = close[rng.random(len(close)) < 0.5]
        look[turned] = two[turned]
        found.append(look)
    return found


def honest(rng: np.random.Generator, models: Labels) -> list[Labels]:
    """Return a team's looks, from 1 to 30: real models, or one of the look-alikes."""
    count = int(np.clip(rng.geometric(0.12), 1, LOOKS))
    own = models[rng.permutation(len(models))]
    if rng.random() < 0.5:
        return list(own[:count])
    kind = KINDS[int(rng.integers(len(KINDS) - 1))]  # not the last one, which is a coin
    return list(kind(rng, own))[:count]


def mingled(rng: np.random.Generator, teams: Mapping[str, Sequence[Labels]]) -> list[Look]:
    """Return all looks in a random order that keeps each team's own."""
    waiting = {team: looks_of({team: looks})[::-1] for team, looks in teams.items()}
    names = [team for team, looks in teams.items() for _ in looks]
    return [waiting[names[at]].pop() for at in rng.permutation(len(names))]


def board(rng: np.random.Generator, models: Labels, count: int) -> dict[str, list[Labels]]:
    """Return honest teams."""
    return {f"honest {at}": honest(rng, models) for at in range(count)}


def row_of(looks: list[Look], own: Sequence[Labels], **named: Any) -> dict[str, Any]:
    """Return what is found of a board."""
    found = detect(looks, own)
    judged = [each for each in found.teams if not each.merged]
    merged = [each for each in found.teams if each.merged]
    flagged = [each.team for each in found.flagged if not each.merged]
    return named | {
        "teams": len(judged),
        "looks": len(looks),
        "refused": sum(bool(each.refused) for each in judged),
        "flagged": flagged,
        "teams_honest": sum(each.team.startswith("honest") for each in judged),
        "guilty": sum(not each.team.startswith("honest") for each in judged),
        "flagged_honest": sum(team.startswith("honest") for team in flagged),
        "stand": sorted(found.between_teams),
        "p0": round(float(np.median([each.rate for each in judged])), 4),
        "merged_at": merged[0].flagged_at if merged else None,
        "merged_ones": {
            kind: sum(n for team, n in merged[0].accounts().items() if team.startswith(kind))
            for kind in ("honest", "account")
        }
        if merged
        else None,
        "panel": len(found.panel),
        "panel_honest": sum(team.startswith("honest") for team in found.panel),
    }


def rows(data: Path) -> Iterator[dict[str, Any]]:
    """Yield the row of every board."""
    for name in SETS:
        models = plain(data, name)
        n = models.shape[1]
        for seed in range(2):
            rng = rng_of("season", name, seed)
            teams = board(rng, models[3:], TEAMS)
            yield row_of(mingled(rng, teams), [models[0]], set=name, what="season", seed=seed)
            teams |= {f"probe {at}": probes(rng, models[3:], LOOKS) for at in range(PROBES)}
            yield row_of(mingled(rng, teams), [models[0]], set=name, what="probes", seed=seed)
        for seed in range(5):
            rng = rng_of("boards", name, seed)
            teams = board(rng, models[3:], 30)
            for accounts, each in ((3, 20), (20, 5), (50, 2)):
                sent = probes(rng, models[3:], accounts * each)
                own = {f"account {at}": sent[at::accounts] for at in range(accounts)}
                what = f"{accounts} accounts of {each} looks"
                looks = mingled(rng, teams | own)
                yield row_of(looks, [models[0]], set=name, what=what, seed=seed)
            yield row_of(mingled(rng, teams), [models[0]], set=name, what="honest", seed=seed)
            most = int(models.max()) + 1
            flood = {
                f"account {at}": [rng.integers(most, size=n).astype(models.dtype)]
                for at in range(60)
            }
            copies = {f"account {at}": [look] for at, look in enumerate(probes(rng, models, 60))}
            for what, crowd in (("guesses", flood), ("near copies", copies)):
                late = {"probe 0": probes(rng, models[3:], LOOKS)}
                looks = looks_of(crowd) + mingled(rng, teams | late)
                for baselines in (0, 1, 3):
                    named = {"set": name, "what": f"flood of {what}", "seed": seed}
                    named["baselines"] = baselines
                    yield row_of(looks, list(models[:baselines]), **named)


def main() -> None:
    """Judge all, and write a line each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows_into(given.out / "season.jsonl", rows(given.data))


if __name__ == "__main__":
    main()
