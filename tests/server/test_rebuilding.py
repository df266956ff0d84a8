"""Standings are what the ledger says, whatever hosts and teams did before."""

import contextlib
import random

import pytest

from holdfast.cli import main
from holdfast.errors import InvalidInput
from holdfast.server import store
from holdfast.server.looks import Sent
from holdfast.server.problems import Problem
from holdfast.server.questions import look_named_by
from holdfast.server.records import Standing, Submission, Team
from tests.server.conftest import Place, as_csv
from tests.server.test_api import changed

RULES = (
    'release = "exact"',
    'release = "ladder:0.1"',
    'release = "batch:2"\nmemory = "data_set"',
    'release = "batch:3"',
    'release = "rank"\nmemory = "data_set"',
)


def policy(rule):
    return f"{rule}\nfinal_choices = 50\n"


def act(place, action, value=""):
    place.boards.change(place.board, place.phase(), action, value, "hal")


def look(place, team, wrong):
    body = as_csv(changed(place.labels, wrong))
    [told] = place.gatekeeper.submit(
        [Sent(place.slug, lambda _board: team.id, None, "", "a file", body)]
    )
    if isinstance(told, Exception):
        raise told
    return told.submission


def choose(place, submission):
    with place.gatekeeper.store.reading() as transaction:
        number = store.survivor(transaction, submission.team)
        [team] = store.find(transaction, Team, "WHERE id = ?", number)
        named = look_named_by(transaction.entry(submission.entry))
        entry = transaction.entry(int(named.partition("-")[0]))
    place.gatekeeper.choose(place.phase(), team, entry)


def rows(place):
    return place.gatekeeper.store.find(Standing, "ORDER BY phase, team")


def something(place, rng, teams):
    """Do one thing at random that a team or a host may do: a look, a choice, a merge, a rule."""
    kind = rng.choices(("look", "choice", "merge", "policy"), (12, 4, 1, 2))[0]
    if kind == "look":
        look(place, rng.choice(teams), rng.randrange(12))
    elif kind == "choice":
        sent = place.gatekeeper.store.find(Submission, "ORDER BY id")
        choose(place, rng.choice(sent))
    elif kind == "merge":
        one, other = rng.sample(teams, 2)
        act(place, "merge", f"{one.id} into {other.id}")
    else:
        act(place, "policy", policy(rng.choice(RULES)))


@pytest.mark.parametrize("seed", [0, 2, 3, 5, 6, 7])
def test_whatever_is_done_the_standings_follow_from_the_ledger(sqlite_url, tmp_path, seed):
    rng = random.Random(seed)
    shows = rng.choice(("best", "latest", "chosen", "chosen"))
    place = Place(sqlite_url, tmp_path, policy=policy(RULES[seed % 5]), split=True, shows=shows)
    teams = [place.team(name) for name in "abcd"]
    for _ in range(30):
        with contextlib.suppress(InvalidInput, Problem, IndexError):
            something(place, rng, teams)
    assert place.phase().number > 1
    assert place.boards.different(place.board) == []
    assert place.gatekeeper.verify().ok


def test_merged_teams_are_one_in_earlier_phases_too(place):
    red, blue = place.team("red"), place.team("blue")
    for team in (red, blue):
        look(place, team, 5 + team.id)
    act(place, "policy", 'release = "round:1"\n')
    act(place, "merge", f"{red.id} into {blue.id}")
    assert [(row.phase, row.team, row.looks) for row in rows(place)] == [(1, blue.id, 2)]
    assert place.boards.different(place.board) == []


def test_a_choice_stands_in_the_phase_of_its_look(sqlite_url, tmp_path):
    place = Place(sqlite_url, tmp_path, policy=policy(RULES[0]), split=True, shows="chosen")
    red = place.team("red")
    worse, _ = look(place, red, 20), look(place, red, 10)
    act(place, "policy", policy(RULES[4]))
    look(place, red, 12)
    choose(place, worse)
    first, second = rows(place)
    assert (first.entry, first.fixed) == (worse.entry, 1)
    assert (float(second.released), second.fixed) == (1.0, 0)
    assert place.boards.different(place.board) == []


def test_a_look_that_was_chosen_while_it_waited_stands_when_it_is_answered(sqlite_url, tmp_path):
    place = Place(sqlite_url, tmp_path, policy=policy(RULES[2]), split=True, shows="chosen")
    red = place.team("red")
    choose(place, look(place, red, 20))
    look(place, red, 10)
    [row] = rows(place)
    assert (row.fixed, row.released) == (1, min(row.history.split()))
    assert place.boards.different(place.board) == []


def test_verify_tells_what_was_edited_and_leaves_it_as_it_is(place, capsys):
    look(place, place.team("red"), 5)
    with place.gatekeeper.store.writing() as transaction:
        transaction.execute("UPDATE holdfast_standings SET released = '0.99'")
    for _ in range(2):
        assert main(["board", "verify", "--database", place.url]) == 1
        told = capsys.readouterr().out
        assert "the standings of pets are not what the ledger says, in phases [1]" in told
        assert "holdfast board rebuild pets makes them anew" in told
    assert [row.released for row in rows(place)] == ["0.99"]
    assert main(["board", "rebuild", "pets", "--database", place.url]) == 0
    assert main(["board", "verify", "--database", place.url]) == 0


def test_a_choice_that_is_answered_in_a_later_phase_stands_there(sqlite_url, tmp_path):
    place = Place(sqlite_url, tmp_path, policy=policy(RULES[3]), split=True, shows="chosen")
    red = place.team("red")
    choose(place, look(place, red, 20))
    for rule in (RULES[0], RULES[3]):
        act(place, "policy", policy(rule))
    look(place, red, 10), look(place, red, 12)
    first, last = rows(place)
    assert (first.phase, first.released, first.fixed) == (1, None, 0)
    assert (last.phase, last.released, last.fixed) == (3, min(last.history.split()), 1)
    assert place.boards.different(place.board) == []
