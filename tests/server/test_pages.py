"""The pages: all of the story without JavaScript, and in a real browser."""

import os
import re
from types import SimpleNamespace

import numpy as np
import pytest
from starlette.testclient import TestClient

from holdfast.errors import LedgerError
from tests.audit.browser import chromium, executable
from tests.server.conftest import Place, as_csv, bearer, listening
from tests.server.test_api import changed, send

needs_browser = pytest.mark.skipif(
    executable() is None, reason="no Chromium found: run `make browser`, or set HOLDFAST_CHROMIUM"
)
PASSWORD = "correct horse battery"


def form_token(page):
    return re.search(r'name="form_token" value="(\w+)"', page.text)[1]


def sign_up(client, name="ann", to="/me"):
    return client.post("/sign-up", data={"name": name, "password": PASSWORD, "to": to})


def test_from_sign_up_to_a_released_score_without_javascript(new_place):
    place = new_place()
    with place.client() as client:
        assert "sign up" in client.get("/b/pets/submit").text
        page = sign_up(client, to="/b/pets/submit")
        assert "Make the team" in page.text
        data = {"form_token": form_token(page), "name": "The <Blues>"}
        page = client.post("/b/pets/teams", data=data)
        assert "The &lt;Blues&gt; has" in page.text
        answer = client.post(
            "/b/pets/submit",
            data={"form_token": form_token(page), "team": "1"},
            files={"file": ("guess.csv", as_csv(changed(place.labels, 15)))},
        )
        assert re.search(r'id="released">0.75<', answer.text)
        receipt = re.search(r"/b/pets/receipts/([\w-]+)", answer.text)[1]
        assert "It is in the chain" in client.get(f"/b/pets/receipts/{receipt}").text
        board = client.get("/b/pets").text
        assert "The &lt;Blues&gt;" in board
        assert "0.62 to 0.88" in board  # 0.6238 to 0.8762, and no narrower
        assert re.search(r"could have bought comes on top: at most \d+\.\d\d points", board)
        team = client.get("/b/pets/t/1")
        assert "guess.csv" in team.text
        made = client.post(
            "/b/pets/t/1/token", data={"form_token": form_token(team), "name": "laptop"}
        )
        token = re.search(r'id="secret">(hf_\w[\w-]+)<', made.text)[1]
        assert send(client, place, token, as_csv(place.labels)).json()["released"] == 1.0
        account = client.get("/me")
        assert "laptop" in account.text
        number = re.search(r'name="token" value="(\w+)"', account.text)[1]
        client.post("/me/revoke", data={"form_token": form_token(account), "token": number})
        refused = send(client, place, token, as_csv(changed(place.labels, 1)))
        assert "was revoked on" in refused.json()["detail"]


def test_what_cannot_be_scored_is_told_on_the_page(place):
    with place.client() as client:
        page = sign_up(client, to="/b/pets/submit")
        data = {"form_token": form_token(page), "name": "blue"}
        page = client.post("/b/pets/teams", data=data)
        answer = client.post(
            "/b/pets/submit",
            data={"form_token": form_token(page), "team": "1"},
            files={"file": ("guess.csv", b"id,label\n100,cat\n")},
        )
        team = client.get("/b/pets/t/1").text
    assert answer.status_code == 422
    assert "must have 60 rows, one per example, got 1." in answer.text
    # In a row of its own, so that no other column moves out of sight.
    assert re.search(
        r'<tr><td class="told" colspan="\d"><p>.*must have 60 rows.*</p></td></tr>', team
    )
    assert "It cost no look." in answer.text


def team_of_anns(client):
    """Sign up, make a team, and return the page with the form that submits."""
    page = sign_up(client, to="/b/pets/submit")
    data = {"form_token": form_token(page), "name": "blue"}
    return client.post("/b/pets/teams", data=data)


def test_a_form_that_is_sent_twice_is_one_submission_without_javascript(place):
    with place.client() as client:
        page = team_of_anns(client)
        key = re.search(r'name="key" value="([\w-]+)"', page.text)[1]
        data = {"form_token": form_token(page), "team": "1", "key": key}
        for wrong in (3, 3, 4, 3, 4):  # another file in the same form is another submission
            files = {"file": ("guess.csv", as_csv(changed(place.labels, wrong)))}
            answer = client.post("/b/pets/submit", data=data, files=files)
            assert f'id="released">{1 - wrong / 60}<' in answer.text
        assert re.search(r'name="key" value="([\w-]+)"', answer.text)[1] != key
        data["key"] = "two words"
        refused = client.post("/b/pets/submit", data=data, files=files)
    assert refused.status_code == 400
    with place.gatekeeper.store.reading() as transaction:
        assert transaction.rows("SELECT COUNT(*) FROM holdfast_submissions") == [(2,)]


def test_the_page_that_submits_says_when_to_try_again(place, monkeypatch):
    policy = 'release = "exact"\nlooks_per_team = 1\nwindow = "day"\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    with place.client(flood="3/hour") as client:
        page = team_of_anns(client)

        def submitted(wrong):
            return client.post(
                "/b/pets/submit",
                data={"form_token": form_token(page), "team": "1"},
                files={"file": ("guess.csv", as_csv(changed(place.labels, wrong)))},
            )

        assert submitted(1).status_code == 200
        none_left = submitted(2)
        assert none_left.status_code == 409
        assert 1 <= int(none_left.headers["Retry-After"]) <= 86_400
        assert "may look again" in none_left.text

        def broken(sent):
            raise LedgerError("no space on /some/disk")

        monkeypatch.setattr(client.app.state.site.looks, "_answer", broken)
        failed = submitted(3)
        assert (failed.status_code, failed.headers["Retry-After"]) == (503, "5")
        assert "Nothing was released." in failed.text
        assert "/some/disk" not in failed.text
        too_fast = submitted(4)
        assert too_fast.status_code == 429
        assert 1 <= int(too_fast.headers["Retry-After"]) <= 3600


def test_a_form_of_another_session_or_site_is_refused(place):
    with place.client() as client:
        page = sign_up(client, to="/b/pets/submit")
        token = form_token(page)
        wrong = client.post("/b/pets/teams", data={"form_token": "0" * 64, "name": "x"})
        none = client.post("/b/pets/teams", data={"name": "x"})
        foreign = client.post(
            "/b/pets/teams",
            data={"form_token": token, "name": "x"},
            headers={"Origin": "https://evil.example"},
        )
        sign_in = client.post(
            "/sign-in",
            data={"name": "ann", "password": PASSWORD},
            headers={"Sec-Fetch-Site": "cross-site"},
        )
    assert {r.status_code for r in (wrong, none, foreign, sign_in)} == {403}


def test_invitations_let_people_in_once(place):
    from holdfast.server.accounts import Accounts

    secret = Accounts(place.gatekeeper.store).invite(place.board, None, "host")
    with place.client() as client:
        data = {"form_token": form_token(sign_up(client))}
        assert client.post(f"/join/{secret}", data=data).url.path == "/b/pets"
        host = client.get("/b/pets/host")
        assert host.status_code == 200
        again = client.post(f"/join/{secret}", data=data)
        assert again.status_code == 404
        frozen = client.post(
            "/b/pets/host", data={"form_token": form_token(host), "action": "freeze"}
        )
        assert "Done: frozen; looks go on" in frozen.text
        form = {"form_token": form_token(host), "action": "policy", "value": "release = 1"}
        bad = client.post("/b/pets/host", data={**form, "sure": "yes"})
        assert bad.status_code == 422
        assert "policy line 1: release must be a string" in bad.text


def test_what_cannot_be_undone_wants_its_box_ticked(sqlite_url, tmp_path):
    from holdfast.server.accounts import Accounts

    place = Place(sqlite_url, tmp_path, split=True)
    teams = [place.team(name) for name in ("red", "blue")]
    secret = Accounts(place.gatekeeper.store).invite(place.board, None, "host")
    sent = {
        "merge": {"team": "1", "into": "2"},
        "policy": {"value": 'release = "round:1"\n'},
        "close": {"value": ""},
    }
    with place.client() as client:
        for team in teams:
            send(client, place, place.token(team), as_csv(changed(place.labels, team.id)))
        sign_up(client, to=f"/join/{secret}")
        page = client.get("/b/pets/host")
        for action, fields in sent.items():
            form = re.search(rf'value="{action}">.*?</form>', page.text, re.DOTALL)[0]
            assert re.search(r'<input type="checkbox" name="sure" value="yes" required>', form)
            before = len(list(place.entries()))
            data = {"form_token": form_token(page), "action": action, **fields}
            refused = client.post("/b/pets/host", data=data)
            assert refused.status_code == 422
            assert "tick the box beside it first" in refused.text
            assert len(list(place.entries())) == before
            if action == "close":  # another rule has begun a phase without looks
                send(client, place, place.token(teams[1]), as_csv(changed(place.labels, 3)))
            done = client.post("/b/pets/host", data={**data, "sure": "yes"})
            assert "Done: " in done.text
            page = client.get("/b/pets/host")
        # What can be undone is done at once.
        data = {"form_token": form_token(page), "action": "freeze"}
        assert "Done: frozen" in client.post("/b/pets/host", data=data).text


def test_a_team_sees_which_submissions_it_has_chosen(sqlite_url, tmp_path):
    policy = 'release = "batch:2"\nfinal_choices = 2\n'
    place = Place(sqlite_url, tmp_path, split=True, policy=policy)
    with place.client() as client:
        page = team_of_anns(client)
        data = {"form_token": form_token(page), "team": "1"}
        for wrong in (3, 4, 4):  # the last one is answered from the record
            files = {"file": (f"{wrong}.csv", as_csv(changed(place.labels, wrong)))}
            client.post("/b/pets/submit", data=data, files=files)

        def chosen():
            listed = client.get("/api/v1/boards/pets/submissions").json()["submissions"]
            for each in listed:
                alone = client.get(f"/api/v1/boards/pets/submissions/{each['id']}").json()
                assert alone == each
            page = client.get("/b/pets/t/1").text
            assert page.count("<td>chosen</td>") == sum(each["chosen"] for each in listed)
            assert re.search(r'<time datetime="[^"]+\+00:00">[\d: -]+ UTC</time>', page)
            return {each["id"]: each["chosen"] for each in listed}

        assert chosen() == {3: False, 2: False, 1: False}
        for number, then in ((1, {3: False, 2: False, 1: True}), (2, {3: True, 2: True, 1: True})):
            data = {"form_token": form_token(page), "submission": str(number)}
            client.post("/b/pets/t/1/choose", data=data)
            assert chosen() == then


def test_passwords_are_guessed_slowly(place):
    with place.client(sign_ins="3/minute") as client:
        sign_up(client)
        client.cookies.clear()
        codes = [
            client.post("/sign-in", data={"name": "ann", "password": f"wrong {n}"}).status_code
            for n in range(4)
        ]
        last = client.post("/sign-in", data={"name": "ann", "password": PASSWORD})
    assert codes[0] == 401
    assert codes[-1] == last.status_code == 429
    assert int(last.headers["Retry-After"]) >= 1


def test_others_who_guess_a_password_do_not_keep_its_owner_out(place, monkeypatch):
    # No time passes: on a busy machine a new try is earned while passwords are hashed.
    monkeypatch.setattr("holdfast.server.site.time", SimpleNamespace(monotonic=lambda: 1000.0))
    app = place.app(sign_ins="10/minute")

    async def from_anywhere(scope, receive, send):
        address = dict(scope.get("headers", ())).get(b"x-address", b"10.0.0.1").decode()
        await app({**scope, "client": (address, 1)}, receive, send)

    def enter(address, password, name="ann", cookies=()):
        browser.cookies.clear()
        browser.cookies.update(cookies)
        sent = {"data": {"name": name, "password": password}, "headers": {"X-Address": address}}
        return browser.post("/sign-in", **sent, follow_redirects=False).status_code

    with TestClient(from_anywhere, base_url="http://board.test") as browser:
        sign_up(browser)
        browser.post("/me/sign-out", data={"form_token": form_token(browser.get("/me"))})
        mine = dict(browser.cookies)
        assert [enter(f"10.1.0.{n}", "wrong", "ANN") for n in range(12)] == [401] * 12
        assert enter("10.0.0.2", PASSWORD) == 303
        # A crowd is slowed down, under whatever spelling, and the addresses of a network are one.
        tries = (enter(f"10.2.{n % 40}.1", "wrong", "Ann") for n in range(400))
        assert next(code for code in tries if code != 401) == 429
        assert enter("10.3.0.1", PASSWORD) == 429
        network = [enter(f"2001:db8::{n}", "wrong", f"no{n}") for n in range(12)]
        assert network == [401] * 10 + [429] * 2
        # The owner's browser is known, and tries at its own pace.
        told = [enter("10.0.0.1", "mistyped", cookies=mine) for _ in range(2)]
        assert [*told, enter("10.9.0.1", PASSWORD, cookies=mine)] == [401, 401, 303]
        assert enter("10.0.0.1", PASSWORD, "rob", mine) == 401  # known for one name
        told = [enter("10.0.0.1", "mistyped", cookies=mine) for _ in range(11)]
        assert told[-1] == 429


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example", "/\\evil.example", "x"])
def test_nobody_is_sent_to_another_site(place, to):
    with place.client() as client:
        answer = client.post(
            "/sign-up", data={"name": "ann", "password": PASSWORD, "to": to}, follow_redirects=False
        )
    assert (answer.status_code, answer.headers["location"]) == (303, "/me")


def test_empty_and_wrong_places_have_pages(place):
    with place.client() as client:
        assert "No score has been released yet" in client.get("/b/pets").text
        for path in ("/b/none", "/b/pets/t/99", "/nowhere", "/b/pets/receipts/x-y"):
            answer = client.get(path)
            assert "<h1>" in answer.text
        assert client.get("/b/none").status_code == 404
        assert client.get("/b/pets/final").status_code == 409


def test_pages_carry_headers_against_frames_scripts_and_caches(place):
    with place.client() as client:
        page = client.get("/b/pets")
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert "'unsafe" not in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "content-encoding" not in page.headers
    assert "<script>" not in page.text


def busy_board(url, folder):
    """A board with a few teams, one of which guesses, for pictures and checks; and a receipt."""
    place = Place(url, folder, split=True, n=400, policy='release = "round:2"\nfinal_choices = 2\n')
    rng = np.random.default_rng(0)
    with place.client() as client:
        for name, wrong in (("Blue whales", 60), ("Red pandas", 68), ("Green", 160)):
            token = place.token(place.team(name))
            for more in (40, 20, 0):
                guess = changed(place.labels, wrong + more)
                guess[-1 - int(rng.integers(5))] = 0
                answer = send(client, place, token, as_csv(guess))
        token = place.token(place.team("Grey"))
        for _ in range(4):
            send(client, place, token, as_csv(rng.integers(3, size=400)))
    return place, answer.json()["receipt_id"]


class Checked:
    """A browser at phone width that looks at pages in light and in dark."""

    def __init__(self, page, site):
        from axe_playwright_python.sync_playwright import Axe

        self.page, self._site, self.found, self._axe = page, site, {}, Axe()

    def look(self, name):
        """Check the page that is shown."""
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            if pictures := os.environ.get("HOLDFAST_PICTURES"):
                file = f"{scheme}{name.replace('/', '-')}.png"
                self.page.screenshot(path=f"{pictures}/{file}", full_page=True)
            told = self._axe.run(self.page).response["violations"]
            self.found[scheme, name] = [
                (v["id"], [n["html"][:120] for n in v["nodes"][:2]]) for v in told
            ]
            wide = self.page.evaluate("document.documentElement.scrollWidth > innerWidth")
            assert not wide, f"{name} is wider than a phone"

    def visit(self, *paths, shows=None):
        """Check pages by their addresses."""
        for path in paths:
            answer = self.page.goto(self._site + path)
            assert answer.status == (404 if path == "/nowhere" else 200), path
            assert shows is None or self.page.locator(shows).count(), f"{path} has no {shows}"
            self.look(path)


@pytest.mark.slow
@needs_browser
def test_every_page_is_accessible_at_phone_width_light_and_dark(sqlite_url, tmp_path):
    from holdfast.server.accounts import Accounts

    place, receipt = busy_board(sqlite_url, tmp_path)
    secret = Accounts(place.gatekeeper.store).invite(place.board, None, "host")
    host = place.token(scope="host")
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_bytes(as_csv(changed(place.labels, 100)))
    bad.write_bytes(as_csv(place.labels).replace(b"cat", b"cow"))
    with listening(place, flood="1000/second") as url, chromium() as browser:
        site = url.removesuffix("/b/pets")
        page, desk = (
            browser.new_context(viewport={"width": 390, "height": 800}).new_page() for _ in "ab"
        )
        checked, hosting = Checked(page, site), Checked(desk, site)
        checked.visit("/sign-in", "/sign-up", "/b/pets/submit")
        for each, name, to in ((page, "ann", "/b/pets/submit"), (desk, "hal", f"/join/{secret}")):
            each.goto(f"{site}/sign-up?to={to}")
            each.fill("#name", name)
            each.fill("#password", PASSWORD)
            each.keyboard.press("Enter")
            each.wait_for_selector(f"header >> text={name}")
        checked.visit("/join/x", shows="text=Join as ann")
        checked.visit("/b/pets/submit", shows="text=Make the team")
        page.fill("#name", "My team")
        page.keyboard.press("Enter")
        page.wait_for_selector("#file")
        checked.look("the form that submits")
        for name, file, sign in (("good", good, "#released"), ("bad", bad, "[role=alert] table")):
            page.goto(f"{url}/submit")
            page.set_input_files("#file", file)
            page.click("#submit button")
            page.wait_for_selector(sign)
            checked.look(f"the answer to a {name} file")
        checked.visit("/b/pets/t/5", shows="text=Choose")
        page.fill("#name", "laptop")
        page.click("text=Make a token")
        page.wait_for_selector("#secret")
        checked.look("a new token")
        hosting.visit("/b/pets/host/probes", shows="svg.plot circle")
        checked.visit(f"/b/pets/receipts/{receipt}", shows="text=It is in the chain")
        hosting.visit("/b/pets/host", shows="text=Stop at")
        hosting.visit("/b/pets/t/1", shows="text=Submissions")
        checked.visit("/", "/me", "/nowhere", "/b/pets", "/b/pets/rules", "/b/pets/t/1",
                      "/b/pets/receipts/x")  # fmt: skip
        with place.client() as client:
            act = {"action": "close"}
            client.post("/api/v1/boards/pets/actions", json=act, headers=bearer(host))
        checked.visit("/b/pets", "/b/pets/final", shows="text=inal ranking")
        checked.visit("/b/pets/submit")
        hosting.visit("/b/pets/host")
        found = [*checked.found.items(), *hosting.found.items()]
        assert {where: what for where, what in found if what} == {}


@pytest.mark.slow
@needs_browser
def test_a_file_that_is_dropped_is_submitted(place, tmp_path):
    guess = tmp_path / "guess.csv"
    guess.write_bytes(as_csv(changed(place.labels, 15)))
    with listening(place) as url, chromium() as browser:
        page = browser.new_page()
        page.goto(f"{url.removesuffix('/b/pets')}/sign-up?to=/b/pets/submit")
        page.fill("#name", "ann")
        page.fill("#password", PASSWORD)
        page.click("main button")
        page.fill("#name", "blue")
        page.click("main button")
        page.wait_for_selector("#drop")
        data = page.evaluate_handle(
            """text => { const data = new DataTransfer();
            data.items.add(new File([text], "guess.csv", {type: "text/csv"})); return data; }""",
            guess.read_text(),
        )
        page.dispatch_event("#drop", "drop", {"dataTransfer": data})
        assert page.text_content("#chosen") == "guess.csv"
        page.click("main button")
        page.wait_for_selector("#released")
        assert page.text_content("#released") == "0.75"


class Keyboard:
    """A person at a browser without scripts, and without a mouse."""

    def __init__(self, page):
        self.page = page

    def go_to(self, selector):
        """Press Tab until something is reached; whatever can be reached shows that it is."""
        for _ in range(80):
            self.page.keyboard.press("Tab")
            if self.page.locator(f"{selector}:focus").count():
                return
        raise AssertionError(f"no key leads to {selector}")

    def write(self, **fields):
        """Fill fields of a form by their ids, in their order, and send it."""
        for name, text in fields.items():
            self.go_to(f"#{name}")
            self.page.keyboard.type(text)
        self.press("Enter")

    def press(self, key):
        """Press a key that leads to another page."""
        with self.page.expect_navigation():
            self.page.keyboard.press(key)


@pytest.mark.slow
@needs_browser
def test_a_board_is_played_and_closed_by_keyboard_without_javascript(sqlite_url, tmp_path):
    from holdfast.server.accounts import Accounts

    place = Place(sqlite_url, tmp_path, split=True, policy='release = "exact"\nfinal_choices = 1\n')
    secret = Accounts(place.gatekeeper.store).invite(place.board, None, "host")
    guess = tmp_path / "guess.csv"
    guess.write_bytes(as_csv(changed(place.labels, 15)))
    with listening(place) as url, chromium() as browser:
        page, site = None, url.removesuffix("/b/pets")

        def enter(name, to):
            nonlocal page
            page = browser.new_context(java_script_enabled=False).new_page()
            page.goto(f"{site}/sign-up?to={to}")
            person = Keyboard(page)
            person.write(name=name, password=PASSWORD)
            return person

        person = enter("ann", "/b/pets")
        person.go_to("a[href='/b/pets/submit']")
        person.press("Enter")
        person.write(name="blue")
        person.go_to("#file")
        with page.expect_file_chooser() as chooser:
            page.keyboard.press("Space")
        chooser.value.set_files(guess)
        person.go_to("#submit button")
        person.press("Enter")
        released = page.text_content("#released")
        assert float(released) == np.mean((changed(place.labels, 15) == place.labels)[::2])
        person.go_to("a[href='/b/pets/t/1']")
        person.press("Enter")
        person.go_to("button[aria-label='Choose submission 1']")
        person.press("Enter")
        assert "chosen" in page.text_content("tbody")
        person = enter("hal", f"/join/{secret}")
        person.go_to("a[href='/b/pets/host']")
        person.press("Enter")
        # Closing wants its box ticked: the browser says so before the server does.
        close = "form:has(input[name=action][value=close])"
        person.go_to(f"{close} button")
        page.keyboard.press("Enter")
        assert page.locator(f"{close} input[name=sure]:focus").count() == 1
        page.keyboard.press("Space")
        person.go_to(f"{close} button")
        person.press("Enter")
        assert "Done: closed: 1 teams ranked" in page.text_content("[role=status]")
        person.go_to("a[href='/b/pets/final']")
        person.press("Enter")
        assert "blue" in page.text_content("tbody")


@pytest.mark.parametrize(
    "page",
    ["/", "/b/pets", "/b/pets/rules", "/api/v1/boards/pets", "/api/v1/boards/pets/standings"],
)
def test_what_a_page_tells_is_of_one_moment(place, page, monkeypatch):
    """One transaction each: standings asked five times, and a look in between was in half of it."""
    storage, views = type(place.gatekeeper.ledger.storage.inner), []
    opened = storage.reading
    monkeypatch.setattr(storage, "reading", lambda self: views.append(page) or opened(self))
    with place.client() as client:
        for _ in range(2):
            views.clear()
            assert client.get(page).status_code == 200
            assert views == [page]
