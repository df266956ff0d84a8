"""Phases by the clock: boards that open and close by themselves."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from holdfast.cli import main
from holdfast.errors import InvalidInput
from tests.server.conftest import as_csv, bearer, write_labels
from tests.server.test_api import changed, send
from tests.server.test_pages import form_token, sign_up

NOW = datetime.now(UTC).replace(microsecond=0)
API = "/api/v1/boards/pets"
HOUR = timedelta(hours=1)


@pytest.fixture
def clock(monkeypatch):
    """Sets the clock to so many hours from now; the first of a test's fixtures."""

    def move(hours):
        moment = round((NOW.timestamp() + 3600 * hours) * 1e9)
        monkeypatch.setattr("holdfast.ledger.moments.time.time_ns", lambda: moment)

    move(0)
    return move


def act(client, place, action, value=""):
    told = {"action": action, "value": value}
    return client.post(f"{API}/actions", json=told, headers=bearer(place.token(scope="host")))


def test_a_board_opens_and_closes_by_itself(new_place, clock):
    opens, closes = (NOW + HOUR).isoformat(), (NOW + 3 * HOUR).replace(tzinfo=None).isoformat()
    place = new_place(opens=opens, closes=closes)
    token = place.token(place.team("blue"))
    with place.client() as client:
        early = send(client, place, token, as_csv(place.labels))
        assert (early.status_code, early.json()["type"]) == (409, "phase_closed")
        assert "has not opened yet" in early.json()["detail"]
        assert early.json()["next_allowed_at"] == opens
        assert early.headers["Retry-After"] == "3600"
        page = client.get("/b/pets")
        assert page.status_code == 409
        assert "has not opened yet; it opens at" in page.text
        assert "not open yet" in client.get("/").text
        assert client.get(API).status_code == 409
        host = bearer(place.token(scope="host"))
        assert client.get(API, headers=host).json()["opens"] == opens
        clock(2)
        assert send(client, place, token, as_csv(place.labels)).status_code == 201
        told = client.get(API).json()
        assert (told["open"], told["opens"], told["closes"]) == (True, opens, closes + "+00:00")
        assert "Submissions are taken until" in client.get("/b/pets").text
        home = client.get("/").text
        assert ">open</span>" in home
        assert f'Submissions until <time datetime="{closes}' in home
        assert "1 team on the board" in home
        clock(3)
        late = send(client, place, token, as_csv(changed(place.labels, 1)))
        assert (late.status_code, late.json()["type"]) == (409, "phase_closed")
        assert client.get(API).json()["open"] is False
        assert "No more submissions are taken" in client.get("/b/pets").text
        assert len(client.get(f"{API}/standings").json()["standings"]) == 1
    assert [entry.kind for entry in place.entries()].count("look") == 1


def test_a_host_prepares_a_board_that_has_not_opened(clock, place, tmp_path):
    from holdfast.server.accounts import Accounts

    write_labels(tmp_path / "cats.csv", seed=3)
    opens = (NOW + HOUR).isoformat()
    board = place.boards.create("cats", tmp_path / "cats.csv", 'release = "exact"\n', opens=opens)
    secret = Accounts(place.gatekeeper.store).invite(board, None, "host")
    with place.client() as client:
        sign_up(client, to=f"/join/{secret}")
        for path in ("", "/rules", "/submit", "/host"):
            assert client.get(f"/b/cats{path}").status_code == 200
        assert "hosts alone see this" in client.get("/b/cats").text
        token = form_token(client.get("/b/cats/host"))
        form = {"form_token": token, "action": "policy", "value": 'release = "round:1"\n'}
        form["sure"] = "yes"
        assert "as phase 2" in client.post("/b/cats/host", data=form).text
        # What the host changed opens when the board does, not before.
        assert place.boards.phase(board) is None
        # By the API, too.
        assert client.get("/api/v1/boards/cats").json()["open"] is False
        clock(1)
        assert place.boards.phase(board).number == 2
        assert client.get("/api/v1/boards/cats").json()["policy"]["release"] == "round:1"


def test_a_host_stops_a_board_at_a_time(clock, place):
    token = place.token(place.team("blue"))
    with place.client() as client:
        done = act(client, place, "stop", (NOW + HOUR).strftime("%Y-%m-%dT%H:%M"))
        assert done.json()["done"].startswith("submissions are taken until ")
        assert send(client, place, token, as_csv(place.labels)).status_code == 201
        clock(1)
        assert send(client, place, token, as_csv(changed(place.labels, 1))).status_code == 409
        assert act(client, place, "reopen").status_code == 200
        assert send(client, place, token, as_csv(changed(place.labels, 1))).status_code == 201
        for value in ("soon", NOW.isoformat(), "9999-12-31T23:59-23:59", "2027"):
            refused = act(client, place, "stop", value)
            assert (refused.status_code, refused.json()["type"]) == (422, "invalid_input")
            assert "value must be a time" in refused.json()["detail"]
        assert client.get(API).json()["closes"] is None


def test_an_end_that_is_ahead_stays_when_labels_or_rules_change(clock, place, tmp_path):
    closes = (NOW + 2 * HOUR).isoformat()
    write_labels(tmp_path / "fresh.csv", seed=3)
    changes = (("stop", closes), ("policy", 'release = "round:1"\n'))
    for action, value in (*changes, ("rotate", str(tmp_path / "fresh.csv"))):
        place.boards.change(place.board, place.phase(), action, value, "test")
    assert place.phase().number == 3
    clock(1)
    assert place.boards.is_open(place.phase())
    clock(2)
    assert not place.boards.is_open(place.phase())


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ({"opens": "tomorrow"}, "opens must be a time like"),
        ({"closes": "2020-01-01"}, "closes must be a time to come"),
        ({"opens": "2070-01-02", "closes": "2070-01-01"}, "after the board opens"),
    ],
)
def test_times_that_can_not_be_make_no_board(place, tmp_path, times, message):
    write_labels(tmp_path / "cats.csv", seed=3)
    with pytest.raises(InvalidInput, match=message):
        place.boards.create("cats", tmp_path / "cats.csv", 'release = "exact"\n', **times)
    assert place.boards.get("cats") is None


def test_init_takes_times_and_tokens_are_made_before_a_board_opens(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOLDFAST_BOARD", raising=False)
    write_labels(tmp_path / "solution.csv")
    year = time.gmtime().tm_year
    times = ("--opens", f"{year + 1}-05-01T12:00", "--closes", f"{year + 1}-06-01")
    assert main(["board", "init", "pets", "--labels", "solution.csv", *times]) == 0
    assert main(["board", "token", "pets", "--team", "blue"]) == 0
    assert main(["board", "list"]) == 0
    assert "pets: pets (not open yet)" in capsys.readouterr().out
    assert main(["board", "init", "x", "--labels", "solution.csv", "--closes", "never"]) == 2
