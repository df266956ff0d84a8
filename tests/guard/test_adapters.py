"""Kaggle's metric, called as the platform calls it; frames; and the files of examples."""

import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.guard import Ledger, Policy
from holdfast.guard.adapters.frames import GuardedFrame
from holdfast.ledger import moments
from holdfast.metrics import MeanSquaredError

EXAMPLES = Path(__file__).parents[2] / "examples"
# Ten of the twelve example predictions are right, released to two decimals.
RELEASED = 0.83


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    path = tmp_path / "ledger.db"
    Ledger(path, create=True).close()
    monkeypatch.setenv("HOLDFAST_LEDGER", str(path))
    return path


def load(path):
    spec = importlib.util.spec_from_file_location(f"example_{path.parent.name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_kaggle_calls_score_with_frames(ledger, monkeypatch):
    monkeypatch.setenv("HOLDFAST_POLICY", str(EXAMPLES / "kaggle" / "policy.toml"))
    # The policy is so many looks per day, and a day may end while this runs.
    monkeypatch.setattr(moments, "time", SimpleNamespace(time_ns=lambda: 1_800_000_000 * 10**9))
    metric = load(EXAMPLES / "kaggle" / "metric.py")
    solution, submission = (
        pd.read_csv(EXAMPLES / "kaggle" / f"{name}.csv") for name in ("solution", "submission")
    )
    released = metric.score(solution.copy(), submission.copy(), row_id_column_name="id")
    assert (type(released), released) == (float, RELEASED)
    for bad, message in [
        (submission.drop(columns="label"), "submission must have the label column 'label'"),
        (submission[1:], "submission must have 12 rows"),
        (submission.assign(id=range(12)), "got none for '12'"),
        (submission.assign(label="gnu"), "known classes, got 'gnu'"),
        (submission.assign(label=None), "got a blank"),
        (submission.assign(id=3), "distinct ids"),
    ]:
        with pytest.raises(metric.ParticipantVisibleError, match=message):
            metric.score(solution, bad, "id")
    for other in ("cat", "dog", "emu"):
        metric.score(solution, submission.assign(label=other), "id")
    metric.score(solution, submission.assign(label=submission["label"].iloc[::-1].values), "id")
    with pytest.raises(metric.ParticipantVisibleError, match="may look again at"):
        metric.score(solution, submission.assign(label=["cat", "dog"] * 6), "id")


@pytest.fixture
def kaggle_frames(monkeypatch, tmp_path):
    """A metric in Kaggle's sandbox: no ledger, no network, a policy in the metric's own files."""
    monkeypatch.delenv("HOLDFAST_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)
    policy = tmp_path / "policy.toml"
    policy.write_text('release = "round:1"\n')
    solution = pd.DataFrame({"id": range(8), "label": list("aabbabab")})
    submission = solution.assign(label=list("aabbabba"))  # six of eight are right
    return policy, solution, submission


def test_kaggle_rounds_without_a_ledger_and_leaves_private_scores_alone(kaggle_frames):
    from holdfast.guard.adapters.kaggle import score

    _, solution, submission = kaggle_frames
    assert score(solution, submission, "id") == 0.8
    parts = ["Public"] * 4 + ["Private"] * 4
    assert score(solution.assign(Usage=parts), submission, "id") == 1.0
    assert score(solution.assign(Usage="Private"), submission, "id") == 0.75
    assert score(solution.assign(Usage="Public"), submission, "id") == 0.8


@pytest.mark.parametrize("rule", ["ladder:0.01", "gaussian:0.01", "batch:2"])
def test_kaggle_refuses_rules_that_need_a_ledger_where_there_is_none(kaggle_frames, rule):
    from holdfast.guard.adapters.kaggle import ParticipantVisibleError, score

    policy, solution, submission = kaggle_frames
    policy.write_text(f'release = "{rule}"\n')
    with pytest.raises(InvalidInput, match="without memory and noise"):
        score(solution, submission, "id")
    policy.write_text('release = "round:1"\n')
    with pytest.raises(ParticipantVisibleError, match="must have 8 rows"):
        score(solution, submission[:5], "id")


def test_the_configuration_for_hugging_face_has_what_the_platform_reads():
    conf = json.loads((EXAMPLES / "hugging_face" / "conf.json").read_text())
    # Every key of competitions/info.py, and the two of newer versions.
    assert set(conf) >= {
        "COMPETITION_TYPE", "SUBMISSION_LIMIT", "SELECTION_LIMIT", "END_DATE", "LOGO",
        "EVAL_HIGHER_IS_BETTER", "EVAL_METRIC", "SUBMISSION_ID_COLUMN", "SUBMISSION_COLUMNS",
        "SUBMISSION_ROWS", "TIME_LIMIT", "HARDWARE", "SCORING_METRIC",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["Usage", "SPLIT", " usage "])
def test_a_frame_with_blanks_around_its_parts_has_them_all_the_same(name, ledger):
    rows = {"id": [1, 2, 3], "label": ["a", "b", "b"], name: ["Public ", " Private", "PRIVATE"]}
    solution = pd.DataFrame(rows)
    guard = GuardedFrame(solution, Policy("exact"), str(ledger), id_column="id").guard
    assert (guard.part, guard.problem.n_examples) == ("public", 1)


def test_a_frame_with_two_columns_of_parts_is_refused(ledger):
    rows = {"id": [1, 2], "label": ["a", "b"], "Usage": ["Public", "Private"], "split": [1, 2]}
    solution = pd.DataFrame(rows)
    with pytest.raises(InvalidInput, match=r"one column .* got 'Usage', 'split'"):
        GuardedFrame(solution, Policy("exact"), str(ledger), id_column="id")


def test_every_example_policy_is_valid():
    from holdfast.guard import Policy

    policies = list(EXAMPLES.rglob("policy*.toml"))
    assert len(policies) >= 2
    for path in policies:
        assert Policy.read(path).looks_per_team >= 1


def as_pandas(table):
    return pd.DataFrame(table)


def as_pyarrow(table):
    return pytest.importorskip("pyarrow").table(table)


def as_polars(table):
    return pytest.importorskip("polars").DataFrame(table)


@pytest.mark.parametrize("frame", [as_pandas, as_pyarrow, as_polars])
def test_frames_of_every_kind_are_read_as_the_files_they_would_be(frame, tmp_path):
    if frame is not as_pandas:
        pytest.importorskip("narwhals")
    parts = ["Public", "Private"] * 4
    solution = {"id": [f"x, {i}" for i in range(8)], "label": list("aabbabab"), "Usage": parts}
    host = GuardedFrame(frame(solution), Policy("exact"), new(tmp_path / "1"), id_column="id")
    order = [5, 3, 1, 0, 2, 4, 6, 7]
    guess = {"id": [f"x, {i}" for i in order], "label": ["a"] * 8, "other": [None] * 8}
    assert host.score(frame(guess), team="blue").released == 0.75
    for wrong, told in (
        ({**guess, "label": ["a"] * 7 + [None]}, "got a blank"),
        ({**guess, "id": ["x, 1"] * 8}, "distinct ids, got 'x, 1' at lines 2 and 3"),
        ({"id": guess["id"]}, "the label column 'label'"),
        ({**guess, "id": [1.5] * 8}, "distinct ids"),
    ):
        with pytest.raises(InvalidQuery, match=told):
            host.score(frame(wrong), team="blue")
    with pytest.raises(InvalidQuery, match="must be a data frame, got 'list'"):
        host.score([1, 2], team="blue")
    assert len(host.guard.ledger.entries()) == 2 + 1 + 5

    rng = np.random.default_rng(5)
    targets, guess = rng.normal(size=50), rng.normal(size=50)
    table = {"id": range(50), "target": targets}
    policy = Policy("exact", metric="mse")
    host = GuardedFrame(frame(table), policy, new(tmp_path / "2"), id_column="id")
    sent = frame({"id": np.arange(50)[::-1], "any": guess[::-1]})
    exact = MeanSquaredError().score(targets, guess)
    assert host.score(sent, team="blue").released == pytest.approx(exact, abs=1e-12)


def new(path):
    Ledger(path, create=True).close()
    return str(path)
