"""The audit's embedded example: half of scikit-learn's digits, and a model's predictions.

The digits are the test set of the UCI data set "Optical Recognition of Handwritten Digits"
(E. Alpaydin and C. Kaynak, CC BY 4.0), as scikit-learn ships them. A logistic regression learns
from one half; its predictions on the other, hidden half are what an attacker may start from.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["example"]

# Few and coarse pixels: a model with room to be overfit, as on a hard task.
TRAINING_EXAMPLES = 120


def example() -> dict[str, NDArray[np.uint8]]:
    """Return the hidden labels and the predictions."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    X_train, X_hidden, y_train, y_hidden = train_test_split(X, y, test_size=0.5, random_state=0)
    model = LogisticRegression(max_iter=2000)
    model.fit(X_train[:TRAINING_EXAMPLES] / 16.0, y_train[:TRAINING_EXAMPLES])
    predicted = model.predict(X_hidden / 16.0)
    return {"labels": y_hidden.astype(np.uint8), "predictions": predicted.astype(np.uint8)}
