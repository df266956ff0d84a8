"""What hosts do is in the chain, merged teams get no look back, and probes are seen."""

import json

import numpy as np
import pytest

from holdfast.guard import Ledger
from holdfast.server.records import Standing
from holdfast.server.standings import policy_of
from tests.server.conftest import as_csv, bearer
from tests.server.test_api import changed, send
from tests.server.test_pages import sign_up


def act(place, action, value=""):
    return place.boards.change(place.board, place.phase(), action, value, "hal")


def host_entries(place):
    return [entry for entry in place.entries() if entry.kind == "host"]


def test_every_action_is_an_entry_that_costs_nothing(new_place):
    place = new_place(split=True)
    blue = place.team("blue")
    token, host = place.token(blue), place.token(scope="host")
    with place.client() as client:
        send(client, place, token, as_csv(changed(place.labels, 3)))
        policy = 'release = "round:1"\n'
        values = {"visibility": "own", "hide": str(blue.id), "show": str(blue.id), "policy": policy}
        for action in ("freeze", "thaw", "stop", "reopen", *values, "close"):
            body = {"action": action, "value": values.get(action, "")}
            done = client.post(
                "/api/v1/boards/pets/actions", json=body, headers=bearer(host)
            ).json()
            [told] = client.post("/api/v1/verify", json={"receipts": [done["receipt_id"]]}).json()[
                "receipts"
            ]
            assert told["in_chain"]
            seen = client.get(
                f"/api/v1/boards/pets/receipts/{done['receipt_id']}", headers=bearer(host)
            ).json()
            assert (seen["kind"], seen["in_chain"]) == ("host", True)
    entries = host_entries(place)
    assert [json.loads(entry.detail)["action"] for entry in entries] == [
        "freeze", "thaw", "stop", "reopen", "visibility", "hide", "show", "policy", "close",
    ]  # fmt: skip
    # The policy's entry names the policy that it puts in force; nobody's name is in any of them.
    assert entries[7].policy == place.phase().digest
    assert "hal" not in "".join(entry.detail for entry in entries)
    assert {entry.data_set_looks for entry in entries} == {1}
    with Ledger(place.url) as ledger:
        assert ledger.verify().ok


def test_an_action_on_a_board_that_has_changed_is_refused(place):
    from holdfast.errors import InvalidInput

    before = place.phase()
    act(place, "stop")
    with pytest.raises(InvalidInput, match="must not change meanwhile"):
        place.boards.change(place.board, before, "freeze", "", "hal")
    assert len(host_entries(place)) == 1


def test_merged_teams_pay_for_what_both_were_told(new_place):
    place = new_place(policy='release = "exact"\nlooks_per_team = 6\n')
    red, blue, green = (place.team(name) for name in ("red", "blue", "green"))
    tokens = [place.token(team) for team in (red, blue, green)]
    with place.client() as client:
        for token, looks in zip(tokens, (3, 2, 1), strict=True):
            for wrong in range(looks):
                send(client, place, token, as_csv(changed(place.labels, wrong + looks)))
        act(place, "merge", f"{red.id} into {blue.id}")
        rows = client.get("/api/v1/boards/pets/standings").json()["standings"]
        assert [(row["team"], row["looks"]) for row in rows] == [("green", 1), ("blue", 5)]
        # The token of the team that ended speaks for the one that goes on.
        left = client.get("/api/v1/boards/pets/allowance", headers=bearer(tokens[0])).json()
        assert (left["team"], left["looks_left"]) == ("blue", 1)
        told = send(client, place, tokens[0], as_csv(place.labels)).json()
        assert (told["team"], told["released"], told["looks_left"]) == ("blue", 1.0, 0)
        assert send(client, place, tokens[1], as_csv(changed(place.labels, 9))).status_code == 409
        act(place, "merge", f"{blue.id} into {green.id}")
        refused = send(client, place, tokens[2], as_csv(changed(place.labels, 9)))
        assert refused.json()["type"] == "no_look_left"
        [row] = client.get("/api/v1/boards/pets/standings").json()["standings"]
        assert (row["team"], row["released"], row["looks"]) == ("green", 1.0, 7)
    assert place.boards.rebuild(place.board) == []
    entries = list(place.entries())
    # Five of them were charged to blue, six to green: nobody's look twice to the same team.
    charged = [entry for entry in entries if entry.kind == "charged"]
    assert [entry.team for entry in charged].count(blue.ledger_name) == 3
    assert [entry.team for entry in charged].count(green.ledger_name) == 6
    assert len({(entry.team, entry.detail) for entry in charged}) == len(charged)
    assert entries[-1].data_set_looks == 7
    with Ledger(place.url) as ledger:
        assert ledger.verify().ok


def test_a_worker_that_remembers_the_team_obeys_the_merge(new_place):
    place = new_place()
    red, blue = place.team("red"), place.team("blue")
    token = place.token(red)
    with place.client() as one, place.client() as other:
        for client, wrong in ((one, 1), (other, 2)):
            assert (
                send(client, place, token, as_csv(changed(place.labels, wrong))).status_code == 201
            )
        act(place, "merge", f"{red.id} into {blue.id}")
        for client, wrong in ((one, 3), (other, 4)):
            told = send(client, place, token, as_csv(changed(place.labels, wrong))).json()
            assert told["team"] == "blue"
    names = [entry.team for entry in place.entries() if entry.kind == "look"]
    assert names == [red.ledger_name] * 2 + [blue.ledger_name] * 2


def test_a_key_that_was_used_before_the_merge_spends_no_look_after_it(new_place):
    place = new_place(policy='release = "ladder:0.01"\nlooks_per_team = 9\n')
    red, blue, green = (place.team(name) for name in ("red", "blue", "green"))
    tokens = [place.token(team) for team in (red, blue)]
    bodies = [as_csv(changed(place.labels, wrong)) for wrong in (5, 7)]
    with place.client() as client:
        # Both have used the same key, for uploads of their own.
        first = [
            send(client, place, token, body, key="k").json()
            for token, body in zip(tokens, bodies, strict=True)
        ]
        bad = send(client, place, tokens[0], b"nonsense", key="bad").json()
        for gone, into in ((red, blue), (blue, green)):
            act(place, "merge", f"{gone.id} into {into.id}")
            looks = len(list(place.entries()))
            for token in tokens:
                for body, told in zip(bodies, first, strict=True):
                    again = send(client, place, token, body, key="k")
                    assert again.headers["Idempotency-Replayed"] == "true"
                    assert again.json() == told | {
                        "team": into.name,
                        "meaning": f"best so far of team {into.name}, in steps of 0.01",
                        "looks_left": 7,
                    }
                assert send(client, place, token, b"nonsense", key="bad").json() == bad
                reused = send(client, place, token, as_csv(place.labels), key="k").json()
                assert reused["type"] == "key_reused"
            assert len(list(place.entries())) == looks
    assert place.gatekeeper.verify().ok


def test_a_merged_team_keeps_its_history(new_place):
    place = new_place(policy='release = "exact"\nfinal_choices = 1\n', split=True, shows="chosen")
    red, blue = place.team("red"), place.team("blue")
    tokens = [place.token(team) for team in (red, blue)]
    with place.client() as client:
        sent = [
            send(client, place, token, as_csv(changed(place.labels, wrong))).json()
            for token, wrong in zip(tokens, (4, 30), strict=True)
        ]
        act(place, "merge", f"{red.id} into {blue.id}")
        for token in tokens:
            asked = {"headers": bearer(token)}
            listed = client.get("/api/v1/boards/pets/submissions", **asked).json()["submissions"]
            assert [(each["id"], each["team"]) for each in listed] == [(2, "blue"), (1, "blue")]
            one = client.get("/api/v1/boards/pets/submissions/1", **asked).json()
            assert one == listed[1]
            path = f"/api/v1/boards/pets/receipts/{sent[0]['receipt_id']}"
            assert client.get(path, **asked).json()["released"] == sent[0]["released"]
        # What the team that ended was told may be chosen, and stands on the board.
        assert [row["released"] for row in standings(client)] == [sent[0]["released"]]
        for number in (2, 1):
            path = f"/api/v1/boards/pets/submissions/{number}/choice"
            told = client.post(path, headers=bearer(tokens[1]))
            assert told.json() == {"chosen": sent[number - 1]["receipt_id"]}
            [row] = standings(client)
            assert row["released"] == sent[number - 1]["released"]
        assert place.boards.rebuild(place.board) == []
        sign_up(client)
        stranger = client.get("/api/v1/boards/pets/submissions/1")
        assert stranger.status_code == 404
        act(place, "close")
        [final] = client.get("/api/v1/boards/pets/final").json()["final"]
        assert (final["team"], final["receipt_id"]) == ("blue", sent[0]["receipt_id"])


def test_members_of_a_team_that_is_merged_are_members_of_the_one_that_goes_on(place):
    from holdfast.server.accounts import Accounts, join_team
    from tests.server.conftest import HASHER

    red, blue = place.team("red"), place.team("blue")
    accounts = Accounts(place.gatekeeper.store, HASHER)
    for name, team in (("ann", red), ("rob", blue)):
        user = accounts.sign_up(name, "a long password")
        with place.gatekeeper.store.writing() as transaction:
            join_team(transaction, user.id, place.board.id, team.id, "member")
    act(place, "merge", f"{red.id} into {blue.id}")
    with place.gatekeeper.store.reading() as transaction:
        rows = transaction.rows("SELECT team FROM holdfast_members ORDER BY member")
    assert rows == [(blue.id,)] * 2
    with place.client() as client:
        assert "<h1>blue</h1>" in client.get(f"/b/pets/t/{red.id}").text


@pytest.mark.parametrize("value", ["", "1", "1 into 1", "1 into 9", "x into y", "2 into 1 into 1"])
def test_what_is_no_pair_of_teams_is_not_merged(place, value):
    from holdfast.errors import InvalidInput

    place.team("red"), place.team("blue")
    with pytest.raises(InvalidInput):
        act(place, "merge", value)
    assert host_entries(place) == []


def test_merged_teams_are_one_in_the_final_ranking(new_place):
    place = new_place(split=True)
    red, blue, green = (place.team(name) for name in ("red", "blue", "green"))
    with place.client() as client:
        for team, wrong in ((red, 2), (blue, 20), (green, 10)):
            send(client, place, place.token(team), as_csv(changed(place.labels, wrong)))
        act(place, "merge", f"{red.id} into {blue.id}")
        act(place, "close")
        rows = client.get("/api/v1/boards/pets/final").json()["final"]
    assert [(row["rank"], row["team"]) for row in rows] == [(1, "blue"), (2, "green")]
    assert rows[0]["public"] > 0.9


def test_a_frozen_board_is_read_once_and_forgets_who_is_hidden(place, monkeypatch):
    from holdfast.server import boards

    red, blue = place.team("red"), place.team("blue")
    read = []
    monkeypatch.setattr(
        boards,
        "rows_from_text",
        lambda text, old=boards.rows_from_text: read.append(1) or old(text),
    )
    with place.client() as client:
        for team, wrong in ((red, 2), (blue, 1)):
            send(client, place, place.token(team), as_csv(changed(place.labels, wrong)))
        act(place, "freeze")
        for _ in range(3):
            send(client, place, place.token(red), as_csv(place.labels))
            assert "red" in client.get("/b/pets").text
        assert len(read) == 1
        act(place, "hide", str(red.id))
        assert [row["team"] for row in standings(client)] == ["blue"]
        act(place, "thaw")
        act(place, "show", str(red.id))
        assert [row["team"] for row in standings(client)] == ["red", "blue"]


def standings(client):
    return client.get("/api/v1/boards/pets/standings").json()["standings"]


def test_teams_that_are_hidden_leave_no_gap_on_a_page_and_count_for_hosts_alone(new_place):
    place = new_place()
    teams = [place.team(f"team {number}") for number in range(6)]
    host = place.token(scope="host")
    with place.client() as client:
        for wrong, team in enumerate(teams):
            send(client, place, place.token(team), as_csv(changed(place.labels, wrong)))
        for team in teams[:3]:
            act(place, "hide", str(team.id))

        def page(skip, **asked):
            path = f"/api/v1/boards/pets/standings?limit=2&skip={skip}"
            rows = client.get(path, **asked).json()["standings"]
            return [(row["team"], row["rank"]) for row in rows]

        for action in ("thaw", "freeze", "hide"):
            if action != "thaw":
                act(place, action, str(teams[5].id))
            left = [("team 3", 1), ("team 4", 2), ("team 5", 3)][: 2 if action == "hide" else 3]
            assert page(0) + page(2) + page(4) == left
            assert f" {len(left)} teams." in client.get("/b/pets").text
            assert place.boards.count(place.phase(), host=True) == 6
            shown = [page(skip, headers=bearer(host)) for skip in (0, 2, 4, 6)]
            assert [len(rows) for rows in shown] == [2, 2, 2, 0]


@pytest.mark.parametrize("rule", ["exact", "round:1", "improved"])
def test_one_teams_row_is_the_one_among_all(new_place, rule):
    place = new_place(policy=f'release = "{rule}"\n', n=200)
    teams = [place.team(f"team {number}") for number in range(8)]
    with place.client() as client:
        for team, wrong in zip(teams, (10, 90, 10, 40, 12, 60, 130), strict=False):
            send(client, place, place.token(team), as_csv(changed(place.labels, wrong)))
    place.boards.change(place.board, place.phase(), "hide", str(teams[0].id), "test")
    for action in ("freeze", "hide"):
        for options in ({}, {"host": True}):
            rows = {row.team: row for row in place.boards.rows(place.phase(), **options)}
            assert len(rows) >= 5
            for team in teams:
                row = place.boards.row(place.phase(), team.id, **options)
                assert row == rows.get(team.id)
        place.boards.change(place.board, place.phase(), action, str(teams[3].id), "test")


def test_attacks_that_know_nothing_are_seen_and_honest_teams_are_not(place):
    rng = np.random.default_rng(5)
    teams = {name: place.team(name) for name in ("random", "honest", "sample")}
    host = place.token(scope="host")
    with place.client() as client:
        for number in range(6):
            guesses = {
                "random": rng.integers(3, size=60),
                "honest": changed(place.labels, 6 + number),
                "sample": np.zeros(60, dtype=int),
            }
            for name, guess in guesses.items():
                send(client, place, place.token(teams[name]), as_csv(guess))
        found = client.get("/api/v1/boards/pets/probes", headers=bearer(host)).json()
        assert [team["name"] for team in found["teams"]] == ["random"]
        assert found["teams"][0]["at_chance"] >= 5
        low, high = found["at_chance_between"]
        assert low < 1 / 3 < high < 0.6


def test_rows_that_break_a_rule_are_named(place):
    token = place.token(place.team("blue"))
    lines = as_csv(place.labels).decode().splitlines()
    lines[3], lines[5], lines[7] = "102,cow", "9999,cat", "100,"
    body = "\n".join(lines).encode()
    with place.client() as client:
        refused = send(client, place, token, body, **{"Idempotency-Key": "k"})
        again = send(client, place, token, body, **{"Idempotency-Key": "k"})
        npy = send(client, place, token, b"\x93NUMPY garbage")
    assert refused.status_code == 422
    assert [(row["line"], row["column"], row["value"]) for row in refused.json()["rows"]] == [
        (4, "label", "cow"), (6, "id", "9999"), (8, "id", "100"), (8, "label", ""),
    ]  # fmt: skip
    assert again.content == refused.content
    assert "rows" not in npy.json()


def test_codes_tell_new_looks_from_repeated_and_waiting_ones(new_place):
    place = new_place(policy='release = "batch:2"\n')
    token = place.token(place.team("blue"))
    with place.client() as client:
        bodies = [as_csv(changed(place.labels, wrong)) for wrong in (1, 2)]
        codes = [
            send(client, place, token, body, **{"Idempotency-Key": key}).status_code
            for body, key in zip([*bodies[:1] * 2, bodies[1], *bodies], "aabcd", strict=True)
        ]
    assert codes == [202, 202, 201, 200, 200]


def test_a_token_sees_and_ends_itself_over_the_api_and_nothing_makes_one_there(place):
    token, other = (place.token(place.team(name)) for name in ("blue", "red"))
    number = token.split("_")[1]
    with place.client() as client:
        sign_up(client)
        for method in ("GET", "POST"):  # a session is for pages
            assert client.request(method, "/api/v1/tokens").status_code in (401, 405)
        [told] = client.get("/api/v1/tokens", headers=bearer(token)).json()["tokens"]
        assert (told["id"], told["board"], told["scope"]) == (number, "pets", "submit")
        path = f"/api/v1/tokens/{number}"
        assert client.delete(path, headers=bearer(other)).status_code == 403
        assert client.delete(path, headers=bearer(token)).json() == {"revoked": number}
        assert client.get("/api/v1/tokens", headers=bearer(token)).status_code == 401


def test_heads_and_receipts_are_verified_without_saying_what_they_hold(place):
    token = place.token(place.team("blue"))
    with place.client() as client:
        sent = send(client, place, token, as_csv(place.labels)).json()
        head = client.get("/api/v1/boards/pets").json()["head"]
        wrong = sent["receipt_id"][:-1] + ("0" if sent["receipt_id"][-1] != "0" else "1")
        asked = [sent["receipt_id"], head, wrong, "nonsense", "9" * 30 + "-a"]
        told = client.post("/api/v1/verify", json={"receipts": asked}).json()["receipts"]
    assert {each["receipt_id"]: each["in_chain"] for each in told} == {
        sent["receipt_id"]: True, head: True, wrong: False, "nonsense": False,
        "9" * 30 + "-a": False,
    }  # fmt: skip
    assert all("released" not in each for each in told)


def test_a_group_is_answered_look_by_look(new_place):
    """One of a group that is refused leaves the others as they are; the same key is one look."""
    from holdfast.server.gatekeeper import Answer
    from holdfast.server.looks import Sent

    place = new_place(policy='release = "exact"\nlooks_per_team = 2\n')
    teams = [place.team(name) for name in ("red", "blue")]

    def sent(team, wrong, key):
        body = as_csv(changed(place.labels, wrong)) if wrong is not None else b"nonsense"
        return Sent("pets", lambda board: team.id, None, key, "file", body)

    red, blue = teams
    told = place.gatekeeper.submit(
        [
            sent(red, 1, "a"),
            sent(red, 1, "a"),
            sent(red, 2, "b"),
            sent(red, 3, "c"),  # no look left
            sent(blue, 4, "d"),
            sent(blue, None, "e"),  # can't be scored
            sent(red, 5, "a"),  # the key of another upload
            sent(blue, 1, "f"),
        ]
    )
    outcome = [
        each.receipt.released if isinstance(each, Answer) else type(each).__name__ for each in told
    ]
    assert outcome == [
        pytest.approx(59 / 60), pytest.approx(59 / 60), pytest.approx(58 / 60), "BudgetExhausted",
        pytest.approx(56 / 60), "Problem", "Problem", pytest.approx(59 / 60),
    ]  # fmt: skip
    assert [each.kind for each in place.entries()].count("look") == 4
    assert told[1].replayed
    assert told[1].receipt.receipt_id == told[0].receipt.receipt_id
    assert place.boards.rebuild(place.board) == []
    with Ledger(place.url) as ledger:
        assert ledger.verify().ok


def test_a_group_in_which_one_look_breaks_down_halfway_is_answered_all_the_same(place, monkeypatch):
    from holdfast.server.gatekeeper import Answer
    from holdfast.server.looks import Look, Sent

    teams = [place.team(name) for name in ("red", "blue", "green")]
    real = Look.inside

    def broken(self, transaction, entry, receipt):
        real(self, transaction, entry, receipt)
        if self.team.name == "blue":
            raise RuntimeError("after it has written")

    monkeypatch.setattr(Look, "inside", broken)
    told = place.gatekeeper.submit(
        [
            Sent("pets", lambda board, t=team: t.id, None, "k", "f", as_csv(place.labels))
            for team in teams
        ]
    )
    assert [isinstance(each, Answer) for each in told] == [True, False, True]
    looks = [entry.team for entry in place.entries() if entry.kind == "look"]
    assert looks == [teams[0].ledger_name, teams[2].ledger_name]
    rows = place.gatekeeper.store.find(Standing, "ORDER BY team")
    assert [row.team for row in rows] == [teams[0].id, teams[2].id]


def test_a_board_of_another_metric_has_its_order_and_no_interval_of_accuracies(new_place):
    place = new_place(policy='release = "round:3"\nmetric = "f1_macro"\n', split=True)
    teams = [place.team(name) for name in ("blue", "red")]
    with place.client() as client:
        for team, wrong in zip(teams, (20, 6), strict=True):
            send(client, place, place.token(team), as_csv(changed(place.labels, wrong)))
        rows = standings(client)
        assert [(row["team"], row["rank"], row["group"]) for row in rows] == [
            ("red", 1, 1), ("blue", 2, 2),
        ]  # fmt: skip
        assert {row["low"] for row in rows} == {None}
        assert rows[0]["released"] != round(1 - 3 / 30, 3)  # the accuracy of the public part
        assert "f1_macro (higher is better)" in client.get("/b/pets").text
        assert client.get("/api/v1/boards/pets").json()["policy"]["metric"] == "f1_macro"
        host = bearer(place.token(scope="host"))
        probes = client.get("/api/v1/boards/pets/probes", headers=host).json()
        assert probes == {"at_chance_between": None, "teams": []}
        act(place, "close")
        final = client.get("/api/v1/boards/pets/final").json()["final"]
        assert [(row["rank"], row["team"]) for row in final] == [(1, "red"), (2, "blue")]
    assert place.boards.rebuild(place.board) == []


def test_where_lower_is_better_the_lower_one_leads():
    from holdfast.server.standings import look_of, order

    loss = look_of('{"metric": "log_loss[0,10]", "sizes": [100]} exact')
    assert order(loss, 0.2) < order(loss, 0.3)
    assert order(look_of("exact"), 0.3) < order(look_of("exact"), 0.2)


WAITING = 'release = "batch:2"\nmemory = "data_set"\n'


def test_two_boards_do_not_fill_the_same_batches(new_place):
    """One board's look would answer the other's, and its row would stand on the wrong board."""
    from holdfast.errors import InvalidInput

    place = new_place(policy=WAITING)
    with pytest.raises(InvalidInput, match="another board fills the same batches of batch:2"):
        place.boards.create("other", place.labels_file, WAITING)
    assert place.boards.get("other") is None
    other = place.boards.create("other", place.labels_file, 'release = "exact"\n')
    with pytest.raises(InvalidInput, match="another board fills the same batches"):
        place.boards.change(other, place.boards.phase(other), "policy", WAITING, "hal")
    assert policy_of(place.boards.phase(other)).release == "exact"


@pytest.mark.parametrize(
    "policy",
    [WAITING.replace("batch:2", "batch:3"), WAITING.replace("data_set", "team")],
    ids=["another batch", "each team's own"],
)
def test_boards_whose_batches_are_apart_stand_side_by_side(place, policy):
    act(place, "policy", WAITING)
    other = place.boards.create("other", place.labels_file, policy)
    assert policy_of(place.boards.phase(other)).mechanism.waits
    # A board's own next phase goes on with its own batches.
    act(place, "policy", 'release = "exact"\n')
    act(place, "policy", WAITING)
    assert policy_of(place.phase()).release == "batch:2"
