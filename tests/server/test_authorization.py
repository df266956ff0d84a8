"""Who may do what: every route against everybody, from the route table itself."""

import ast
import contextlib
import inspect
import itertools
import secrets
import time
import urllib.parse

import pytest
from starlette.routing import Route

from holdfast.server.boards import ACTIONS
from tests.server.conftest import HASHER, Place, as_csv, bearer
from tests.server.test_api import changed
from tests.server.test_pages import PASSWORD, form_token, sign_up

# Who asks. Sessions first, then tokens.
NOBODY, STRANGER, MEMBER, OTHER, HOST = "nobody", "stranger", "member", "other team", "host"
FAR_HOST = "host of another board"
MEMBER_TOKEN, OTHER_TOKEN, HOST_TOKEN = "member token", "other token", "host token"
SERVICE, METRICS, FOREIGN, BAD = (
    "service token",
    "metrics token",
    "foreign host token",
    "expired token",
)
ENDED = "ended token"
SESSIONS = (NOBODY, STRANGER, MEMBER, OTHER, HOST, FAR_HOST)
TOKENS = (MEMBER_TOKEN, OTHER_TOKEN, HOST_TOKEN, SERVICE, METRICS, FOREIGN, BAD, ENDED)
EVERYBODY = (*SESSIONS, *TOKENS)
HOSTS = (HOST, HOST_TOKEN)
B = "/api/v1/boards/{slug}"
# Of the host's actions, the one that is done; the others end with what their value is worth.
VALUES = {"visibility": "open"}

# Everybody who is let in, by route; all others get the status that `refusal` says. A page that is
# open to all answers a bad token, too, since pages look at sessions alone.
ALLOWED = {
    ("GET", "/static/{name}"): EVERYBODY,
    ("GET", "/"): EVERYBODY,
    ("GET", "/healthz"): EVERYBODY,
    ("GET", "/readyz"): EVERYBODY,
    ("GET", "/metrics"): (METRICS,),
    ("GET", "/b/{slug}"): EVERYBODY,
    ("GET", "/b/{slug}/rules"): EVERYBODY,
    ("GET", "/b/{slug}/sample"): EVERYBODY,
    ("GET", "/b/{slug}/submit"): EVERYBODY,
    ("POST", "/b/{slug}/submit"): (MEMBER,),
    ("GET", "/b/{slug}/t/{number}"): EVERYBODY,
    ("POST", "/b/{slug}/t/{number}/choose"): (MEMBER,),
    ("POST", "/b/{slug}/t/{number}/invite"): (MEMBER,),
    ("POST", "/b/{slug}/t/{number}/token"): (MEMBER,),
    ("POST", "/b/{slug}/t/{number}/none"): (),  # there is no such action
    ("POST", "/b/{slug}/teams"): (STRANGER, FAR_HOST),
    ("GET", "/b/{slug}/receipts/{receipt_id}"): EVERYBODY,
    ("GET", "/b/{slug}/final"): EVERYBODY,
    ("GET", "/b/{slug}/host"): (HOST,),
    ("GET", "/b/{slug}/host/probes"): (HOST,),
    ("GET", "/b/{slug}/host/findings"): (),  # nothing was judged yet: 404
    ("POST", "/b/{slug}/host/findings"): (HOST,),
    ("GET", "/sign-in"): EVERYBODY,
    ("GET", "/sign-up"): EVERYBODY,
    ("POST", "/sign-in"): EVERYBODY,
    ("POST", "/sign-up"): EVERYBODY,
    ("GET", "/me"): EVERYBODY,  # who is not signed in is sent to sign in
    ("POST", "/me/revoke"): (STRANGER, MEMBER, OTHER, HOST, FAR_HOST),
    ("POST", "/me/sign-out"): (STRANGER, MEMBER, OTHER, HOST, FAR_HOST),
    ("POST", "/me/sign-out-everywhere"): (STRANGER, MEMBER, OTHER, HOST, FAR_HOST),
    ("POST", "/me/none"): (),
    ("GET", "/join/{secret}"): EVERYBODY,
    ("POST", "/join/{secret}"): (),  # the invitation is none: 404 for those who are signed in
    ("GET", "/api/v1/boards"): EVERYBODY,
    ("GET", B): tuple(w for w in EVERYBODY if w not in (BAD, ENDED)),
    ("GET", f"{B}/standings"): tuple(w for w in EVERYBODY if w not in (BAD, ENDED)),
    ("GET", f"{B}/standings.csv"): tuple(w for w in EVERYBODY if w not in (BAD, ENDED)),
    ("POST", f"{B}/submissions"): (MEMBER_TOKEN, OTHER_TOKEN),
    ("POST", f"{B}/service/submissions"): (SERVICE,),
    ("GET", f"{B}/submissions"): (MEMBER, OTHER, MEMBER_TOKEN, OTHER_TOKEN),
    ("GET", f"{B}/submissions/{{number}}"): (MEMBER, MEMBER_TOKEN, *HOSTS),
    ("POST", f"{B}/submissions/{{number}}/choice"): (MEMBER_TOKEN,),
    ("GET", f"{B}/allowance"): (MEMBER, OTHER, MEMBER_TOKEN, OTHER_TOKEN),
    ("GET", f"{B}/receipts/{{receipt_id}}"): tuple(w for w in EVERYBODY if w not in (BAD, ENDED)),
    ("GET", f"{B}/final"): tuple(w for w in EVERYBODY if w not in (BAD, ENDED)),
    ("GET", f"{B}/exposure"): HOSTS,
    ("GET", f"{B}/ledger.jsonl"): HOSTS,
    ("GET", f"{B}/probes"): HOSTS,
    ("POST", "/api/v1/verify"): EVERYBODY,
    ("GET", "/api/v1/tokens"): tuple(w for w in TOKENS if w not in (BAD, ENDED)),
    ("DELETE", "/api/v1/tokens/{number}"): (),  # somebody else's: 404 or 403
}

# A host's actions, one by one, on the page and over the API.
ALLOWED |= {("POST", f"/b/{{slug}}/host {action}"): (HOST,) for action in ACTIONS}
ALLOWED |= {("POST", f"{B}/actions {action}"): (HOST_TOKEN,) for action in ACTIONS}
# Those that name a file of the server's: over the API and on the page nobody may.
ALLOWED |= {("POST", f"{B}/actions {action}"): () for action in ("rotate", "labels")}
NAMES_A_FILE = tuple(("POST", f"/b/{{slug}}/host {action}") for action in ("rotate", "labels"))


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def world(tmp_path_factory, request):
    """A board on which a member's team has looked, with everybody who may ask.

    On PostgreSQL there are two workers, which are asked in turns.
    """
    from starlette.testclient import TestClient

    from holdfast.server.accounts import Accounts, join_team

    folder = tmp_path_factory.mktemp("world")
    url, workers = str(folder / "ledger.db"), 1
    if request.param == "postgres":
        url, workers = fresh_schema(request.getfixturevalue("postgres_server")), 2
    place = Place(url, folder, split=True)
    far = Place(place.url, folder, slug="far", seed=8)
    accounts = Accounts(place.gatekeeper.store, HASHER)
    teams = {name: place.team(name) for name in ("blue", "red")}
    users = {
        name: accounts.sign_up(name, PASSWORD) for name in ("stranger", "ann", "rob", "hal", "far")
    }
    with place.gatekeeper.store.writing() as transaction:
        join_team(transaction, users["ann"].id, place.board.id, teams["blue"].id, "member")
        join_team(transaction, users["rob"].id, place.board.id, teams["red"].id, "member")
        join_team(transaction, users["hal"].id, place.board.id, 0, "host")
        join_team(transaction, users["far"].id, far.board.id, 0, "host")
    tokens = {
        MEMBER_TOKEN: place.token(teams["blue"]),
        OTHER_TOKEN: place.token(teams["red"]),
        HOST_TOKEN: place.token(scope="host"),
        SERVICE: place.token(scope="service"),
        METRICS: place.token(scope="metrics"),
        FOREIGN: far.token(scope="host"),
        BAD: place.token(teams["blue"], days=-1),
        ENDED: place.token(teams["blue"]),
    }
    ended = accounts.from_token(tokens[ENDED])
    assert accounts.revoke(ended.token.id, ended)
    names = {STRANGER: "stranger", MEMBER: "ann", OTHER: "rob", HOST: "hal", FAR_HOST: "far"}
    apps = [place.app(sign_ins="100000/second", flood="100000/second") for _ in range(workers)]
    app, address = apps[0], {"base_url": "http://board.test", "follow_redirects": False}
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(TestClient(each, **address)) for each in apps]
        client = clients[0]
        sent = client.post(
            f"/api/v1/boards/{place.slug}/submissions",
            content=as_csv(changed(place.labels, 9)),
            headers=bearer(tokens[MEMBER_TOKEN]),
        ).json()
        place.boards.change(place.board, place.phase(), "close", "", "test")
        place.boards.change(place.board, place.phase(), "rotate", str(_fresh(folder)), "test")
        yield place, app, itertools.cycle(clients), accounts, tokens, names, sent, users


def fresh_schema(server):
    """Return the address of a ledger that is nobody else's."""
    import psycopg

    name = f"test_{secrets.token_hex(8)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    mark = "&" if "?" in server else "?"
    return f"{server}{mark}options={urllib.parse.quote(f'-csearch_path={name}')}"


def _fresh(folder):
    from tests.server.conftest import write_labels

    write_labels(folder / "fresh.csv", seed=3, split=True)
    return folder / "fresh.csv"


def pattern_of(path):
    """Return a route's template for a row that names one of its actions."""
    path = path.partition(" ")[0]
    for parent in ("/b/{slug}/t/{number}/", "/me/"):
        if path.startswith(parent):
            return f"{parent}{{action}}"
    return path


def routes_of(app):
    """Return all that an application answers, by method and path; of any kind of route."""
    from holdfast.server import api, pages

    described = {"/api/v1/openapi.json"}  # the framework's own, which says what is public
    found = set()
    for route in (*app.routes, *api.router.routes, *pages.router.routes):
        if isinstance(route, Route) and route.path not in described:
            found |= {(method, route.path) for method in route.methods}
    return found


def test_every_route_has_a_row_and_every_row_a_route(world):
    gets = {"GET", "HEAD"}  # one is the other without its body
    rows = {(method, pattern_of(path)) for method, path in ALLOWED}
    routes = routes_of(world[1])
    assert {(m, p) for m, p in routes if m not in gets} == {r for r in rows if r[0] not in gets}
    assert {p for m, p in routes if m in gets} == {p for m, p in rows if m in gets}
    assert not any(method in ("PUT", "PATCH", "TRACE", "OPTIONS") for method, _ in routes)


def test_every_action_that_the_code_knows_has_a_row():
    """Actions are words in one route; each that its function compares with has a row."""
    from holdfast.server import pages

    for function, parent in (
        (pages.team_action, "/b/{slug}/t/{number}/"), (pages.account_action, "/me/"),
    ):  # fmt: skip
        tree = ast.parse(inspect.getsource(function))
        words = {
            word.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Compare) and getattr(node.left, "id", "") == "action"
            for word in ast.walk(node.comparators[0])
            if isinstance(word, ast.Constant)
        }
        rows = {path.removeprefix(parent) for _, path in ALLOWED if path.startswith(parent)}
        assert words == rows - {"none"}
        assert words


def test_other_methods_are_refused_with_those_that_there_are(world):
    client = next(world[2])
    for _, path in sorted(routes_of(world[1])):
        if "{" in path:
            continue
        allowed = {m for m, p in routes_of(world[1]) if p == path}
        refused = client.request("PUT", path)
        assert (refused.status_code, refused.json()["type"]) == (405, "wrong_method")
        assert set(refused.headers["Allow"].split(", ")) == allowed


# What is not there for somebody, or for anybody but those who are let in.
NOT_THERE = {
    ("GET", f"{B}/submissions/{{number}}"): EVERYBODY,
    ("POST", f"{B}/submissions/{{number}}/choice"): (OTHER_TOKEN,),
    ("POST", "/b/{slug}/t/{number}/none"): (MEMBER,),
    ("GET", "/b/{slug}/host/findings"): (HOST,),
    ("POST", "/me/none"): EVERYBODY,
    ("POST", "/join/{secret}"): EVERYBODY,
}


# What the request of this test is worth to those who are let in, where that is not 200: a form that
# leads elsewhere, a ranking that is not there yet, and bodies, names and values that are none.
LEADS_ELSEWHERE = {
    ("POST", "/b/{slug}/host/findings"),
    ("POST", "/sign-in"),
    ("POST", "/sign-up"),
    ("POST", "/me/revoke"),
    ("POST", "/me/sign-out"),
    ("POST", "/me/sign-out-everywhere"),
}
NOT_CLOSED = {("GET", "/b/{slug}/final"), ("GET", f"{B}/final")}
NO_USE = {
    ("POST", "/b/{slug}/submit"),
    ("POST", "/b/{slug}/t/{number}/choose"),
    ("POST", "/b/{slug}/teams"),
    ("POST", f"{B}/submissions"),
    ("POST", f"{B}/service/submissions"),
    ("POST", f"{B}/submissions/{{number}}/choice"),
    *(
        ("POST", f"{parent} {action}")
        for parent in ("/b/{slug}/host", f"{B}/actions")
        for action in ("stop", "policy", "hide", "show", "merge", "close")
    ),
}


def worth(route, who):
    """Return the status with which a route answers somebody who is let in."""
    if route in LEADS_ELSEWHERE or (route == ("GET", "/me") and who in (NOBODY, *TOKENS)):
        return 303
    if route in NOT_CLOSED:
        return 409
    return 422 if route in NO_USE else 200


def refusal(route, who):
    """Return the status with which a route refuses somebody: 401 asks who it is, 403 knows."""
    method, path = route
    if path == "/metrics":
        return 401 if who in (BAD, ENDED) else 403
    of_api = path.startswith("/api/")
    wants_token = of_api and (method != "GET" or path == "/api/v1/tokens")
    unknown = wants_token if who in SESSIONS else not of_api
    if unknown or who in (NOBODY, BAD, ENDED):
        return 401
    return 404 if who in NOT_THERE.get(route, ()) else 403


@pytest.mark.parametrize(("route", "who"), list(itertools.product(ALLOWED, EVERYBODY)))
def test_only_those_who_may_are_let_in(world, route, who):
    _, _, clients, accounts, tokens, names, sent, users = world
    client = next(clients)
    method, (path, _, word) = route[0], route[1].partition(" ")
    path = path.format(
        slug="pets",
        name="board.css",
        number=sent["id"] if "submissions" in path else 1,
        receipt_id=sent["receipt_id"],
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
        options = {"json": {"action": word, "value": VALUES.get(word, "none")}}
    elif path == "/api/v1/verify":
        options = {"json": {"receipts": [sent["receipt_id"]]}}
    elif path in ("/sign-in", "/sign-up"):
        unique = f"{who} {len(users)}"
        users[unique] = None
        name = {"name": unique if path == "/sign-up" else "ann"}
        options = {"data": {**name, "password": PASSWORD}}
    elif method == "POST":
        form = {"form_token": token, "name": "x" if path.endswith("/token") else ""}
        form["submission"] = str(sent["id"])
        options = {"data": {**form, "action": word, "value": VALUES.get(word, "none")}}
    answer = client.request(method, path, headers=headers, **options)
    told = f"{method} {path} by {who}: {answer.status_code} {answer.text[:200]}"
    if route in NAMES_A_FILE and who == HOST:
        assert answer.status_code == 403, told
        assert "are named where they lie" in answer.text
    elif who in ALLOWED[route]:
        assert answer.status_code == worth(route, who), told
    else:
        assert answer.status_code == refusal(route, who), told


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


@pytest.mark.parametrize("visibility", ["own", "host"])
def test_when_others_look_is_nobodys_business_where_looks_are_not_open(
    tmp_path, sqlite_url, monkeypatch, visibility
):
    place = Place(sqlite_url, tmp_path, visibility=visibility)
    beside = Place(sqlite_url, tmp_path, slug="open", seed=9)
    teams = [place.team(name) for name in ("blue", "red")]
    blue, red, host = *(place.token(team) for team in teams), place.token(scope="host")
    hour = 3_600 * 10**9
    real = time.time_ns
    ahead = [hour - real() % hour]
    monkeypatch.setattr("holdfast.ledger.moments.time.time_ns", lambda: real() + ahead[0])
    paths = [
        f"{start}{board}"
        for board in ("/pets", "/open")
        for start in ("/api/v1/boards", "/b")
    ]  # fmt: skip
    paths += [f"{path}/rules" for path in paths if path.startswith("/b/")]
    with place.client() as client:

        def seen(headers):
            return [client.get(path, headers=headers).text for path in paths]

        def look(token, number):
            sent = {"content": as_csv(changed(place.labels, number)), "headers": bearer(token)}
            return client.post("/api/v1/boards/pets/submissions", **sent).json()["receipt_id"]

        look(blue, 1)
        ahead[0] += hour
        before = {who: seen(headers) for who, headers in (("nobody", {}), ("blue", bearer(blue)))}
        hosts = seen(bearer(host))
        for number in range(2, 5):
            ahead[0] += 10**9
            hidden = look(red, number)
        assert before == {"nobody": seen({}), "blue": seen(bearer(blue))}
        assert hosts != seen(bearer(host))
        [known] = {client.get(path).json()["head"] for path in paths[::2][:2]}
        assert int(known.partition("-")[0]) < int(hidden.partition("-")[0])
        for receipt in (hidden, known):
            url = f"/api/v1/boards/pets/receipts/{receipt}"
            bare = client.get(url).json()
            assert bare == {"receipt_id": receipt, "in_chain": True}
            assert client.get(url, headers=bearer(blue)).json().keys() <= {
                *bare, "number", "kind", "policy", "time", "released", "numbers", "rule",
            }  # fmt: skip
            page = client.get(f"/b/pets/receipts/{receipt}").text
            assert "It is in the chain." in page
            assert "<time" not in page
            told = client.post("/api/v1/verify", json={"receipts": [receipt]}).json()
            assert "time" not in told["receipts"][0]
        url = f"/api/v1/boards/pets/receipts/{hidden}"
        assert client.get(url, headers=bearer(blue)).json() == {
            "receipt_id": hidden, "in_chain": True,
        }  # fmt: skip
        assert client.get(url, headers=bearer(red)).json()["kind"] == "look"
        assert client.get(url, headers=bearer(host)).json()["kind"] == "look"
    assert beside.board.visibility == "open"
