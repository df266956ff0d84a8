"""Looks are scored on the public part, as the audit takes them to be."""

import sqlite3

import numpy as np
import pytest

from holdfast.guard import Ledger

N, PRIVATE = 3_000, 2_115


@pytest.fixture
def board(tmp_path):
    """A board of 3,000 rows, 2,115 of them private, and a submission right on these alone."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 10, N)
    private = np.zeros(N, dtype=bool)
    private[rng.permutation(N)[:PRIVATE]] = True
    guess = np.where(private, truth, (truth + 1) % 10)

    class Board:
        labels = tmp_path / "truth.csv"
        policy = tmp_path / "policy.toml"
        ledger = tmp_path / "ledger.db"
        submission = tmp_path / "guess.csv"

        def options(self):
            return ("--policy", self.policy, "--labels", self.labels, "--ledger", self.ledger)

        def rows(self, name, labels, extra=None):
            header = "Id,Target" + (",Usage" if extra is not None else "")
            lines = (
                f"{i},{label}" + ("" if extra is None else f",{extra[i]}")
                for i, label in enumerate(labels)
            )
            path = tmp_path / name
            path.write_text("\n".join([header, *lines]) + "\n")
            path.chmod(0o600)
            return path

    board = Board()
    board.rows("truth.csv", truth, np.where(private, "Private", "Public"))
    board.rows("guess.csv", guess)
    board.policy.write_text('release = "exact"\n')
    Ledger(board.ledger, create=True).close()
    return board


def test_what_is_right_on_the_private_rows_alone_scores_nothing(holdfast, board):
    options = ("score", *board.options(), "--submission", board.submission, "--team", "blue")
    outcome = holdfast(*options, "--json")
    assert outcome.code == 0
    assert (outcome.json["part"], outcome.json["released"]) == ("public", 0.0)
    assert "part       public\n" in holdfast(*options).out


def test_another_part_is_scored_if_the_owner_asks_for_it(holdfast, board):
    options = ("score", *board.options(), "--submission", board.submission, "--team", "blue")
    for part, released in (("private", 1.0), ("all", PRIVATE / N), ("public", 0.0)):
        told = holdfast(*options, "--json", "--part", part).json
        assert (told["part"], told["released"]) == (part, released)
    board.policy.write_text('release = "exact"\npart = "private"\n')
    assert holdfast(*options, "--json").json["part"] == "private"
    # Each part is a data set of its own, with its own budget.
    looks = [entry for entry in Ledger(board.ledger).entries() if entry.kind == "look"]
    data_sets = {look.data_set for look in looks}
    assert len(data_sets) == 3
    wrong = holdfast(*options, "--part", "secret")
    assert (wrong.code, "part must be" in wrong.err) == (2, True)


def test_the_gate_compares_on_the_public_part(holdfast, board):
    worse = board.rows("worse.csv", np.full(N, 0))
    options = ("gate", *board.options(), "--baseline", worse, "--candidate", board.submission)
    outcome = holdfast(*options, "--json")
    # Right on every private row and on none of the others: no improvement where it counts.
    assert outcome.code == 1
    assert outcome.json["part"] == "public"
    assert (outcome.json["candidate"], outcome.json["passed"]) == (0.0, False)


def test_labels_without_parts_are_scored_whole(holdfast, board):
    board.rows("truth.csv", np.arange(N) % 10)
    options = ("score", *board.options(), "--submission", board.submission, "--team", "blue")
    assert holdfast(*options, "--json").json["part"] == "all"
    wrong = holdfast(*options, "--part", "private")
    assert (wrong.code, "no Usage or split column" in wrong.err) == (2, True)


def test_signatures_of_every_part_are_checked(holdfast, board):
    options = ("score", *board.options(), "--submission", board.submission, "--team", "blue")
    for part in ("public", "private", "all"):
        assert holdfast(*options, "--part", part).code == 0
    verify = ("ledger", "verify", board.ledger, "--labels", board.labels)
    assert holdfast(*verify).code == 0
    with sqlite3.connect(board.ledger) as connection:
        connection.execute("UPDATE holdfast_entries SET signature = '' WHERE kind = 'look'")
    outcome = holdfast(*verify)
    assert (outcome.code, outcome.out.count("not signed with these labels")) == (1, 3)
