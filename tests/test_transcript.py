import json

import numpy as np
import pytest

from holdfast import Problem, Transcript, attacks, oracles, play
from holdfast.errors import InvalidInput, TranscriptMismatch
from holdfast.transcript import query_digest

PROBLEM = Problem(200, 5, 21)
HIDDEN = np.random.default_rng(11).integers(5, size=200)


def attack(seed=3):
    return attacks.HillClimb(PROBLEM, rng=np.random.default_rng(seed))


def oracle():
    return oracles.LabelOracle(HIDDEN, problem=PROBLEM)


class StopsAfter:
    """An oracle that is cut off after some answers, as a killed process is."""

    def __init__(self, inner, answers):
        self.inner, self.left, self.problem = inner, answers, inner.problem

    def query(self, query):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return self.inner.query(query)


def test_a_stopped_attack_resumes_where_it_was(tmp_path):
    path, answering = tmp_path / "looks.jsonl", oracle()
    with pytest.raises(KeyboardInterrupt):
        play(attack(), StopsAfter(answering, 8), transcript=Transcript(PROBLEM, path))
    resumed = play(attack(), answering, transcript=Transcript(PROBLEM, path))
    assert resumed.tolist() == play(attack(), oracle()).tolist()
    assert answering.looks == 21
    assert len(Transcript(PROBLEM, path)) == 21


def test_another_seed_is_refused_before_anything_is_asked(tmp_path):
    path = tmp_path / "looks.jsonl"
    play(attack(seed=3), oracle(), transcript=Transcript(PROBLEM, path))
    fresh = oracle()
    with pytest.raises(TranscriptMismatch, match="query 0 differs"):
        play(attack(seed=4), fresh, transcript=Transcript(PROBLEM, path))
    assert fresh.looks == 0


def test_another_problem_is_refused(tmp_path):
    path = tmp_path / "looks.jsonl"
    Transcript(PROBLEM, path)
    with pytest.raises(InvalidInput, match="must be for Problem"):
        Transcript(Problem(200, 5, 22), path)
    other = attacks.HillClimb(Problem(200, 5, 22), rng=np.random.default_rng(3))
    with pytest.raises(TranscriptMismatch, match="the transcript is for"):
        Transcript(PROBLEM, path).replay(other)


def test_a_line_torn_by_a_crash_is_dropped_and_the_rest_kept(tmp_path):
    path = tmp_path / "looks.jsonl"
    transcript = Transcript(PROBLEM, path)
    transcript.record(np.array([1, 2]), 0.25)
    transcript.record(np.array([2, 2]), 0.5)
    content = path.read_bytes()
    path.write_bytes(content[:-9])
    again = Transcript(PROBLEM, path)
    assert again.answers == [0.25]
    again.record(np.array([2, 2]), 0.5)
    assert Transcript(PROBLEM, path).answers == [0.25, 0.5]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", "line 2 must be a JSON object"),
        ("[1]", "line 2 must be a JSON object"),
        ('{"query": "ab"}', "line 2 must hold a look"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, line, message):
    path = tmp_path / "looks.jsonl"
    Transcript(PROBLEM, path)
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(InvalidInput, match=message):
        Transcript(PROBLEM, path)


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "other.jsonl"
    path.write_text(json.dumps({"some": "thing"}) + "\n")
    with pytest.raises(InvalidInput, match="must start with a holdfast-transcript-1 header"):
        Transcript(PROBLEM, path)


def test_digests_depend_on_values_not_on_dtype():
    labels = np.array([0, 1, 2])
    assert query_digest(labels) == query_digest(labels.astype(np.uint8))
    assert query_digest(labels) != query_digest(labels[::-1])


def test_classifiers_are_recorded_and_replayed_too():
    problem = Problem(50, 3, 4)
    X = np.random.default_rng(0).normal(size=(50, 2))
    hidden = np.random.default_rng(1).integers(3, size=50)

    def blind():
        return attacks.without_features.BlockMajority(problem, rng=np.random.default_rng(5))

    transcript = Transcript(problem)
    played = play(
        blind(), oracles.ClassifierOracle(X, hidden, problem=problem), transcript=transcript
    )
    again = blind()
    assert transcript.replay(again) == 4
    assert again.predict() == played
