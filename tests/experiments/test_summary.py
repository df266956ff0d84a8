import math

import pytest

from holdfast.experiments import mean_of, summarise


def row(attack, k, matches, looks, seconds=0.25):
    names = (
        *("attack", "n_examples", "n_classes", "n_queries", "matches", "looks", "accuracy"),
        *("bias", "gain_examples", "seconds"),
    )
    share = matches / 10
    values = (attack, 10, 2, k, matches, looks, share, share - 0.5, matches - 5, seconds)
    return dict(zip(names, values, strict=True))


def test_the_error_of_the_mean():
    mean, stderr = mean_of([2, 4, 4, 4, 5, 5, 7, 9])
    assert mean == 5
    assert stderr == pytest.approx(math.sqrt(32 / 7 / 8))


def test_the_error_of_one_value_is_unknown():
    assert mean_of([3.0]).mean == 3
    assert math.isnan(mean_of([3.0]).stderr)


def test_rows_are_gathered_by_attack_and_problem():
    rows = [row("b", 3, 6, 3), row("a", 3, 5, 2), row("b", 3, 8, 1), row("b", 4, 9, 4)]
    first, second, third = summarise(rows)
    assert (first["attack"], first["n_queries"], first["trials"]) == ("b", 3, 2)
    assert (second["attack"], third["n_queries"]) == ("a", 4)
    assert first["accuracy"].mean == pytest.approx(0.7)
    assert first["gain_examples"] == (2.0, pytest.approx(1.0))
    assert first["looks"] == (2.0, pytest.approx(1.0))
    assert (first["max_looks"], first["seconds"]) == (3, 0.5)
