import re

import pytest

from holdfast.attacks.registry import summary_of
from holdfast.cli.plain import blur

SIZES = ("--n-examples", 200, "--n-classes", 3, "--looks", 12, "--trials", 2)
QUICK = (*SIZES, "--rule", "exact", "--rule", "ladder:0.05", "--processes", 1)


def test_json_has_every_cell_and_a_summary_of_every_rule(holdfast):
    outcome = holdfast("matrix", *QUICK, "--json")
    assert outcome.code == 0
    result = outcome.json
    assert result["suite"]["version"] == "2026.11"
    assert result["problem"] == {"n_examples": 200, "n_classes": 3, "n_queries": 12}
    assert [rule["rule"] for rule in result["rules"]] == ["exact", "ladder:0.05"]
    assert len(result["cells"]) == 2 * len(result["suite"]["attacks"])
    for rule in result["rules"]:
        assert rule["bias"]["mean"] <= rule["certified"]
        assert rule["holds"] is True
        assert 0 < rule["resolution"] <= 1


def test_the_table_names_rules_attacks_and_bounds(holdfast):
    outcome = holdfast("matrix", *QUICK)
    assert outcome.code == 0
    said = " ".join(re.sub("[│┃]", " ", outcome.out).split())
    for word in ("ladder:0.05", "exact", "suite 2026.11", "blur for", "no attack can"):
        assert word in said
    assert said.count(", points") + said.count(" points ") >= 4  # the unit in every head of gains


def test_the_table_has_the_points_of_the_jsons_fractions(holdfast):
    found, out = holdfast("matrix", *QUICK, "--json").json, holdfast("matrix", *QUICK).out
    for rule in found["rules"]:
        row = next(line for line in out.splitlines() if line.startswith(f"│ {rule['rule']} "))
        assert f"{100 * rule['bias']['mean']:.2f} ±{100 * rule['bias']['stderr']:.2f}" in row
        assert f"{100 * rule['certified']:.1f}" in row
        assert f" {blur(rule['resolution'])} │" in row
        assert summary_of(rule["strongest"]).split()[0] in out


def test_the_same_seed_gives_the_same_result(holdfast):
    runs = [holdfast("matrix", *QUICK, "--seed", 4, "--json").json for _ in range(2)]
    for run in runs:
        del run["seconds"]
    assert runs[0] == runs[1]


def test_labels_come_from_a_file_and_a_figure_goes_to_one(holdfast, tmp_path):
    labels, figure = tmp_path / "labels.csv", tmp_path / "matrix.svg"
    labels.write_text("id,label\n" + "".join(f"{j},{'ab'[j % 2]}\n" for j in range(60)))
    options = ("--looks", 6, "--trials", 2, "--rule", "exact", "--processes", 1, "--json")
    outcome = holdfast("matrix", "--labels", labels, *options, "--figure", figure)
    assert outcome.code == 0
    assert outcome.json["problem"] == {"n_examples": 60, "n_classes": 2, "n_queries": 6}
    assert figure.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*SIZES, "--rule", "rung"), "release rule must be one of batch, "),
        ((*SIZES[:4], "--looks", 5, "--trials", 1), "trials must be at least 2, got 1."),
        (("--looks", 5), "n_examples must be given when labels is not."),
        ((*SIZES, "--processes", 0), "processes must be at least 1, got 0."),
        (
            (*SIZES, "--figure", "matrix.gif"),
            "figure must end in .png, .svg, .pdf, got 'matrix.gif'.",
        ),
        ((*SIZES, "--figure", "no/where.png"), "figure must lie in a folder that exists, got "),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(refused, arguments, message):
    assert refused("matrix", *arguments).startswith(message)
