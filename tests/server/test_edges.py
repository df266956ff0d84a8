"""Places where two things meet: retries and refusals, phases and looks, boards and each other."""

import json
import re
import threading

import anyio
import numpy as np
import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from holdfast.cli import main
from holdfast.server.api import export_ledger
from holdfast.server.questions import visit_of_host
from tests.server.conftest import Place, as_csv, bearer, write_labels

B = "/api/v1/boards/pets"
LADDER = 'release = "ladder:0.01"\n'


def submit(client, token, body, key=None, **more):
    headers = bearer(token, **more) | ({} if key is None else {"Idempotency-Key": key})
    return client.post(f"{B}/submissions", content=body, headers=headers)


def test_an_answered_look_is_answered_again_when_no_more_files_are_read(new_place):
    place = new_place(policy='release = "exact"\nrefusals_per_team = 1\n')
    token = place.token(place.team("blue"))
    body = as_csv(place.labels)
    with place.client() as client:
        first = submit(client, token, body, "one")
        assert submit(client, token, b"nonsense", "two").status_code == 422
        assert submit(client, token, as_csv(np.roll(place.labels, 1)), "three").status_code == 409
        again = submit(client, token, body, "one")
    assert (again.status_code, again.json()) == (200, first.json())


def test_an_answered_look_is_answered_again_when_the_files_have_another_size(new_place, tmp_path):
    place = new_place()
    token = place.token(place.team("blue"))
    body = as_csv(place.labels)
    with place.client() as client:
        first = submit(client, token, body, "one")
        write_labels(tmp_path / "fresh.csv", n=50, seed=9)
        place.boards.change(place.board, place.phase(), "rotate", str(tmp_path / "fresh.csv"), "t")
        again = submit(client, token, body, "one")
        other = submit(client, token, body, "two")
    assert again.status_code == 200
    assert again.json()["receipt_id"] == first.json()["receipt_id"]
    assert again.json()["released"] == first.json()["released"]
    assert other.status_code == 422


def test_a_look_that_waits_while_another_rule_is_put_in_force_is_one_of_the_new_phase(new_place):
    place = new_place()
    token = place.token(place.team("blue"))
    with place.client() as client:
        host = client.app.state.site.gatekeeper.test_sets.host(place.phase())
        honest = host.attempt
        changed = []

        def slow(file, **named):  # between the reading of the phase and the look's transaction
            if not changed:
                changed.append(1)
                place.boards.change(place.board, place.phase(), "policy", LADDER, "t")
            return honest(file, **named)

        host.attempt = slow
        assert submit(client, token, as_csv(place.labels)).status_code == 201
    [look] = [entry for entry in place.entries() if entry.kind == "look"]
    assert look.rule == "ladder:0.01"


def test_another_rule_neither_opens_a_stopped_board_nor_forgets_what_stands(place):
    place.boards.change(place.board, place.phase(), "stop", "", "t")
    place.boards.change(place.board, place.phase(), "policy", LADDER, "t")
    assert place.phase().number == 2
    assert not place.boards.is_open(place.phase())
    place.boards.change(place.board, place.phase(), "reopen", "", "t")
    assert place.boards.is_open(place.phase())


def test_a_slow_download_of_the_ledger_holds_up_nobody(place):
    scope = {"type": "http", "headers": [], "method": "GET", "path": "/api/v1/"}
    with place.client() as client:
        assert submit(client, place.token(place.team("b")), as_csv(place.labels)).is_success
        scope["headers"] = [
            (b"authorization", bearer(place.token(scope="host")).popitem()[1].encode())
        ]
        scope["app"] = client.app
        lines = export_ledger(visit_of_host(Request(scope), "pets")).body_iterator

        get = client.app.state.site.boards.get
        other = threading.Thread(target=get, args=("pets",), daemon=True)

        async def read_one_line():
            line = await anext(lines)
            # The download stands still, half read, while another thread asks the database.
            other.start()
            other.join(10)
            return line, other.is_alive()

        line, waits = anyio.run(read_one_line)
    assert '"number": 1' in line
    assert not waits


@pytest.mark.parametrize(
    "policy",
    [
        'classes = "/etc/hostname"',
        '"class\\u0065s" = "/etc/hostname"',
        "'witness' = '/tmp/w.db'",
        '"witn\\u0065ss" = "/tmp/w.db"',
    ],
)
def test_a_policy_from_afar_names_no_files_however_it_is_spelled(place, policy):
    with place.client() as client:
        answer = client.post(
            f"{B}/actions",
            json={"action": "policy", "value": f'release = "exact"\n{policy}\n'},
            headers=bearer(place.token(scope="host")),
        )
    assert (answer.status_code, answer.json()["type"]) == (403, "not_allowed")


def test_an_account_by_invitation_needs_one_that_is_there(place):
    form = {"name": "mallory", "password": "a long password", "to": "/join/anything"}
    with place.client(sign_up=False) as client:
        assert client.post("/sign-up", data=form).status_code == 403
        secret = client.app.state.site.accounts.invite(place.board, None, "host")
        form["to"] = f"/join/{secret}"
        answer = client.post("/sign-up", data=form, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/b/pets")


@pytest.mark.parametrize("origin", ["null", "http://[", "https://board.test.evil.example"])
def test_a_form_from_no_page_of_ours_is_refused(place, origin):
    form = {"name": "mallory", "password": "a long password"}
    with place.client() as client:
        answer = client.post("/sign-up", data=form, headers={"Origin": origin})
    assert answer.status_code == 403


@pytest.mark.parametrize("number", ["0", "-1", "-99999999999999999999", "99999999999999999999"])
def test_teams_that_can_not_be_are_not_there(place, number):
    with place.client() as client:
        assert client.get(f"/b/pets/t/{number}").status_code == 404


def test_a_team_sees_its_own_row_wherever_it_stands(sqlite_url, tmp_path):
    place = Place(sqlite_url, tmp_path, visibility="own")
    teams = [place.team(name) for name in ("blue", "red", "green")]
    tokens = [place.token(team) for team in teams]
    with place.client() as client:
        for wrong, token in enumerate(tokens):
            labels = place.labels.copy()
            labels[:wrong] = (labels[:wrong] + 1) % 3
            assert submit(client, token, as_csv(labels)).status_code == 201
        answer = client.get(f"{B}/standings?limit=1", headers=bearer(tokens[2]))
        nobody = client.get(f"{B}/standings")
    assert [(row["team"], row["rank"]) for row in answer.json()["standings"]] == [("green", 3)]
    assert nobody.json()["standings"] == []


def test_a_team_that_is_hidden_after_a_freeze_is_hidden(place):
    team = place.team("blue")
    with place.client() as client:
        assert submit(client, place.token(team), as_csv(place.labels)).status_code == 201
        place.boards.change(place.board, place.phase(), "freeze", "", "t")
        assert "blue" in client.get("/b/pets").text
        place.boards.change(place.board, place.phase(), "hide", str(team.id), "t")
        assert "blue" not in client.get("/b/pets").text
        assert client.get(f"{B}/standings").json()["standings"] == []


def test_boards_over_the_same_labels_keep_their_teams_apart(sqlite_url, tmp_path):
    place = Place(sqlite_url, tmp_path, split=True, policy=LADDER)
    other = place.boards.create("secret", place.labels_file, LADDER, visibility="host")
    blue = place.team("blue")
    place.board, ours = other, place.board
    red = place.team("red")
    reds = place.token(red)
    place.board = ours
    with place.client() as client:
        assert submit(client, place.token(blue), as_csv(place.labels)).status_code == 201
        sent = client.post(
            "/api/v1/boards/secret/submissions",
            content=as_csv(np.roll(place.labels, 1)),
            headers=bearer(reds),
        )
        assert sent.status_code == 201
        host = bearer(place.token(scope="host"))
        lines = client.get(f"{B}/ledger.jsonl", headers=host).text
        assert f"b{ours.id}-t{blue.id}" in lines
        assert f"b{other.id}-t{red.id}" not in lines
        told = client.get(f"{B}/exposure", headers=host).json()
        assert told["looks"] == 2  # of the test set, which is public
        assert [(each["team_id"], each["team"]) for each in told["teams"]] == [(blue.id, "blue")]
        assert 0 < told["teams"][0]["gain"] < told["gain"]
        place.boards.change(ours, place.phase(), "close", "", "t")
        rows = client.get(f"{B}/final").json()["final"]
    assert [row["team"] for row in rows] == ["blue"]


def test_names_with_a_zero_in_them_are_nobodys_on_either_database(new_place):
    place = new_place()
    with place.client() as client:
        assert client.get("/b/%00").status_code == 404
        assert client.get("/api/v1/boards/a%00b").status_code == 404
        client.post("/sign-up", data={"name": "ann", "password": "a long password"})
        form = re.search(r'name="form_token" value="([0-9a-f]+)"', client.get("/me").text)
        told = client.post("/me/revoke", data={"form_token": form[1], "token": "a\0b"})
        assert told.status_code == 200


def test_over_https_the_cookie_is_bound_to_the_host(place):
    form = {"name": "ann", "password": "a long password"}
    app = place.app(public_url="https://board.test")
    with TestClient(app, base_url="https://board.test") as client:
        answer = client.post("/sign-up", data=form, follow_redirects=False)
        words = set(answer.headers["set-cookie"].lower().split("; "))
        assert words >= {"secure", "httponly", "path=/", "samesite=lax"}
        assert answer.headers["set-cookie"].startswith("__Host-")
        page = client.get("/me")
        assert "ann" in page.text
        token = re.search(r'name="form_token" value="([0-9a-f]+)"', page.text)[1]
        out = client.post("/me/sign-out", data={"form_token": token}, follow_redirects=False)
        assert out.headers["set-cookie"].startswith("__Host-")
        assert "secure" in out.headers["set-cookie"].lower()
        assert client.get("/me", follow_redirects=False).status_code == 303


def test_uploads_grow_with_the_test_set_from_the_first_one_on(place, tmp_path):
    token = place.token(place.team("blue"))
    with place.client() as client:
        assert submit(client, token, as_csv(place.labels)).status_code == 201
        fresh = write_labels(tmp_path / "fresh.csv", n=5000, seed=9)
        place.boards.change(place.board, place.phase(), "rotate", str(tmp_path / "fresh.csv"), "t")
        body = as_csv(fresh) + b"\n" * 20_000  # more than the first test set allowed
        assert submit(client, token, body).status_code == 201

        def pieces():  # without a length
            yield as_csv(np.roll(fresh, 1)) + b"\n" * 20_000

        assert submit(client, token, pieces()).status_code == 201


def test_a_token_of_the_command_line_is_listed_and_revoked_there(place, capsys):
    token = place.token(scope="service")
    number = token.split("_")[1]
    database = ("--database", place.url)
    with place.client() as client:
        assert client.get("/api/v1/tokens", headers=bearer(token)).status_code == 200
        assert main(["board", "tokens", "pets", *database, "--json"]) == 0
        said = capsys.readouterr().out
        [row] = json.loads(said)
        assert (row["number"], row["scope"], row["revoked"]) == (number, "service", None)
        assert token.split("_", 2)[2] not in said
        assert main(["board", "tokens", "pets", *database, "--revoke", "none"]) == 2
        assert main(["board", "tokens", "pets", *database, "--revoke", number]) == 0
        assert "revoked" in capsys.readouterr().out
    with place.client() as client:
        answer = client.get("/api/v1/tokens", headers=bearer(token))
    assert (answer.status_code, answer.json()["type"]) == (401, "not_signed_in")
    assert "revoked on" in answer.json()["detail"]


def test_another_rule_does_not_thaw_a_frozen_board(place):
    place.boards.change(place.board, place.phase(), "freeze", "", "t")
    place.boards.change(place.board, place.phase(), "policy", LADDER, "t")
    with place.client() as client:
        token = place.token(place.team("blue"))
        assert submit(client, token, as_csv(place.labels)).status_code == 201
        assert client.get(f"{B}/standings").json()["standings"] == []
        place.boards.change(place.board, place.phase(), "thaw", "", "t")
        assert [r["team"] for r in client.get(f"{B}/standings").json()["standings"]] == ["blue"]
