"""Look-alikes of probes that people really submit: seeds of ensembles, and sweeps of a parameter.

    python -m benchmarks.detect.train --data DIR --out OUT

trains scikit-learn models on UCI Letter (DIR has it, with its features) and on made-up sets of 2,
4, 10 and 1,000 classes, which chose no constant of the detector, and writes what each model
predicts, an NPZ file of (looks, examples) per team. A team that is
there is not trained again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.labels import Labels

SEED = 32
LOOKS = 20


class Data(NamedTuple):
    """Examples to train on and to predict."""

    x: NDArray[Any]
    y: NDArray[Any]
    test: NDArray[Any]


def letter(folder: Path, fold: Callable[[NDArray[Any]], NDArray[Any]] | None = None) -> Data:
    """Return UCI Letter, with its classes folded into fewer ones."""
    with np.load(folder / "letter" / "features.npz", allow_pickle=False) as found:
        x, y, test = found["X_train"], found["y_train"].astype(int), found["X_test"]
    return Data(x.astype(float), y if fold is None else fold(y), test.astype(float))


def made(n_classes: int, n_test: int = 10_000, n_train: int = 2_000) -> Data:
    """Return a set of Gaussian clusters; with 1,000 classes one cluster a class."""
    from sklearn.datasets import make_blobs, make_classification

    n = n_test + n_train
    if n_classes > 100:
        x, y = make_blobs(n, 16, centers=n_classes, cluster_std=4.2, random_state=SEED)
    else:
        x, y = make_classification(
            n,
            20,
            n_informative=8,
            n_classes=n_classes,
            n_clusters_per_class=2,
            flip_y=0.03,
            class_sep=0.8,
            random_state=SEED + n_classes,
        )
    return Data(x[:n_train], y[:n_train], x[n_train:])


def teams(n_classes: int) -> Iterator[tuple[str, list[Any]]]:
    """Yield the name of each team and its models in the order in which it submits them."""
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    def steps(low: float, high: float) -> list[float]:
        return [float(each) for each in np.geomspace(low, high, LOOKS)]

    seeds = range(LOOKS)
    # Trees of a thousand classes take seconds each.
    trees = 100 if n_classes == 26 else 20 if n_classes < 100 else 5
    yield "forest seeds", [RandomForestClassifier(trees, random_state=seed) for seed in seeds]
    yield "extra trees seeds", [ExtraTreesClassifier(trees, random_state=seed) for seed in seeds]
    yield "tree depth", [DecisionTreeClassifier(max_depth=s + 4, random_state=1) for s in seeds]
    yield "tree seeds", [DecisionTreeClassifier(max_features=4, random_state=s) for s in seeds]
    yield "knn k", [KNeighborsClassifier(s + 1) for s in seeds]
    yield "knn weights", [KNeighborsClassifier(2 * s + 3, weights="distance") for s in seeds]
    if n_classes > 100:
        return
    # One model whose rounds so far are the looks.
    yield (
        "boosting rounds",
        [HistGradientBoostingClassifier(max_iter=3 * LOOKS, max_leaf_nodes=8, random_state=1)],
    )
    yield "forest size", [RandomForestClassifier(8 * s + 8, random_state=1) for s in seeds]
    yield "svm gamma", [SVC(C=5, gamma=g) for g in steps(0.005, 0.1)]
    yield (
        "boosting rate",
        [
            HistGradientBoostingClassifier(
                max_iter=6, max_leaf_nodes=8, learning_rate=r, random_state=1
            )
            for r in steps(0.05, 0.6)
        ],
    )
    if n_classes == 26:
        yield "svm C", [SVC(C=c, gamma="scale") for c in steps(0.3, 30)]
        yield (
            "forest size, new seeds",
            [RandomForestClassifier(8 * s + 8, random_state=s) for s in seeds],
        )
        large = [RandomForestClassifier(300, random_state=seed) for seed in seeds]
        yield "large forest seeds", large
    else:
        yield "logistic C", [LogisticRegression(C=c, max_iter=200) for c in steps(0.001, 10)]
        yield "network seeds", [MLPClassifier((32,), max_iter=20, random_state=s) for s in seeds]


def looks_of(models: Sequence[Any], data: Data) -> Labels:
    """Return what models predict one after another, (looks, examples); of one model, its rounds."""
    from sklearn.base import clone

    if len(models) == 1:
        model = models[0].fit(data.x, data.y)
        found = list(model.staged_predict(data.test))[2::3]
    else:
        # Copies, since a forest that is kept takes a hundred megabytes.
        found = [clone(model).fit(data.x, data.y).predict(data.test) for model in models]
    return np.array(found, dtype=np.uint16)


def main() -> None:
    """Train what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    sets: dict[str, tuple[int, Callable[[], Data]]] = {
        "letter": (26, lambda: letter(given.data)),
        "made-2": (2, lambda: made(2)),
        "made-4": (4, lambda: made(4)),
        "made-10": (10, lambda: made(10)),
        "letter-2": (2, lambda: letter(given.data, lambda y: (y >= 13).astype(int))),
        "made-1000": (1000, lambda: made(1000, n_train=6_000)),
    }
    for name, (n_classes, read) in sets.items():
        data = read()
        for team, models in teams(n_classes):
            file = given.out / f"{name} {team}.npz"
            if file.exists():
                continue
            began = time.process_time()
            np.savez_compressed(file, looks=looks_of(models, data))
            print(f"{file.stem}: {time.process_time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
