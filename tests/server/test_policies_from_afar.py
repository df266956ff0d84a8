"""Policies that hosts send: what begins a phase, what is refused, and what pages say of them."""

import json
import re

import pytest

from holdfast.errors import InvalidInput
from tests.server.conftest import Place, as_csv, bearer
from tests.server.test_api import changed, send
from tests.server.test_pages import sign_up

API = "/api/v1/boards/pets"


def put(client, place, policy):
    told = {"action": "policy", "value": policy}
    return client.post(f"{API}/actions", json=told, headers=bearer(place.token(scope="host")))


def host_page(client, place):
    """Become a host, and open the host's page."""
    secret = client.app.state.site.accounts.invite(place.board, None, "host")
    sign_up(client, "hal", to=f"/join/{secret}")
    return client.get("/b/pets/host")


def test_another_metric_begins_a_phase_in_which_forwarders_ask_anew(place):
    service = bearer(place.token(scope="service"))
    service |= {"X-Team": "blue", "Idempotency-Key": "forwarder-1"}
    body = as_csv(changed(place.labels, 20))
    with place.client() as client:
        told = []
        for metric in ("accuracy", "f1_macro", "f1_macro"):
            done = put(client, place, f'release = "exact"\nmetric = "{metric}"\n').json()["done"]
            path = f"{API}/service/submissions"
            told.append(client.post(path, content=body, headers=service).json()["released"])
            assert ("as phase 2" in done) == (metric == "f1_macro" and len(told) == 2)
            rows = client.get(f"{API}/standings").json()["standings"]
            assert [row["released"] for row in rows] == [told[-1]]
            assert f"<dd>{metric}, higher is better.</dd>" in client.get("/b/pets/rules").text
    assert place.phase().number == 2
    assert told[0] == pytest.approx(40 / 60)
    assert told[1] == told[2] != told[0]
    assert place.boards.different(place.board) == []


@pytest.mark.parametrize("gone", ["bird", "cat", "dog"])
def test_classes_that_are_left_out_tell_no_label_and_no_path(place, gone):
    names = [name for name in ("bird", "cat", "dog", "zebra") if name != gone]
    with place.client() as client:
        answer = put(client, place, f'release = "exact"\nclasses = {json.dumps(names)}\n')
        assert answer.status_code == 422
        assert answer.json()["detail"] == (
            "classes must keep all those that the board has made public."
        )
        more = json.dumps(["bird", "cat", "dog", "zebra"])
        assert put(client, place, f'release = "exact"\nclasses = {more}\n').status_code == 200


def test_labels_that_cannot_be_read_are_told_without_their_place(place):
    with place.client() as client:
        place.labels_file.write_text(place.labels_file.read_text() + "dodo\n")
        answer = put(client, place, 'release = "round:1"\n')
    assert answer.status_code == 422
    assert "does not fit the hidden labels" in answer.json()["detail"]
    assert str(place.folder) not in answer.text
    assert "dodo" not in answer.text


@pytest.mark.parametrize("metric", ["f1", "roc_auc", "average_precision"])
def test_a_metric_of_fewer_classes_tells_no_label(sqlite_url, tmp_path, metric):
    """One was quoted with its row, and the answer told whether the third class occurs."""
    told = set()
    for slug, last in (("all", "dog"), ("two", "cat")):
        place = Place(sqlite_url, tmp_path, slug=slug, seed=len(told),
                      policy='release = "exact"\nclasses = ["bird", "cat", "dog"]\n')  # fmt: skip
        if last == "cat":
            labels = tmp_path / "moved.csv"
            labels.write_text(place.labels_file.read_text().replace("dog", "cat"))
            labels.chmod(0o600)
            place.boards.change(place.board, place.phase(), "rotate", str(labels), "t")
        action = {"action": "policy", "value": f'release = "exact"\nmetric = "{metric}"\n'}
        with place.client() as client:
            url, host = f"/api/v1/boards/{slug}/actions", bearer(place.token(scope="host"))
            told.add(client.post(url, json=action, headers=host).text)
    [text] = told
    assert f"metric must be one of 3 classes, got {metric}." in text


def test_labels_that_a_policy_does_not_fit_are_not_quoted(sqlite_url, tmp_path):
    policy = 'release = "exact"\nclasses = ["bird", "cat", "dog"]\n'
    place = Place(sqlite_url, tmp_path, policy=policy)
    labels = tmp_path / "one.csv"
    labels.write_text(re.sub("bird|cat", "dog", place.labels_file.read_text()))
    labels.chmod(0o600)
    classes = 'release = "exact"\nclasses = ["dog", "emu"]\n'
    place.board = place.boards.create("one", labels, classes)
    with place.client() as client:
        action = {"action": "policy", "value": 'release = "exact"\nmetric = "roc_auc"\n'}
        host = bearer(place.token(scope="host"))
        answer = client.post("/api/v1/boards/one/actions", json=action, headers=host)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("It does not fit the hidden labels")


@pytest.mark.parametrize("line", ['metric = "log_loss[0,5]"', 'also = ["f1_macro"]'])
def test_another_display_begins_a_new_phase_and_has_its_price(place, line):
    with place.client() as client:
        assert put(client, place, f'release = "round:2"\n{line}\n').status_code == 200
        page = host_page(client, place).text
    assert place.phase().number == 2
    prices = [float(text) for text in re.findall(r'class="number">([0-9.]+)</td>', page)]
    assert prices
    assert all(0.0 < price <= 66.7 for price in prices)


def test_a_column_of_groups_is_named_on_the_server_alone(place):
    """Whoever names one has its values published, and hosts from afar can't read the labels."""
    policy = 'release = "round:2"\nbreakdown = "id"\n'
    with place.client() as client:
        answer = put(client, place, policy)
        assert (answer.status_code, answer.json()["type"]) == (403, "not_allowed")
        place.boards.change(place.board, place.phase(), "policy", policy, "t")
        assert put(client, place, f"{policy}looks_per_team = 7\n").status_code == 200


@pytest.mark.parametrize("split", [False, True])
def test_what_needs_a_private_part_is_offered_where_there_is_one(sqlite_url, tmp_path, split):
    place = Place(sqlite_url, tmp_path, split=split)
    with place.client() as client:
        page = host_page(client, place).text
        assert client.get(API).json()["has_private"] is split
    assert ("Close for good" in page) == split
    assert ("The labels have no private part" in page) == (not split)


def test_the_rules_of_a_frozen_board_stand_still_for_all_but_hosts(place):
    token, host = place.token(place.team("blue")), bearer(place.token(scope="host"))
    with place.client() as client:
        send(client, place, token, as_csv(changed(place.labels, 3)))
        place.boards.change(place.board, place.phase(), "freeze", "", "test")
        page = client.get("/b/pets/rules").text
        send(client, place, token, as_csv(changed(place.labels, 2)))
        assert client.get("/b/pets/rules").text == page
        assert "told when it is thawed" in page
        assert client.get(API).json()["head"] is None
        assert client.get(API, headers=host).json()["head"].startswith("5-")
        place.boards.change(place.board, place.phase(), "thaw", "", "test")
        assert "Looks spent of all" in client.get("/b/pets/rules").text


def test_the_rules_say_since_when_the_policy_is_in_force(place, monkeypatch):
    now = 4_000_000_000 * 10**9  # 2096-10-02 07:06:40
    with place.client() as client:
        monkeypatch.setattr("holdfast.ledger.moments.time.time_ns", lambda: now)
        assert put(client, place, 'release = "exact"\nlooks_per_team = 7\n').status_code == 200
        assert place.phase().number == 1
        assert "in force since <time" in client.get("/b/pets/rules").text
        page = client.get("/b/pets/rules").text.partition("in force since")[2]
    assert "2096-10-02 07:06 UTC" in page.partition("</time>")[0]


def test_pages_can_be_asked_for_without_their_body(place):
    with place.client() as client:
        for path in ("/", "/b/pets", "/b/pets/rules", "/sign-in"):
            assert client.head(path).status_code == 200
        assert client.head("/b/none").status_code == 404


@pytest.mark.parametrize("key", ['id_column = "label"', "shared_labels = true"])
def test_how_labels_are_read_is_said_on_the_server_alone(place, key):
    policy = f'release = "exact"\n{key}\n'
    with place.client() as client:
        answer = put(client, place, policy)
    assert (answer.status_code, answer.json()["type"]) == (403, "not_allowed")
    assert place.phase().number == 1


def test_a_board_keeps_the_columns_that_its_first_policy_names(sqlite_url, tmp_path):
    columns = 'release = "exact"\nid_column = "id"\nlabel_column = "label"\n'
    place = Place(sqlite_url, tmp_path, policy=columns)
    phase = place.phase()
    assert (phase.id_column, phase.label_column) == ("id", "label")
    with place.client() as client:
        # What is not said again stays, and what is said again is the same.
        assert put(client, place, 'release = "exact"\nlooks_per_team = 7\n').status_code == 200
        assert put(client, place, f"{columns}looks_per_team = 8\n").status_code == 200
        phase = place.phase()
        assert (phase.id_column, phase.label_column, phase.number) == ("id", "label", 1)
    other = 'release = "exact"\nlabel_column = "id"\n'
    with pytest.raises(InvalidInput, match="columns must stay as they were when the board was"):
        place.boards.change(place.board, phase, "policy", other, "t")


def test_a_board_that_named_no_columns_is_given_none(place):
    policy, phase = 'release = "exact"\nlabel_column = "label"\n', place.phase()
    with pytest.raises(InvalidInput, match="columns must stay as they were when the board was"):
        place.boards.change(place.board, phase, "policy", policy, "t")
