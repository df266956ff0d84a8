"""Honest teams: how often a look is unexplained, and who is flagged.

    python -m benchmarks.detect.honest --data DIR --out OUT [--kinds real synthetic trained small]

real: models of the seven sets, in published and 200 random orders, 20 looks each (on MMLU 7), held
against nine, three and one other models. synthetic: look-alikes made from the same models. trained:
what `benchmarks.detect.train` has written into OUT/lookalikes. small: two classes and few examples,
by folding classes and taking the first rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.detect.common import FILES, SETS, columns, read_set, rng_of, rows_into, seen
from benchmarks.real.sets import ROWS
from holdfast.labels import Labels

LOOKS, ORDERS, MEMBERS = 20, 200, (9, 3, 1)
SIZES = (100, 200, 500, 1000, 2000)
SEEDS = range(20)


def plain(data: Path, name: str) -> Labels:
    """Return the models of a set that are no constants, (models, n)."""
    models = columns(read_set(data, name))
    return np.array([each for each in models if np.bincount(each).max() < 0.9 * len(each)])


def in_orders(models: Labels, name: str, orders: int) -> Iterator[tuple[Any, Labels, Labels]]:
    """Yield order, panel and looks; the panel is drawn first, and the rest submits."""
    room = max(3, len(models) - LOOKS) if len(models) < LOOKS + max(MEMBERS) else max(MEMBERS)
    room = min(room, max(MEMBERS))
    for order in ["published", *range(orders)]:
        rng = rng_of("honest", name, order)
        drawn = rng.permutation(len(models))
        panel, rest = drawn[:room], drawn[room:]
        rest = np.sort(rest)[:LOOKS] if order == "published" else rest[:LOOKS]
        yield order, models[panel], models[rest]


def real(data: Path) -> Iterator[dict[str, Any]]:
    """Yield teams that submit real models in order."""
    for name in SETS:
        models = plain(data, name)
        for order, panel, looks in in_orders(models, name, ORDERS):
            for members in sorted({min(each, len(panel)) for each in MEMBERS}):
                found = seen(looks, panel[:members])._asdict()
                yield {"set": name, "members": members, "order": order} | found


def plurality(votes: Labels, weights: NDArray[np.float64]) -> Labels:
    """Return the label with the most weight in each row, votes (models, n)."""
    most = np.zeros(votes.shape[1])
    top = np.array(votes[0])
    for vote in votes:
        weight = ((votes == vote) * weights[:, None]).sum(axis=0)
        more = weight > most
        most[more], top[more] = weight[more], vote[more]
    return top


def walking(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield blends of seven models whose weights walk."""
    weights = rng.random(7)
    for _ in range(LOOKS):
        weights = np.abs(weights + 0.15 * rng.normal(size=7))
        yield plurality(models[:7], weights)


def fresh(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield blends of seven models with new weights each time."""
    for _ in range(LOOKS):
        yield plurality(models[:7], rng.random(7))


def one_weight(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield blends of seven models, one weight tuned after the other."""
    weights = np.ones(7)
    for at in range(LOOKS):
        weights[at % 7] = rng.random() * 2
        yield plurality(models[:7], weights)


def growing(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield majorities of more and more models."""
    del rng
    for at in range(2, min(LOOKS + 2, len(models))):
        yield plurality(models[:at], np.ones(at) - 0.01 * np.arange(at))


def majorities(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield majorities of five models drawn anew each time."""
    for _ in range(LOOKS):
        yield plurality(models[rng.permutation(len(models))[:5]], np.ones(5))


def threshold(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield one model whose rows go over to a class, the surest of another model first."""
    base, other = models[0], models[1]
    kind = int(rng.choice(np.unique(other)))
    rows = rng.permutation(np.flatnonzero((other == kind) & (base != kind)))
    for at in range(1, LOOKS + 1):
        look = base.copy()
        look[rows[: at * len(rows) // LOOKS]] = kind
        yield look


def class_after_class(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield one model that takes over another's word of one class after the other."""
    look, other = models[0].copy(), models[1]
    for kind in rng.permutation(np.unique(other))[:LOOKS]:
        rows = other == kind
        look = look.copy()
        look[rows] = kind
        yield look


def taken_back(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield one model with one rule at a time: where two others agree against it in one class."""
    base, others = models[0], models[1:]
    for _ in range(LOOKS):
        one, two = others[rng.permutation(len(others))[:2]]
        kind = base[rng.integers(len(base))]
        yield np.where((one == two) & (base == kind), one, base)


def three_shuffled(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield real models, after three looks with their rows shuffled."""
    for at in range(LOOKS):
        model = models[at % len(models)]
        yield rng.permutation(model) if at in (0, 1, 2) else model


def slips(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield constants, the same file again, labels that are off by one, and real models."""
    most = int(models.max())
    for at in range(LOOKS):
        model = models[at // 4 % len(models)]
        kind = at % 4
        off = np.where(model < most, model + 1, 0).astype(model.dtype)
        yield [np.full_like(model, rng.integers(most)), model, model, off][kind]


def few_rows(rng: np.random.Generator, models: Labels) -> Iterator[Labels]:
    """Yield a model with a random 4 % of its differences from others: a coin flip, in truth."""
    for at in range(LOOKS):
        look, other = models[0].copy(), models[1 + at % (len(models) - 1)]
        rows = np.flatnonzero(look != other)
        some = rows[rng.random(len(rows)) < 0.04]
        look[some] = other[some]
        yield look


Kind = Callable[[np.random.Generator, Labels], Iterable[Labels]]
KINDS: tuple[Kind, ...] = (
    walking, fresh, one_weight, growing, majorities, threshold, class_after_class, taken_back,
    three_shuffled, slips, few_rows,
)  # fmt: skip


def synthetic(data: Path) -> Iterator[dict[str, Any]]:
    """Yield look-alikes made from the models of each set but the largest."""
    for name in SETS:
        if name == "imagenet_val":
            continue
        models = plain(data, name)
        for kind in KINDS:
            for seed in SEEDS:
                rng = rng_of("synthetic", name, kind.__name__, seed)
                order = rng.permutation(len(models))
                room = min(max(MEMBERS), max(3, len(models) - 8))
                looks = list(kind(rng, models[order[room:]]))
                for members in sorted({min(each, room) for each in MEMBERS}):
                    found = seen(looks, models[order[:members]])._asdict()
                    row = {"set": name, "members": members, "kind": kind.__name__}
                    yield row | {"seed": seed} | found


def drawn(data: Path) -> Iterator[dict[str, Any]]:
    """Yield looks whose labels are drawn from one model's probabilities, or from disturbed ones."""
    for name, (file, _) in FILES.items():
        models = plain(data, name)
        # Models come with their rows permuted, their probabilities do not.
        permuted = np.random.default_rng(ROWS).permutation(models.shape[1])
        with np.load(data / name / file, allow_pickle=False) as arrays:
            soft = {key: arrays[key].astype(float)[permuted] for key in arrays}
        for key, each in soft.items():
            for kind in ("drawn", "disturbed"):
                rng = rng_of("drawn", name, key, kind)
                panel = models[rng.permutation(len(models))[: max(MEMBERS)]]
                looks = []
                for _ in range(LOOKS):
                    # The largest of logarithms with Gumbel's noise is a draw (T = 1).
                    noise = rng.gumbel(size=each.shape)
                    if kind == "disturbed":
                        noise = 0.3 * rng.normal(size=each.shape)
                    looks.append((np.log(each + 1e-9) + noise).argmax(axis=1).astype(models.dtype))
                for members in MEMBERS:
                    row = {"set": name, "members": members, "kind": kind, "seed": key}
                    yield row | seen(looks, panel[:members])._asdict()


def trained(data: Path, out: Path) -> Iterator[dict[str, Any]]:
    """Yield teams of trained models, held against other teams' middle looks, or a set's models."""
    found: dict[str, dict[str, Labels]] = {}
    for file in sorted((out / "lookalikes").glob("*.npz")):
        name, _, team = file.stem.partition(" ")
        with np.load(file, allow_pickle=False) as arrays:
            looks = arrays["looks"]
        if name == "letter":  # whose models come with their rows permuted
            looks = looks[:, np.random.default_rng(ROWS).permutation(looks.shape[1])]
        found.setdefault(name, {})[team] = looks
    letter = plain(data, "letter")
    for name, teams in found.items():
        for team, looks in teams.items():
            rng = rng_of("trained", name, team)
            others = [each[len(each) // 2] for other, each in teams.items() if other != team]
            if name == "letter":
                others = list(letter[rng.permutation(len(letter))[: max(MEMBERS)]])
            order = rng.permutation(len(others))
            panel = np.array([others[at] for at in order[: max(MEMBERS)]])
            for members in sorted({min(each, len(panel)) for each in MEMBERS}):
                row = {"set": name, "team": team, "members": members}
                yield row | seen(looks, panel[:members])._asdict()


def small(data: Path) -> Iterator[dict[str, Any]]:
    """Yield teams on folded classes and few rows, and probes on the same boards."""
    for name in ("letter", "mnist", "cifar10", "imagenet_v2"):
        models = plain(data, name)
        top = plurality(models, np.ones(len(models)))
        # Two classes of about the same size: the first half of the rows' labels, and the rest.
        middle = int(np.median(top))
        folded = (models > middle).astype(np.uint8)
        for n in SIZES:
            for order, panel, looks in in_orders(folded, name, 60):
                rng = rng_of("small", name, n, order)
                rows = rng.permutation(folded.shape[1])[:n]
                panel, looks = panel[:, rows], looks[:, rows]
                base, other = looks[0], looks[1]
                close = np.flatnonzero(base != other)
                if len(close) < n // 10:
                    rest = np.setdiff1d(np.arange(n), close)
                    close = np.concatenate([close, rng.permutation(rest)[: n // 10 - len(close)]])
                probes = []
                for _ in range(LOOKS):
                    probe = base.copy()
                    flipped = close[rng.random(len(close)) < 0.5]
                    probe[flipped] = 1 - base[flipped]
                    probes.append(probe)
                guesses = [rng.integers(2, size=n).astype(np.uint8) for _ in range(LOOKS)]
                teams: dict[str, Iterable[Labels]] = {
                    "honest": looks,
                    "probes from a model": probes,
                    "guesses": guesses,
                }
                for members in (9, 1):
                    for what, sent in teams.items():
                        row = {"set": name, "n": n, "members": members, "what": what}
                        yield row | {"order": order} | seen(sent, panel[:members])._asdict()


def main() -> None:
    """Watch them all, and write a line each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    kinds = ["real", "synthetic", "trained", "small"]
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=kinds)
    given = parser.parse_args()
    made: dict[str, Callable[[], Iterable[dict[str, Any]]]] = {
        "real": lambda: real(given.data),
        "synthetic": lambda: chain(synthetic(given.data), drawn(given.data)),
        "trained": lambda: trained(given.data, given.out),
        "small": lambda: small(given.data),
    }
    for kind in given.kinds:
        rows_into(given.out / f"{kind}.jsonl", made[kind]())


if __name__ == "__main__":
    main()
