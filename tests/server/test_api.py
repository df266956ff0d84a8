"""The API: looks, keys, refusals, standings, receipts and the host's actions."""

import csv
import re
import threading

import numpy as np
import pytest

from tests.server.conftest import Place, as_csv, bearer

LADDER = 'release = "ladder:0.1"\n'


def send(client, place, token, body, key=None, **headers):
    if key is not None:
        headers["Idempotency-Key"] = key
    return client.post(
        f"/api/v1/boards/{place.slug}/submissions", content=body, headers=bearer(token, **headers)
    )


def changed(labels, count):
    """Return the labels with so many of them wrong."""
    wrong = labels.copy()
    wrong[:count] = (wrong[:count] + 1) % 3
    return wrong


def test_a_submission_is_answered_at_once(new_place):
    place = new_place(policy='release = "exact"\nlooks_per_team = 3\n')
    token = place.token(place.team("Blue"))
    with place.client() as client:
        answer = send(client, place, token, as_csv(changed(place.labels, 15)))
    assert answer.status_code == 201
    told = answer.json()
    assert told["released"] == 0.75
    assert (told["looks_left"], told["repeated"], told["team"]) == (2, False, "Blue")
    assert told["meaning"] == "exact score of this submission"
    look = place.entries()[-1]
    assert look.receipt_id == told["receipt_id"]
    assert look.team == "b1-t1"
    assert place.gatekeeper.verify().ok


def test_a_tag_is_known_in_any_way_that_caches_send_it(place):
    with place.client() as client:
        for path in ("/api/v1/boards/pets/standings", "/api/v1/boards/pets/standings.csv"):
            tag = client.get(path).headers["ETag"]
            for known in (tag, f"W/{tag}", f'"old", {tag}', f'W/"old",W/{tag}', "*"):
                same = client.get(path, headers={"If-None-Match": known})
                assert (same.status_code, same.content) == (304, b"")
                assert same.headers["ETag"] == tag
            for other in ('"old"', tag.strip('"'), 'W/"old", "older"', ""):
                assert client.get(path, headers={"If-None-Match": other}).status_code == 200


def test_health_can_be_asked_for_without_a_body(place):
    with place.client() as client:
        for path in ("/healthz", "/readyz"):
            assert client.head(path).status_code == client.get(path).status_code == 200
        refused = client.delete("/api/v1/boards/pets/standings")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET")


def test_the_board_shows_released_values_in_order(new_place):
    place = new_place()
    tokens = {name: place.token(place.team(name)) for name in ("blue", "red", "green")}
    with place.client() as client:
        for name, wrong in (("blue", 30), ("red", 6), ("green", 30)):
            send(client, place, tokens[name], as_csv(changed(place.labels, wrong)))
        rows = client.get("/api/v1/boards/pets/standings").json()["standings"]
    assert [(row["team"], row["released"], row["rank"]) for row in rows] == [
        ("red", 0.9, 1),
        ("blue", 0.5, 2),
        ("green", 0.5, 2),
    ]
    # 1.96 standard errors at 0.9 on 60 examples are 0.0759, one match is 1/60.
    assert rows[0]["low"] == pytest.approx(0.9 - 0.0759 - 1 / 60, abs=1e-3)
    assert [row["group"] for row in rows] == [1, 2, 2]


def test_the_same_key_is_one_look_whatever_happens_to_the_policy(new_place):
    place = new_place()
    token = place.token(place.team("blue"))
    body = as_csv(changed(place.labels, 6))
    with place.client() as client:
        first = send(client, place, token, body, key="k1")
        again = send(client, place, token, body, key="k1")
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json() == again.json()
        assert again.headers["Idempotency-Replayed"] == "true"
        host = place.token(scope="host")
        done = client.post(
            "/api/v1/boards/pets/actions",
            json={"action": "policy", "value": LADDER},
            headers=bearer(host),
        )
        assert done.status_code == 200, done.text
        third = send(client, place, token, body, key="k1")
        assert third.json()["released"] == first.json()["released"]
        # Without the key it is a look under the new rule.
        fourth = send(client, place, token, body)
        assert (fourth.status_code, fourth.json()["released"]) == (201, 0.9)
    assert [entry.kind for entry in place.entries()].count("look") == 2


def test_a_key_belongs_to_one_upload(place):
    token = place.token(place.team("blue"))
    with place.client() as client:
        send(client, place, token, as_csv(place.labels), key="k1")
        other = send(client, place, token, as_csv(changed(place.labels, 1)), key="k1")
    assert (other.status_code, other.json()["type"]) == (422, "key_reused")
    assert [entry.kind for entry in place.entries()].count("look") == 1


def test_sixteen_copies_of_one_key_at_once_are_one_look_and_equal_bodies(new_place):
    place = new_place()
    token = place.token(place.team("blue"))
    body = as_csv(changed(place.labels, 9))
    answers = []
    with place.client() as client:
        threads = [
            threading.Thread(
                target=lambda: answers.append(send(client, place, token, body, key="storm"))
            )
            for _ in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({answer.text for answer in answers}) == 1
    assert sorted(answer.status_code for answer in answers) == [200] * 15 + [201]
    assert [entry.kind for entry in place.entries()].count("look") == 1


def test_no_look_left_is_said_with_the_time_of_the_next(place):
    tight = Place(place.url, place.folder, slug="tight", policy=(
        'release = "exact"\nlooks_per_team = 1\nwindow = "day"\n'), seed=1)  # fmt: skip
    token = tight.token(tight.team("Blue"))
    with tight.client() as client:
        assert send(client, tight, token, as_csv(tight.labels)).status_code == 201
        refused = send(client, tight, token, as_csv(changed(tight.labels, 1)))
        left = client.get("/api/v1/boards/tight/allowance", headers=bearer(token)).json()
    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (409, "no_look_left")
    assert refused.headers["content-type"] == "application/problem+json"
    assert 1 <= int(refused.headers["Retry-After"]) <= 86_400
    assert problem["next_allowed_at"].endswith("T00:00:00+00:00")
    assert problem["detail"].startswith("Blue may look again")
    assert (left["looks_left"], left["next_allowed_at"]) == (0, problem["next_allowed_at"])


@pytest.mark.parametrize("failed", ["free", "look"])
def test_what_cannot_be_scored_is_refused_once_per_key(new_place, failed):
    place = new_place(policy=f'release = "exact"\nlooks_per_team = 5\nfailed = "{failed}"\n')
    token = place.token(place.team("blue"))
    bad = as_csv(place.labels).replace(b"100,", b"99,")
    with place.client() as client:
        answers = [send(client, place, token, bad, key="k") for _ in range(3)]
        left = client.get("/api/v1/boards/pets/allowance", headers=bearer(token)).json()
    assert {answer.status_code for answer in answers} == {422}
    assert len({answer.text for answer in answers}) == 1
    assert answers[0].json()["detail"] == (
        "submission must have a row for every id, got none for '100' (1 missing)."
    )
    kind = "failed" if failed == "look" else "refused"
    assert [entry.kind for entry in place.entries()].count(kind) == 1
    assert left["looks_left"] == (4 if failed == "look" else 5)


def test_refusals_run_out(place):
    limited = Place(place.url, place.folder, slug="limited", seed=2,
                    policy='release = "exact"\nrefusals_per_team = 2\n')  # fmt: skip
    token = limited.token(limited.team("blue"))
    with limited.client() as client:
        codes = [send(client, limited, token, b"x").status_code for _ in range(4)]
        good = send(client, limited, token, as_csv(limited.labels))
    assert codes == [422, 422, 409, 409]
    assert good.json()["detail"].startswith("2 submissions of blue could not be scored")


def test_a_prediction_that_was_answered_costs_nothing(place):
    token = place.token(place.team("blue"))
    with place.client() as client:
        first = send(client, place, token, as_csv(place.labels)).json()
        again = send(client, place, token, as_csv(place.labels)).json()
    assert (again["repeated"], again["receipt_id"]) == (True, first["receipt_id"])
    assert again["looks_left"] == first["looks_left"]


def test_a_batch_is_shown_to_all_its_teams_at_once(new_place):
    place = new_place(policy='release = "batch:2"\nmemory = "data_set"\n')
    blue, red = (place.token(place.team(name)) for name in ("blue", "red"))
    with place.client() as client:
        first = send(client, place, blue, as_csv(changed(place.labels, 15)), key="a")
        assert (first.json()["released"], first.json()["waiting"]) == (None, True)
        assert client.get("/api/v1/boards/pets/standings").json()["standings"] == []
        send(client, place, red, as_csv(changed(place.labels, 6)))
        rows = client.get("/api/v1/boards/pets/standings").json()["standings"]
        shown = client.get(
            f"/api/v1/boards/pets/submissions/{first.json()['id']}", headers=bearer(blue)
        ).json()
        again = send(client, place, blue, as_csv(changed(place.labels, 15)), key="a")
    assert [(row["team"], row["released"], row["looks"]) for row in rows] == [
        ("red", 0.9, 1),
        ("blue", 0.75, 1),
    ]
    assert shown["released"] == again.json()["released"] == 0.75
    assert place.boards.rebuild(place.board) == []


def test_npy_and_packed_bodies_are_read(place):
    import gzip
    import io

    token = place.token(place.team("blue"))
    file = io.BytesIO()
    np.save(file, changed(place.labels, 12).astype(np.uint8))
    with place.client() as client:
        plain = send(client, place, token, file.getvalue())
        packed = send(
            client,
            place,
            token,
            gzip.compress(file.getvalue()),
            **{"Content-Encoding": "gzip"},
        )
    assert plain.json()["released"] == 0.8
    assert packed.json()["repeated"] is True


def test_the_service_counts_teams_of_another_host(new_place):
    place = new_place(policy='release = "exact"\nlooks_per_team = 1\n')
    token = place.token(scope="service")
    path = "/api/v1/boards/pets/service/submissions"
    with place.client() as client:
        answers = [
            client.post(
                path,
                content=as_csv(changed(place.labels, wrong)),
                headers=bearer(token, **{"X-Team": team}),
            )
            for team, wrong in (("17", 6), ("17", 12), (" 17", 18), ("18", 12))
        ]
    assert [answer.status_code for answer in answers] == [201, 409, 409, 201]
    assert len({entry.team for entry in place.entries() if entry.kind == "look"}) == 2


def test_a_choice_counts_at_the_close_and_the_private_part_is_scored_once(new_place):
    place = new_place(split=True, policy='release = "round:1"\n', n=80)
    blue, red = (place.token(place.team(name)) for name in ("blue", "red"))
    host = place.token(scope="host")
    private_wrong = place.labels.copy()
    private_wrong[1::2] = (private_wrong[1::2] + 1) % 3
    with place.client() as client:
        send(client, place, blue, as_csv(private_wrong))
        second = send(client, place, blue, as_csv(changed(place.labels, 40))).json()
        send(client, place, red, as_csv(changed(place.labels, 20)))
        early = client.get("/api/v1/boards/pets/final")
        chosen = client.post(
            f"/api/v1/boards/pets/submissions/{second['id']}/choice", headers=bearer(blue)
        )
        assert chosen.status_code == 200, chosen.text
        for _ in range(2):
            done = client.post(
                "/api/v1/boards/pets/actions", json={"action": "close"}, headers=bearer(host)
            )
        late = send(client, place, red, as_csv(changed(place.labels, 4)))
        final = client.get("/api/v1/boards/pets/final").json()["final"]
    assert early.status_code == 409
    assert done.status_code == 200, done.text
    assert (late.status_code, late.json()["type"]) == (409, "phase_closed")
    assert [(row["team"], row["private"], row["chosen"]) for row in final] == [
        ("red", 0.75, False),
        ("blue", 0.5, True),
    ]
    assert [entry.kind for entry in place.entries()].count("closed") == 1


def test_a_frozen_board_stands_still_for_others(place):
    blue, host = place.token(place.team("blue")), place.token(scope="host")
    path = "/api/v1/boards/pets/standings"
    with place.client() as client:
        send(client, place, blue, as_csv(changed(place.labels, 15)))
        act = {"action": "freeze"}
        client.post("/api/v1/boards/pets/actions", json=act, headers=bearer(host))
        before = client.get(path)
        answer = send(client, place, blue, as_csv(place.labels))
        after = client.get(path)
        live = client.get(path, headers=bearer(host))
        same = client.get(path, headers={"If-None-Match": before.headers["ETag"]})
        act = {"action": "thaw"}
        client.post("/api/v1/boards/pets/actions", json=act, headers=bearer(host))
        thawed = client.get(path)
    assert answer.json()["released"] == 1.0
    assert after.content == before.content
    assert after.headers["ETag"] == before.headers["ETag"]
    assert same.status_code == 304
    assert live.json()["standings"][0]["released"] == 1.0
    assert thawed.json() == live.json()


def test_rotation_renews_looks_and_the_board(new_place):
    from tests.server.conftest import write_labels

    place = new_place(policy='release = "exact"\nlooks_per_team = 1\n')
    token = place.token(place.team("blue"))
    fresh_file = place.folder / "fresh.csv"
    fresh = write_labels(fresh_file, seed=9)
    with place.client() as client:
        send(client, place, token, as_csv(place.labels))
        place.boards.change(place.board, place.phase(), "rotate", str(fresh_file), "test")
        assert client.get("/api/v1/boards/pets").json()["phase"] == 2
        assert client.get("/api/v1/boards/pets/standings").json()["standings"] == []
        answer = send(client, place, token, as_csv(place.labels)).json()
    assert answer["released"] == np.mean(fresh == place.labels)


def test_receipts_tell_others_only_that_they_are_in_the_chain(place):
    blue, red = (place.token(place.team(name)) for name in ("blue", "red"))
    with place.client() as client:
        receipt = send(client, place, blue, as_csv(place.labels)).json()["receipt_id"]
        path = f"/api/v1/boards/pets/receipts/{receipt}"
        mine = client.get(path, headers=bearer(blue)).json()
        others = [client.get(path, headers=bearer(red)).json(), client.get(path).json()]
        lost = client.get("/api/v1/boards/pets/receipts/2-" + "0" * 32).json()
    assert mine["released"] == 1.0
    assert all(each["in_chain"] and "released" not in each for each in others)
    assert lost["in_chain"] is False


def test_a_hidden_team_is_off_the_board_and_back_again(place):
    team = place.team("blue")
    blue, host = place.token(team), place.token(scope="host")
    with place.client() as client:
        send(client, place, blue, as_csv(place.labels))
        seen = []
        for action in ("hide", "show"):
            client.post(
                "/api/v1/boards/pets/actions",
                json={"action": action, "value": str(team.id)},
                headers=bearer(host),
            )
            seen.append(len(client.get("/api/v1/boards/pets/standings").json()["standings"]))
    assert seen == [0, 1]


def test_standings_equal_a_rebuild(new_place):
    place = new_place(policy=LADDER)
    tokens = [place.token(place.team(name)) for name in ("blue", "red")]
    rng = np.random.default_rng(5)
    with place.client() as client:
        for _ in range(12):
            wrong = changed(place.labels, int(rng.integers(60)))
            send(client, place, tokens[int(rng.integers(2))], as_csv(wrong))
    assert place.boards.rebuild(place.board) == []
    with place.gatekeeper.store.writing() as transaction:
        transaction.execute("UPDATE holdfast_standings SET released = '0.99' WHERE team = 1")
    assert place.boards.rebuild(place.board) == [1]
    assert place.boards.rebuild(place.board) == []


def test_kaggles_layout_has_its_columns_and_no_formula(place):
    names = ["=1+1", "＝cmd|' /C calc'!A0", ";=1+1", "a, ＠b", "a | -1", "-1", "a-b=c"]
    tokens = [place.token(place.team(name)) for name in names]
    with place.client() as client:
        for token in tokens:
            send(client, place, token, as_csv(place.labels))
        text = client.get("/api/v1/boards/pets/standings.csv")
    assert text.text.startswith('\ufeff"Rank","TeamId","TeamName","LastSubmissionDate","Score",')
    assert "publicleaderboard" in text.headers["content-disposition"]
    rows = list(csv.reader(text.text.splitlines()[1:]))
    assert {row[6] for row in rows} == {""}
    shown = {row[2] for row in rows}
    assert shown == {
        "'=1+1", "'＝cmd|' /C calc'!A0", ";'=1+1", "a,' ＠b", "a |' -1", "'-1", "a-b=c",
    }  # fmt: skip
    # Whatever a program takes for the end of a cell, none begins as a formula does.
    cells = [cell for name in shown for cell in re.split("[,;|\t]", name)]
    assert not [cell for cell in cells if cell.strip()[:1] in tuple("=+-@＝＋－＠")]
