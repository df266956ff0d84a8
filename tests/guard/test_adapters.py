"""Every example, laid out as its platform lays it out and called as its platform calls it."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import HoldfastError, InvalidInput, InvalidQuery
from holdfast.guard import Ledger, Policy
from holdfast.guard.adapters.audiences import NEUTRAL_MESSAGE
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


@pytest.fixture
def app(tmp_path):
    """What Codabench mounts into the scoring container."""
    root, example = tmp_path / "app", EXAMPLES / "codabench"
    shutil.copytree(example / "scoring_program", root / "program")
    shutil.copytree(example / "reference_data", root / "input" / "ref")
    shutil.copytree(example / "submission", root / "input" / "res")
    (root / "input" / "res" / "metadata").write_text("exitCode: 0\nelapsedTime: 0.5\n")
    (root / "output").mkdir()
    return root


def run_codabench(app):
    command = (app / "program" / "metadata.yaml").read_text().split("command: ")[1].split()
    assert command[:2] == ["python3", "score.py"]
    folders = [argument.replace("/app", str(app)) for argument in command[2:]]
    return subprocess.run(
        [sys.executable, "score.py", *folders],
        cwd=app / "program",
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_codabench_gets_its_scores_file_and_refuses_with_a_message(app, ledger):
    outcome = run_codabench(app)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    scores = json.loads((app / "output" / "scores.json").read_text())
    assert scores == {"accuracy": RELEASED, "looks_left": 4}
    (app / "output" / "scores.json").unlink()
    policy = app / "input" / "ref" / "policy.toml"
    policy.write_text('release = "round:2"\nlooks_per_team = 1\n')
    predictions = app / "input" / "res" / "predictions.csv"
    predictions.write_text(predictions.read_text().replace("dog", "cat"))
    refused = run_codabench(app)
    assert refused.returncode == 1
    assert refused.stderr == "all looks of everyone on this data set are used up.\n"
    assert not (app / "output" / "scores.json").exists()


def test_the_scoring_program_of_the_page_runs_as_pasted(app, ledger):
    page = (EXAMPLES.parent / "docs" / "hosts.md").read_text(encoding="utf-8")
    [pasted] = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    script = pasted.replace("/app", str(app)).replace("python3", sys.executable)
    (app / "program" / "score.py").unlink()
    subprocess.run(["sh", "-ec", script], cwd=app / "program", check=True)
    scores = json.loads((app / "output" / "scores.json").read_text())
    assert scores == {"accuracy": RELEASED, "looks_left": 4}


def test_codabench_charges_for_an_archive_without_predictions(app, ledger):
    (app / "input" / "res" / "predictions.csv").rename(app / "input" / "res" / "notes.txt")
    policy = app / "input" / "ref" / "policy.toml"
    policy.write_text(policy.read_text() + 'failed = "look"\n')
    outcome = run_codabench(app)
    assert (
        outcome.stderr
        == "predictions must be one CSV or NPY file in the top folder of res, got none.\n"
    )
    assert [entry.kind for entry in Ledger(ledger).entries()] == ["opened", "linked", "failed"]


@pytest.mark.slow
def test_codabench_finds_the_ledger_in_the_reference_data(app, tmp_path, monkeypatch):
    monkeypatch.delenv("HOLDFAST_LEDGER", raising=False)
    monkeypatch.setenv("HOLDFAST_ERRORS", str(tmp_path / "errors.txt"))
    assert run_codabench(app).stderr == NEUTRAL_MESSAGE + "\n"
    assert "HOLDFAST_LEDGER must name the ledger" in (tmp_path / "errors.txt").read_text()
    (app / "input" / "ref" / "ledger.url").write_text(f"{tmp_path}/elsewhere.db\n")
    missing = run_codabench(app)
    assert missing.returncode == 1
    assert missing.stderr == NEUTRAL_MESSAGE + "\n"
    told = (tmp_path / "errors.txt").read_text()
    assert f"holdfast ledger init {tmp_path}/elsewhere.db" in told
    assert not (tmp_path / "elsewhere.db").exists()
    Ledger(tmp_path / "elsewhere.db", create=True).close()
    assert run_codabench(app).returncode == 0
    assert len(Ledger(tmp_path / "elsewhere.db").entries()) == 3


def test_evalai_calls_evaluate_and_the_team_is_the_participants(tmp_path, ledger, capsys):
    """The worker shows a traceback of what is raised, and what is on stderr."""
    shutil.copytree(EXAMPLES / "evalai", tmp_path / "evalai")
    script = tmp_path / "evalai" / "evaluation_script"
    evaluate = load(script / "__init__.py").evaluate
    files = (
        str(tmp_path / "evalai" / "annotations" / "test_annotations.csv"),
        str(tmp_path / "evalai" / "submission.csv"),
    )
    metadata = {"participant_team": 7, "status": "running", "challenge_phase": 1}
    output = evaluate(*files, "dev", submission_metadata=metadata)
    assert output["result"] == [{"test_split": {"Accuracy": RELEASED}}]
    assert output["submission_metadata"]["looks_left"] == 4
    evaluate(*files, "dev", submission_metadata={**metadata, "participant_team": 8})
    teams = [entry.team for entry in Ledger(ledger).entries() if entry.kind == "look"]
    assert teams == ["team 7", "team 8"]
    (script / "policy-final.toml").write_text('release = "exact"\nlooks_per_team = 1\n')
    capsys.readouterr()
    assert evaluate(*files, "final", submission_metadata=metadata) == {}
    said = "all looks of team 7 on this data set are used up.\n"
    assert capsys.readouterr() == ("", said)
    (tmp_path / "evalai" / "submission.csv").write_text("id,label\n1,gnu\n")
    assert evaluate(*files, "dev", submission_metadata={"participant_team": 9}) == {}
    assert re.fullmatch(r"submission must have 12 rows, .*\.\n", capsys.readouterr().err)
    (script / "policy-final.toml").write_text('release = "batch:2"\n')
    shutil.copy(EXAMPLES / "evalai" / "submission.csv", tmp_path / "evalai")
    assert evaluate(*files, "final", submission_metadata={"participant_team": 9}) == {}
    waits = "recorded; the score is released when the batch is full.\n"
    assert capsys.readouterr() == ("", waits)


SECRET = "id,label\n1,heron\n1,egret\n"
OWN_FAULTS = {
    "labels": lambda folder: next(folder.glob("*.csv")).write_text(SECRET),
    "policy": lambda folder: (folder / "policy.toml").write_text('release = "rung:3"\n'),
    "public seed": lambda folder: (folder / "policy.toml").write_text(
        'release = "subsample:0.5+round:9999"\n'
    ),
}


@pytest.mark.parametrize("fault", OWN_FAULTS)
def test_faults_of_the_hosts_own_files_are_not_for_participants(
    fault, app, tmp_path, ledger, monkeypatch, capsys
):
    """Such a message quotes the hidden labels, or names places on the host."""
    log = tmp_path / "errors.txt"
    monkeypatch.setenv("HOLDFAST_ERRORS", str(log))
    OWN_FAULTS[fault](app / "input" / "ref")
    outcome = run_codabench(app)
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (1, "", NEUTRAL_MESSAGE + "\n")
    evalai = tmp_path / "evalai"
    shutil.copytree(EXAMPLES / "evalai", evalai)
    script = evalai / "evaluation_script"
    OWN_FAULTS[fault](evalai / "annotations" if fault == "labels" else script)
    files = (evalai / "annotations" / "test_annotations.csv", evalai / "submission.csv")
    assert load(script / "__init__.py").evaluate(*map(str, files), "dev") == {}
    assert capsys.readouterr() == ("", NEUTRAL_MESSAGE + "\n")
    assert len(log.read_text().splitlines()) == 2
    assert log.stat().st_mode & 0o077 == 0


def test_what_breaks_on_a_host_is_not_for_participants(app, ledger, tmp_path, monkeypatch, capsys):
    """A traceback has the worker's paths, whatever broke."""
    from holdfast.guard.adapters import codabench, evalai

    log = tmp_path / "errors.txt"
    monkeypatch.setenv("HOLDFAST_ERRORS", str(log))
    (app / "file").write_text("no folder")
    assert codabench.main([str(app / "input"), str(app / "file")]) == 1
    assert capsys.readouterr() == ("", NEUTRAL_MESSAGE + "\n")
    assert "FileExistsError" in log.read_text()
    truth, guess = str(app / "truth.csv"), str(app / "guess.csv")
    assert evalai.evaluate(truth, guess, "a phase's name " * 30) == {}
    assert capsys.readouterr() == ("", NEUTRAL_MESSAGE + "\n")
    assert "File name too long" in log.read_text()


@pytest.mark.slow
def test_warnings_about_a_policy_are_for_the_owner(app, tmp_path, ledger, monkeypatch):
    monkeypatch.setenv("HOLDFAST_ERRORS", str(tmp_path / "errors.txt"))
    (app / "input" / "ref" / "policy.toml").write_text('release = "subsample:0.5"\n')
    outcome = run_codabench(app)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert "seed" in (tmp_path / "errors.txt").read_text()
    monkeypatch.setenv("HOLDFAST_ERRORS", str(tmp_path))  # no file: participants see no more of it
    assert (run_codabench(app).returncode, outcome.stderr) == (0, "")


def test_codabench_says_that_a_batch_is_not_full(app, ledger):
    (app / "input" / "ref" / "policy.toml").write_text('release = "batch:2"\n')
    outcome = run_codabench(app)
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert outcome.stderr == "recorded; the score is released when the batch is full.\n"
    assert not (app / "output" / "scores.json").exists()


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


def test_codabench_writes_its_own_column(app, ledger):
    from holdfast.guard.adapters.codabench import main

    assert main([str(app / "input"), str(app / "output")], metric="accuracy_1") == 0
    scores = json.loads((app / "output" / "scores.json").read_text())
    assert scores == {"accuracy_1": RELEASED, "looks_left": 4}


def test_hugging_face_reads_each_file_where_its_download_says(tmp_path, ledger):
    """The Hub keeps a folder per commit; one may come between two downloads."""
    repository = tmp_path / "competition"
    shutil.copytree(EXAMPLES / "hugging_face", repository)
    (tmp_path / "later").mkdir()
    (repository / "policy.toml").rename(tmp_path / "later" / "policy.toml")
    params = SimpleNamespace(
        competition_id="host/birds", token="t", team_id="blue", submission_id="1",
        submission_id_col="id", submission_cols=["id", "label"],
    )  # fmt: skip

    def fetch(params, name):
        return str((tmp_path / "later" if name == "policy.toml" else repository) / name)

    assert load(repository / "metric.py").compute(params, fetch=fetch)["public_score"]


def test_a_parquet_file_on_hugging_face_ends_in_a_sentence(tmp_path, ledger):
    repository = tmp_path / "competition"
    shutil.copytree(EXAMPLES / "hugging_face", repository)
    submission = repository / "submissions" / "blue-1.csv"
    submission.rename(submission.with_suffix(".parquet"))
    params = SimpleNamespace(team_id="blue", submission_id="1", submission_id_col="id")

    def fetch(params, name):
        if not (repository / name).exists():
            raise OSError(f"404 Client Error. Entry Not Found for url: https://hub/{name}")
        return str(repository / name)

    compute = load(repository / "metric.py").compute
    with pytest.raises(InvalidQuery) as told:
        compute(params, fetch=fetch)
    assert str(told.value) == "submission must be a CSV file, got a Parquet file; send it as CSV."
    submission.with_suffix(".parquet").unlink()
    with pytest.raises(OSError, match=r"404 .*blue-1\.csv"):
        compute(params, fetch=fetch)


def test_the_configuration_for_hugging_face_has_what_the_platform_reads():
    conf = json.loads((EXAMPLES / "hugging_face" / "conf.json").read_text())
    # Every key of competitions/info.py, and the two of newer versions.
    assert set(conf) >= {
        "COMPETITION_TYPE", "SUBMISSION_LIMIT", "SELECTION_LIMIT", "END_DATE", "LOGO",
        "EVAL_HIGHER_IS_BETTER", "EVAL_METRIC", "SUBMISSION_ID_COLUMN", "SUBMISSION_COLUMNS",
        "SUBMISSION_ROWS", "TIME_LIMIT", "HARDWARE", "SCORING_METRIC",
    }  # fmt: skip
    solution = pd.read_csv(EXAMPLES / "hugging_face" / "solution.csv")
    assert conf["SUBMISSION_ROWS"] == len(solution)


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


def test_hugging_face_calls_compute_over_its_repository(tmp_path, ledger):
    repository = tmp_path / "competition"
    shutil.copytree(EXAMPLES / "hugging_face", repository)
    compute = load(repository / "metric.py").compute
    params = SimpleNamespace(
        competition_id="host/birds",
        competition_type="generic",
        metric="custom",
        token="t",
        team_id="blue",
        submission_id="1",
        submission_id_col="id",
        submission_cols=["id", "label"],
    )
    fetched = []

    def fetch(params, name):
        fetched.append(name)
        return str(repository / name)

    scores = compute(params, fetch=fetch)
    assert fetched == ["solution.csv", "submissions/blue-1.csv", "policy.toml"]
    assert scores.keys() == {"public_score", "private_score"}
    truth = pd.read_csv(repository / "solution.csv").set_index("id")
    guess = pd.read_csv(repository / "submissions" / "blue-1.csv").set_index("id")["label"]
    public = truth[truth["split"] == "public"]["label"]
    released = round((guess[public.index] == public).mean(), 2)
    # The private part is not touched: its place on the platform's board holds the public score.
    for place in ("public_score", "private_score"):
        assert scores[place] == {"accuracy": pytest.approx(released)}
    looks = [entry for entry in Ledger(ledger).entries() if entry.kind == "look"]
    assert [look.team for look in looks] == ["team blue"]
    (repository / "solution.csv").write_text("id,label\n1,cat\n")
    with pytest.raises(InvalidInput, match="no Usage or split column, got public"):
        compute(params, fetch=fetch)


def test_every_example_policy_is_valid():
    from holdfast.guard import Policy

    policies = list(EXAMPLES.rglob("policy*.toml"))
    assert len(policies) >= 5
    for path in policies:
        assert Policy.read(path).looks_per_team >= 1


def test_the_adapters_raise_only_their_family(app, ledger):
    from holdfast.guard.adapters import codabench

    (app / "input" / "res" / "predictions.csv").write_text("id,label\n1,gnu\n")
    with pytest.raises(InvalidQuery):
        codabench.score(app / "input", app / "output")
    shutil.rmtree(app / "input" / "ref")
    with pytest.raises(HoldfastError):
        codabench.score(app / "input", app / "output")


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
