import math
from dataclasses import replace

import numpy as np
import pytest

from holdfast.audit import audit, formulas, parse_looks
from holdfast.audit.inputs.disclosure import rounding_unit_for
from holdfast.audit.judgement.what_if import (
    ACCOUNTS,
    CLASSES,
    DECIMALS,
    EXAMPLES,
    LOOKS,
    STEPS,
    what_if,
)
from holdfast.audit.page.charts import gain_chart
from holdfast.certificates import certify
from holdfast.problem import Problem
from holdfast.rules import Exact, Ladder, Rounding
from tests.audit.conftest import gaining
from tests.audit.sample import sample_audit


@pytest.mark.parametrize("problem", [Problem(1000, 10, k) for k in (1, 10, 100, 2000)])
def test_what_is_guaranteed_is_possible_and_what_is_possible_is_allowed(problem):
    guarantee = formulas.guarantee(problem)
    principle = formulas.forecast_from_exact(problem)
    assert guarantee is None or guarantee <= principle
    # Both are rounded to a thousandth of a point.
    assert principle <= 100.0 * certify(problem, Exact()).gain + 0.001


def test_the_surfaces_of_the_package_are_those_of_the_formulas():
    surfaces = what_if()
    rng = np.random.default_rng(0)
    for _ in range(6):
        a, b, c = (int(rng.integers(len(axis))) for axis in (EXAMPLES, CLASSES, LOOKS[:-1]))
        problem = Problem(EXAMPLES[a], CLASSES[b], LOOKS[c])
        d, s, t = (int(rng.integers(len(axis))) for axis in (DECIMALS, STEPS, ACCOUNTS))
        rule = Exact() if DECIMALS[d] is None else Rounding(decimals=DECIMALS[d])
        allowed = 100.0 * certify(problem, rule).gain
        assert surfaces["round"]["allowed"][a][b][c][d] == pytest.approx(allowed, abs=0.006)
        n, m, k = problem
        many = (
            100.0
            * certify(Problem(n, m, k * ACCOUNTS[t]), Ladder(STEPS[s]), accounts=ACCOUNTS[t]).gain
        )
        assert surfaces["ladder"]["allowed"][a][b][c][s][t] == pytest.approx(many, abs=0.006)
    assert surfaces["axes"]["n_examples"] == list(EXAMPLES)


@pytest.mark.parametrize(("n", "m"), [(50, 2), (899, 10), (10_000, 10), (50_000, 1000), (10**6, 2)])
def test_the_rounding_unit_is_never_finer_than_one_example(n, m):
    unit = rounding_unit_for(n, m)
    assert unit.points >= 100.0 / n
    assert unit.round(unit.round(3.14159)) == unit.round(3.14159)


@pytest.mark.slow
def test_the_drawn_guarantee_breaks_between_the_theorems(request_for):
    """Between their ranges nothing is promised; each range is drawn to its very edges."""
    request = request_for(n=2000, m=40, looks=parse_looks("300"))
    drawn = audit(request, play=gaining()).curve
    known = dict(zip(drawn.bound_looks, drawn.guaranteed_by, strict=True))
    first, last = 1 + 2000 // 80, math.floor(9 * 40 * math.log(40)) + 1
    assert known[first] == "small-k"
    assert known[last] == "large-k"
    assert {name for k, name in known.items() if first < k < last} == {None}
    sample = replace(sample_audit(), curve=drawn, rounding_unit=0.001)
    data = [layer["data"]["values"] for layer in gain_chart(sample)["layer"] if "data" in layer]
    rows = [row for values in data for row in values if "part" in row]
    rows = [row for row in rows if row["line"] == "the paper's guarantee"]
    parts = {k: {row["part"] for row in rows if row["looks"] == k} for k in known}
    assert parts[1] == parts[first]
    assert parts[first] != parts[last]
    assert parts[last] == parts[drawn.bound_looks[-1]]
