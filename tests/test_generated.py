"""Generated files carry how they were made, pages show them, and stale numbers are found."""

import os
import runpy
import secrets
import shutil
import sys

import numpy as np
import pytest
from benchmarks import generated, metrics, packaged, tiny
from benchmarks.generated_base import Generated, surfaces
from benchmarks.made import Made, fingerprint, made_of, stamp
from benchmarks.tables import ROOT, Table, blocks, filled

from holdfast.planner import plan
from holdfast.problem import Problem

EVERYTHING = generated.everything()
NAMES = list(EVERYTHING)
# Processor seconds of what fast tests measure again, of what slow ones do, and of what is drawn by
# those that are run by `make long`.
FAST, SLOW, LONG = 1.0, 2.5, 4.0


@pytest.mark.parametrize("name", NAMES)
def test_every_file_carries_its_command_its_seed_and_the_fingerprint_of_its_numbers(name):
    assert EVERYTHING[name].faults() == []


def at_its_pace(name):
    """Mark a table as slow, or for `make long`, if its quickest row takes that long."""
    each = EVERYTHING[name]
    content = each.load()
    seconds = sum(each.seconds(content, cell) for cell in each.probes(content))
    if seconds > SLOW:
        return pytest.param(name, marks=pytest.mark.long)
    return pytest.param(name, marks=pytest.mark.slow) if seconds > FAST else name


@pytest.mark.record
@pytest.mark.parametrize("name", [at_its_pace(name) for name in NAMES])
def test_no_number_is_older_than_what_it_is_computed_from(name):
    """The probes come out as they are kept."""
    each = EVERYTHING[name]
    assert each.stale() == [], f"renew it with: {each.command}"


def with_cells_to_draw():
    """Yield what has quick cells beside the probes, and the seconds that one may take."""
    for name, each in EVERYTHING.items():
        content = each.load()
        if each.sample(content, 0, FAST):
            yield name, FAST
        elif each.sample(content, 0, LONG):
            yield pytest.param(name, LONG, marks=pytest.mark.long)


@pytest.mark.slow
@pytest.mark.record
@pytest.mark.parametrize(("name", "most_seconds"), list(with_cells_to_draw()))
def test_random_cells_of_every_surface_come_out_as_they_are_kept(name, most_seconds):
    # Other cells on each run: those that are the same on all are the probes.
    seed = int(os.environ.get("HOLDFAST_CELLS") or secrets.randbits(32))
    each = EVERYTHING[name]
    stale = each.stale(each.sample(each.load(), seed, most_seconds))
    assert stale == [], f"drawn by HOLDFAST_CELLS={seed}; renew it with: {each.command}"


def test_formulas_and_tables_alike_have_cells_to_draw():
    drawn = {name for name, each in EVERYTHING.items() if each.sample(each.load(), 0, FAST)}
    assert drawn >= {"what-if", "bounds", "planner", "demo", "detecting", "tiny"}


@pytest.mark.long
@pytest.mark.parametrize(("name", "at"), [("power-before", 8), ("power-middle", 7)])
def test_rows_that_are_slow_to_measure_name_the_attack_and_the_gain_of_todays_plan(name, at):
    # Their games take minutes, and no fingerprint has them; but they are old if the plan is.
    stale = []
    rows = EVERYTHING[name].load()["rows"]
    # A plan takes a second or two: every other row will do, since all are renewed together.
    for row, _ in rows[::2]:
        cells = [cell.strip() for cell in row.split("|")]
        k, fixed = cells[2].split(",")[0], "fixed queries" in cells[2]
        problem = Problem(*(int(size) for size in cells[1].strip("()").split(",")), int(k))
        chosen = plan(problem, non_adaptive=fixed).chosen
        if cells[at : at + 2] != [chosen.attack, f"{chosen.gain:.1f}"]:
            stale.append((cells[1:3], cells[at : at + 2], chosen.attack, chosen.gain))
    assert stale == [], f"renew it with: python -m benchmarks.generated {name}"


@pytest.mark.slow
def test_the_pages_show_what_the_files_hold():
    assert generated.stale_blocks() == [], "renew them with: make docs"


@pytest.mark.slow
def test_every_block_of_a_table_is_on_one_page():
    shown = [name for page in generated.pages() for name in blocks(page)]
    assert sorted(shown) == sorted(generated.texts())


def test_every_picture_and_every_file_of_numbers_is_generated():
    ours = {path for each in EVERYTHING.values() for path in each.files}
    # Sketches of ideas, which show no measured number: `make docs` draws them.
    drawn = runpy.run_path(str(ROOT / "scripts" / "attack_pictures.py"))["PICTURES"]
    ours |= {ROOT / "docs" / "images" / f"{draw.__name__}.svg" for draw in drawn}
    found = {*(ROOT / "docs" / "images").iterdir(), *(ROOT / "docs" / "data").iterdir()}
    found |= set((ROOT / "src").rglob("*.npz"))
    found |= {path for path in (ROOT / "src").rglob("*.json") if path.name != "statements.json"}
    assert ours == found


class Squares(Generated):
    """Numbers that are easy to get wrong on purpose."""

    name, command, seed = "squares", "python -m squares", None

    def __init__(self, folder):
        self.files = (folder / "squares.json", folder / "squares.svg", folder / "squares.png")

    def content(self):
        return {"cells": {str(x): x * x for x in range(2, 7)}}

    def cells(self, content):
        return dict(content["cells"])

    def measured(self, cell):
        return int(cell) ** 2

    def draw(self, content):
        for picture in self.files[1:]:
            shutil.copy(ROOT / "docs" / "images" / f"bias{picture.suffix}", picture)


@pytest.fixture
def squares(tmp_path):
    made = Squares(tmp_path)
    made.keep(made.content())
    return made


def test_what_was_just_made_is_fresh_and_all_files_carry_the_same_record(squares):
    assert squares.faults() == []
    assert squares.stale() == []
    records = {made_of(path) for path in squares.files}
    assert records == {Made("python -m squares", None, fingerprint(squares.content()))}


def test_numbers_that_come_out_differently_are_stale(squares):
    squares.measured = lambda cell: int(cell) ** 3
    (cell, kept), *_ = squares.probes(squares.load()).items()
    assert squares.stale()[0] == f"{cell} is {int(cell) ** 3}, and {kept} is kept"


@pytest.mark.parametrize("cell", ["2", "3", "4", "5", "6"])
def test_any_number_that_was_edited_is_found(squares, cell):
    numbers = squares.files[0]
    kept = numbers.read_text()
    edited = kept.replace(f'"{cell}":{int(cell) ** 2}', f'"{cell}":-1')
    assert edited != kept
    numbers.write_text(edited)
    assert len(squares.faults()) == 3


def test_a_picture_of_other_numbers_is_found(squares):
    _, picture, _ = squares.files
    stamp(picture, Made("python -m squares", None, "0" * 16))
    (fault,) = squares.faults()
    assert fault.startswith("squares.svg carries")


def test_numbers_of_which_none_is_computed_again_are_a_fault(squares):
    squares.cells = lambda content: {}
    assert squares.faults() == ["squares.json has no number that is computed again"]


def test_a_sample_has_no_probe_and_follows_from_its_seed(squares):
    content = squares.load()
    (probe,) = squares.probes(content)
    drawn = [squares.sample(content, seed, 1.0) for seed in range(40)]
    assert drawn == [squares.sample(content, seed, 1.0) for seed in range(40)]
    assert {cell for each in drawn for cell in each} == set(content["cells"]) - {probe}
    squares.seconds = lambda content, cell: 2.0
    assert squares.sample(content, 0, 1.0) == {}


def test_a_missing_file_is_named(squares):
    squares.files[1].unlink()
    assert squares.faults() == ["squares.svg is missing"]


def test_a_block_is_filled_between_its_markers_and_nothing_else_changes(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n\n<!-- data: one -->\n| old |\n<!-- end -->\nafter\n")
    assert blocks(page) == {"one": "| old |\n"}
    assert filled(page, {"one": "| new |\n"}) == page.read_text().replace("old", "new")


def test_a_table_keeps_the_seconds_of_its_rows_and_only_quick_ones_are_measured_again(tmp_path):
    table = Table("t", "make t", 1, ("| a |", "|---|"), [lambda: "| 1 |", lambda: "| 2 |"])
    content = table.content()
    assert [row for row, _ in content["rows"]] == ["| 1 |", "| 2 |"]
    assert table.blocks(content) == {"t": "| a |\n|---|\n| 1 |\n| 2 |\n"}
    content["rows"][1][1] = 1000.0
    assert table.cells(content) == {"0": "| 1 |"}
    content["rows"][0][1] = None  # not counted when it was measured
    assert table.probes(content) == {}


def test_a_table_without_quick_rows_goes_stale_with_what_is_small(tmp_path):
    table = Table("t", "make t", 1, ("| a |", "|---|"), [lambda: "| 1 |"], {"few": lambda: "2"})
    table.files = (tmp_path / "t.json",)
    content = table.content()
    content["rows"][0][1] = 1000.0
    table.keep(content)
    assert table.faults() == []
    assert table.stale() == []
    assert table.blocks(content) == {"t": "| a |\n|---|\n| 1 |\n"}
    table.small["few"] = lambda: "3"
    assert table.stale() == ["few is 3, and 2 is kept"]


def test_a_row_that_the_code_makes_and_the_file_lacks_is_found_without_measuring_one(tmp_path):
    rows = [lambda: "| a | 1 |", lambda: "| b | 2 |"]
    table = Table("t", "make t", 1, ("| x | y |", "|---|--:|"), rows, row_names=["a", "b"])
    table.files = (tmp_path / "t.json",)
    assert table.faults() == ["t.json is missing"]
    table.keep(table.content())
    assert table.faults() == []
    table.rows = (*rows, lambda: pytest.fail("measured"))
    assert table.faults() == ["t.json has 2 rows, and the code makes 3"]
    table.rows, table.row_names = tuple(rows), ("a", "c")
    assert table.faults() == ["t.json has no row for c"]


def test_the_table_of_tiny_problems_asks_for_a_row_of_every_attack_that_it_plays(monkeypatch):
    names = [*tiny.attack_names(), "toy"]
    monkeypatch.setattr(tiny, "attack_names", lambda: names)
    (table,) = tiny.tables()
    assert table.faults()[-1] == "tiny.json has no row for toy"


def test_the_luck_of_a_few_games_is_no_reason_to_measure_the_planners_tables_again():
    tables = packaged.PlannerTables()
    assert tables.agree("champion-challenger 4 10 0.4", 0.864, 0.873)
    assert not tables.agree("champion-challenger 4 10 0.4", 0.864, 0.875)
    assert not tables.agree("lattice 3 300", 1.400, 1.401)


def made_up_table(folder):
    """A table of two real test sets, one row each, of which the first was measured."""
    rows = {"mmlu": [lambda data: f"| {data.name} |"], "cifar10": [lambda data: "| never |"]}
    table = metrics.RealTable("real", ("| a |", "|---|"), rows)
    table.files = (folder / "real.json",)
    table.small = {"mmlu": lambda: "as before", "cifar10": lambda: "as before"}
    table.measure(folder / "data", ["mmlu"])
    return table


def test_real_test_sets_go_stale_without_the_data_and_are_not_called_renewed_without_it(tmp_path):
    table = made_up_table(tmp_path)
    assert [row for row, _ in table.load()["rows"]] == ["| data |"]
    assert table.faults() == []
    assert table.stale() == []
    table.small["mmlu"] = lambda: "otherwise"
    assert table.stale() == ["mmlu is otherwise, and as before is kept"]
    # Nobody who has no data can renew the rows: what stands beside them stays as old as they are.
    table.keep(table.content())
    assert table.stale() == ["mmlu is otherwise, and as before is kept"]


def test_measures_of_real_test_sets_find_a_made_up_folder():
    def measure(data):
        hidden, m = metrics.labels_of(data, "mmlu")
        groups = np.load(data / "mmlu" / "subject.npy")
        return f"{hidden.size} {m} {sorted(set(groups.tolist()))}"

    n, m = metrics.MADE_UP["mmlu"]
    assert metrics.on_made_up_sets([measure]) == f"{n} {m} {list(range(metrics.GROUPS))}"


@pytest.mark.parametrize("name", NAMES)
def test_every_surface_that_is_quick_to_compute_has_a_probe(name):
    each = EVERYTHING[name]
    content = each.load()
    # Rows of a table have numbers for names: they are one surface.
    assert set(surfaces(each.probes(content))) >= set(surfaces(each.cells(content)))


@pytest.mark.slow
def test_the_check_finds_a_formula_that_changed_on_one_surface_only(monkeypatch, capsys):
    monkeypatch.setitem(packaged.what_if.LADDER, "possible", lambda problem: [-1.0])
    assert generated.check({"what-if": packaged.WhatIf()}) == 1
    said = capsys.readouterr().err
    assert "ladder possible" in said
    assert "is [-1.0]" in said
    assert "allowed" not in said


@pytest.mark.slow
def test_the_check_of_all_records_plays_nothing(monkeypatch, capsys):
    stale = Generated.stale

    def of_formulas(each, cells=None):
        assert each.seed is None
        return stale(each, cells)

    monkeypatch.setattr(Generated, "stale", of_formulas)
    monkeypatch.setattr(sys, "argv", ["generated", "--check"])
    assert generated.main() == 0
    assert capsys.readouterr().err == ""


def test_every_quick_cell_is_measured_when_that_is_asked_for(squares, capsys):
    assert generated.measure({"squares": squares}) == 0
    squares.measured = lambda cell: 5 if cell == "3" else int(cell) ** 2
    assert generated.measure({"squares": squares}) == 1
    assert "3 is 5, and 9 is kept; renew it with: python -m squares" in capsys.readouterr().out


def test_a_name_that_does_not_exist_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["generated", "nothing"])
    with pytest.raises(SystemExit):
        generated.main()
    assert "no numbers are called nothing." in capsys.readouterr().err


def test_one_of_the_planners_tables_is_renewed_and_the_others_are_kept(monkeypatch, tmp_path):
    kept = tmp_path / "tables.json"
    shutil.copy(packaged.PlannerTables.files[0], kept)
    monkeypatch.setattr(packaged.PlannerTables, "files", (kept,))
    before = packaged.PlannerTables().load()
    renewed = {"looks": [10], "ratio": [0.5]}
    monkeypatch.setitem(packaged.planner.MAKERS, "anytime", lambda: renewed)
    monkeypatch.setattr(sys, "argv", ["packaged", "anytime"])
    packaged.main()
    after = packaged.PlannerTables().load()
    assert after == {**before, "anytime": renewed, "made": after["made"]}
    assert packaged.PlannerTables().faults() == []
