"""Bad uploads that tell nothing and break nothing, tokens that are guessed, order by release."""

import contextlib
import gzip
import io
import zlib

import numpy as np
import pytest

from tests.server.conftest import CLASSES, Place, as_csv, bearer, write_labels
from tests.server.test_api import changed, send


def test_order_is_by_what_was_released_and_then_by_time(place):
    coarse = Place(
        place.url, place.folder, slug="coarse", n=200, seed=4, policy='release = "round:1"\n'
    )
    first, second = (coarse.token(coarse.team(name)) for name in ("worse but first", "better"))
    with coarse.client() as client:
        send(client, coarse, first, as_csv(changed(coarse.labels, 46)))
        send(client, coarse, second, as_csv(changed(coarse.labels, 38)))
        rows = client.get("/api/v1/boards/coarse/standings").json()["standings"]
    assert [(row["team"], row["released"]) for row in rows] == [
        ("worse but first", 0.8),
        ("better", 0.8),
    ]


def bad_uploads():
    ids = [f"{number + 100}" for number in range(60)]
    good = ["cat"] * 60

    def table(ids=ids, labels=good, header="id,label"):
        return "\n".join([header, *map(",".join, zip(ids, labels, strict=True))]).encode() + b"\n"

    def npy(array):
        file = io.BytesIO()
        np.save(file, array, allow_pickle=True)
        return file.getvalue()

    huge = npy(np.zeros(60, np.uint8)).replace(b"(60,)", b"(999999999,)")
    return {
        "empty": b"",
        "noise": bytes(range(256)),
        "unknown class": table(labels=["horse", *good[1:]]),
        "missing id": table(ids=["99", *ids[1:]]),
        "id twice": table(ids=["101", *ids[1:]]),
        "short": table(ids[:-1], good[:-1]),
        "long": table([*ids, "5000"], [*good, "cat"]),
        "blank": table(labels=["", *good[1:]]),
        "other header": table(header="a,b,c"),
        "pickle": npy(np.array([{"a": 1}] * 60, dtype=object)),
        "huge header": huge,
        "torn npy": npy(np.zeros(60, np.uint8))[:-5],
        "too large class": npy(np.full(60, 250, np.uint8)),
        "negative": npy(np.full(60, -1)),
        "floats": npy(np.full(60, 0.5)),
        "two dimensions": npy(np.zeros((60, 2), np.uint8)),
        "columns": b"id,label" + b",x" * 20_000 + b"\n",
        "one line": b"a" * 60_000,
        "utf-16": "id,label\n".encode("utf-16"),
        "formula": table(labels=["=1+1", *good[1:]]),
    }


@pytest.fixture(scope="module")
def two_boards(tmp_path_factory):
    """The same ids and public classes over other labels, of which one class does not occur."""
    policy = 'release = "exact"\nrefusals_per_team = 100\nclasses = ["bird", "cat", "dog"]\n'
    with contextlib.ExitStack() as stack:
        boards = []
        for seed in (0, 1):
            folder = tmp_path_factory.mktemp("labels")
            place = Place(str(folder / "ledger.db"), folder, seed=seed, policy=policy)
            if seed:
                place.labels_file.write_bytes(as_csv(place.labels % 2))
                file = str(place.labels_file)
                place.boards.change(place.board, place.phase(), "rotate", file, "test")
            token = place.token(place.team("blue"))
            boards.append((stack.enter_context(place.client()), place, token))
        yield boards


@pytest.mark.parametrize("name", bad_uploads())
def test_the_same_bad_file_on_two_label_sets_gives_equal_answers(two_boards, name):
    answers = [send(*board, bad_uploads()[name]) for board in two_boards]
    one, other = ((a.status_code, a.content, dict(a.headers)) for a in answers)
    assert one == other
    assert (one[0], answers[0].json()["type"]) == (422, "invalid_submission")


def test_a_class_that_does_not_occur_is_predicted_like_any_other(tmp_path, sqlite_url):
    place = Place(sqlite_url, tmp_path)
    labels_file = tmp_path / "fresh.csv"
    write_labels(labels_file, seed=5)
    labels_file.write_text(labels_file.read_text().replace("dog", "cat"))
    place.boards.change(place.board, place.phase(), "rotate", str(labels_file), "test")
    with place.client() as client:
        answer = send(client, place, place.token(place.team("blue")), as_csv(np.full(60, 2)))
    assert (answer.status_code, answer.json()["released"]) == (201, 0.0)


def test_bombs_and_floods_are_refused_before_they_are_read(place):
    token = place.token(place.team("blue"))
    bomb = gzip.compress(b"0" * 50_000_000)
    assert len(bomb) < 60_000
    with place.client() as client:
        packed = send(client, place, token, bomb, **{"Content-Encoding": "gzip"})
        large = send(client, place, token, b"0" * 200_000)
        odd = send(client, place, token, b"x", **{"Content-Encoding": "br"})
        torn = send(
            client, place, token, zlib.compress(b"x" * 99)[:-4], **{"Content-Encoding": "deflate"}
        )

        def endless():
            for _ in range(1000):
                yield b"0" * 1000

        streamed = send(client, place, token, endless())
    assert [r.status_code for r in (packed, large, streamed)] == [413] * 3
    assert [r.status_code for r in (odd, torn)] == [400, 400]
    assert [entry.kind for entry in place.entries()].count("refused") == 0


def test_header_injection_and_odd_names_change_nothing(place):
    token = place.token(place.team("blue"))
    odd = {"X-File-Name": "a\tb\x7f=1"}
    with place.client() as client:
        answer = send(client, place, token, as_csv(place.labels), **odd)
        shown = client.get("/api/v1/boards/pets/submissions", headers=bearer(token)).json()
        key = send(client, place, token, as_csv(place.labels), key="a b")
    assert answer.status_code == 201
    assert shown["submissions"][0]["file"] == "ab=1"
    assert (key.status_code, key.json()["type"]) == (400, "bad_request")


def test_tokens_are_guessed_slowly_and_say_why_they_fail(place):
    team = place.team("blue")
    old = place.token(team, days=-1)
    number = old.split("_")[1]
    with place.client(sign_ins="5/minute") as client:
        expired = client.get("/api/v1/tokens", headers=bearer(old))
        assert "expired on" in expired.json()["detail"]
        codes = [
            client.get("/api/v1/tokens", headers=bearer(f"hf_{number}_{guess}")).status_code
            for guess in range(6)
        ]
    assert expired.status_code == 401
    assert expired.headers["www-authenticate"].startswith("Bearer")
    assert codes[0] == 401
    assert codes[-1] == 429


def test_a_session_cookie_is_out_of_reach_of_scripts(place):
    with place.client(public_url="https://boards.example") as client:
        answer = client.post(
            "/sign-up",
            data={"name": "ann", "password": "long enough it is"},
            follow_redirects=False,
        )
    cookie = answer.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "secure", "samesite=lax"))


def test_a_ledger_that_cannot_be_written_releases_nothing(place, monkeypatch):
    """As a full disk: the commit fails after the score was computed."""
    from holdfast.errors import LedgerError
    from holdfast.ledger.storage.sql import Transaction

    token = place.token(place.team("blue"))
    put = Transaction.put_state

    def full(self, state):
        put(self, state)
        raise LedgerError("ledger /secret/place can't be used: disk is full. Nothing was released.")

    with place.client() as client:
        monkeypatch.setattr(Transaction, "put_state", full)
        refused = send(client, place, token, as_csv(place.labels), key="k")
        monkeypatch.undo()
        again = send(client, place, token, as_csv(place.labels), key="k")
    assert refused.status_code == 503
    assert refused.json()["detail"] == "The ledger can't be used. Nothing was released."
    assert "Retry-After" in refused.headers
    assert "/secret" not in refused.text
    assert again.status_code == 201


def test_classes_of_the_sample_are_the_boards(place):
    with place.client() as client:
        lines = client.get("/b/pets/sample").text.splitlines()
    assert lines[0] == "id,label"
    assert lines[1:] == [f"{number + 100},{CLASSES[0]}" for number in range(60)]
