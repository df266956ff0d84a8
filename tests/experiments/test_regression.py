import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.experiments.regression import exponents
from holdfast.experiments.summary import Mean

GRID = [(k, n, m) for k in (10, 30, 90) for n in (100, 400) for m in (2, 8)]


def points(noise=0.0, rng=None):
    for k, n, m in GRID:
        bias = 3.0 * k**0.5 * n**-0.7 * m**-0.25
        measured = bias * (1 + noise * rng.standard_normal()) if rng else bias
        yield {
            "n_queries": k,
            "n_examples": n,
            "n_classes": m,
            "bias": Mean(measured, noise * bias),
        }


def test_a_power_law_is_recovered_exactly_without_noise():
    fit = exponents(list(points()))
    assert [part.mean for part in fit] == pytest.approx([0.5, -0.7, -0.25])
    assert [part.stderr for part in fit] == pytest.approx([0, 0, 0], abs=1e-9)


def test_the_standard_errors_are_honest():
    fits = [exponents(list(points(0.05, np.random.default_rng(s)))) for s in range(200)]
    for at, truth in enumerate((0.5, -0.7, -0.25)):
        off = np.array([(fit[at].mean - truth) / fit[at].stderr for fit in fits])
        # Unit normal up to the raised errors of unlucky fits: mean 0 +- 4/sqrt(200), spread near 1.
        assert abs(off.mean()) < 4 / np.sqrt(200)
        assert 0.7 < off.std() < 1.2


def test_scatter_beyond_the_errors_raises_them():
    exact = list(points(1e-4, np.random.default_rng(0)))
    bent = [
        {**point, "bias": Mean(point["bias"].mean * (1 + (point["n_queries"] == 30)), 1e-6)}
        for point in exact
    ]
    assert exponents(bent).k.stderr > 100 * exponents(exact).k.stderr


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (list(points())[:4], "summaries must have at least 5 points, got 4."),
        ([{**p, "bias": Mean(0.0, 1.0)} for p in points()], "every mean bias must be positive"),
        ([{**p, "n_classes": 2} for p in points()], "k, n and m must all vary"),
    ],
)
def test_what_can_not_be_fitted_is_refused(bad, message):
    with pytest.raises(InvalidInput) as caught:
        exponents(bad)
    assert str(caught.value).startswith(message)


def test_values_that_are_exact_but_for_rounding_neither_break_the_fit_nor_outweigh_the_others():
    """Equal gains of all seeds have a standard error of 1e-18, which is no error at all."""
    noisy = list(points(0.05, np.random.default_rng(3)))
    mixed = [
        {**point, "bias": point["bias"]._replace(stderr=4.9e-18)} if at % 3 == 0 else point
        for at, point in enumerate(noisy)
    ]
    fit = exponents(mixed)
    for part, plain in zip(fit, exponents(noisy), strict=True):
        assert abs(part.mean - plain.mean) < 4 * plain.stderr
        assert part.stderr > plain.stderr / 3
    almost = [{**point, "bias": Mean(point["bias"].mean, 1e-18)} for point in noisy]
    without = [{**point, "bias": Mean(point["bias"].mean, 0.0)} for point in noisy]
    assert exponents(almost) == exponents(without)
