"""Every case: its kind, its name, and what makes its outcome."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.golden import plays
from tests.golden.commands import run

NAMES = [
    "anytime-champion-challenger",
    "auto",
    "block-climb",
    "block-majority",
    "boosting",
    "boundary-challenger",
    "champion-challenger",
    "column-vote",
    "constant",
    "detecting",
    "exhaustive",
    "hadamard-blocks",
    "hill-climb",
    "label-subset",
    "lattice",
    "message-passing",
    "naive-bayes",
    "pooled-detecting",
    "prior-climb",
    "random-climb",
    "uniform-vote",
]
WITHOUT_FEATURES = ["block-majority", "column-vote", "naive-bayes", "uniform-vote"]
# Few looks, some, and enough for every label; two classes more than once, for those that are made
# for two.
PROBLEMS = ["60 2 25", "100 2 12", "48 2 48", "200 5 40", "400 10 120", "120 3 110"]

Case = tuple[str, Callable[[Path], Any]]


def _attack(name: str, problem: str, more: str = "") -> str:
    n, m, k = problem.split()
    sizes = f"--n-examples {n} --n-classes {m} --n-queries {k}"
    return f"attack {name} {sizes} --trials 3 --seed 7 --processes 1{more}"


COMMANDS = {
    "attack": [
        *(
            _attack(name, problem)
            for name in NAMES
            for problem in PROBLEMS
            if (name, problem) != ("exhaustive", "48 2 48")  # ten seconds
        ),
        *(
            _attack(name, problem, " --without-features")
            for name in WITHOUT_FEATURES
            for problem in PROBLEMS
        ),
        *(
            _attack("champion-challenger", "200 5 40", f" --label-kind {kind}")
            for kind in ("balanced", "sorted", "constant", "skewed")
        ),
        _attack("no-such-attack", "60 2 25"),
    ],
}
KINDS = [*COMMANDS, "play"]


def cases(kind: str) -> Iterator[Case]:
    """Yield the cases of one kind, each with what makes its outcome in an empty folder."""
    if kind == "play":
        for name, make in plays.cases():
            yield name, lambda _, make=make: make()
    else:
        for command in COMMANDS[kind]:
            yield command, lambda folder, command=command: run(command, folder)
