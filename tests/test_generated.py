"""Generated files carry how they were made, pages show them, and stale numbers are found."""

import random
import runpy
import shutil
import sys

import pytest
from benchmarks import generated, packaged
from benchmarks.generated_base import Generated, surfaces
from benchmarks.made import Made, fingerprint, made_of, stamp
from benchmarks.tables import ROOT, Table, blocks, filled

from holdfast.planner import plan
from holdfast.problem import Problem

EVERYTHING = generated.everything()
NAMES = list(EVERYTHING)


@pytest.mark.parametrize("name", NAMES)
def test_every_file_carries_its_command_its_seed_and_the_fingerprint_of_its_numbers(name):
    assert EVERYTHING[name].faults() == []


def at_its_pace(name):
    """Mark a table as slow if its quickest row is."""
    each = EVERYTHING[name]
    slow = isinstance(each, Table) and each.seconds(each.load()) > 1.5
    return pytest.param(name, marks=pytest.mark.slow) if slow else name


@pytest.mark.record
@pytest.mark.parametrize("name", [at_its_pace(name) for name in NAMES])
def test_no_number_is_older_than_what_it_is_computed_from(name):
    """The cells of the fingerprint come out as they are kept."""
    each = EVERYTHING[name]
    assert each.stale() == [], f"renew it with: {each.command}"


@pytest.mark.parametrize("name", ["what-if", "bounds"])
def test_random_cells_of_every_surface_come_out_as_they_are_kept(name):
    each = EVERYTHING[name]
    cells = each.cells(each.load())
    drawn = [random.Random(len(cells)).choice(surface) for surface in surfaces(cells).values()]
    assert len(drawn) >= 4
    assert each.stale({cell: cells[cell] for cell in drawn}) == [], f"run: {each.command}"


@pytest.mark.slow
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


def test_the_pages_show_what_the_files_hold():
    assert generated.stale_blocks() == [], "renew them with: make docs"


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
    assert records == {Made("python -m squares", None, fingerprint(squares.probes(squares.load())))}


def test_numbers_that_come_out_differently_are_stale(squares):
    squares.measured = lambda cell: int(cell) ** 3
    (cell, kept), *_ = squares.probes(squares.load()).items()
    assert squares.stale()[0] == f"{cell} is {int(cell) ** 3}, and {kept} is kept"


def test_an_edited_number_and_a_picture_of_other_numbers_are_found(squares):
    numbers, picture, _ = squares.files
    cell = next(iter(squares.probes(squares.load())))
    text = numbers.read_text()
    numbers.write_text(text.replace(f'"{cell}":{int(cell) ** 2}', f'"{cell}":-1'))
    assert len(squares.faults()) == 3
    numbers.write_text(text)
    stamp(picture, Made("python -m squares", None, "0" * 16))
    (fault,) = squares.faults()
    assert fault.startswith("squares.svg carries")


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


@pytest.mark.parametrize("name", NAMES)
def test_every_surface_that_is_quick_to_compute_is_part_of_the_fingerprint(name):
    each = EVERYTHING[name]
    content = each.load()
    # Rows of a table have numbers for names: they are one surface.
    assert set(surfaces(each.probes(content))) >= set(surfaces(each.cells(content)))


def test_the_check_finds_a_formula_that_changed_on_one_surface_only(monkeypatch, capsys):
    monkeypatch.setitem(packaged.what_if.LADDER, "possible", lambda problem: [-1.0])
    assert generated.check({"what-if": packaged.WhatIf()}) == 1
    said = capsys.readouterr().err
    assert "ladder possible" in said
    assert "is [-1.0]" in said
    assert "allowed" not in said


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
    assert after == {**before, "anytime": renewed}
    assert packaged.PlannerTables().faults() == []
