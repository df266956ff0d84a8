"""Submissions of probabilities, scores, ranks and numbers: honest teams, and attacks.

    python -m benchmarks.detect.scores --data DIR --out OUT

Soft predictions of UCI Letter (six models, 26 classes and their two halves) and MNIST (ten models),
and made-up numbers. Honest teams blend models with weights that walk or are drawn anew, sharpen
what they have, or raise one class; each is held against models that it does not blend. Attacks play
through the metric at their defaults, with 100 looks, from nothing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.detect.common import FILES, of_bits, rng_of, rows_into
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.attacks.through_metrics.registry import AttackOnBoard, attacks_on
from holdfast.detect import Panel, Watch
from holdfast.detect.reading import as_judged
from holdfast.errors import BudgetExhausted, HoldfastError
from holdfast.labels import Labels
from holdfast.metrics import Metric, Submission
from holdfast.metrics.registry import parse_metric
from holdfast.oracles import MetricOracle
from holdfast.planner import board_under
from holdfast.planner.through_metrics import planned_on_counts
from holdfast.problem import Problem
from holdfast.rules import parse_rule

LOOKS, ATTACKED, SEEDS = 20, 100, range(20)
RULES = ("exact", "round:3")
# What is scored, and of which set: whole, or the two halves of its classes.
BOARDS = [
    ("letter", "log_loss"),
    ("letter", "top_k_accuracy:3"),
    ("letter, two classes", "log_loss"),
    ("letter, two classes", "roc_auc"),
    ("mnist", "log_loss"),
    ("mnist, two classes", "roc_auc"),
    ("numbers", "rmse"),
]

Soft = NDArray[np.float64]


def soft_set(data: Path, name: str) -> tuple[NDArray[Any], list[Soft]]:
    """Return what is hidden, and the models' soft predictions, (n, m) each; or numbers, (n, 1)."""
    if name == "numbers":
        rng = rng_of("numbers")
        truth = rng.integers(0, 1000, size=5000)
        common = rng.normal(size=5000)
        made = [truth + 60.0 * common + 80.0 * rng.normal(size=5000) for _ in range(10)]
        return truth, [each[:, None] for each in made]
    whole, _, folded = name.partition(",")
    file, labels = FILES[whole]
    truth = np.load(data / whole / labels, allow_pickle=False).astype(np.int64)
    with np.load(data / whole / file, allow_pickle=False) as arrays:
        models = [arrays[key].astype(float) for key in arrays]
    models = [each / each.sum(axis=1, keepdims=True) for each in models]
    if not folded:
        return truth, models
    half = models[0].shape[1] // 2
    models = [np.stack([each[:, :half].sum(1), each[:, half:].sum(1)], axis=1) for each in models]
    return (truth >= half).astype(np.int64), models


def as_sent(soft: Soft, metric: Metric) -> NDArray[Any]:
    """Return a submission of a metric from soft predictions."""
    if metric.takes is Submission.RANKED_LABELS:
        k: int = getattr(metric, "k", 3)
        return np.argsort(-soft, axis=1, kind="stable")[:, :k]
    if metric.takes in (Submission.SCORES, Submission.NUMBERS):
        return soft[:, -1]
    return soft


def walking(rng: np.random.Generator, models: Sequence[Soft]) -> Iterator[Soft]:
    """Yield blends whose weights walk."""
    weights = rng.random(len(models))
    for _ in range(LOOKS):
        weights = np.abs(weights + 0.15 * rng.normal(size=len(models)))
        yield np.tensordot(weights / weights.sum(), models, axes=1)


def fresh(rng: np.random.Generator, models: Sequence[Soft]) -> Iterator[Soft]:
    """Yield blends with new weights each time."""
    for _ in range(LOOKS):
        weights = rng.dirichlet(np.ones(len(models)))
        yield np.tensordot(weights, models, axes=1)


def sharpened(rng: np.random.Generator, models: Sequence[Soft]) -> Iterator[Soft]:
    """Yield means of sharpened models, sharper each time."""
    del rng
    for power in np.geomspace(0.3, 4.0, LOOKS):
        yield np.mean([np.abs(each) ** power for each in models], axis=0)


def raised(rng: np.random.Generator, models: Sequence[Soft]) -> Iterator[Soft]:
    """Yield a model with one class raised more and more."""
    kind = int(rng.integers(models[0].shape[1]))
    for factor in np.geomspace(0.2, 5.0, LOOKS):
        look = models[0].copy()
        look[:, kind] *= factor
        yield look


def seen(looks: Iterable[NDArray[Any]], metric: Metric, panel: Labels) -> dict[str, Any]:
    """Watch submissions of a metric."""
    watch = Watch(Panel(panel))
    return of_bits([watch.look(as_judged(each, metric)).bit for each in looks])._asdict()


def honest(data: Path) -> Iterator[dict[str, Any]]:
    """Yield honest teams, held against models that are not theirs."""
    for name, metric_text in BOARDS:
        metric = parse_metric(metric_text)
        _, models = soft_set(data, name)
        for kind in (walking, fresh, sharpened, raised):
            for seed in SEEDS:
                rng = rng_of("scores", name, metric_text, kind.__name__, seed)
                order = rng.permutation(len(models))
                own = [models[at] for at in order[:3]]
                rest = [as_judged(as_sent(models[at], metric), metric) for at in order[3:]]
                looks = [as_sent(each, metric) for each in kind(rng, own)]
                for members in (len(rest), 1):
                    row = {"set": name, "metric": metric_text, "kind": kind.__name__, "seed": seed}
                    yield row | {"members": members} | seen(looks, metric, np.array(rest[:members]))


def attacked(data: Path) -> Iterator[dict[str, Any]]:
    """Yield attacks through metrics."""
    for name, metric_text in BOARDS:
        metric = parse_metric(metric_text)
        truth, models = soft_set(data, name)
        panel = np.array([as_judged(as_sent(each, metric), metric) for each in models])
        m = 2 if name == "numbers" else models[0].shape[1]
        sizes = None if name == "numbers" else tuple(np.bincount(truth, minlength=m).tolist())
        low, high = (0, 999) if name == "numbers" else (0, 1)
        for rule_text in RULES:
            board = board_under(
                parse_rule(rule_text), MetricBoard(metric, low=low, high=high, sizes=sizes)
            )
            inner = planned_on_counts(parse_rule(rule_text))
            for each in attacks_on(board, m, from_nothing=[inner]):
                row = {"set": name, "metric": metric_text, "rule": rule_text, "attack": each.name}
                began = time.process_time()
                try:
                    row |= game(each, truth, metric, m, rule_text, panel)
                except HoldfastError as error:
                    row["error"] = str(error)[:200]
                yield row | {"seconds": round(time.process_time() - began, 1)}


def game(
    attack_on: AttackOnBoard,
    truth: NDArray[Any],
    metric: Metric,
    m: int,
    rule_text: str,
    panel: Labels,
) -> dict[str, Any]:
    """Play an attack through a metric, and watch it."""
    rng, rule_rng = rng_of("through", attack_on.name, str(metric), rule_text).spawn(2)
    attack = attack_on.make(Problem(len(truth), m, ATTACKED), rng=rng)
    oracle = MetricOracle(
        truth,
        metric,
        n_queries=ATTACKED,
        mechanism=parse_rule(rule_text),
        rng=rule_rng,
        n_classes=None if metric.takes is Submission.NUMBERS else m,
    )
    before = metric.score(truth, attack.predict())
    queries: list[NDArray[Any]] = []
    while len(queries) < ATTACKED and (query := attack.ask()) is not None:
        queries.append(np.array(query))
        try:
            attack.tell(oracle.query(query))
        except BudgetExhausted:
            break
    after = metric.score(truth, attack.predict())
    told = {"before": round(float(before), 4), "after": round(float(after), 4)}
    return told | seen(queries, metric, panel)


def main() -> None:
    """Watch them all, and write a line each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows_into(given.out / "scores-honest.jsonl", honest(given.data))
    rows_into(given.out / "scores-attacks.jsonl", attacked(given.data))


if __name__ == "__main__":
    main()
