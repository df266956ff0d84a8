"""`python -m benchmarks.real`: play, submit, keep, and play again."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.real.analysts import SPLITS, on_fresh, on_halves
from benchmarks.real.folder import NoData, data_folder
from benchmarks.real.games import MODELS, PLANNED, Game, Player
from benchmarks.real.grid import LOOKS, pass_over
from benchmarks.real.kept import RealAnalysts, RealGains
from benchmarks.real.rows import known_games, merged, plays_of, written
from benchmarks.real.sets import SETS, RealSet, read_set
from benchmarks.tables import ROOT
from holdfast.sweeps import Journal

OUT = ROOT / "out" / "real"


def play_games(data: Path, sets: list[str], seeds: int, looks: list[int], by_group: bool) -> None:
    """Play all that is missing, a seed of every set before the next seed; then keep it."""
    OUT.mkdir(parents=True, exist_ok=True)
    found = [read_set(data, name) for name in sets]
    players = {real.name: Player(real) for real in found}
    known = known_games(RealGains().places())
    with Journal(OUT / "rows.jsonl", resume=True) as journal:
        for seed in range(seeds):
            start = time.process_time()
            played = pass_over(found, players, seed, OUT, journal, known, looks, by_group=by_group)
            rows = list(played)
            seconds = time.process_time() - start
            print(f"seed {seed}: {len(rows)} rows, {seconds:.0f} s", flush=True)
    keep_games(data)


def keep_games(data: Path) -> None:
    """Put the rows of the journal beside those that are kept."""
    kept = RealGains()
    # Read beside the journal, which may still be written: its first line is no row.
    lines = (OUT / "rows.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    rows = [json.loads(line) for line in lines[1:] if line.endswith("\n")]
    places = merged(kept.places(), plays_of(rows))
    sets = {name: facts(read_set(data, name)) for name in SETS if (data / name).is_dir()}
    kept.keep({"sets": sets, "rows": written(places)})


def facts(real: RealSet) -> dict[str, Any]:
    """Return what the page says of a set."""
    n = real.labels.size
    return {
        "n_examples": n,
        "n_classes": real.n_classes,
        "n_models": int(real.votes.shape[1]),
        "best_model": round(float(real.accuracies.max()), 5),
        "vote": round(real.model_matches / n, 5),
        "constant": round(float(np.bincount(real.labels).max()) / n, 5),
    }


def submit_models(data: Path, sets: list[str]) -> None:
    """Submit the models of all sets, and keep what boards would have shown."""
    found = [read_set(data, name) for name in sets]
    rows = [row for real in found for row in on_fresh(real)]
    rows += [row for real in found for row in on_halves(real)]
    RealAnalysts().keep({"trials": SPLITS, "rows": rows})


def play_again(data: Path, number: int) -> int:
    """Play some of the kept games again; return 1 if one came out differently.

    Games of sweeps are not among them: tests compare these on other labels.
    """
    kept = RealGains().places()
    games = [
        (Game(*place, seed), gain)
        for place, plays in sorted(kept.items())
        if place.asked == PLANNED or place.knows == MODELS
        for seed, gain in plays.gains.items()
    ]
    failed = 0
    players: dict[str, Player] = {}
    for game, wanted in random.Random(number).sample(games, min(number, len(games))):
        if game.set not in players:
            players[game.set] = Player(read_set(data, game.set))
        gain = round(players[game.set].play(game)["gain_examples"], 3)
        failed |= gain != wanted
        print(f"{'as kept' if gain == wanted else f'KEPT {wanted}'}: {gain} {game}", flush=True)
    return int(failed)


def main() -> int:
    """Do one part."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.real",
        description="What attacks gain on real test sets, and what boards would have shown.",
    )
    parser.add_argument("part", choices=["games", "keep", "analysts", "again"])
    parser.add_argument("--data", type=Path, help="folder with a folder for each test set")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--looks", nargs="+", type=int, choices=LOOKS, default=list(LOOKS))
    parser.add_argument("--seeds", type=int, default=5, help="games of each kind")
    parser.add_argument(
        "--totals", action="store_true", help="play no breakdown: those take longer"
    )
    parser.add_argument("--number", type=int, default=10, help="of games to play again")
    given = parser.parse_args()
    try:
        data = data_folder(given.data)
        if given.part == "games":
            play_games(data, given.sets, given.seeds, given.looks, not given.totals)
        elif given.part == "keep":
            keep_games(data)
        elif given.part == "analysts":
            submit_models(data, given.sets)
        else:
            return play_again(data, given.number)
    except NoData as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
