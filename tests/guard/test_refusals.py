"""A refusal says nothing of the hidden labels, costs what the policy says, and is recorded."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from holdfast.cli import main
from holdfast.errors import BudgetExhausted, HoldfastError, InvalidQuery
from holdfast.guard import Guard, GuardedFile, Ledger, Policy
from holdfast.guard.adapters import kaggle
from holdfast.guard.adapters.frames import GuardedFrame
from holdfast.ledger import moments

IDS = np.arange(101, 141)
CLASSES = ("cat", "dog", "emu")
MANY = 10**6
UNREADABLE = "the platform reads it, and can't"


class Hidden:
    """Labels and parts of the same ids and classes; another seed gives other ones in other rows."""

    def __init__(self, folder, seed):
        rng = np.random.default_rng(seed)
        self.folder = folder / str(seed)
        self.folder.mkdir()
        self.ids = rng.permutation(IDS)
        self.labels = rng.permutation(np.resize(CLASSES, IDS.size))
        self.parts = rng.permutation(np.resize(["public", "private", "private"], IDS.size))
        self.path = self.folder / "solution.csv"
        rows = zip(self.ids, self.labels, self.parts, strict=True)
        self.path.write_text("id,label,split\n" + "".join(f"{i},{c},{p}\n" for i, c, p in rows))
        self.path.chmod(0o600)
        self.ledger = self.folder / "ledger.db"
        Ledger(self.ledger, create=True).close()

    def told(self):
        """Return what the ledger says of refusals."""
        with Ledger(self.ledger) as ledger:
            return [
                (entry.kind, entry.team, entry.detail, entry.team_looks, entry.data_set_looks)
                for entry in ledger.entries()
                if entry.team
            ]

    def released(self):
        with Ledger(self.ledger) as ledger:
            return [entry.released for entry in ledger.entries() if entry.kind == "look"]


@pytest.fixture
def two(tmp_path):
    one, other = Hidden(tmp_path, 1), Hidden(tmp_path, 2)
    assert (one.labels != other.labels).any()
    assert (one.parts != other.parts).any()
    return one, other


def csv(ids=IDS, labels="cat", header="id,label"):
    labels = [labels] * len(ids) if isinstance(labels, str) else labels
    return (
        header + "\n" + "".join(f"{i},{c}\n" for i, c in zip(ids, labels, strict=True))
    ).encode()


BAD = {
    "one row": csv(IDS[:1]),
    "one row of another class": csv(IDS[:1], "gnu"),
    "a row missing": csv(IDS[1:]),
    "the last row missing": csv(IDS[:-1]),
    "a row too many": csv([*IDS, 999]),
    "an id twice": csv([*IDS[:-1], IDS[0]]),
    "other ids": csv(IDS + 7),
    "other ids and classes": csv(IDS + 7, "gnu"),
    "ids as text": csv([f"x{i}" for i in IDS]),
    "an unknown class": csv(IDS, [*["cat"] * 39, "gnu"]),
    "unknown classes": csv(IDS, "gnu"),
    "a class in capitals": csv(IDS, [*["cat"] * 39, "CAT"]),
    "a class of 300 letters": csv(IDS, [*["cat"] * 39, "g" * 300]),
    "a blank class": csv(IDS, [*["cat"] * 39, ""]),
    "numbers": csv(IDS, ["1.5"] * 40),
    "no header": csv(IDS[1:], header="101,cat"),
    "another header": csv(IDS, header="row,prediction,x"),
    "three values": csv(IDS) + b"1,2,3\n",
    "empty": b"",
    "a header alone": b"id,label\n",
    "not text": b"\xff\xfe\x00\x01",
    "other bytes": csv(IDS) + b"\xc3\x28,cat\n",
    "no table": b"\x93NUMPY\x01\x00v\x00{'descr': '<i8'",
    "an open quote": csv(IDS) + b'"',
}


def shown(error):
    """Return all that an exception tells, down to what it came from."""
    chain = [error]
    while chain[-1].__cause__ or chain[-1].__context__:
        chain.append(chain[-1].__cause__ or chain[-1].__context__)
    # The reason is the message again, unless it says more.
    return [
        (
            type(each).__name__,
            str(each),
            each.args,
            {k: v for k, v in vars(each).items() if (k, v) != ("reason", str(each))},
        )
        for each in chain
    ]


def refusal(call):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - which one is compared
        call()
    assert isinstance(caught.value, HoldfastError | kaggle.ParticipantVisibleError)
    return shown(caught.value)


def kaggle_call(hidden, path, capfd):
    solution = pd.read_csv(hidden.path)
    try:
        submission = pd.read_csv(path)
    except (ValueError, pd.errors.ParserError):
        return UNREADABLE
    return refusal(lambda: kaggle.score(solution, submission, "id"))


def score_json_call(hidden, path, capfd):
    files = ("--policy", hidden.folder.parent / "policy.toml", "--labels", hidden.path)
    options = (*files, "--ledger", hidden.ledger, "--submission", path, "--team", "blue", "--json")
    code = main(["score", *map(str, options)])
    return code, *capfd.readouterr()


def gate_call(hidden, path, capfd):
    files = ("--policy", hidden.folder.parent / "policy.toml", "--labels", hidden.path)
    options = (*files, "--ledger", hidden.ledger, "--baseline", path, "--candidate", path)
    code = main(["gate", *map(str, options)])
    return code, *capfd.readouterr()


CALLS = [kaggle_call, score_json_call, gate_call]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_a_bad_file_is_told_the_same_whatever_the_labels_and_parts_are(
    call, two, tmp_path, monkeypatch, capfd
):
    policy = tmp_path / "policy.toml"
    policy.write_text(f'release = "exact"\nrefusals_per_team = {MANY}\n')
    monkeypatch.setenv("HOLDFAST_POLICY", str(policy))
    path, told_by = tmp_path / "guess.csv", []
    for kind, content in BAD.items():
        path.write_bytes(content)
        told = []
        for hidden in two:
            monkeypatch.setenv("HOLDFAST_LEDGER", str(hidden.ledger))
            told.append(call(hidden, path, capfd))
            assert str(hidden.folder) not in str(told[-1]), kind
        assert told[0] == told[1], kind
        told_by.append(str(told[0]))
    assert len(set(told_by)) > len(BAD) / 2  # they do say what is wrong
    records = [hidden.told() for hidden in two]
    assert records[0] == records[1]
    # Kaggle's own reader meets some of them first; all others come to the guard and are recorded.
    assert [entry[0] for entry in records[0]] == ["refused"] * (
        len(BAD) - told_by.count(UNREADABLE)
    )
    assert [hidden.released() for hidden in two] == [[], []]


def mutated(rng):
    """Return a good file with one to three things wrong in it."""
    rows = [f"{i},{c}".encode() for i, c in zip(IDS, rng.choice(CLASSES, IDS.size), strict=True)]
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(rows)))
        row = bytearray(rows[at])
        kind = rng.integers(5)
        if kind == 0:
            del rows[at]
        elif kind == 1:
            rows.insert(int(rng.integers(len(rows))), rows[at])
        elif kind == 2 and row:
            row[rng.integers(len(row))] = rng.integers(256)
            rows[at] = bytes(row)
        elif kind == 3:
            rows[at] = row.split(b",")[0] + b"," + rng.choice([b"gnu", b"1", b"nan", b'"', b""])
        else:
            rows[at] = rng.choice([b"7", b"", b"101,", b"x"]) + b"," + row.split(b",")[-1]
    return b"id,label\n" + b"\n".join(rows) + b"\n"


def test_many_mutated_files_are_told_the_same(two, tmp_path):
    policy = Policy("exact", refusals_per_team=MANY, looks_per_team=MANY)
    hosts = [GuardedFile(hidden.path, policy, hidden.ledger) for hidden in two]
    rng, path, bad = np.random.default_rng(9), tmp_path / "guess.csv", 0
    for _ in range(120):
        path.write_bytes(mutated(rng))
        told = []
        for host in hosts:
            try:
                receipt = host.score(path, team="blue")
                told.append((receipt.looks_left, receipt.part, receipt.repeated))
            except InvalidQuery as error:
                told.append(shown(error))
        assert told[0] == told[1]
        bad += isinstance(told[0], list)
    assert bad > 80
    assert [entry[:3] for entry in two[0].told()] == [entry[:3] for entry in two[1].told()]


def test_no_message_names_a_hidden_class_unless_the_policy_declares_it(two, tmp_path):
    path = tmp_path / "guess.csv"
    path.write_bytes(csv(IDS, "gnu"))
    told = {}
    for hidden, classes in zip(two, (None, (*CLASSES, "fox")), strict=True):
        policy = Policy("exact", classes=classes)
        with pytest.raises(InvalidQuery) as caught:
            GuardedFile(hidden.path, policy, hidden.ledger).score(path, team="blue")
        told[classes] = str(caught.value)
    assert told.popitem()[1] == (
        "submission must hold only known classes (cat, dog, emu, fox), got 'gnu' at id '101'."
    )
    assert told[None] == "submission must hold only known classes, got 'gnu' at id '101'."


def test_a_declared_class_that_never_occurs_may_be_predicted(two, tmp_path):
    path = tmp_path / "guess.csv"
    path.write_bytes(csv(IDS, "fox"))
    policy = Policy("exact", classes=(*CLASSES, "fox"))
    assert GuardedFile(two[0].path, policy, two[0].ledger).score(path, team="b").released == 0.0


def test_class_numbers_are_refused_without_their_range(tmp_path):
    np.save(tmp_path / "truth.npy", np.array([0, 1, 2, 0]))
    (tmp_path / "truth.npy").chmod(0o600)
    host = GuardedFile(
        tmp_path / "truth.npy", Policy("exact"), Ledger(tmp_path / "l.db", create=True)
    )
    np.save(tmp_path / "guess.npy", np.array([0, 7, 1, 2]))
    with pytest.raises(InvalidQuery) as caught:
        host.score(tmp_path / "guess.npy", team="blue")
    assert str(caught.value) == "submission must hold only known classes, got '7' at row 2."


def test_one_row_files_tell_no_part_and_no_class_of_any_row(two, tmp_path):
    """What told the part of 40 rows of 40 by the words of the refusal: now there is one."""
    host = GuardedFile(two[0].path, Policy("exact", refusals_per_team=MANY), two[0].ledger)
    told, path = set(), tmp_path / "guess.csv"
    for id_ in IDS:
        for label in ("cat", "gnu")[: 1 + (id_ % 10 == 0)]:
            path.write_bytes(csv([id_], label))
            told.add(str(refusal(lambda: host.score(path, team="blue"))))
    assert told == {str([("InvalidQuery", m, (m,), {})]) for m in (
        "submission must have 40 rows, one per example, got 1.",
    )}  # fmt: skip
    assert [entry[0] for entry in two[0].told()] == ["refused"] * 44


def test_the_row_that_is_missing_is_named_alike_in_every_part(two, tmp_path):
    host = GuardedFile(two[0].path, Policy("exact", refusals_per_team=MANY), two[0].ledger)
    path, told = tmp_path / "guess.csv", set()
    for at, id_ in enumerate(IDS):
        path.write_bytes(csv([*IDS[:at], 999, *IDS[at + 1 :]]))
        with pytest.raises(InvalidQuery) as caught:
            host.score(path, team="blue")
        told.add(str(caught.value).replace(str(id_), "ID"))
    assert told == {"submission must have a row for every id, got none for 'ID' (1 missing)."}


def test_a_change_of_one_prediction_is_a_new_look_in_every_part(two, tmp_path):
    """Otherwise "answered before" would tell, at no cost, that a row is private."""
    policy = Policy("round:0", looks_per_team=100)
    host, path = GuardedFile(two[0].path, policy, two[0].ledger), tmp_path / "guess.csv"
    for at in range(len(IDS)):
        path.write_bytes(csv(IDS, [*["cat"] * at, "dog", *["cat"] * (len(IDS) - at - 1)]))
        receipt = host.score(path, team="blue")
        assert (receipt.repeated, receipt.looks_left) == (False, 99 - at)


@pytest.mark.parametrize("failed", ["free", "look"])
def test_every_refusal_is_recorded_with_its_cost(failed, ledger_url):
    guard = Guard([0, 1, 1], Policy("exact", failed=failed), Ledger(ledger_url, create=True))
    for wrong in ([0, 1], [0, 1, 7], [0.5, 1, 1]):
        with pytest.raises(InvalidQuery):
            guard.score(wrong, team="blue")
    entries = guard.ledger.entries()[1:]
    kind, cost = ("refused", 0) if failed == "free" else ("failed", 1)
    assert [entry.kind for entry in entries] == [kind] * 3
    assert [entry.team_looks for entry in entries] == [cost, 2 * cost, 3 * cost]
    assert "length 3, got 2" in entries[0].detail
    assert guard.ledger.verify().ok


def test_beyond_the_limit_no_file_is_read_and_nothing_is_written(two, tmp_path, monkeypatch):
    clock = [1_800_000_000 * 10**9]
    monkeypatch.setattr(moments, "time", SimpleNamespace(time_ns=lambda: clock[0]))
    policy = Policy("exact", window="day", refusals_per_team=3)
    host = GuardedFile(two[0].path, policy, two[0].ledger)
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_bytes(csv())
    bad.write_bytes(BAD["one row"])
    for _ in range(3):
        with pytest.raises(InvalidQuery):
            host.score(bad, team="blue")
    before, told = len(two[0].told()), set()
    for path in (bad, good, tmp_path / "nothing.csv", tmp_path):
        with pytest.raises(BudgetExhausted) as caught:
            host.score(path, team="blue")
        told.add(str(shown(caught.value)))
    assert len(told) == 1
    assert (
        "3 submissions of blue could not be scored; no more are read until 2027-01-16" in told.pop()
    )
    assert len(two[0].told()) == before
    assert host.score(good, team="red").part == "public"  # each team has its own limit
    clock[0] += 86_400 * 10**9
    assert host.score(good, team="blue").part == "public"


def test_the_limit_holds_for_arrays_and_for_those_who_were_let_in_together(tmp_path):
    policy = Policy("exact", refusals_per_team=2)
    guard = Guard([0, 1, 1], policy, Ledger(tmp_path / "ledger.db", create=True))
    guard.admit(team="blue")
    for _ in range(2):
        with pytest.raises(InvalidQuery):
            guard.score([0], team="blue")
    with pytest.raises(BudgetExhausted) as caught:
        guard.score([7, 7, 7], team="blue")
    assert shown(caught.value) == [
        (
            "BudgetExhausted",
            "2 submissions of blue could not be scored; no more are read.",
            ("2 submissions of blue could not be scored; no more are read.",),
            {"next_allowed_at": None},
        )
    ]
    with pytest.raises(BudgetExhausted):
        guard.admit(team="blue")
    assert [entry.kind for entry in guard.ledger.entries()] == ["opened", "refused", "refused"]


def test_frames_with_parts_are_matched_with_the_whole_solution(two):
    frame = pd.read_csv(two[0].path)
    host = GuardedFrame(frame, Policy("exact"), str(two[0].ledger), id_column="id")
    guess = frame[["id", "label"]].copy()
    guess.loc[frame["split"] == "public", "label"] = "cat"
    public = frame["split"] == "public"
    receipt = host.score(guess, team="blue")
    assert receipt.part == "public"
    assert receipt.released == pytest.approx((frame[public]["label"] == "cat").mean())
    with pytest.raises(InvalidQuery, match="must have 40 rows"):
        host.score(guess[public], team="blue")


def test_a_frame_of_whole_floats_holds_whole_numbers(tmp_path):
    solution = pd.DataFrame({"id": [1, 2, 3], "label": [0, 1, 1]})
    host = GuardedFrame(
        solution, Policy("exact"), Ledger(tmp_path / "l.db", create=True), id_column="id"
    )
    assert host.score(solution.assign(label=[0.0, 1.0, 0.0]), team="b").released == pytest.approx(
        2 / 3
    )


def test_json_refusals_say_no_more_than_the_message(two, tmp_path, capfd):
    (tmp_path / "policy.toml").write_text('release = "exact"\n')
    (tmp_path / "guess.csv").write_bytes(BAD["one row"])
    code, out, err = score_json_call(two[0], tmp_path / "guess.csv", capfd)
    message = "submission must have 40 rows, one per example, got 1."
    assert (code, err) == (1, f"error: {message}\n")
    assert json.loads(out) == {"team": "blue", "released": None, "error": message}
