"""Group commit: looks that are answered together, as if each had been alone."""

import numpy as np
import pytest

from holdfast.server.gatekeeper import Answer
from holdfast.server.looks import Sent
from holdfast.server.records import Standing, Submission
from tests.server.conftest import Place, as_csv

POLICIES = (
    'release = "exact"\nlooks_per_team = 4\n',
    'release = "ladder:0.05"\nmemory = "data_set"\nwindow = "day"\n',
    'release = "batch:3"\n',
    'release = "batch:3+ladder:0.05"\nmemory = "data_set"\n',
)


def sent_by(team, key, body):
    return Sent("pets", lambda _: team.id, None, key, "f", body)


def looks_of(place, teams, seed=5, many=24):
    """Return looks of three teams in random order, some sent twice."""
    rng = np.random.default_rng(seed)
    sent = []
    for number in range(many):
        team, wrong = teams[rng.integers(3)], rng.integers(1, 30)
        guess = place.labels.copy()
        guess[:wrong] = (guess[:wrong] + 1) % 3
        look = sent_by(team, f"k{number}", as_csv(guess))
        sent += [look, look] if number % 5 == 0 else [look]
    return sent


def played(url, folder, policy, size):
    """Return all that came of the looks, in groups of a size, but for names and times."""
    folder.mkdir()
    place = Place(url, folder, policy=policy)
    teams = [place.team(name) for name in ("red", "green", "blue")]
    sent, told = looks_of(place, teams), []
    for start in range(0, len(sent), size):
        told += place.gatekeeper.submit(sent[start : start + size])
    assert place.gatekeeper.verify().ok
    assert place.boards.rebuild(place.board) == []
    answers = [
        (each.submission.id, each.receipt.released, each.receipt.looks_left, each.replayed)
        if isinstance(each, Answer)
        else (type(each).__name__, str(each))
        for each in told
    ]
    looks = [
        (entry.kind, entry.team, entry.released, entry.team_looks, entry.data_set_looks)
        for entry in place.entries()
    ]
    found = [
        sorted(
            (each.team, getattr(each, "key", ""), each.entry, getattr(each, "released", None))
            for each in place.gatekeeper.store.find(kind, "")
        )
        for kind in (Submission, Standing)
    ]
    place.gatekeeper.close()
    return answers, looks, found


@pytest.mark.parametrize("policy", POLICIES)
def test_looks_in_groups_are_answered_as_one_by_one(new_ledger_url, tmp_path, policy):
    alone = played(new_ledger_url(), tmp_path / "alone", policy, 1)
    assert sum(look[0] == "look" for look in alone[1]) >= 9
    for size in (3, 16):
        assert played(new_ledger_url(), tmp_path / f"by-{size}", policy, size) == alone


def test_a_bad_file_in_a_group_is_refused_and_the_others_are_answered(new_place):
    place = new_place()
    team = place.team("red")
    looks = [sent_by(team, "a", as_csv(place.labels)), sent_by(team, "b", b"id,label\n1,cow\n")]
    told = place.gatekeeper.submit([*looks, sent_by(team, "c", as_csv((place.labels + 1) % 3))])
    assert [each.receipt.released for each in told[::2]] == [1.0, 0.0]
    assert told[1].word == "invalid_submission"
    kinds = [entry.kind for entry in place.entries()]
    assert (kinds.count("look"), kinds.count("refused")) == (2, 1)
