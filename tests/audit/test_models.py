import numpy as np


def test_models_that_agree_weigh_more_than_one_that_does_not(request_for):
    labels = np.zeros(100, dtype=np.uint8)
    two, other = np.zeros(100, dtype=np.uint8), np.full(100, 3, dtype=np.uint8)
    prior = request_for(labels, m=5, predictions=[two, two, other]).beliefs
    assert prior.top().tolist() == [0] * 100
    dense = prior.dense_rows()
    assert np.allclose(dense.sum(axis=1), 1.0)
    assert (dense[:, 0] > dense[:, 3]).all()
    assert (dense[:, 3] > dense[:, 1]).all()


def test_one_model_of_two_classes_and_more_models_than_classes(request_for):
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=50).astype(np.uint8)
    for count in (1, 2, 4):
        models = [rng.integers(2, size=50).astype(np.uint8) for _ in range(count)]
        prior = request_for(labels, m=2, predictions=models).beliefs
        assert np.allclose(prior.dense_rows().sum(axis=1), 1.0)
    assert request_for(labels, m=2).beliefs is None
