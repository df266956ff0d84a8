"""Programs that ask a board: nothing is spent twice, and attacks play it as they play an array."""

import json
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import numpy as np
import pytest

from holdfast import Problem, attacks, play
from holdfast.attacks.registry import attack_names
from holdfast.cli import main
from holdfast.client import BoardClient
from holdfast.errors import (
    BoardUnreachable,
    BudgetExhausted,
    InvalidInput,
    InvalidQuery,
    LedgerError,
    TranscriptMismatch,
)
from holdfast.ledger.storage.sql import Transaction
from holdfast.oracles import LabelOracle, Remote
from tests.server.conftest import Place, as_csv, free_port, listening, write_labels
from tests.server.test_api import changed

EXACT = 'release = "exact"\nlooks_per_team = 60\nlooks_per_data_set = 1000\n'


def looks(place):
    return [entry for entry in place.entries() if entry.kind == "look"]


@pytest.mark.parametrize("attack", [attacks.BlockMajority, attacks.ChampionChallenger])
def test_an_attack_plays_a_board_bit_for_bit_as_an_array(sqlite_url, tmp_path, attack):
    """The story does the same on PostgreSQL."""
    place = Place(sqlite_url, tmp_path, policy=EXACT, n=200)
    with listening(place) as url:
        remote = Remote(url, place.token(place.team("red")))
        assert tuple(remote.problem) == (200, 3, 60)
        over_http = play(attack(remote.problem, rng=np.random.default_rng(4)), remote)
    local = LabelOracle(place.labels, problem=remote.problem)
    assert np.array_equal(
        over_http, play(attack(remote.problem, rng=np.random.default_rng(4)), local)
    )
    assert len(looks(place)) == len(remote.receipts) == 60 - remote.looks_left
    assert place.gatekeeper.ledger.verify(receipts=remote.receipts).ok


class Stopped(Exception):
    """The process ends here."""


@pytest.mark.parametrize("stop_after", [1, 17])
@pytest.mark.parametrize("answered", [True, False])
def test_a_run_goes_on_after_a_stop_and_spends_no_look_twice(
    place, tmp_path, stop_after, answered, monkeypatch
):
    """Stopped after so many looks, before or after the last answer was written down."""
    policy = 'release = "exact"\nlooks_per_team = 30\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    token = place.token(place.team("red"))
    state = tmp_path / "state.jsonl"

    def run(stop=None):
        with listening(place) as url:
            remote = Remote(url, token, state=state)
            attack = attacks.ChampionChallenger(remote.problem, rng=np.random.default_rng(1))
            if stop is not None:
                submit = remote.client.submit

                def once_too_often(*arguments, **settings):
                    told = submit(*arguments, **settings)
                    if len(looks(place)) == stop:
                        raise Stopped
                    return told

                if answered:
                    record = remote.state.record

                    def then_stop(look, *values):
                        record(look, *values)
                        if look + 1 == stop:
                            raise Stopped

                    monkeypatch.setattr(remote.state, "record", then_stop)
                else:
                    monkeypatch.setattr(remote.client, "submit", once_too_often)
            return play(attack, remote)

    port = free_port()  # the address is part of the run
    monkeypatch.setattr("tests.server.conftest.free_port", lambda: port)
    with pytest.raises(Stopped):
        run(stop_after)
    resumed = run()
    local = LabelOracle(place.labels, problem=Problem(60, 3, 30))
    attack = attacks.ChampionChallenger(local.problem, rng=np.random.default_rng(1))
    assert np.array_equal(resumed, play(attack, local))
    assert len(looks(place)) == 30 - local.looks_left


def test_a_state_of_another_run_is_refused(place, tmp_path):
    state = tmp_path / "state.jsonl"
    with listening(place) as url:
        token = place.token(place.team("red"))
        for seed in (0, 1):
            remote = Remote(url, token, state=state, n_queries=5)
            attack = attacks.BlockMajority(remote.problem, rng=np.random.default_rng(seed))
            if seed == 0:
                play(attack, remote)
        with pytest.raises(TranscriptMismatch, match="look 1 asked something else"):
            play(attack, remote)
        with pytest.raises(TranscriptMismatch, match="its run is another"):
            Remote(url, token, state=state, run="other")
    assert len(looks(place)) == 5


def test_a_torn_last_line_is_forgotten(place, tmp_path):
    state = tmp_path / "state.jsonl"
    with listening(place) as url:
        token = place.token(place.team("red"))
        play_once = lambda remote: [remote.query(np.full(60, c)) for c in range(3)]  # noqa: E731
        first = play_once(Remote(url, token, state=state))
        state.write_bytes(state.read_bytes()[:-9])
        assert play_once(Remote(url, token, state=state)) == first
    assert len(looks(place)) == 3
    state.write_text("{}\n")
    with (
        listening(place) as url,
        pytest.raises(InvalidInput, match="start with a holdfast-run-1 header"),
    ):
        Remote(url, token, state=state)


def test_the_boards_window_is_waited_for(place):
    policy = 'release = "exact"\nlooks_per_team = 1\nwindow = "1 seconds"\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    token = place.token(place.team("red"))
    slept = []

    def sleep(seconds):
        import time

        slept.append(seconds)
        time.sleep(seconds)

    with listening(place) as url:
        remote = Remote(url, token, wait=True, sleep=sleep)
        assert [remote.query(np.full(60, c)) for c in range(2)] == [
            np.mean(place.labels == c) for c in range(2)
        ]
        impatient = Remote(url, token)
        with pytest.raises(BudgetExhausted) as caught:
            impatient.query(np.full(60, 2))
    assert slept
    assert caught.value.next_allowed_at is not None


def test_answers_of_a_batch_come_together(place):
    policy = 'release = "batch:3"\nlooks_per_team = 9\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    with listening(place) as url:
        remote = Remote(url, place.token(place.team("red")))
        attack = attacks.BlockMajority(remote.problem, rng=np.random.default_rng(0))
        guess = play(attack, remote)
    local = LabelOracle(place.labels, problem=remote.problem)
    attack = attacks.BlockMajority(remote.problem, rng=np.random.default_rng(0))
    assert np.array_equal(guess, play(attack, local))
    assert len(looks(place)) == 9


class Flaky(BaseHTTPRequestHandler):
    """Answers as the list says: a status, or None for a broken connection."""

    script: ClassVar[list] = []
    seen: ClassVar[list] = []

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        Flaky.seen.append(self.headers["Idempotency-Key"])
        what = Flaky.script.pop(0)
        if what is None:
            self.close_connection = True
            self.wfile.write(b"")
            self.connection.close()
            return
        status, body, headers = what
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


GOOD = {
    "id": 1, "released": 0.5, "meaning": "m", "new_best": None, "own": True, "part": "all",
    "repeated": False, "looks_left": 3, "next_allowed_at": None, "receipt_id": "2-ab",
}  # fmt: skip


@pytest.fixture
def flaky():
    server = HTTPServer(("127.0.0.1", 0), Flaky)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Flaky.seen = []
    pauses = []
    client = BoardClient(
        f"http://127.0.0.1:{server.server_port}/b/pets", "t", patience=1000, sleep=pauses.append
    )

    def send(*script):
        Flaky.script = list(script)
        return client.submit(b"x", key="the-key")

    yield send, pauses
    server.shutdown()
    server.server_close()
    thread.join()


def test_what_was_not_answered_is_sent_again_with_the_same_key(flaky):
    send, pauses = flaky
    busy = (429, {"type": "too_fast", "detail": "slow"}, {"Retry-After": "7"})
    gateway = (502, {}, {})
    told = send(None, gateway, busy, (503, {}, {}), (201, GOOD, {}))
    assert told.released == 0.5
    assert Flaky.seen == ["the-key"] * 5
    assert len(pauses) == 4
    assert pauses[2] >= 7
    assert all(0.1 <= pause <= 30 for pause in pauses)


@pytest.mark.parametrize(
    ("status", "word", "error"),
    [
        (422, "invalid_submission", InvalidQuery),
        (409, "no_look_left", BudgetExhausted),
        (409, "phase_closed", BudgetExhausted),
        (422, "key_reused", InvalidInput),
        (401, "not_signed_in", InvalidInput),
        (413, "too_large", InvalidInput),
    ],
)
def test_what_was_refused_is_not_sent_again(flaky, status, word, error):
    send, pauses = flaky
    with pytest.raises(error, match="because"):
        send((status, {"type": word, "detail": "because"}, {}))
    assert (len(Flaky.seen), pauses) == (1, [])


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ({"released": 1.0}, "a receipt"),
        ({**GOOD, "released": float("nan")}, "what is no finite number"),
        ({**GOOD, "released": "<b>"}, "what is no finite number"),
        ({**GOOD, "looks_left": "3"}, "a proper looks_left"),
        ([], "a receipt"),
    ],
)
def test_an_answer_that_is_no_receipt_is_none(flaky, answer, missing):
    send, _ = flaky
    with pytest.raises(BoardUnreachable, match=missing):
        send((200, answer, {}))


def test_patience_ends():
    url = f"http://127.0.0.1:{free_port()}/b/pets"
    time = iter(range(0, 10_000, 20))
    client = BoardClient(url, "t", patience=60, sleep=lambda _: None, now=lambda: next(time))
    with pytest.raises(BoardUnreachable, match="costs nothing twice"):
        client.board()


def test_days_of_attempts_are_as_far_apart_as_the_longest_pause(monkeypatch):
    pauses = []
    client = BoardClient(
        f"http://127.0.0.1:{free_port()}/b/pets", "t", patience=3000, sleep=pauses.append,
        now=lambda: len(pauses),
    )  # fmt: skip
    monkeypatch.setattr("holdfast.client.http.random.uniform", lambda _, longest: longest)
    with pytest.raises(BoardUnreachable):
        client.board()
    # More than 1,024 of them, after which a pause that doubled would be no number.
    assert len(pauses) > 2900
    assert pauses[:10] == [min(0.1 * 2**attempt, 30.0) for attempt in range(10)]
    assert set(pauses[9:]) == {30.0}


def test_a_ledger_that_fails_is_said_to_have_released_nothing(flaky):
    send, _ = flaky
    told = {"type": "ledger_unavailable", "detail": "It fails. Nothing was released."}
    client_time = [(503, told, {"Retry-After": "2000"})]
    with pytest.raises(LedgerError, match="Nothing was released"):
        send(*client_time)


@pytest.mark.parametrize("url", ["", "pets", "ftp://x/b/pets", "http://x/pets", "http://x/b/A b"])
def test_an_address_must_be_that_of_a_board(url):
    with pytest.raises(InvalidInput, match="board must be an address like"):
        BoardClient(url)


# The commands.


@pytest.fixture
def command(monkeypatch, capsys):
    def run(*arguments, token=None):
        if token is None:
            monkeypatch.delenv("HOLDFAST_TOKEN", raising=False)
        else:
            monkeypatch.setenv("HOLDFAST_TOKEN", token)
        code = main([str(argument) for argument in arguments])
        return code, capsys.readouterr()

    return run


def test_submit_has_the_exit_codes_of_score(place, tmp_path, command, monkeypatch):
    policy = 'release = "exact"\nlooks_per_team = 1\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    token = place.token(place.team("Blue"))
    good, bad, other = (tmp_path / name for name in ("good.csv", "bad.csv", "other.csv"))
    good.write_bytes(as_csv(place.labels))
    bad.write_text("hello\n")
    other.write_bytes(as_csv((place.labels + 1) % 3))

    def full(*_):
        raise LedgerError("the disk is full")

    with listening(place) as url:
        with monkeypatch.context() as disk:
            disk.setattr(Transaction, "put_state", full)
            code, said = command("submit", good, "--board", url, "--patience", "0", token=token)
        assert (code, said.out) == (4, "")
        assert said.err == "error: The ledger can't be used. Nothing was released.\n"
        code, said = command("submit", good, "--board", url, "--json", token=token)
        assert code == 0
        assert json.loads(said.out)["released"] == 1.0
        code, said = command("submit", good, "--board", url, token=token)
        assert code == 0
        assert "released   1.0 (from the record)" in said.out
        code, said = command("submit", bad, "--board", url, token=token)
        assert (code, said.out) == (1, "")
        code, said = command("submit", other, "--board", url, "--json", token=token)
        assert (code, json.loads(said.out)["released"]) == (3, None)
        assert said.err == "error: all looks of Blue on this data set are used up.\n"
        code, said = command("submit", good, "--board", url, token="hf_x_y")
        assert (code, said.err) == (2, "error: the board refused: The token is not valid.\n")
    code, said = command("submit", good, "--board", url, "--patience", "0", token=token)
    assert (code, "costs nothing twice" in said.err) == (5, True)
    assert len(looks(place)) == 1


def test_submit_names_the_rows_that_break_a_rule(place, tmp_path, command):
    lines = as_csv(place.labels).decode().splitlines()
    lines[3], lines[5], lines[7] = "102,cow", "9999,cat", "106,cat,dog"
    bad = tmp_path / "bad.csv"
    bad.write_text("\n".join(lines))
    token = place.token(place.team("Blue"))
    with listening(place) as url:
        code, said = command("submit", bad, "--board", url, token=token)
        assert (code, said.out) == (1, "")
        assert said.err.splitlines()[0].startswith("error: submission")
        assert said.err.splitlines()[1:] == [
            "line 4: label must be a known class, got 'cow'",
            "line 6: id must be an id of the test set, got '9999'",
            "line 8: the row must have 2 values, got '3'",
        ]
        code, said = command("submit", bad, "--board", url, "--json", token=token)
    assert [row["line"] for row in json.loads(said.out)["rows"]] == [4, 6, 8]


def test_a_file_is_another_submission_in_another_phase(place, tmp_path, command):
    token = place.token(place.team("Blue"))
    guess, fresh = tmp_path / "guess.csv", tmp_path / "fresh.csv"
    guess.write_bytes(as_csv(changed(place.labels, 9)))
    new = write_labels(fresh, seed=5)

    def released():
        code, said = command("submit", guess, "--board", url, token=token)
        assert code == 0, said.err
        return said.out.splitlines()[0].removeprefix("released   ")

    with listening(place) as url:
        assert [released() for _ in range(2)] == ["0.85", "0.85 (from the record)"]
        act = partial(place.boards.change, place.board)
        act(place.phase(), "policy", 'release = "ladder:0.1"\n', "test")
        assert [released() for _ in range(2)] == ["0.9", "0.9 (from the record)"]
        act(place.phase(), "rotate", str(fresh), "test")
        value = round(np.mean(new == changed(place.labels, 9)), 1)
        assert [released() for _ in range(2)] == [str(value), f"{value} (from the record)"]
    assert len(looks(place)) == 3


def test_an_attack_asks_fresh_labels_anew(place, tmp_path):
    token, query = place.token(place.team("Blue")), changed(place.labels, 6)
    new = write_labels(tmp_path / "fresh.csv", seed=5)
    with listening(place) as url:
        assert Remote(url, token).query(query) == 0.9
        place.boards.change(
            place.board, place.phase(), "rotate", str(tmp_path / "fresh.csv"), "test"
        )
        assert Remote(url, token).query(query) == np.mean(new == query)


def test_a_token_comes_from_a_file_of_ones_own(place, tmp_path, command):
    file, good = tmp_path / "token", tmp_path / "good.csv"
    file.write_text(place.token(place.team("blue")) + "\n")
    good.write_bytes(as_csv(place.labels))
    file.chmod(0o644)
    with listening(place) as url:
        code, said = command("submit", good, "--board", url, "--token-file", file)
        assert (code, "readable by its owner alone" in said.err) == (2, True)
        file.chmod(0o600)
        assert command("submit", good, "--board", url, "--token-file", file)[0] == 0
        code, said = command("submit", good, "--board", url)
        assert (code, "HOLDFAST_TOKEN" in said.err) == (2, True)


def test_attack_plays_a_board_and_goes_on(place, tmp_path, command):
    policy = 'release = "exact"\nlooks_per_team = 21\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    token = place.token(place.team("red"))
    name = attack_names()[0]
    guess = tmp_path / "guess.npy"
    with listening(place) as url:
        arguments = ("attack", name, "--board", url, "--resume", tmp_path / "state.jsonl",
                     "--out", guess, "--json")  # fmt: skip
        code, said = command(*arguments, token=token)
        assert code == 0, said.err
        told = json.loads(said.out)
        assert told["problem"]["n_queries"] == 20
        assert told["released"] == np.mean(np.load(guess) == place.labels)
        code, said = command(*arguments, token=token)
        assert code == 0, said.err
        assert json.loads(said.out)["released"] == told["released"]
    assert len(looks(place)) == told["looks"] + 1


@pytest.mark.parametrize("looks_wanted", [30, 20])
def test_an_attack_that_the_budget_stops_says_so_by_its_exit_code(
    place, tmp_path, command, looks_wanted
):
    """Stopped in the middle, or with no look for its final guess."""
    policy = 'release = "exact"\nlooks_per_team = 20\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    token, guess = place.token(place.team("Red")), tmp_path / "guess.npy"
    state = tmp_path / "state.jsonl"
    with listening(place) as url:
        arguments = ["attack", "block-majority", "--board", url, "--looks", looks_wanted]
        arguments += ["--out", guess, "--resume", state]
        code, said = command(*arguments, "--json", token=token)
        told = json.loads(said.out)
        assert (code, told["released"], told["looks_left"]) == (3, None, 0)
        assert told["refused"] == "all looks of Red on this data set are used up."
        assert np.load(guess).size == 60
        code, said = command(*arguments, token=token)
        assert code == 3
        assert "It was stopped: all looks of Red" in " ".join(said.out.split())
    assert len(looks(place)) == 20


@pytest.mark.parametrize("policy", ['release = "ladder:0.01"', 'metric = "f1_macro"'])
def test_an_attack_that_the_rule_tells_too_little_is_not_begun(place, command, policy):
    policy = policy if "release" in policy else f'release = "exact"\n{policy}'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    token = place.token(place.team("Red"))
    with listening(place) as url:
        code, said = command("attack", "lattice", "--board", url, "--looks", "40", token=token)
    assert code == 2
    assert "lattice must be told exact accuracies" in said.err
    assert "No look was spent." in said.err
    assert ("suits it" in said.err) == ("metric" not in policy)
    assert looks(place) == []


def test_an_attack_that_an_answer_leaves_without_labels_reports_what_it_has(
    place, command, monkeypatch, tmp_path
):
    from holdfast.oracles import Remote

    told = Remote.query
    monkeypatch.setattr(Remote, "query", lambda self, query: told(self, query) / 3)
    token, guess = place.token(place.team("Red")), tmp_path / "guess.npy"
    with listening(place) as url:
        arguments = ("attack", "lattice", "--board", url, "--looks", "40", "--out", guess)
        arguments += ("--resume", tmp_path / "state.jsonl")
        code, said = command(*arguments, "--json", token=token)
        spent = len(looks(place))
        again, shown = command(*arguments, token=token)
    assert code == again == 1
    told = json.loads(said.out)
    assert "Query" in told["unexplained"]
    assert told["released"] is not None
    assert 0 < told["looks"] < 40
    assert "It was stopped: Query" in " ".join(shown.out.split())
    assert len(looks(place)) == spent  # the same run again costs nothing
    assert np.load(guess).size == 60


@pytest.mark.parametrize(
    ("error", "code"), [(LedgerError("full"), 4), (InvalidQuery("bad"), 1)], ids=["ledger", "query"]
)
def test_an_attack_has_the_exit_codes_of_score(place, command, monkeypatch, error, code):
    def refused(*arguments, **settings):
        raise error

    monkeypatch.setattr(BoardClient, "submit", refused)
    token = place.token(place.team("Red"))
    with listening(place) as url:
        arguments = ("attack", "block-majority", "--looks", "9", "--board", url)
        told, said = command(*arguments, token=token)
    assert (told, said.err.splitlines()[-1]) == (code, f"error: {error}")
