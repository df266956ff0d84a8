"""How files are read and what decides: keys of the policy, and options for one version more."""

import numpy as np
import pytest

from holdfast.audit import read_request
from holdfast.cli.deprecated import IN_POLICY
from holdfast.guard import Ledger, Policy

N = 60
COLUMNS = 'id_column = "key"\nlabel_column = "answer"\n'
KEYS = "part", "final", "final_choices", "id_column", "label_column", "shared_labels"


@pytest.fixture
def files(tmp_path):
    """Labels whose columns nobody could guess, of two parts, and submissions like them."""
    rng = np.random.default_rng(7)
    truth, ids = rng.choice(["cat", "dog"], N), rng.permutation(N)
    parts = np.where(np.arange(N) < N // 2, "Public", "Private")

    class Files:
        labels, policy = tmp_path / "truth.csv", tmp_path / "policy.toml"
        ledger, board = tmp_path / "ledger.db", tmp_path / "board.db"

        def submit(self, name, wrong):
            guess = np.where(np.arange(N) < wrong, "cow", truth)
            guess = np.where(guess == "cow", np.where(truth == "cat", "dog", "cat"), guess)
            rows = zip(ids, np.arange(N), guess, strict=True)
            path = tmp_path / name
            path.write_text("key,row,answer\n" + "".join(f"{i},{j},{y}\n" for i, j, y in rows))
            return path

        def says(self, text):
            self.policy.write_text(f'release = "exact"\n{text}')

        def host(self):
            return ("--policy", self.policy, "--labels", self.labels, "--ledger", self.ledger)

    found = Files()
    rows = zip(ids, np.arange(N), truth, parts, strict=True)
    told = "".join(f"{i},{j},{y},{part}\n" for i, j, y, part in rows)
    found.labels.write_text(f"key,row,answer,Usage\n{told}")
    found.labels.chmod(0o600)
    Ledger(found.ledger, create=True).close()
    return found


def test_every_command_with_a_policy_reads_columns_from_it(holdfast, files):
    files.says(COLUMNS)
    new, old = files.submit("new.csv", 0), files.submit("old.csv", N)
    looked = holdfast("score", *files.host(), "--submission", new, "--team", "a", "--json")
    assert (looked.code, looked.json["released"], looked.err) == (0, 1.0, "")
    named = ("--receipt", looked.json["receipt_id"], "--team", "a")
    assert holdfast("choose", *files.host(), *named).code == 0
    gated = holdfast("gate", *files.host(), "--baseline", old, "--candidate", new, "--json")
    assert (gated.code, gated.json["passed"]) == (0, True)
    closed = holdfast("close", *files.host(), "--json")
    assert (closed.code, closed.json["n_examples"]) == (0, N // 2)
    audited = holdfast("audit", files.labels, "--policy", files.policy, "--quick")
    assert (audited.code, audited.err) == (0, "")
    made = ("--labels", files.labels, "--policy", files.policy, "--database", files.board)
    told = holdfast("board", "init", "pets", *made, "--json")
    assert (told.code, told.json["classes"]) == (0, ["cat", "dog"]), told.err


def test_options_say_the_same_with_a_note_and_must_not_contradict(holdfast, files):
    files.says("")
    columns = ("--id-column", "key", "--label-column=answer")
    asked = ("score", *files.host(), "--submission", files.submit("a.csv", 0), "--team", "a")
    by_options = holdfast(*asked, *columns)
    assert by_options.code == 0
    assert by_options.err == (
        "note: --id-column is deprecated; write id_column into the policy "
        "(holdfast policy init --id-column).\n"
        "note: --label-column is deprecated; write label_column into the policy "
        "(holdfast policy init --label-column).\n"
    )
    files.says(COLUMNS)
    # The same data set: the look is found in the record.
    assert "(from the record)" in holdfast(*asked).out
    assert "(from the record)" in holdfast(*asked, *columns).out
    wrong = holdfast(*asked, "--id-column", "row")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err == "error: id_column must be 'key', as the policy says, got 'row'.\n"


@pytest.mark.parametrize(
    ("stated", "option", "message"),
    [
        ('part = "public"\n', ("--part", "all"), "part must be 'public', as the policy says"),
        ("", ("--part", "some"), 'part must be "auto", "public", "private" or "all"'),
    ],
)
def test_a_part_is_the_policys(refused, files, stated, option, message):
    files.says(COLUMNS + stated)
    asked = ("score", *files.host(), "--submission", files.submit("a.csv", 0), "--team", "a")
    assert refused(*asked, *option).startswith(message)


@pytest.mark.parametrize(
    ("stated", "option", "message"),
    [
        ('final = "all"\n', ("--final", "private"), "final must be 'all', as the policy says"),
        ("", ("--final-choices", 0), "final_choices must be 2, as the policy says, got 0."),
        ("", ("--label-column", "row"), "label_column must be 'answer', as the policy says"),
    ],
)
def test_an_audit_is_not_told_otherwise_than_the_policy(refused, files, stated, option, message):
    files.says(COLUMNS + stated)
    asked = ("audit", files.labels, "--policy", files.policy)
    assert refused(*asked, *option).startswith(message)


@pytest.mark.parametrize(("final", "share"), [("private", 0), ("all", 0.5), ("public", 1)])
def test_what_decides_is_what_the_policy_says(holdfast, refused, files, final, share):
    files.says(f'{COLUMNS}final = "{final}"\n')
    assert read_request(files.labels, policy=files.policy).parts.final_share == share
    looked = ("--submission", files.submit("a.csv", 0), "--team", "a")
    assert holdfast("score", *files.host(), *looked).code == 0
    if final == "private":
        assert holdfast("close", *files.host()).code == 0
    else:
        message = refused("close", *files.host())
        assert message.startswith(
            f"final must be 'private' for a board to be closed, got '{final}'"
        )


def test_shared_labels_are_accepted_where_the_policy_says_so(holdfast, files):
    files.labels.chmod(0o644)
    asked = ("score", *files.host(), "--submission", files.submit("a.csv", 0), "--team", "a")
    files.says(COLUMNS)
    assert "readable by their owner alone" in holdfast(*asked).err
    files.says(f"{COLUMNS}shared_labels = true\n")
    assert holdfast(*asked).code == 0


def test_policy_init_writes_each_of_them(holdfast, files):
    wrote = holdfast(
        "policy", "init", files.policy, "--id-column", "key", "--label-column", "answer",
        "--part", "public", "--final", "all", "--final-choices", 3, "--shared-labels",
        "--labels", files.labels,
    )  # fmt: skip
    assert (wrote.code, wrote.err) == (0, "")
    settings = Policy.read(files.policy).settings()
    assert [settings[key] for key in KEYS] == ["public", "all", 3, "key", "answer", True]
    assert "shared_labels      true\n" in holdfast("policy", "check", files.policy).out


def test_a_policy_that_an_audit_writes_reads_the_files_as_the_audit_did(holdfast, files):
    columns = ("--id-column", "key", "--label-column", "answer", "--final", "private")
    sizes = ("--looks", 1, "--gap", 50, "--processes", 1)
    told = holdfast(
        "audit", files.labels, *columns, *sizes, "--write-policy", files.policy, "--json"
    )
    assert told.code == 0, told.err
    settings = Policy.read(files.policy).settings()
    assert [settings[key] for key in KEYS] == ["public", "private", 2, "key", "answer", False]


@pytest.mark.parametrize("command", IN_POLICY)
def test_options_that_are_keys_by_now_are_not_in_the_help(holdfast, command):
    words = ("board", "init") if command == "board" else (command,)
    told = holdfast(*words, "--help").out
    assert not [option for option in IN_POLICY[command] if f"{option} " in told]
