"""Certificates of a few cells, so that no change of a bound goes unnoticed.

A new figure must be below the old one, and the changelog says by how much; or above it, and why.
"""

import pytest

from holdfast.certificates import certify, certify_gain
from holdfast.metrics.display import Display
from holdfast.problem import Problem
from holdfast.rules import parse_rule

RULES = (
    "exact", "round:2", "ladder:0.01", "ladder", "improved", "gaussian:0.01", "laplace:0.01",
    "subsample:0.3", "rank",
)  # fmt: skip
OPTIONS = {
    "fixed": {"fixed_queries": True},
    "abstain": {"abstentions": True},
    "five accounts": {"accounts": 5},
    "shared state": {"memory": "data_set"},
    "a model right on 0.7": {"knows": 0.7},
}
# Accuracies in points, for each rule.
CELLS = {
    (
        "fixed",
        899,
        10,
        100,
    ): "37.5343 30.6196 17.7025 34.9011 23.4872 19.2646 18.1707 28.8026 37.5343",
    (
        "fixed",
        10000,
        2,
        300,
    ): "65.7988 61.3108 52.1441 70.9677 60.1443 54.0905 54.3296 60.4321 65.7988",
    (
        "fixed",
        10000,
        10,
        1000,
    ): "41.9830 19.2032 10.7512 33.5697 22.7761 12.8972 12.9632 31.3135 41.9830",
    ("fixed", 50000, 1000, 100): "0.4883 0.1000 0.1056 0.4840 0.3067 0.1020 0.1020 0.3410 0.4883",
    (
        "abstain",
        899,
        10,
        100,
    ): "53.5232 41.4681 22.7009 37.2264 23.4872 40.6030 38.3913 33.9863 44.9314",
    (
        "abstain",
        10000,
        2,
        300,
    ): "80.1616 67.7816 58.9912 74.6720 60.1443 68.2170 66.7204 64.4435 75.9499",
    (
        "abstain",
        10000,
        10,
        1000,
    ): "56.3824 33.7231 13.9212 35.8716 22.7761 38.2962 36.1858 35.5196 53.5441",
    ("abstain", 50000, 1000, 100): "0.8605 0.3972 0.1483 0.5135 0.3067 0.1031 0.1031 0.6030 0.6812",
    (
        "five accounts",
        899,
        10,
        100,
    ): "53.5232 41.4113 34.3740 48.7365 23.1812 40.6030 38.3913 33.9863 35.5357",
    (
        "five accounts",
        10000,
        2,
        300,
    ): "78.2966 67.7724 61.1451 78.0548 60.0767 68.2170 66.7204 63.7995 71.3670",
    (
        "five accounts",
        10000,
        10,
        1000,
    ): "56.3824 33.7141 17.6303 45.3924 22.7476 38.2962 36.1858 35.5196 46.2681",
    (
        "five accounts",
        50000,
        1000,
        100,
    ): "0.8605 0.1003 0.2524 0.7558 0.3017 0.1031 0.1031 0.6030 0.5110",
    (
        "shared state",
        899,
        10,
        100,
    ): "53.5232 41.4113 29.8023 42.5335 23.5630 40.6030 38.3913 33.9863 100.0000",
    (
        "shared state",
        10000,
        2,
        300,
    ): "78.2966 67.7724 60.4931 75.4016 60.1612 68.2170 66.7204 63.7995 100.0000",
    (
        "shared state",
        10000,
        10,
        1000,
    ): "56.3824 33.7141 18.5331 41.2883 22.7832 38.2962 36.1858 35.5196 100.0000",
    (
        "shared state",
        50000,
        1000,
        100,
    ): "0.8605 0.1003 0.4118 1.0130 0.3079 0.1031 0.1031 0.6030 100.0000",
    (
        "a model right on 0.7",
        899,
        10,
        100,
    ): "100.0000 98.5332 90.1823 98.8230 84.8022 100.0000 99.8381 100.0000 99.8366",
    (
        "a model right on 0.7",
        10000,
        2,
        300,
    ): "91.8171 83.6699 77.5837 89.1603 77.8394 88.1235 87.5226 93.3983 89.7453",
    (
        "a model right on 0.7",
        10000,
        10,
        1000,
    ): "100.0000 93.7588 79.1847 98.1591 84.1284 99.5872 98.9703 100.0000 100.0000",
    (
        "a model right on 0.7",
        50000,
        1000,
        100,
    ): "76.6759 73.2236 72.6654 76.4323 72.0283 74.8344 74.6627 77.5549 74.6622",
}
# Gains in the metric's unit of 1,000 examples, 100 positives, 10 looks; and 10,000, 1,000, 100.
GAINS = {
    ("accuracy", "exact"): (0.131915, 0.153707),
    ("f1", "exact"): (0.299395, 0.396754),
    ("balanced_accuracy", "exact"): (0.262708, 0.314221),
    ("matthews_corrcoef", "exact"): (0.442898, 0.542163),
    ("roc_auc", "exact"): (0.500000, 0.500000),
    ("brier", "exact"): (0.250000, 0.250000),
    ("accuracy", "round:2"): (0.121544, 0.103182),
    ("f1", "round:2"): (0.299395, 0.297806),
    ("balanced_accuracy", "round:2"): (0.262708, 0.260991),
    ("matthews_corrcoef", "round:2"): (0.442898, 0.473166),
    ("roc_auc", "round:2"): (0.480371, 0.480371),
    ("brier", "round:2"): (0.162839, 0.162839),
    ("accuracy", "ladder:0.01"): (0.068887, 0.017162),
    ("f1", "ladder:0.01"): (0.226008, 0.111337),
    ("balanced_accuracy", "ladder:0.01"): (0.220159, 0.145449),
    ("matthews_corrcoef", "ladder:0.01"): (0.401896, 0.280602),
    ("roc_auc", "ladder:0.01"): (0.396730, 0.260531),
    ("brier", "ladder:0.01"): (0.138111, 0.096937),
}


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: " ".join(map(str, cell)))
def test_certified_accuracies_are_as_they_were(cell: tuple[str, int, int, int]) -> None:
    options, *sizes = cell
    for rule, points in zip(RULES, CELLS[cell].split(), strict=True):
        found = certify(Problem(*sizes), parse_rule(rule), **OPTIONS[options])
        assert 100 * found.accuracy == pytest.approx(float(points), abs=2e-4), rule


@pytest.mark.parametrize("cell", GAINS, ids=" ".join)
def test_certified_gains_are_as_they_were(cell: tuple[str, str]) -> None:
    metric, rule = cell
    for (n, positives, looks), gain in zip(
        ((1000, 100, 10), (10_000, 1000, 100)), GAINS[cell], strict=True
    ):
        found = certify_gain(
            Problem(n, 2, looks),
            parse_rule(rule),
            Display.of(metric),
            class_sizes=(n - positives, positives),
        )
        assert found.gain == pytest.approx(gain, abs=2e-6)
