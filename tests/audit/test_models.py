import numpy as np

from holdfast.audit import Prediction
from holdfast.audit.inputs.models import prior_of


def test_models_that_agree_weigh_more_than_one_that_does_not():
    labels = np.zeros(100, dtype=np.uint8)
    two, other = np.zeros(100, dtype=np.uint8), np.full(100, 3, dtype=np.uint8)
    prior = prior_of(
        [Prediction("a", two), Prediction("b", two), Prediction("c", other)], labels, 5
    )
    assert prior.top().tolist() == [0] * 100
    dense = prior.dense_rows()
    assert np.allclose(dense.sum(axis=1), 1.0)
    assert (dense[:, 0] > dense[:, 3]).all()
    assert (dense[:, 3] > dense[:, 1]).all()


def test_one_model_of_two_classes_and_more_models_than_classes():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=50).astype(np.uint8)
    for count in (1, 2, 4):
        models = [
            Prediction(str(j), rng.integers(2, size=50).astype(np.uint8)) for j in range(count)
        ]
        prior = prior_of(models, labels, 2)
        assert np.allclose(prior.dense_rows().sum(axis=1), 1.0)
    assert prior_of([], labels, 2) is None
