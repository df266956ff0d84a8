"""The embedded example: a real small test set with a real model's predictions.

Half of scikit-learn's digits (the UCI data set "Optical Recognition of Handwritten Digits" by
E. Alpaydin and C. Kaynak, CC BY 4.0), and what a logistic regression predicts for it. The file is
made by `benchmarks/example_data.py`; scikit-learn is needed for nothing else.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from holdfast.audit.inputs.request import Prediction
from holdfast.files.label_files import LabelFile

__all__ = ["NAME", "example"]

NAME = "digits (scikit-learn), half of it hidden"
MODEL = "logistic regression"


def example() -> tuple[LabelFile, Prediction]:
    """Return the hidden labels and the model's predictions.

    >>> file, model = example()
    >>> file.n_examples, file.n_classes, model.labels.size
    (899, 10, 899)
    """
    with files("holdfast.audit").joinpath("data/digits.npz").open("rb") as stream:
        data = np.load(stream, allow_pickle=False)
        labels, predictions = data["labels"], data["predictions"]
    names = tuple(str(digit) for digit in range(10))
    return LabelFile(labels, names), Prediction(MODEL, predictions)
