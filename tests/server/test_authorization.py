"""Who may do what: every route against everybody, from the route table itself."""

import itertools

import pytest
from fastapi.routing import APIRoute

from tests.server.conftest import HASHER, Place, as_csv, bearer
from tests.server.test_api import changed
from tests.server.test_pages import PASSWORD, form_token, sign_up

# Who asks. Sessions first, then tokens.
NOBODY, STRANGER, MEMBER, OTHER, HOST = "nobody", "stranger", "member", "other team", "host"
MEMBER_TOKEN, OTHER_TOKEN, HOST_TOKEN = "member token", "other token", "host token"
SERVICE, METRICS, FOREIGN, BAD = "service token", "metrics token", "foreign host token", "bad token"
SESSIONS = (NOBODY, STRANGER, MEMBER, OTHER, HOST)
TOKENS = (MEMBER_TOKEN, OTHER_TOKEN, HOST_TOKEN, SERVICE, METRICS, FOREIGN, BAD)
EVERYBODY = (*SESSIONS, *TOKENS)
HOSTS = (HOST, HOST_TOKEN)
B = "/api/v1/boards/{slug}"

# Everybody who is let in, by route; all others must get 401, 403 or 404. A page that is open to
# all answers a bad token, too, since pages look at sessions alone.
ALLOWED = {
    ("GET", "/static/{name}"): EVERYBODY,
    ("GET", "/"): EVERYBODY,
    ("GET", "/healthz"): EVERYBODY,
    ("GET", "/readyz"): EVERYBODY,
    ("GET", "/metrics"): (METRICS,),
    ("GET", "/b/{slug}"): EVERYBODY,
    ("GET", "/b/{slug}/rules"): EVERYBODY,
    ("GET", "/b/{slug}/sample.csv"): EVERYBODY,
    ("GET", "/b/{slug}/submit"): EVERYBODY,
    ("POST", "/b/{slug}/submit"): (MEMBER,),
    ("GET", "/b/{slug}/t/{number}"): EVERYBODY,
    ("POST", "/b/{slug}/t/{number}/{action}"): (MEMBER,),
    ("POST", "/b/{slug}/teams"): (STRANGER, HOST),
    ("GET", "/b/{slug}/receipts/{receipt_id}"): EVERYBODY,
    ("GET", "/b/{slug}/final"): EVERYBODY,
    ("GET", "/b/{slug}/host"): (HOST,),
    ("POST", "/b/{slug}/host"): (HOST,),
    ("GET", "/b/{slug}/host/replay"): (HOST,),
    ("GET", "/b/{slug}/host/probes"): (HOST,),
    ("GET", "/sign-in"): EVERYBODY,
    ("GET", "/sign-up"): EVERYBODY,
    ("POST", "/sign-in"): EVERYBODY,
    ("POST", "/sign-up"): EVERYBODY,
    ("GET", "/me"): EVERYBODY,  # who is not signed in is sent to sign in
    ("POST", "/me/{action}"): (STRANGER, MEMBER, OTHER, HOST),
    ("GET", "/join/{secret}"): EVERYBODY,
    ("POST", "/join/{secret}"): (),  # the invitation is none: 404 for those who are signed in
    ("GET", "/api/v1/boards"): EVERYBODY,
    ("GET", B): EVERYBODY,
    ("GET", f"{B}/standings"): tuple(w for w in EVERYBODY if w != BAD),
    ("GET", f"{B}/standings.csv"): tuple(w for w in EVERYBODY if w != BAD),
    ("POST", f"{B}/submissions"): (MEMBER_TOKEN, OTHER_TOKEN),
    ("POST", f"{B}/service/submissions"): (SERVICE,),
    ("GET", f"{B}/submissions"): (MEMBER, OTHER, MEMBER_TOKEN, OTHER_TOKEN),
    ("GET", f"{B}/submissions/{{number}}"): (MEMBER, MEMBER_TOKEN, *HOSTS),
    ("POST", f"{B}/submissions/{{number}}/choice"): (MEMBER_TOKEN,),
    ("GET", f"{B}/allowance"): (MEMBER, OTHER, MEMBER_TOKEN, OTHER_TOKEN),
    ("GET", f"{B}/receipts/{{receipt_id}}"): tuple(w for w in EVERYBODY if w != BAD),
    ("GET", f"{B}/final"): tuple(w for w in EVERYBODY if w != BAD),
    ("POST", f"{B}/actions"): (HOST_TOKEN,),
    ("GET", f"{B}/exposure"): HOSTS,
    ("GET", f"{B}/replay"): HOSTS,
    ("GET", f"{B}/ledger.jsonl"): HOSTS,
    ("GET", f"{B}/probes"): HOSTS,
    ("POST", "/api/v1/verify"): EVERYBODY,
    ("GET", "/api/v1/tokens"): (*SESSIONS[1:], *(w for w in TOKENS if w != BAD)),
    ("POST", "/api/v1/tokens"): (MEMBER, OTHER),
    ("DELETE", "/api/v1/tokens/{number}"): (),  # somebody else's: 404 or 403
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A board on which a member's team has looked, with everybody who may ask."""
    from starlette.testclient import TestClient

    from holdfast.server.accounts import Accounts, join_team

    folder = tmp_path_factory.mktemp("world")
    place = Place(str(folder / "ledger.db"), folder, split=True)
    far = Place(place.url, folder, slug="far", seed=8)
    accounts = Accounts(place.gatekeeper.store, HASHER)
    teams = {name: place.team(name) for name in ("blue", "red")}
    users = {name: accounts.sign_up(name, PASSWORD) for name in ("stranger", "ann", "rob", "hal")}
    with place.gatekeeper.store.writing() as transaction:
        join_team(transaction, users["ann"].id, place.board.id, teams["blue"].id, "member")
        join_team(transaction, users["rob"].id, place.board.id, teams["red"].id, "member")
        join_team(transaction, users["hal"].id, place.board.id, 0, "host")
    tokens = {
        MEMBER_TOKEN: place.token(teams["blue"]),
        OTHER_TOKEN: place.token(teams["red"]),
        HOST_TOKEN: place.token(scope="host"),
        SERVICE: place.token(scope="service"),
        METRICS: place.token(scope="metrics"),
        FOREIGN: far.token(scope="host"),
        BAD: place.token(teams["blue"], days=-1),
    }
    names = {STRANGER: "stranger", MEMBER: "ann", OTHER: "rob", HOST: "hal"}
    app = place.app(sign_ins="100000/second", flood="100000/second")
    with TestClient(app, base_url="http://board.test", follow_redirects=False) as client:
        sent = client.post(
            f"/api/v1/boards/{place.slug}/submissions",
            content=as_csv(changed(place.labels, 9)),
            headers=bearer(tokens[MEMBER_TOKEN]),
        ).json()
        place.boards.change(place.board, place.phase(), "close", "", "test")
        place.boards.change(place.board, place.phase(), "rotate", str(_fresh(folder)), "test")
        yield place, app, client, accounts, tokens, names, sent, users


def _fresh(folder):
    from tests.server.conftest import write_labels

    write_labels(folder / "fresh.csv", seed=3, split=True)
    return folder / "fresh.csv"


def test_every_route_has_a_row_and_every_row_a_route(world):
    app = world[1]
    routes = {
        (method, route.path)
        for route in app.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    }
    routes |= _included(app)
    assert routes == set(ALLOWED)


def _included(app):
    from holdfast.server import api, pages

    return {
        (method, route.path)
        for router in (api.router, pages.router)
        for route in router.routes
        for method in route.methods
    }


@pytest.mark.parametrize(("route", "who"), list(itertools.product(ALLOWED, EVERYBODY)))
def test_only_those_who_may_are_let_in(world, route, who):
    _, _, client, accounts, tokens, names, sent, users = world
    method, path = route
    path = path.format(
        slug="pets",
        name="board.css",
        number=sent["id"] if "submissions" in path else 1,
        receipt_id=sent["receipt_id"],
        action="sign-out" if path.startswith("/me") else "invite",
        secret="none",
    )
    client.cookies.clear()
    headers, token = {}, ""
    if who in tokens:
        headers = bearer(tokens[who])
    elif who != NOBODY:
        secret = accounts.new_session(users[names[who]])
        client.cookies.set("holdfast_session", secret)
        token = form_token(client.get("/me"))
    options = {}
    if path.endswith("/submit") and method == "POST":
        options = {"data": {"form_token": token, "team": "1"}, "files": {"file": ("a.csv", b"x")}}
    elif path.startswith("/api") and "submissions" in path and method == "POST":
        options = {"content": b"x"}
        headers["X-Team"] = "7"
    elif path.endswith("/actions"):
        options = {"json": {"action": "visibility", "value": "open"}}
    elif path == "/api/v1/verify":
        options = {"json": {"receipts": [sent["receipt_id"]]}}
    elif path.startswith("/api/v1/tokens"):
        headers["X-Form-Token"] = token
        options = {"json": {"board": "pets", "name": "mine"}} if method == "POST" else {}
    elif path in ("/sign-in", "/sign-up"):
        unique = f"{who} {len(users)}"
        users[unique] = None
        name = {"name": unique if path == "/sign-up" else "ann"}
        options = {"data": {**name, "password": PASSWORD}}
    elif method == "POST":
        options = {
            "data": {"form_token": token, "name": "", "action": "visibility", "value": "open"}
        }
    if path.endswith("/replay"):
        options = {"params": {"rule": "round:1"}}
    answer = client.request(method, path, headers=headers, **options)
    told = f"{method} {path} by {who}: {answer.status_code} {answer.text[:200]}"
    if who in ALLOWED[route]:
        # Let in, whatever the request itself is worth.
        assert answer.status_code in (200, 201, 303, 409, 422), told
    else:
        assert answer.status_code in (401, 403, 404), told


@pytest.mark.parametrize("visibility", ["own", "host"])
def test_what_is_not_open_is_seen_by_its_team_or_the_host(tmp_path, sqlite_url, visibility):
    place = Place(sqlite_url, tmp_path, visibility=visibility)
    blue, red = (place.team(name) for name in ("blue", "red"))
    tokens = {"blue": place.token(blue), "host": place.token(scope="host")}
    with place.client() as client:
        for team in (blue, red):
            client.post(
                "/api/v1/boards/pets/submissions",
                content=as_csv(changed(place.labels, team.id)),
                headers=bearer(place.token(team)),
            )

        def seen(headers=None):
            rows = client.get("/api/v1/boards/pets/standings", headers=headers).json()["standings"]
            text = client.get("/api/v1/boards/pets/standings.csv", headers=headers).text
            assert len(text.splitlines()) == 1 + len(rows)
            return [row["team"] for row in rows]

        assert seen() == []
        assert seen(bearer(tokens["blue"])) == (["blue"] if visibility == "own" else [])
        assert sorted(seen(bearer(tokens["host"]))) == ["blue", "red"]
        assert client.get("/b/pets/t/2").status_code == 404
        assert "red" not in client.get("/b/pets").text.split("<main")[1]
        sign_up(client)
        assert client.get("/b/pets/t/2").status_code == 404
