"""An account has one part on a board, member of a team or host; an invitation is used once."""

import contextlib
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from holdfast.ledger.chain import Ledger
from holdfast.server import schema, store
from holdfast.server.accounts import Accounts
from holdfast.server.records import Member, Team, Token, User
from tests.server.conftest import HASHER, as_csv, bearer
from tests.server.test_api import changed
from tests.server.test_pages import PASSWORD, form_token, sign_up

AT_ONCE = 9


@contextlib.contextmanager
def two_workers(place, **settings):
    """Two servers of one database, as two workers are."""
    with place.client(**settings) as one, place.client(**settings) as two:
        yield one, two


def all_at_once(place, requests):
    """Send requests while nobody can write, so that each has checked what it checks before."""
    with ThreadPoolExecutor(len(requests)) as threads:
        with place.gatekeeper.store.writing():
            answers = [threads.submit(request) for request in requests]
            time.sleep(0.3)
        return sorted(answer.result().status_code for answer in answers)


def invitation(place, team=None):
    role = "host" if team is None else "member"
    return Accounts(place.gatekeeper.store, HASHER).invite(place.board, team, role)


def follow(client, secret):
    data = {"form_token": form_token(client.get("/me"))}
    return client.post(f"/join/{secret}", data=data)


def test_nine_forms_at_once_make_one_team(new_place):
    place = new_place()
    with two_workers(place, sign_ins="1000/second") as workers:
        page = sign_up(workers[0], to="/b/pets/submit")
        workers[1].cookies = workers[0].cookies

        def make(number):
            data = {"form_token": form_token(page), "name": f"team {number}"}
            return workers[number % 2].post("/b/pets/teams", data=data, follow_redirects=False)

        told = all_at_once(place, [lambda n=n: make(n) for n in range(AT_ONCE)])
        teams = set(re.findall(r"/b/pets/t/(\d+)", workers[0].get("/me").text))
    assert told == [303] + [403] * (AT_ONCE - 1)
    assert len(teams) == len(place.gatekeeper.store.find(Team, "")) == 1


def test_a_token_that_one_worker_ended_is_good_at_no_other(new_place):
    place = new_place()
    token, service = place.token(place.team("blue")), place.token(scope="service")
    host = place.token(scope="host")
    board = "/api/v1/boards/pets"
    with two_workers(place) as (one, two):
        for number in range(2):  # both have seen it, and believe it for a moment
            sent = {"content": as_csv(changed(place.labels, number)), "headers": bearer(token)}
            assert two.post(f"{board}/submissions", **sent).status_code == 201
            more = bearer(service, **{"X-Team": f"outside {number}"})
            forward = {"content": sent["content"], "headers": more}
            assert two.post(f"{board}/service/submissions", **forward).status_code == 201
        assert two.get(f"{board}/exposure", headers=bearer(host)).status_code == 200
        for each in (token, service, host):
            number = each.split("_")[1]
            gone = one.delete(f"/api/v1/tokens/{number}", headers=bearer(each))
            assert gone.status_code == 200
        looks, teams = len(place.entries()), len(place.gatekeeper.store.find(Team, ""))
        fresh = {"content": as_csv(changed(place.labels, 5)), "headers": bearer(token)}
        told = [
            two.post(f"{board}/submissions", **fresh),
            two.post(f"{board}/submissions", **sent),  # not even answered again
            two.post(f"{board}/submissions", content=b"x", headers=bearer(token)),
            two.post(f"{board}/service/submissions", **forward),
            two.post(
                f"{board}/service/submissions",
                content=b"x",
                headers=bearer(service, **{"X-Team": "new"}),
            ),
            two.get(f"{board}/allowance", headers=bearer(token)),
            two.get(f"{board}/exposure", headers=bearer(host)),
            two.post(f"{board}/actions", json={"action": "freeze"}, headers=bearer(host)),
        ]
    assert [each.status_code for each in told] == [401] * len(told)
    assert "was revoked on" in told[0].json()["detail"]
    assert len(place.entries()) == looks
    assert len(place.gatekeeper.store.find(Team, "")) == teams


def test_an_ended_token_is_not_told_that_its_team_has_had_its_refusals(new_place):
    place = new_place(policy='release = "exact"\nrefusals_per_team = 1\n')
    token, url = place.token(place.team("blue")), "/api/v1/boards/pets/submissions"
    with two_workers(place) as (one, two):
        told = [two.post(url, content=b"x", headers=bearer(token)).status_code for _ in range(2)]
        one.delete(f"/api/v1/tokens/{token.split('_')[1]}", headers=bearer(token))
        told += [
            two.post(url, content=body, headers=bearer(token)).status_code
            for body in (b"y", as_csv(place.labels))
        ]
    assert told == [422, 409, 401, 401]


def test_an_invitation_makes_one_account_which_follows_it(new_place):
    place = new_place()
    blue = place.team("blue")
    secret = invitation(place, blue)
    with two_workers(place, sign_up=False, sign_ins="1000/second") as workers:

        def enter(number):
            form = {"name": f"ann {number}", "password": PASSWORD, "to": f"/join/{secret}"}
            return workers[number % 2].post("/sign-up", data=form, follow_redirects=False)

        told = all_at_once(place, [lambda n=n: enter(n) for n in range(AT_ONCE)])
        assert enter(AT_ONCE).status_code == 403
    assert told[0] == 303
    assert set(told[1:]) <= {403, 404}
    [user] = place.gatekeeper.store.find(User, "")
    [member] = place.gatekeeper.store.find(Member, "")
    assert (member.member, member.team) == (user.id, blue.id)


def test_who_is_in_a_team_joins_no_other_and_the_invitation_stays(place):
    blue, red = place.team("blue"), place.team("red")
    mine, theirs, again = (invitation(place, team) for team in (blue, red, blue))
    with place.client() as client:
        page = sign_up(client, to=f"/join/{mine}")
        assert page.url.path == "/b/pets"
        assert client.get("/me").text.count("/b/pets/t/") == 1
        for secret in (theirs, again):
            refused = follow(client, secret)
            assert refused.status_code == 403
            assert "in a team of this board already" in refused.text
        data = {"form_token": form_token(client.get("/me")), "name": "green"}
        assert client.post("/b/pets/teams", data=data).status_code == 403
        client.cookies.clear()
        assert sign_up(client, "rob", f"/join/{theirs}").url.path == "/b/pets"
    members = place.gatekeeper.store.find(Member, "ORDER BY member")
    assert [member.team for member in members] == [blue.id, red.id]


def test_a_host_is_in_no_team_of_the_board_and_a_member_becomes_no_host(place):
    blue = place.team("blue")
    with place.client() as client:
        sign_up(client, "hal", f"/join/{invitation(place)}")
        data = {"form_token": form_token(client.get("/me")), "name": "green"}
        answers = [client.post("/b/pets/teams", data=data), follow(client, invitation(place, blue))]
        client.cookies.clear()
        sign_up(client, "ann", f"/join/{invitation(place, blue)}")
        answers.append(follow(client, invitation(place)))
    assert [answer.status_code for answer in answers] == [403] * 3
    told = ["a host of this board", "a host of this board", "in a team of this board"]
    for said, answer in zip(told, answers, strict=True):
        assert f"You are {said} already; an account is one of both, once." in answer.text
    members = place.gatekeeper.store.find(Member, "ORDER BY member")
    assert [(member.team, member.role) for member in members] == [(0, "host"), (blue.id, "member")]


def test_an_invitation_to_a_team_that_was_merged_leads_to_the_one_that_goes_on(place):
    blue, red = place.team("blue"), place.team("red")
    place.boards.change(place.board, place.phase(), "merge", f"{red.id} into {blue.id}", "t")
    with place.client() as client:
        sign_up(client, to=f"/join/{invitation(place, red)}")  # made a moment before the merge
    [member] = place.gatekeeper.store.find(Member, "")
    assert member.team == blue.id


def test_the_database_keeps_one_part_of_those_who_had_several(new_place, monkeypatch):
    place = new_place()
    teams = [place.team(name) for name in ("blue", "red", "green")]
    accounts = Accounts(place.gatekeeper.store, HASHER)
    users = [accounts.sign_up(name, PASSWORD) for name in ("hal", "ann", "rob")]
    parts = {0: (0, 2), 1: (1, 2, 3), 2: (3,)}  # numbers of teams by account; 0: a host
    with place.gatekeeper.store.writing() as transaction:
        transaction.execute("DROP INDEX holdfast_members_of_board")
        for at, numbers in parts.items():
            for number in numbers:
                role = "member" if number else "host"
                store.insert(transaction, Member(users[at].id, place.board.id, number, role))
    from holdfast.server.accounts import Caller

    tokens = {
        (user.name, team.name): accounts.new_team_token(team, f"{user.name} {team.name}",
                                                        Caller(user))
        for user in users
        for team in teams
        if team.id in parts[users.index(user)]
    }  # fmt: skip
    others = place.token(teams[0])
    # As if the step that is tested were the newest one.
    monkeypatch.setattr(schema, "SINCE", (*schema.SINCE, schema.SINCE[0]))
    schema.migrate(Ledger(place.url).storage)
    members = place.gatekeeper.store.find(Member, "ORDER BY member")
    assert [member.team for member in members] == [0, 1, 3]
    left = {token.name for token in place.gatekeeper.store.find(Token, "WHERE revoked IS NULL")}
    assert left == {"ann blue", "rob green", "submit"}
    assert {("hal", "red"), ("ann", "red"), ("ann", "green")} == set(tokens) - {
        ("ann", "blue"), ("rob", "green"),
    }  # fmt: skip
    with place.client() as client:
        for token, status in ((others, 200), (tokens["ann", "red"], 401)):
            asked = client.get("/api/v1/boards/pets/allowance", headers=bearer(token))
            assert asked.status_code == status
    with pytest.raises(Exception, match=r"(?i)unique"), place.gatekeeper.store.writing() as writing:
        store.insert(writing, Member(users[1].id, place.board.id, 2, "member"))
