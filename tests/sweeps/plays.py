"""Kept plays: a digest of small games of every attack, beside the version of its plays.

`python -m tests.sweeps.plays` keeps what is played now.
"""

import hashlib
import json
from pathlib import Path

import benchmarks  # noqa: F401 - first: it settles how numpy multiplies matrices
import numpy as np

import holdfast.planner  # noqa: F401 - registers the attack that plans first
from holdfast.attacks.registry import attack_names, attack_type
from holdfast.errors import HoldfastError
from holdfast.experiments.suite import attack_on
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.problem import Problem
from holdfast.rules import parse_rule
from holdfast.sweeps.models import drawn_prior

__all__ = ["FILE", "of_attack", "played"]

FILE = Path(__file__).with_name("plays.json")
# Small, and such that every attack can play some of it: two classes, several, and a model.
GAMES = [
    (problem, rule, prior)
    for problem in (Problem(16, 2, 12), Problem(300, 4, 24), Problem(2000, 26, 30))
    for rule in ("exact", "round:2", "ladder:0.01", "ladder")
    for prior in ("none", "model:0.6")
]


def of_attack(name):
    """Return the digest of an attack's games: what it guessed at last, after how many looks."""
    seen = hashlib.sha256()
    # Who plans first rehearses all others: two games take as long as all of theirs.
    for problem, rule_text, model in GAMES[8:11:2] if name == "auto" else GAMES:
        labels = np.random.default_rng(1).integers(problem.n_classes, size=problem.n_examples)
        rule, prior = parse_rule(rule_text), None
        if model != "none":
            prior, _ = drawn_prior(model, labels, problem.n_classes, np.random.default_rng(2))
        oracle = LabelOracle(labels, problem=problem, mechanism=rule, rng=np.random.default_rng(3))
        try:
            attack = attack_on(
                attack_type(name), problem, np.random.default_rng(4), rule, prior=prior
            )
            guess = play(attack, oracle, until_refused=True)
        except HoldfastError as error:
            seen.update(type(error).__name__.encode())
            continue
        seen.update(np.asarray(guess, dtype=np.int64).tobytes())
        seen.update(str(oracle.looks).encode())
    return seen.hexdigest()[:16]


def played():
    """Return what every attack plays now, and the version that it says to be."""
    return {name: [attack_type(name).results, of_attack(name)] for name in attack_names()}


if __name__ == "__main__":
    lines = (f"{json.dumps(name)}: {json.dumps(kept)}" for name, kept in played().items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
