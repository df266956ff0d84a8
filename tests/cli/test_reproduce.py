from dataclasses import replace
from functools import partial

import pytest

from holdfast.experiments import reproduce
from holdfast.experiments.demonstration import demo_experiments
from holdfast.experiments.reproduce import TABLE_1, Grid

TINY = [
    replace(row, trials=8, grid=Grid((12, 16, 20), (32, 64), (2, 4)))
    for row in TABLE_1
    if row.attack in ("exhaustive", "block-majority")
] + [
    replace(row, trials=4, grid=Grid((200, 400), (150, 300), (3, 5)))
    for row in TABLE_1
    if row.attack == "column-vote"
]


@pytest.fixture
def quick(monkeypatch):
    for name in ("table_experiments", "measure"):
        smaller = partial(getattr(reproduce, name), rows=TINY)
        monkeypatch.setattr(f"holdfast.experiments.reproduce.{name}", smaller)
    monkeypatch.setattr(
        "holdfast.experiments.demonstration.demo_experiments",
        lambda seed, **_: demo_experiments(seed, looks=(1, 21), labels_per_point=10**6),
    )

    looks = reproduce.doubling_looks

    def timed(rows, attack):
        # Games this small take a fraction of a millisecond: what the clock says of them is noise.
        seconds = [{**row, "seconds": 2.0 ** (row["n_queries"] / 3)} for row in rows]
        return looks(seconds, attack)

    monkeypatch.setattr("holdfast.experiments.reproduce.doubling_looks", timed)


@pytest.mark.slow
def test_the_json_has_each_exponent_next_to_the_theory(holdfast, quick, tmp_path):
    outcome = holdfast("reproduce", "--out", tmp_path, "--json")
    assert outcome.code == 0
    result = outcome.json
    assert [line["attack"] for line in result["table"]] == [row.attack for row in TINY]
    for line in result["table"]:
        for name in "knm":
            exponent = line["exponents"][name]
            assert list(exponent) == ["theory", "measured", "closed_form"]
            assert exponent["measured"]["stderr"] > 0
    assert result["exhaustive_doubling_looks"]["mean"] == pytest.approx(3.0)
    assert (tmp_path / "bias.svg").exists()
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert lines[0] == (
        "attack,n_examples,n_classes,n_queries,trial,seed,matches,accuracy,bias,gain_examples,"
        "looks,seconds"
    )


@pytest.mark.slow
def test_the_table_is_printed(holdfast, quick, tmp_path):
    out = holdfast("reproduce", "--out", tmp_path).out
    for word in (
        "Table 1, measured",
        "small k",
        "large k",
        "block-majority",
        "-0.5",
        "±",
        "every 3.00",
    ):
        assert word in out


def test_effort_must_be_positive(refused):
    assert refused("reproduce", "--effort", 0) == "effort must be positive, got 0.0."
