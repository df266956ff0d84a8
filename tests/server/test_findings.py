# ruff: noqa: F401, F811 - fixtures of another folder
"""The detector on a board: kept predictions, beside the looks; hosts see it and teams do not."""

import time

import numpy as np
import pytest

from holdfast.cli.board_places import opened
from holdfast.errors import InvalidInput
from holdfast.server.accounts import Accounts, join_team
from tests.cli.conftest import holdfast, refused
from tests.server.conftest import HASHER, Place, as_csv, bearer
from tests.server.test_pages import PASSWORD, form_token

N = 1000


def models(rng, labels, count, share):
    """Return submissions that get other rows wrong each time."""
    wrong = (labels + rng.integers(1, 3, size=len(labels))) % 3
    return [np.where(rng.random(len(labels)) < share, wrong, labels) for _ in range(count)]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A board with two teams of models and one that guesses in two accounts, later merged."""
    folder = tmp_path_factory.mktemp("findings")
    policy = 'release = "round:2"\nlooks_per_data_set = 1000\n'
    place = Place(str(folder / "ledger.db"), folder, n=N, split=True, policy=policy)
    rng = np.random.default_rng(0)
    sent = {
        "red": models(rng, place.labels, 3, 0.2),
        "green": models(rng, place.labels, 3, 0.3),
        "guess": [rng.integers(3, size=N) for _ in range(4)],
        "guess 2": [rng.integers(3, size=N) for _ in range(4)],
    }
    teams = {name: place.team(name) for name in sent}
    with place.client() as client:
        for name, looks in sent.items():
            for labels in looks:
                address, who = "/api/v1/boards/pets/submissions", bearer(place.token(teams[name]))
                assert client.post(address, content=as_csv(labels), headers=who).status_code == 201
    pair = f"{teams['guess 2'].id} into {teams['guess'].id}"
    place.boards.change(place.board, place.phase(), "merge", pair, "test")
    accounts = Accounts(place.gatekeeper.store, HASHER)
    sessions = {}
    for name, team in (("hal", 0), ("ann", teams["guess"].id)):
        user = accounts.sign_up(name, PASSWORD)
        with place.gatekeeper.store.writing() as transaction:
            join_team(transaction, user.id, place.board.id, team, "host" if not team else "member")
        sessions[name] = accounts.new_session(user)
    return place, sessions


def test_a_host_asks_for_it_and_sees_the_page_and_a_team_sees_nothing(world):
    place, sessions = world
    before = len(place.entries())
    with place.client() as client:
        client.cookies.set("holdfast_session", sessions["hal"])
        assert client.get("/b/pets/host/findings").status_code == 404
        token = form_token(client.get("/b/pets/host"))
        client.post("/b/pets/host/findings", data={"form_token": token})
        deadline = time.monotonic() + 60
        while "What was found" not in (desk := client.get("/b/pets/host").text):
            assert time.monotonic() < deadline, "the board was not judged"
            time.sleep(0.05)
        assert f"up to entry {before}" in desk
        found = client.get("/b/pets/host/findings")
        assert "Probes among the submissions of Pets" in found.text
        assert "sandbox" in found.headers["content-security-policy"]
        client.cookies.set("holdfast_session", sessions["ann"])
        assert client.get("/b/pets/host/findings").status_code == 403
        pages = ("/b/pets", "/b/pets/submit", "/b/pets/t/3", "/b/pets/rules")
        assert not any("judged" in client.get(page).text for page in pages)
    assert len(place.entries()) == before  # it is no look, and nothing of it is in the ledger


def test_teams_that_were_merged_are_judged_as_one_and_the_command_fills_the_same_page(
    world, holdfast, tmp_path
):
    place, _ = world
    rng = np.random.default_rng(1)
    (tmp_path / "base.csv").write_bytes(as_csv(models(rng, place.labels, 1, 0.3)[0]))
    asked = ("detect", "--board", "pets", "--database", place.url, "--baseline")
    outcome = holdfast(*asked, tmp_path / "base.csv", "--rate", "0.1", "--json")
    assert outcome.code == 1
    by_name = {each["team"]: each for each in outcome.json["teams"]}
    assert by_name["guess"]["looks"] == 8
    assert by_name["guess"]["flagged_at"] == 6
    assert not {"guess 2", "b1-t4"} & set(by_name)
    assert by_name["red"]["flagged_at"] is None
    with opened(place.url) as again:
        kept = again.findings().last(place.phase())
    assert kept.summary.startswith("1 of 3 teams flagged")
    assert "guess: flagged at look 6" in kept.page


def test_where_no_predictions_are_kept_the_page_says_so_and_nothing_is_judged(place, refused):
    at = ("--database", place.url)
    assert "must be that of a board" in refused("detect", "--board", "none", *at)
    message = refused("detect", "--board", "pets", *at)
    assert "kept where its labels have a private part" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give submissions or --board"),
        (("some", "--board", "pets"), "give submissions or --board"),
        (("--board", "pets", "--baseline", "nowhere.csv"), "baseline must be a file"),
        (("--board", "pets", "--metric", "rmse"), "a board knows its own"),
    ],
)
def test_what_is_judged_is_one_thing(place, refused, arguments, message):
    assert message in refused("detect", *arguments, "--database", place.url)


def test_a_board_without_looks_is_not_judged(tmp_path, sqlite_url):
    place = Place(sqlite_url, tmp_path, split=True)
    with opened(place.url) as board, pytest.raises(InvalidInput, match="at least one submission"):
        board.findings().judge(place.board, place.phase())
