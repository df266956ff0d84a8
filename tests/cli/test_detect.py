"""`holdfast detect`: a finding in text and JSON, exit codes, and what is refused."""

import numpy as np
import pytest

from tests.detect.models import Field


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Two honest teams and one that guesses, as CSV files, with a baseline beside them."""
    folder, field = tmp_path_factory.mktemp("sent"), Field(3, n=1500)
    teams = {"red": field.models(4), "green": field.blends(4), "blue": field.guesses(8)}
    for team, looks in teams.items():
        (folder / "teams" / team).mkdir(parents=True)
        for at, labels in enumerate(looks, start=1):
            _write(folder / "teams" / team / f"{at}.csv", labels)
    _write(folder / "baseline.csv", field.models(1)[0])
    return folder


def _write(path, labels):
    rows = [f"{at},c{label}" for at, label in enumerate(np.asarray(labels))]
    path.write_text("id,label\n" + "\n".join(rows) + "\n")


@pytest.fixture
def asked(place):
    return ("detect", place / "teams", "--baseline", place / "baseline.csv", "--rate", "0.1")


def test_a_finding_is_told_with_its_assumption_and_what_looks_alike(holdfast, asked):
    outcome = holdfast(*asked)
    text = " ".join(outcome.out.split())
    assert outcome.code == 1
    assert text.startswith("Whoever reads how this works evades it at no cost")
    assert "1 of 3 teams flagged" in text
    assert "blue: flagged at look 6" in text
    assert "Of 8 looks 8 are unexplained" in text
    assert "Unexplained looks: 1 to 8." in text
    assert "########" in text
    assert "Other seeds of an ensemble" in text
    assert "Assumed: an honest team has at most 3 looks that may be anything" in text
    assert "That rate was given. Of the other teams' looks, at most 20 of each, 0 of 6" in text


def test_json_carries_every_look(holdfast, asked):
    outcome = holdfast(*asked, "--json")
    assert outcome.code == 1
    blue = outcome.json["teams"][0]
    assert (blue["team"], blue["flagged_at"], blue["ones"]) == ("blue", 6, 8)
    assert [look["bit"] for look in blue["by_look"]] == [1] * 8
    assert {look["why"] for look in blue["by_look"]} == {"chance"}
    assert list(outcome.json["sentences"]) == ["blue"]
    assert outcome.json["left_out"] == []
    assert outcome.json["assumption"].startswith("Assumed: an honest team")
    assert len(outcome.json["look_alike"]) == 5


def test_the_page_is_written_and_named(holdfast, asked, tmp_path):
    page = tmp_path / "probes.html"
    outcome = holdfast(*asked, "--report", page)
    assert outcome.code == 1
    assert f"Page: {page}" in outcome.out
    assert "blue: flagged at look 6" in page.read_text()


def test_the_page_has_the_name_of_the_place_also_where_a_file_is_left_out(
    holdfast, place, tmp_path
):
    for team in ("red", "green"):
        (tmp_path / "board" / team).mkdir(parents=True)
        for file in (place / "teams" / team).iterdir():
            (tmp_path / "board" / team / file.name).write_bytes(file.read_bytes())
    (tmp_path / "board" / "red" / "9.csv").write_text("id,label\n1,c0\n")
    page = tmp_path / "probes.html"
    outcome = holdfast("detect", tmp_path / "board", "--report", page)
    assert outcome.err.startswith("left out: red/9.csv: red/9.csv must have")
    assert "Probes among the submissions of board" in page.read_text()


def test_no_name_of_a_team_or_file_commands_the_terminal(holdfast, place):
    rows = [f"blue\x1b[2J,{at},teams/blue/{at}.csv" for at in range(1, 9)]
    rows += [f"red,{at},teams/red/{at}.csv" for at in range(1, 5)]
    table = place / "escapes.csv"
    table.write_text("team,time,file\n" + "\n".join([*rows, "red,9,\x1b[2J.csv"]) + "\n")
    outcome = holdfast("detect", table, "--baseline", place / "baseline.csv", "--rate", "0.1")
    assert "blue?[2J: flagged at look 6" in outcome.out
    assert outcome.err.startswith("left out: red/?[2J.csv")
    assert "\x1b" not in outcome.out + outcome.err


def test_nobody_flagged_is_exit_code_0(holdfast, place):
    teams = place / "teams"
    outcome = holdfast("detect", teams / "red", "--baseline", place / "baseline.csv")
    assert outcome.code == 2  # a team's folder holds no teams
    honest = place / "honest"
    for team in ("red", "green"):
        (honest / team).parent.mkdir(exist_ok=True)
        if not (honest / team).exists():
            (honest / team).symlink_to(teams / team)
    assert holdfast("detect", honest).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "submissions must be a folder, a zip archive or a table"),
        (("nowhere", "--metric", "beauty"), "metric must be"),
    ],
)
def test_bad_input_is_one_line(refused, arguments, message):
    assert message in refused("detect", *arguments)
