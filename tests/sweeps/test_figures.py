"""Figures and tables of a sweep: what is drawn is what the rows say."""

import math
from dataclasses import replace

import pytest

from holdfast.bounds.binomial import divergence
from holdfast.errors import InvalidInput
from holdfast.experiments.summary import Mean
from holdfast.sweeps import Experiment, Journal, run, summarised
from holdfast.sweeps.figures import draw_all, latex_table
from holdfast.sweeps.figures.costs import exponent
from holdfast.sweeps.figures.recovery import looks_over_the_limit
from holdfast.sweeps.figures.style import Line, lines_on
from holdfast.sweeps.figures.tables import write_tables

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def rows():
    experiment = Experiment(
        ["block-majority", "hill-climb"],
        rules=["exact", "ladder:0.01"],
        n_examples=[200],
        n_classes=[2],
        n_queries=[6, 20],
        seeds=6,
    )
    return list(run(experiment))


@pytest.fixture(scope="module")
def law():
    """Block majority over many sizes, from the law of its counts."""
    grid = {"n_examples": [10**5, 10**7], "n_classes": [2, 10], "n_queries": [101, 401]}
    return list(run(Experiment(["block-majority"], labels=["counts"], seeds=200, **grid)))


def test_every_figure_that_the_rows_are_enough_for_is_there(rows, tmp_path):
    found = draw_all(rows, tmp_path / "new" / "folder")
    names = {each.path.name for each in found}
    for name in (
        "gain-200-2-uniform.svg",
        "rules-200-2-6-uniform-none.svg", "rules-200-2-20-uniform-none.svg",
        "bits-200-2-exact-uniform.svg", "bits-200-2-ladder-0-01-uniform.svg", "cost-k.svg",
        "gains.tex",
    ):  # fmt: skip
        assert name in names
    assert len(names) == len(found)
    again = draw_all(rows, tmp_path / "again")  # the same rows make the same files
    for each, other in zip(found, again, strict=True):
        assert each.path.stat().st_size > 200
        assert each.path.read_bytes() == other.path.read_bytes()
        assert each.shows


def test_the_exponents_are_those_of_the_small_k_law(law, tmp_path):
    """sqrt(k/(mn)): the gain's exponents are 1/2, -1/2, -1/2, up to the blocks' k - 1."""
    write_tables(summarised(law), tmp_path)
    _, _, line = (tmp_path / "exponents.md").read_text().splitlines()
    *_, k, n, m = (part.strip() for part in line.strip("|").split("|"))
    for text, theory in ((k, 0.5), (n, -0.5), (m, -0.5)):
        mean, error = (float(part) for part in text.split(" ±"))
        assert abs(mean - theory) < 0.01 + 4 * error


def test_a_place_without_a_gain_is_left_out_of_the_exponents_alone_and_is_named(law, tmp_path):
    places = summarised(law)
    write_tables(places, tmp_path)
    _, _, whole = (tmp_path / "exponents.md").read_text().splitlines()
    for gain in (Mean(-0.1, 0.01), Mean(0.1, math.nan), None):
        write_tables([*places[:-1], replace(places[-1], gain=gain)], tmp_path)
        text = (tmp_path / "exponents.md").read_text()
        assert text.splitlines()[2].startswith(
            "| block-majority | exact | accuracy | counts | none | 0."
        )
        assert text.splitlines()[2] != whole
        assert text.endswith("- block-majority, exact, accuracy, counts, none: 1 of 8 places\n")
    few = [replace(each, attack="lattice", gain=None) for each in places]
    write_tables([*places, *few], tmp_path)
    text = (tmp_path / "exponents.md").read_text()
    assert whole in text
    said = "- lattice, exact, accuracy, counts, none: 8 of 8 places, and too few are left\n"
    assert text.endswith(said)


def test_seeds_that_agree_by_chance_are_not_taken_for_certain(law, tmp_path):
    """Equal gains leave a standard error of 1e-18; the binomial deviation takes its place."""
    places = summarised(law)
    agreed = [
        replace(each, gain=Mean(each.gain.mean, 4.9e-18)) if at % 3 == 0 else each
        for at, each in enumerate(places)
    ]
    write_tables(agreed, tmp_path)
    _, _, line = (tmp_path / "exponents.md").read_text().splitlines()
    *_, k, n, m = (part.strip() for part in line.strip("|").split("|"))
    for text, theory in ((k, 0.5), (n, -0.5), (m, -0.5)):
        mean, error = (float(part) for part in text.split(" ±"))
        assert abs(mean - theory) < 0.01 + 4 * error


def test_exponents_are_not_fitted_across_labels_metrics_or_models(law, tmp_path):
    """Twice the same places, the second ten times as large: two laws with the same exponents."""
    places = summarised(law)
    others = [
        replace(
            each,
            labels="uniform",
            gain=Mean(10 * each.gain.mean, 10 * each.gain.stderr),
            seconds=100.0 * (1 + each.seconds),
        )
        for each in places
    ]
    write_tables([*places, *others], tmp_path)
    for name in ("exponents", "cost"):
        lines = (tmp_path / f"{name}.md").read_text().splitlines()[2:]
        assert [line.split(" | ")[3] for line in lines] == ["counts", "uniform"]
    lines = (tmp_path / "exponents.md").read_text().splitlines()[2:]
    one, two = (float(line.split(" | ")[5].split(" ±")[0]) for line in lines)
    assert one == pytest.approx(two, abs=0.01)


def test_neighbouring_lines_differ_by_dash_as_well():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    lines_on(axes, [Line(str(at), [1, 2], [1, 2]) for at in range(4)], x="x", y="y", title="")
    dashes = [line.get_linestyle() for line in axes.get_lines() if len(line.get_xdata()) == 2]
    assert len(set(dashes)) == 4


def test_the_latex_table_has_every_place_and_no_bare_special_character(rows):
    text = latex_table(summarised(rows))
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(lines) == 1 + 2 * 2 * 2
    assert "±" not in text
    assert r"$\pm$" in text


def test_latex_escapes_whatever_a_name_may_hold_and_has_a_true_minus(law, tmp_path):
    odd = replace(summarised(law)[0], labels=r"C:\~{a}^b_1-2.npy", gain=Mean(-0.25, 0.01))
    text = latex_table([odd])
    inside = r"C:\textbackslash{}\textasciitilde{}\{a\}\textasciicircum{}b\_1-2.npy"
    assert rf" & {inside} & none & $-$25.00 $\pm$1.00 " in text
    write_tables(summarised(law), tmp_path)
    for name in ("exponents", "cost"):
        table = (tmp_path / f"{name}.tex").read_text()
        assert table.startswith(r"\begin{tabular}{lllllrrr}")
        assert "block-majority & exact & accuracy & counts & none & " in table
    assert " & $-$0.5" in (tmp_path / "exponents.tex").read_text()


def test_bits_are_the_rate_of_what_was_reached(law):
    """At (10^5, 2) k = 101 looks at blocks of 1,000 tell the sign of 100 sums: below a bit each."""
    place = next(p for p in summarised(law) if (p.n_examples, p.n_queries) == (10**5, 101))
    bits = place.n_examples * divergence(place.gain.mean, place.n_classes) / math.log(2)
    # A half-normal mean of sqrt(2/pi) standard deviations is worth (2/pi)/2 nats a block.
    assert bits / 100 == pytest.approx(1 / math.pi / math.log(2), rel=0.05)


def test_looks_for_all_labels_are_told_over_the_information_limit(tmp_path):
    problems = [(40, 2, 60), (80, 2, 90), (80, 2, 15)]
    rows = list(run(Experiment(["lattice"], problems=problems, seeds=2)))
    whole, larger, few = summarised(rows)
    for place in (whole, larger):
        assert 1 < looks_over_the_limit(place) < 3
    # Lattice's measured ratio at this size, as docs/attacks state it.
    known = replace(whole, n_examples=10_000, n_classes=10, looks=6576.0)
    assert looks_over_the_limit(known) == pytest.approx(1.377, abs=0.001)
    assert looks_over_the_limit(few) is None
    assert "recovery.svg" in {each.path.name for each in draw_all(rows, tmp_path)}
    assert "recovery.svg" not in {each.path.name for each in draw_all(rows[4:], tmp_path / "few")}


def test_costs_are_fitted_along_each_size_alone(law, tmp_path):
    """Seconds that are made up as a product of powers come back as these powers."""
    made = [
        row
        | {"seconds": 1e-9 * row["n_queries"] ** 2 * row["n_examples"] * row["n_classes"] ** 0.5}
        for row in law
    ]
    names = {each.path.name for each in draw_all(made, tmp_path)}
    assert {"cost-n.svg", "cost-m.svg", "cost-k.svg", "cost.md"} <= names
    *_, line = (tmp_path / "cost.md").read_text().splitlines()
    names = "block-majority | exact | accuracy | counts | none"
    assert line == f"| {names} | 2.000 ±0.000 | 1.000 ±0.000 | 0.500 ±0.000 |"
    assert exponent([10, 100], [3.0, 300.0]) == pytest.approx(2.0)


def test_gains_of_other_metrics_have_their_own_tables_and_units(tmp_path):
    experiment = Experiment(
        ["hill-climb", "auto"],
        rules=["exact", "round:3"],
        metrics=["f1", "log_loss"],
        problems=[(60, 2, 12)],
    )
    rows = list(run(experiment))
    found = draw_all(rows, tmp_path)
    assert "rules-60-2-12-uniform-none-f1.svg" in {each.path.name for each in found}
    places = {(p.attack, p.rule, p.metric): p for p in summarised(rows)}
    assert places["auto", "exact", "f1"].unit == "points of f1"
    loss = places["auto", "exact", "log_loss"]
    assert (loss.unit, loss.scale, loss.accuracy) == ("log_loss", 1.0, None)
    assert "of log\\_loss" in latex_table(places.values())


def test_the_command_draws_and_names_its_files(law, tmp_path, capsys):
    from holdfast.cli import main

    with Journal(tmp_path / "rows.jsonl") as journal:
        journal.add(row for row in law if (row["n_examples"], row["n_classes"]) == (10**5, 2))
    folder = tmp_path / "figures"
    assert main(["figures", str(tmp_path / "rows.jsonl"), "--out", str(folder)]) == 0
    assert str(folder / "cost-k.svg") in capsys.readouterr().out
    assert main(["figures", str(tmp_path / "rows.jsonl"), "--format", "gif"]) == 2
    assert "--format must be one of" in capsys.readouterr().err


def test_rows_of_which_none_was_played_draw_nothing_but_an_empty_table(tmp_path):
    rows = list(run(Experiment(["lattice"], ["round:1"], problems=[(30, 2, 5)])))
    (table,) = draw_all(rows, tmp_path)
    assert table.path.name == "gains.tex"
    with pytest.raises(InvalidInput):
        Experiment(["lattice"], ["round:1"])
