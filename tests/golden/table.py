"""Every case: its kind, its name, and what makes its outcome."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from holdfast.experiments.demonstration import demo_experiments
from holdfast.experiments.reproduce import TABLE_1, Grid, measure, table_experiments
from tests.golden import files, plays, sessions
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
    "hit-pools",
    "label-subset",
    "lattice",
    "message-passing",
    "naive-bayes",
    "pooled-detecting",
    "prior-climb",
    "random-climb",
    "steered-pools",
    "uniform-vote",
]
WITHOUT_FEATURES = ["block-majority", "column-vote", "naive-bayes", "uniform-vote"]
# Few looks, some, and enough for every label; two classes more than once, for those that are made
# for two.
PROBLEMS = ["60 2 25", "100 2 12", "48 2 48", "200 5 40", "400 10 120", "120 3 110"]

PLANNED = ["60 2 25", "1000 10 100", "10000 10 1000", "2000 100 20", "500 3 5000", "50000 1000 9"]

RULES = [
    *("round:1", "round:2", "round:3", "gaussian:0.01", "laplace:0.01", "rank", "improved"),
    *("ladder", "ladder:0", "ladder:0.01", "subsample:0.5", "fresh:0.5", "split:4", "batch:10"),
    *("shaky:step=0.1,scale=0.02", "thresholdout:threshold=0.1,scale=0.02,budget=9"),
    *("round:2+laplace:0.02", "subsample:0.5+ladder:0.01"),
]

Case = tuple[str, Callable[[Path], Any]]


def _sizes(problem: str) -> str:
    return "--n-examples {} --n-classes {} --looks {}".format(*problem.split())


def _attack(name: str, problem: str, more: str = "") -> str:
    return f"attack {name} {_sizes(problem)} --trials 3 --seed 7 --processes 1{more}"


def _matrix(problem: str, more: str) -> str:
    return f"matrix {_sizes(problem)} --trials 2 --seed 7 --processes 1{more}"


def _audit(options: str) -> str:
    return f"audit {options} --processes 1"


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
        "attack naive-bayes --labels skewed.csv --looks 20 --trials 3 --seed 7 --processes 1",
        _attack("no-such-attack", "60 2 25"),
    ],
    "plan": [
        *(f"plan {_sizes(problem)}" for problem in PLANNED),
        *(f"plan {_sizes('1000 10 100')} --mechanism {rule}" for rule in RULES),
        *(
            f"plan {_sizes('1000 10 100')} --prior-accuracy {accuracy}{more}"
            for accuracy, more in (
                (0.3, ""),
                (0.3, " --non-adaptive"),
                (0.9, " --mechanism round:2"),
                (0.9, " --non-adaptive"),
            )
        ),
        f"plan {_sizes('1000 10 100')} --non-adaptive",
    ],
    "bounds": [
        *(f"bounds {_sizes(problem)}" for problem in PLANNED),
        *(
            f"bounds --n-examples {n} --n-classes {m} --max-bias {bias}"
            for n, m, bias in ((1000, 2, 0.05), (10000, 10, 0.01), (300, 100, 0.2))
        ),
    ],
    "matrix": [
        _matrix("40 2 6", ""),
        _matrix(
            "80 4 12", " --rule round:1+laplace:0.05 --rule subsample:0.5+ladder:0.1 --rule batch:4"
        ),
        "matrix --labels skewed.csv --looks 8 --rule ladder:0.05 --rule rank --trials 2 "
        "--seed 7 --processes 1",
    ],
    "audit": [
        _audit("even.csv --looks 8 --mechanism round:2"),
        _audit("parts.csv --looks 8 --mechanism exact --predictions good.csv"),
        _audit("skewed.csv --looks 8 --mechanism ladder:0.01 --gap 3"),
        _audit("skewed.csv --looks 8 --mechanism improved --predictions model.csv"),
        _audit("even.csv --looks 8 --predictions good.csv --predictions fair.csv"),
        _audit("even.csv --looks 2/day --days 3 --teams 4 --accounts 3 --mechanism round:1"),
        _audit("parts.csv --looks 8 --mechanism rank --final all --final-choices 1"),
        _audit("even.csv --policy noisy.toml --history history.csv --fail-above 0.5"),
        _audit("even.npy --looks 8 --mechanism batch:4 --seed 3"),
    ],
    "lint": [
        f"lint {file}{more}"
        for file in ("evalai.yaml", "codabench.yaml", "conf.json", "other.yaml")
        for more in ("", " --n-examples 1000 --n-classes 10 --days 20")
    ],
    "policy": [
        "policy init new.toml",
        "policy init new.toml --release round:2 --looks 5/day --days 30 --teams 20 --gap 0.5 "
        "--labels parts.csv",
        "policy init new.toml --classes cat,dog --part all --looks 7",
        *(f"policy check {name}" for name in files.POLICIES),
    ],
    "statements": ["statements"],
    "paper": [
        "reproduce --out out --effort 0.001 --processes 1",
        "demo --out out --processes 1",
    ],
}
# All lines of the paper's table, and the demo, on sizes that take a second.
GRIDS = {
    "small k": Grid(k=(21, 41), n=(400, 800), m=(4, 8)),
    "large k": Grid(k=(200, 400), n=(150, 300), m=(3, 5)),
}
SMALL_TABLE = [
    replace(
        row,
        trials=2,
        grid=Grid((12, 16), (24, 48), (2, 4)) if row.attack == "exhaustive" else GRIDS[row.regime],
    )
    for row in TABLE_1
]
SMALLER = {
    "reproduce": {
        "reproduce.table_experiments": partial(table_experiments, rows=SMALL_TABLE),
        "reproduce.measure": partial(measure, rows=SMALL_TABLE),
        "demonstration.demo_experiments": lambda seed, **_: demo_experiments(
            seed, looks=(1, 21), labels_per_point=10**6
        ),
        "reproduce.doubling_looks": lambda *_: None,  # the clock's, which is not kept
    },
    "demo": {
        "demonstration.demo_experiments": partial(
            demo_experiments, looks=(1, 101), labels_per_point=2 * 10**6
        )
    },
}
# Those that run in every test run, of the kinds that take long; the others are slow tests.
FAST = {"audit": COMMANDS["audit"][:2], "matrix": COMMANDS["matrix"][1:]}
KINDS = [*COMMANDS, "play", "session"]


def cases(kind: str) -> Iterator[Case]:
    """Yield the cases of one kind, each with what makes its outcome in an empty folder."""
    if kind == "play":
        for name, make in plays.cases():
            yield name, lambda _, make=make: make()
    elif kind == "session":
        for name in sessions.SESSIONS:
            yield name, lambda folder, name=name: sessions.outcome(name, _with_files(folder))
    else:
        for command in COMMANDS[kind]:
            yield command, lambda folder, command=command: _outcome(command, _with_files(folder))


def _outcome(command: str, folder: Path) -> Any:
    with ExitStack() as stack:
        name = command.split()[0]
        for part, smaller in SMALLER.get(name, {}).items():
            stack.enter_context(mock.patch(f"holdfast.experiments.{part}", smaller))
        return run(command, folder)


def _with_files(folder: Path) -> Path:
    files.write(folder)
    return folder
