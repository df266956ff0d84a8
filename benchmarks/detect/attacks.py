"""Every attack of the package at its defaults: at which look it is flagged, and what it has gained.

    python -m benchmarks.detect.attacks --data DIR --out OUT

A hundred looks each, from scratch and from five models' votes; the panel is nine other models.
Gains are in standard deviations of a guess of the accuracy that the attack starts from. The looks
are also spread over three accounts, in blocks and in turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.detect.common import columns, of_bits, read_set, rng_of, rows_into, seen
from benchmarks.real.sets import RealSet
from holdfast.attacks import VoteStacking
from holdfast.attacks.registry import attack_names, attack_type
from holdfast.detect import Panel, Watch
from holdfast.errors import BudgetExhausted, HoldfastError
from holdfast.experiments.suite import attack_on
from holdfast.labels import Labels
from holdfast.oracles import LabelOracle
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.rules import parse_rule
from holdfast.votes import Votes

LOOKS, ACCOUNTS, MODELS, MEMBERS = 100, 3, 5, 9
# Other models, panels and randomness of attacks that start from a model. What excuses no path and
# which small edits need not wait was chosen on the seeds 0 to 17; so they are not among these.
SEEDS = range(20, 24)
GAMES = [
    (name, rule) for name in ("cifar10", "letter") for rule in ("exact", "round:3", "ladder:0.01")
]
# "letter, two classes": whether a letter is from the second half of the alphabet, for attacks that
# play two classes alone.
GAMES += [("mmlu", "exact"), ("imagenet_v2", "exact"), ("letter, two classes", "exact")]


def set_named(data: Path, name: str) -> RealSet:
    """Read a set, or one whose classes are folded into two halves."""
    real = read_set(data, name.partition(",")[0])
    if "," not in name:
        return real
    half = real.n_classes // 2
    labels, votes = (real.labels >= half).astype(np.uint8), (real.votes >= half).astype(np.int64)
    return replace(real, name=name, n_classes=2, labels=labels, votes=votes)


def prior_of(real: RealSet, votes: Votes) -> tuple[Prior, Labels]:
    """Return the belief that the votes of some models make, and its likeliest labels."""
    right = {at: float(np.mean(votes.column(at) == real.labels)) for at in range(votes.n_models)}
    stack = votes.stack(right)
    prior = stack.prior(float(np.mean(stack.top() == real.labels)))
    return prior, prior.top()


def play(
    real: RealSet,
    rule_text: str,
    name: str,
    prior: Prior | Votes | None,
    start: int,
    panel: Labels,
    seed: int,
) -> dict[str, Any]:
    """Play one attack and watch it."""
    problem, rule = Problem(real.labels.size, real.n_classes, LOOKS), parse_rule(rule_text)
    rng = rng_of("attack", real.name, rule_text, name, prior is not None, seed)
    if isinstance(prior, Votes):
        answers = rule.answer_model(problem)
        attack: Attack[Labels] = VoteStacking(prior, problem, rng=rng, answers=answers)
    else:
        attack = attack_on(attack_type(name), problem, rng, rule, prior=prior)
    oracle = LabelOracle(real.labels, problem=problem, mechanism=rule, rng=rng)
    n, share = problem.n_examples, start / problem.n_examples
    sd = np.sqrt(n * share * (1.0 - share))
    watch, bits, gains = Watch(Panel(panel)), list[bool | None](), dict[int, float]()
    queries: list[Labels] = []
    flagged: int | None = None
    while len(queries) < LOOKS and (query := attack.ask()) is not None:
        queries.append(np.array(query))
        bits.append(watch.look(queries[-1]).bit)
        try:
            attack.tell(oracle.query(query))
        except BudgetExhausted:
            break
        at = len(queries)
        if flagged is None:
            flagged = of_bits(bits).flagged
        if flagged in (None, at) or at % 10 == 0:
            gains[at] = float(((attack.predict() == real.labels).sum() - start) / sd)
    gains[len(queries)] = float(((attack.predict() == real.labels).sum() - start) / sd)
    first = next((at for at in sorted(gains) if gains[at] >= 1.0), None)
    row = of_bits(bits)._asdict() | {
        "gain": round(gains[len(queries)], 2),
        "gain_when_flagged": None if flagged is None else round(gains[flagged], 2),
        "one_sd_at": first,
    }
    blocks = [list(part) for part in np.array_split(np.arange(len(queries)), ACCOUNTS)]
    turns = [list(range(at, len(queries), ACCOUNTS)) for at in range(ACCOUNTS)]
    row["blocks"] = [seen([queries[at] for at in part], panel).flagged for part in blocks]
    row["turns"] = [seen([queries[at] for at in part], panel).flagged for part in turns]
    return row


def rows(data: Path) -> Iterator[dict[str, Any]]:
    """Yield the row of every game that can be played; a seed of all of them after the other."""
    for seed in SEEDS:
        for set_name, rule in GAMES:
            real = set_named(data, set_name)
            models = columns(real)
            chance = round(real.labels.size / real.n_classes)
            order = rng_of("panel", set_name, seed).permutation(len(models))
            panel = models[order[MODELS : MODELS + MEMBERS]]
            votes = Votes(real.votes[:, np.sort(order[:MODELS])], real.n_classes)
            prior, top = prior_of(real, votes)
            right = int((top == real.labels).sum())
            for name in attack_names():
                if seed == SEEDS[0]:
                    yield row_of(real, rule, name, None, chance, panel, seed)
                if attack_type(name).takes_prior:
                    yield row_of(real, rule, name, prior, right, panel, seed)
            yield row_of(real, rule, "vote-stacking", votes, right, panel, seed)


def row_of(
    real: RealSet,
    rule: str,
    name: str,
    prior: Prior | Votes | None,
    start: int,
    panel: Labels,
    seed: int,
) -> dict[str, Any]:
    """Return the row of one game, with the reason where it can't be played."""
    began = time.process_time()
    row: dict[str, Any] = {"set": real.name, "rule": rule, "attack": name, "seed": seed}
    row["from_model"] = prior is not None
    try:
        row |= play(real, rule, name, prior, start, panel, seed)
    except HoldfastError as error:
        row["error"] = str(error)[:200]
    return row | {"seconds": round(time.process_time() - began, 1)}


def main() -> None:
    """Play all, and write a line each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows_into(given.out / "attacks.jsonl", rows(given.data))


if __name__ == "__main__":
    main()
