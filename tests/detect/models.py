"""Models that are right and wrong together, as real ones are: linear scores with own weights."""

import numpy as np

N, DIMENSIONS, CLASSES = 4000, 12, 5


class Field:
    """A test set and its models."""

    def __init__(self, seed, n=N, n_classes=CLASSES):
        self.rng = np.random.default_rng(seed)
        self.x = self.rng.normal(size=(n, DIMENSIONS))
        self.w = self.rng.normal(size=(DIMENSIONS, n_classes))
        self.n_classes = n_classes

    def weights(self, error=0.7):
        return self.w + error * self.rng.normal(size=self.w.shape)

    def labels(self, weights):
        return (self.x @ weights).argmax(axis=1).astype(np.uint8)

    def models(self, count, error=0.7):
        return [self.labels(self.weights(error)) for _ in range(count)]

    def blends(self, count):
        """Return looks whose weights walk from one model towards others."""
        at, looks = self.weights(), []
        for _ in range(count):
            at = 0.9 * at + 0.1 * self.weights()
            looks.append(self.labels(at))
        return looks

    def probes(self, count, rows=300):
        """Return looks that choose by a coin between two models on some rows."""
        one, two = self.models(2)
        rows = self.rng.permutation(np.flatnonzero(one != two))[:rows]
        looks = []
        for _ in range(count):
            look = one.copy()
            flipped = rows[self.rng.random(len(rows)) < 0.5]
            look[flipped] = two[flipped]
            looks.append(look)
        return looks

    def guesses(self, count):
        return [
            self.rng.integers(self.n_classes, size=len(self.x)).astype(np.uint8)
            for _ in range(count)
        ]
