"""Nothing exact on any surface: every route, header, log line, metric, page and figure."""

import io
import itertools
import json
import logging
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
from argon2 import PasswordHasher

from holdfast.guard.policy import Policy
from holdfast.ledger.moments import clock
from holdfast.problem import Problem
from holdfast.rules import parse_rule
from holdfast.server import api, pages
from holdfast.server.accounts import Accounts, join_team
from holdfast.server.app import create
from holdfast.server.findings import Findings
from holdfast.server.observing import JsonLines, log
from holdfast.server.settings import Settings
from holdfast.server.standings import half_width
from tests.paces import few
from tests.server.conftest import HASHER, Place, as_csv, bearer
from tests.server.test_api import send
from tests.server.test_pages import PASSWORD, form_token

RULES = ("round:1", "ladder:0.1", "gaussian:0.05")
N = 1009  # public examples, and as many private ones
# Wrong predictions among the public and among the private examples.
LOOKS = (("blue", 401, 350), ("red", 313, 402), ("blue", 227, 290), ("red", 222, 151),
         ("blue", 119, 177))  # fmt: skip
LOGGED = {"time", "level", "event", "method", "route", "status", "milliseconds", "request",
          "problem", "board"}  # fmt: skip


def guess_with(labels, public_wrong, private_wrong):
    """Return predictions with so many faults in the rows of either part."""
    guess = labels.copy()
    for part, wrong in ((0, public_wrong), (1, private_wrong)):
        places = np.arange(part, 2 * N, 2)[:wrong]
        guess[places] = (guess[places] + 1) % 3
    return guess


@dataclass
class World:
    """All that a board has told anybody, and what it must have told nobody."""

    rule: str
    place: Place
    answers: list = field(default_factory=list)  # (path, who asks, response)
    finals: list = field(default_factory=list)  # the same, of the final ranking
    routes: set = field(default_factory=set)
    released: dict = field(default_factory=dict)  # by team, in order
    scores: dict = field(default_factory=lambda: {"public": [], "private": [], "all": []})
    lines: str = ""
    document: dict = field(default_factory=dict)
    began: int = field(default_factory=clock)
    ended: int = 0

    def spelled(self):
        """Return every released value as it is written."""
        return {repr(value) for values in self.released.values() for value in values}

    def secrets(self, *parts):
        """Return how exact scores could be written that no rounding to one decimal would give.

        What noise makes of a score, or its interval, may begin with a few digits of another score.
        """
        found = set()
        for score in itertools.chain(*(self.scores[part] for part in parts)):
            found |= {f"{score:.6f}", repr(score)[:8]}
            if not parse_rule(self.rule).adds_noise:
                found |= {f"{score:.4f}", f"{100 * score:.2f}", f"{score:.3f}"}
        return found


def get_routes(app):
    """Return the paths of all routes that can be read, from the route table itself."""
    routes = (*app.routes, *api.router.routes, *pages.router.routes)
    return {route.path for route in routes if "GET" in (getattr(route, "methods", None) or ())}


def paths_of(route, submissions, receipts):
    """Return the addresses under which a route is read; one with a new parameter is an error."""
    numbers = submissions if "submissions" in route else (1, 2)
    values = {"slug": ["pets"], "name": ["board.css", "board.js"], "number": numbers,
              "receipt_id": receipts, "secret": ["none"]}  # fmt: skip
    names = re.findall(r"{(\w+)}", route)
    for chosen in itertools.product(*(values[name] for name in names)):
        yield route.format(**dict(zip(names, chosen, strict=True)))


@pytest.fixture(scope="module", params=few(1, RULES))
def world(request, tmp_path_factory):
    """A board with two teams that have looked, read by everybody on every route."""
    folder = tmp_path_factory.mktemp("world")
    policy = f'release = "{request.param}"\nfinal_choices = 2\n'
    place = Place(str(folder / "ledger.db"), folder, n=2 * N, policy=policy, split=True)
    world = World(request.param, place)
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        with place.client(flood="100000/second", sign_ins="100000/second") as client:
            ask_all(world, place, client)
    finally:
        log.removeHandler(handler)
    world.lines, world.ended = stream.getvalue(), clock()
    return world


def ask_all(world, place, client):
    accounts = Accounts(place.gatekeeper.store, HASHER)
    teams = {name: place.team(name) for name in ("blue", "red")}
    users = {name: accounts.sign_up(name, PASSWORD) for name in ("ann", "hal", "eve")}
    with place.gatekeeper.store.writing() as transaction:
        join_team(transaction, users["ann"].id, place.board.id, teams["blue"].id, "member")
        join_team(transaction, users["hal"].id, place.board.id, 0, "host")
    tokens = {name: bearer(place.token(team)) for name, team in teams.items()}
    tokens |= {scope: bearer(place.token(scope=scope)) for scope in ("host", "service", "metrics")}
    receipts, submissions = {}, []

    def note(name, told):
        world.released.setdefault(name, []).append(told["released"])
        receipts[name] = told["receipt_id"]
        submissions.append(told["id"])

    def score(guess):
        right = guess == place.labels
        for part, rows in (("public", right[::2]), ("private", right[1::2]), ("all", right)):
            world.scores[part].append(float(np.mean(rows)))

    def sign_in(name):
        client.cookies.clear()
        if name is not None:
            client.cookies.set("holdfast_session", accounts.new_session(users[name]))

    for name, *wrong in LOOKS:
        guess = guess_with(place.labels, *wrong)
        score(guess)
        token = tokens[name]["Authorization"].split()[1]
        answer = send(client, place, token, as_csv(guess))
        assert answer.status_code == 201
        note(name, answer.json())
        world.answers.append(("submissions", name, answer))
    # The same by a form; what can't be scored; and what a host's form and a program's verb answer.
    sign_in("ann")
    guess = guess_with(place.labels, 201, 255)
    score(guess)
    for body in (as_csv(guess), b"id,label\n1,cow\n"):
        form = {"form_token": form_token(client.get("/b/pets/submit")), "team": "1"}
        page = client.post("/b/pets/submit", data=form, files={"file": ("a.csv", body)})
        world.answers.append(("/b/pets/submit", "ann", page))
    mine = client.get("/api/v1/boards/pets/submissions").json()["submissions"]
    note("blue", next(each for each in mine if each["outcome"] == "answered"))
    sign_in("hal")
    act = {"action": "visibility", "value": "open"}
    form = act | {"form_token": form_token(client.get("/b/pets/host"))}
    world.answers.append(("/b/pets/host", "hal", client.post("/b/pets/host", data=form)))
    done = client.post("/api/v1/boards/pets/actions", json=act, headers=tokens["host"])
    told = client.post("/api/v1/verify", json={"receipts": list(receipts.values())})
    world.answers += [("actions", "host", done), ("verify", None, told)]
    assert [answer.status_code for _, _, answer in world.answers[-5:]] == [200, 422, 200, 200, 200]

    def read(route):
        for path in paths_of(route, submissions, [*receipts.values(), "7-none"]):
            for name in (None, *users):
                sign_in(name)
                yield path, name, client.get(path)
            client.cookies.clear()
            for name, headers in tokens.items():
                yield path, f"{name} token", client.get(path, headers=headers)

    Findings(place.gatekeeper).judge(place.board, place.phase())
    world.routes = get_routes(client.app)
    for route in world.routes:
        found = list(read(route))
        world.answers += found
        if not route.endswith("/final"):  # there is none yet
            assert any(answer.status_code == 200 for _, _, answer in found), route
    place.boards.change(place.board, place.phase(), "close", "", "test")
    for route in ("/b/{slug}/final", "/api/v1/boards/{slug}/final"):
        world.finals += read(route)
    assert all(answer.status_code == 200 for _, _, answer in world.finals)
    world.document = client.get("/api/v1/openapi.json").json()


def without_times(text):
    """Return metrics without how long requests took, which may be any number."""
    return "\n".join(line for line in text.splitlines() if "seconds" not in line)


def check(world, texts, *parts):
    """Raise if a secret is in a text, but where something that was released begins like it."""
    secrets = "|".join(map(re.escape, sorted(world.secrets(*parts))))
    released = re.compile("|".join(map(re.escape, sorted(world.spelled()))))
    secret = re.compile(rf"(?<![\d.])(?:{secrets})")
    for text in set(texts):
        assert not secret.findall(released.sub("", text))


def test_no_surface_shows_a_digit_that_was_not_released(world):
    texts = [without_times(a.text) + str(dict(a.headers)) for _, _, a in world.answers]
    logged = [json.loads(line) for line in world.lines.splitlines()]
    assert len(logged) >= len(texts) > 200
    texts += [str({k: v for k, v in line.items() if k != "milliseconds"}) for line in logged]
    check(world, texts, "public", "private", "all")


def test_after_the_close_only_the_private_score_is_told(world):
    check(world, [a.text + str(dict(a.headers)) for _, _, a in world.finals], "public", "all")
    told = world.finals[-1][2].json()["final"]
    assert {row["private"] for row in told} <= set(world.scores["private"])
    assert {row["public"] for row in told} <= {v for vs in world.released.values() for v in vs}


def test_log_lines_have_fields_from_a_list_and_no_token_team_path_or_score(world):
    for line in world.lines.splitlines():
        assert set(json.loads(line)) <= LOGGED
    assert not re.search(r"hf_|blue|pets", world.lines)


def leaves(value, name=""):
    """Yield what a document holds, each under the last name on the way to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, name)
    else:
        yield name, value


def documents(answer):
    kind = answer.headers["content-type"].partition(";")[0]
    if kind == "application/jsonl":
        return [json.loads(line) for line in answer.text.splitlines()]
    return [answer.json()] if kind.endswith("json") else [answer.text]


def test_every_number_of_the_api_is_a_released_text_a_count_or_a_time(world):
    """Or one that follows from these: an interval, a bound on the gain, the band of chance."""
    place, phase = world.place, world.place.phase()
    facts = place.gatekeeper.facts(phase)
    rule = parse_rule(world.rule)
    sizes = Problem(N, 3, 1)
    resolution = rule.resolution(sizes)
    released = {value for values in world.released.values() for value in values}
    ends = {
        end
        for value in released
        for width in (half_width(value, N, resolution),)
        for end in (max(0.0, value - width), min(1.0, value + width))
    }
    exposure = place.gatekeeper.exposure(phase)
    bounds = {exposure.gain, *(team.gain for team in exposure.teams)}
    width = 3 * np.sqrt(2 / 9 / N) + resolution
    derived = {
        "low": ends, "high": ends, "gain": bounds,
        "at_chance_between": {1 / 3 - width, 1 / 3 + width},
    }  # fmt: skip
    # Counts are of what happened, and smaller than any number of right predictions; the others are
    # public: sizes, budgets, codes and the times between which all of this was.
    happened = len(list(place.entries()))
    assert happened < min(N - wrong for _, wrong, _ in LOOKS)
    policy = Policy.parse(phase.policy)
    budgets = {value for value in policy.settings().values() if isinstance(value, int)}
    left = {policy.looks_per_team - look for look in range(len(LOOKS) + 2)}
    public = {
        facts.n_examples,
        facts.n_classes,
        facts.largest_upload,
        *budgets,
        *left,
        *range(400, 600),
    }
    texts = world.spelled() | set(re.findall(r"\d+\.\d+", phase.policy)) | {"0.1"}
    seen = 0
    for path, who, answer in world.answers:
        if not answer.url.path.startswith("/api/") or path.endswith("openapi.json"):
            continue  # a fixed document, see below
        for name, leaf in itertools.chain(*map(leaves, documents(answer))):
            where, seen = f"{path} to {who}: {name} = {leaf}", seen + 1
            if isinstance(leaf, bool) or leaf is None:
                continue
            if isinstance(leaf, int):
                counted = 0 <= leaf <= happened or leaf in public
                assert counted or world.began <= leaf <= world.ended, where
            elif isinstance(leaf, float):
                near = [v for v in derived.get(name, released) if abs(v - leaf) < 1e-12]
                assert near, where
            else:
                assert set(re.findall(r"\d+\.\d+", leaf)) <= texts, where
    assert seen > 1000


def test_the_description_of_the_api_is_the_same_for_any_labels(world):
    assert world.document == create(Settings(database="none"), hasher=PasswordHasher()).openapi()


def test_nothing_tells_a_host_what_another_rule_would_have_released(world):
    """Sums over many looks would tell more than any of them: there is no such address."""
    for path in ("/api/v1/boards/pets/replay", "/b/pets/host/replay"):
        asked = [(where, answer) for where, who, answer in world.answers if where == path]
        assert not asked
    with world.place.client() as client:
        host = bearer(world.place.token(scope="host"))
        for path in ("/api/v1/boards/pets/replay", "/b/pets/host/replay"):
            assert client.get(path, params={"rule": "round:2"}, headers=host).status_code == 404


def figures(world):
    """Yield every figure of every page: its label, its text."""
    for path, _, answer in world.answers:
        if answer.headers["content-type"].startswith("text/html"):
            for label, text in re.findall(
                r"<svg[^>]*aria-label=\"([^\"]*)\"[^>]*>(.*?)</svg>", answer.text, re.DOTALL
            ):
                yield path, label, text


def test_figures_are_drawn_from_released_values_and_nothing_finer(world):
    """Coordinates read back are the released history, to the precision of the drawing."""
    histories = {len(values): values for values in world.released.values()}
    assert len(histories) == len(world.released)
    drawn = set()
    for path, label, text in figures(world):
        values = np.array(histories[int(label.split()[0])])
        kinds = set(re.findall(r"<(\w+)", text))
        if kinds == {"polyline"}:
            points = re.search(r'points="([^"]*)"', text)[1].split()
            heights = np.array([float(point.split(",")[1]) for point in points])
            span = np.ptp(values) or 1.0
            # From 19 for the least to 1 for the largest, in four digits.
            back = values.min() + (19 - heights) / 18 * span
            tolerance = 0.005 / 18 * span
        else:
            assert kinds == {"rect", "circle"}, "a figure of a new kind needs a check"
            heights = np.array([float(y) for y in re.findall(r'cy="([^"]*)"', text)])
            back, tolerance = (60 - heights) / 60, 0.05 / 60  # tenths of a pixel
        drawn |= kinds
        assert len(back) == len(values)
        assert np.max(np.abs(back - values)) <= tolerance + 1e-9, path
    assert "polyline" in drawn


def test_the_figure_of_a_probe_is_drawn_from_released_values(tmp_path, sqlite_url):
    place = Place(sqlite_url, tmp_path, n=N, policy='release = "round:2"\n')
    blue, host = place.team("blue"), place.token(scope="host")
    rng, released = np.random.default_rng(4), []
    accounts = Accounts(place.gatekeeper.store, HASHER)
    hal = accounts.sign_up("hal", PASSWORD)
    with place.gatekeeper.store.writing() as transaction:
        join_team(transaction, hal.id, place.board.id, 0, "host")
    with place.client() as client:
        for _ in range(12):
            body = as_csv(rng.integers(3, size=N))
            released.append(send(client, place, place.token(blue), body).json()["released"])
        told = client.get("/api/v1/boards/pets/probes", headers=bearer(host)).json()
        client.cookies.set("holdfast_session", accounts.new_session(hal))
        page = client.get("/b/pets/host/probes").text
    assert [float(text) for text in told["teams"][0]["history"]] == released
    heights = [float(y) for y in re.findall(r'<circle[^>]* cy="([^"]*)"', page)]
    assert heights == [float(f"{60 - 60 * value:.1f}") for value in released]
    top, height = (
        float(re.search(rf'class="band"[^>]* {name}="([^"]*)"', page)[1])
        for name in ("y", "height")
    )
    low, high = told["at_chance_between"]
    assert [top, height] == pytest.approx([60 - 60 * high, 60 * (high - low)], abs=0.051)
