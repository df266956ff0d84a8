"""Plays through the Python interface: priors, answer models, wrappers and settings."""

import itertools
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import holdfast
from holdfast import Problem, attacks, oracles, planner
from holdfast.answers import (
    ComparisonAnswers,
    ExactAnswers,
    NoisyAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.attacks import without_features
from holdfast.attacks.description import Described, Needs
from holdfast.attacks.registry import attack_types
from holdfast.errors import HoldfastError
from holdfast.priors import Prior
from holdfast.rules import parse_rule
from holdfast.votes import Votes

SIZES = Problem(150, 5, 40)
TWO = Problem(90, 2, 30)
HIDDEN = {
    p: np.random.default_rng(11).integers(p.n_classes, size=p.n_examples) for p in (SIZES, TWO)
}

# Boards by release rule, and what an attack that knows the rule assumes.
BOARDS = {
    "exact": None,
    "round:1": RoundedAnswers(step=0.1),
    "round:3": RoundedAnswers(step=0.001),
    "gaussian:0.03": NoisyAnswers(scale=0.03),
    "subsample:0.5": SubsetAnswers(fraction=0.5),
    "comparison": ComparisonAnswers(),
}


def _names(*chosen: type[Described]) -> list[str]:
    return sorted(cls.__name__ for cls in chosen)


# By what attacks say of themselves, so that a new one is recorded. A wrapper has no game of its
# own, and votes are given to `stacked` below.
OWN = [cls for cls in attack_types() if cls.needs not in (Needs.ATTACK, Needs.VOTES)]
PLAIN = _names(*OWN)
WITH_PRIOR = [*_names(*(cls for cls in OWN if cls.takes_prior)), "Auto"]
# What an answer hides is something to some, and too much for others unless it is nothing.
TOLD = [cls for cls in OWN if cls.takes_answers]
WITH_ANSWERS = [*_names(*(cls for cls in TOLD if cls.tolerates > {ExactAnswers})), "Auto"]
FINELY_ROUNDED = _names(*(cls for cls in TOLD if cls.tolerates == {ExactAnswers}))
SETTINGS = [
    ("BlockClimb", {"threshold": 0.5, "n_blocks": 15}),
    ("ColumnVote", {"queries_per_nat": 4.0}),
    ("UniformVote", {"queries_per_nat": 4.0}),
    ("Exhaustive", {"n_live": 4}),
    ("HillClimb", {"n_blocks": 10}),
    ("LabelSubset", {"n_labels": 2}),
    ("MessagePassing", {"n_labels": 2}),
    ("Lattice", {"positions": np.arange(0, 60, 2)}),
    ("PriorClimb", {"step": 0.02, "threshold": 1.0}),
    ("RandomClimb", {"step": 0.05}),
    ("Auto", {"non_adaptive": True}),
    ("Mixture", {"n_certain": 20}),
    ("Mixture", {"n_certain": 15, "rest": "block-majority"}),
]


class Recorder:
    """An oracle that remembers a checksum of all queries."""

    def __init__(self, oracle: Any, labels_of: Callable[[Any], Any], compares: bool = False):
        self.problem = oracle.problem
        self._oracle, self._labels_of, self._compares = oracle, labels_of, compares
        self._before = 0.0
        self.looks = self.checksum = 0

    def query(self, query: Any) -> float:
        self.checksum = checksum(self._labels_of(query), self.checksum)
        self.looks += 1
        answer = self._oracle.query(query)
        before, self._before = self._before, answer
        return float(answer > before) if self._compares else answer


def checksum(labels: Any, start: int = 0) -> int:
    return zlib.crc32(np.asarray(labels, dtype="<i8").tobytes(), start)


def played(make: Callable[[np.random.Generator], Any], board: str = "exact") -> dict[str, Any]:
    """Play one attack on one board; what it refuses is an outcome, too."""
    try:
        attack = make(np.random.default_rng(5))
    except HoldfastError as error:
        return {"refused": type(error).__name__}
    n, m, k = attack.problem
    problem = next(p for p in HIDDEN if p[:2] == (n, m))
    hidden = HIDDEN[problem]
    rng = np.random.default_rng(6)
    rule = parse_rule("exact" if board == "comparison" else board)
    if hasattr(attack.predict(), "predict"):
        X = rng.integers(2**64, size=(n, 1), dtype=np.uint64)
        indexed = isinstance(attack, without_features.ByIndex)
        kind = oracles.IndexedOracle if indexed else oracles.ClassifierOracle
        oracle = kind(X, hidden, problem=Problem(n, m, k), mechanism=rule, rng=rng)
        shown = (X, np.arange(n, dtype=np.uint64)) if indexed else (X,)

        def labels_of(query: Any) -> Any:
            return query.predict(*shown)
    else:
        oracle = oracles.LabelOracle(hidden, problem=Problem(n, m, k), mechanism=rule, rng=rng)

        def labels_of(query: Any) -> Any:
            return query

    recorder = Recorder(oracle, labels_of, compares=board == "comparison")
    guess = np.asarray(labels_of(holdfast.play(attack, recorder)))
    found = {
        "looks": recorder.looks,
        "matches": int(np.count_nonzero(guess == hidden)),
        "queries": recorder.checksum,
        "guess": checksum(guess),
    }
    if hasattr(attack, "certain"):
        found["certain"] = int(np.count_nonzero(attack.certain()))
    return found


def priors(problem: Problem) -> dict[str, Prior]:
    """A model that is right on six examples of ten, and one that lists two labels of each."""
    n, m, _ = problem
    hidden, rng = HIDDEN[problem], np.random.default_rng(12)
    top = np.where(rng.random(n) < 0.6, hidden, rng.integers(m, size=n))
    rows = rng.dirichlet(np.ones(m), size=n) * 0.4
    rows[np.arange(n), top] += 0.6
    listed = np.stack([top, (top + 1) % m], axis=1)
    sure = np.stack([rng.uniform(0.45, 0.6, n), rng.uniform(0.1, 0.3, n)], axis=1)
    if m == 2:
        sure /= sure.sum(axis=1, keepdims=True)
    return {"dense": Prior.dense(rows), "candidates": Prior.candidates(listed, sure, m)}


def weak_prior(problem: Problem) -> Prior:
    """Shares of classes that differ a little, the same for every example."""
    n, m, _ = problem
    shares = np.linspace(1.2, 0.8, m) / m
    return Prior.dense(np.tile(shares, (n, 1)))


def named(name: str) -> Any:
    return getattr(planner, name) if name in ("Auto", "Mixture") else getattr(attacks, name)


def cases() -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Each play by name."""
    known = {problem: priors(problem) for problem in HIDDEN}

    def case(title: str, cls: Any, problem: Problem, board: str = "exact", **settings: Any) -> Any:
        where = "{}/{}/{}".format(*problem)
        return (
            f"{title} on {where}, {board}",
            lambda: played(lambda rng: cls(problem, rng=rng, **settings), board),
        )

    for name, problem in itertools.product(PLAIN, HIDDEN):
        yield case(f"{name} not permuted", named(name), problem, permuted=False)
    for name, problem, kind in itertools.product(WITH_PRIOR, HIDDEN, ("dense", "candidates")):
        if name == "Auto" and (kind == "dense" or problem == TWO):
            continue  # it rehearses all others from a model, for seconds: one such play will do
        prior = known[problem][kind]
        yield case(f"{name} with {kind} prior", named(name), problem, prior=prior)
    for name in WITH_PRIOR[:-1]:  # some leave an example to a model that is surer of it than this
        yield case(f"{name} with weak prior", named(name), SIZES, prior=weak_prior(SIZES))
    for name, board in itertools.product(WITH_ANSWERS, BOARDS):
        if board == "comparison" and name not in ("Constant", "Auto"):
            continue
        answers = BOARDS[board]
        yield case(f"{name} with answers", named(name), SIZES, board, answers=answers)
        if name not in ("HadamardBlocks", "Auto") and board not in ("exact", "comparison"):
            prior = known[SIZES]["dense"]
            title = f"{name} with answers and prior"
            yield case(title, named(name), SIZES, board, answers=answers, prior=prior)
    for name in FINELY_ROUNDED:
        for board in ("round:1", "round:3"):
            yield case(f"{name} with answers", named(name), SIZES, board, answers=BOARDS[board])
    for name, settings in SETTINGS:
        shown = ", ".join(
            f"{word}={value if np.ndim(value) == 0 else 'some'}" for word, value in settings.items()
        )
        yield case(f"{name} {shown}", named(name), SIZES, **settings)
    for kind, prior in known[SIZES].items():
        title = f"Mixture n_certain=20 with {kind} prior"
        yield case(title, planner.Mixture, SIZES, n_certain=20, prior=prior)
    yield from wrapped(case)
    yield from stacked(case)


def wrapped(case: Any) -> Iterator[Any]:
    """Attacks inside others, on the boards that these are for."""
    inside = [
        ("Permuted", "exact", attacks.Permuted, ["BlockMajority", "Exhaustive", "NaiveBayes"]),
        ("RankReader", "rank", attacks.RankReader, ["BlockMajority", "HillClimb"]),
        (
            "ImprovementReader",
            "improved",
            attacks.ImprovementReader,
            ["HillClimb", "BlockClimb", "PriorClimb"],
        ),
        ("GridReader", "round:3", attacks.GridReader, ["ChampionChallenger", "NaiveBayes"]),
    ]
    for title, board, wrapper, names in inside:
        for name in names:

            def make(
                problem: Problem, *, rng: Any, wrapper: Any = wrapper, name: str = name
            ) -> Any:
                if wrapper is attacks.Permuted:
                    return wrapper(named(name)(problem, rng=rng, permuted=False), rng=rng)
                inner = named(name)(problem, rng=rng)
                if wrapper is attacks.GridReader:
                    return wrapper(inner, size=problem.n_examples)
                return wrapper(inner)

            yield case(f"{title} of {name}", make, SIZES, board)
    for name in ("BlockMajority", "ColumnVote", "NaiveBayes", "UniformVote"):
        cls = getattr(without_features, name)
        for problem in HIDDEN:
            yield case(f"{name} without features, not permuted", cls, problem, permuted=False)

        def by_index(problem: Problem, *, rng: Any, cls: Any = cls) -> Any:
            return without_features.ByIndex(cls(problem, rng=rng))

        def permuted(problem: Problem, *, rng: Any, cls: Any = cls) -> Any:
            return without_features.Permuted(cls(problem, rng=rng, permuted=False), rng=rng)

        yield case(f"{name} without features, ByIndex", by_index, SIZES)
        yield case(f"{name} without features, Permuted", permuted, SIZES)


def stacked(case: Any) -> Iterator[Any]:
    """Several models to start from."""
    rng = np.random.default_rng(13)
    n, m, _ = SIZES
    skills = (0.8, 0.7, 0.65, 0.5, 0.3)
    models = [np.where(rng.random(n) < s, HIDDEN[SIZES], rng.integers(m, size=n)) for s in skills]
    votes = Votes(np.array(models).T, m)
    for board, answers in BOARDS.items():
        if board != "comparison":

            def make(problem: Problem, *, rng: Any, answers: Any = answers) -> Any:
                return attacks.VoteStacking(votes, problem, rng=rng, answers=answers)

            yield case("VoteStacking", make, SIZES, board)
