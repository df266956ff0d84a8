"""OpenEvolve and ShinkaEvolve, each by its own code, without a language model."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.adapters.conftest import as_csv, with_wrong

FILE = Path(__file__).parents[2] / "examples" / "openevolve" / "evaluator.py"


@pytest.fixture
def told(board, served, monkeypatch):
    """The environment of the evaluator file, and programs by how much they have wrong."""
    client = board()
    monkeypatch.setenv("HOLDFAST_BOARD_URL", client.url)
    monkeypatch.setenv("HOLDFAST_TOKEN", client._token)
    return lambda wrong: f"print({as_csv(with_wrong(served[2], wrong))!r})"


def test_openevolve_gives_each_program_its_own_score(told):
    pytest.importorskip("openevolve")
    from openevolve.config import EvaluatorConfig
    from openevolve.evaluator import Evaluator

    judge = Evaluator(EvaluatorConfig(cascade_evaluation=False, max_retries=0), str(FILE))
    programs = [told(0), told(10), "raise SystemExit(3)", "print(open('/dev/null').name)", told(20)]
    found = [asyncio.run(judge.evaluate_program(text, str(at))) for at, text in enumerate(programs)]
    assert [each["combined_score"] for each in found] == [1.0, 0.75, 0.0, 0.0, 0.5]
    again = asyncio.run(judge.evaluate_program(told(30), "last"))
    assert again == {"combined_score": 0.0, "answered": 0.0}  # no look left


def test_shinka_reads_the_score_and_marks_what_has_none(told, tmp_path):
    pytest.importorskip("shinka")
    from shinka.launch import JobScheduler, LocalJobConfig

    shutil.copy(FILE, tmp_path / "evaluate.py")
    scheduler = JobScheduler(
        job_type="local", config=LocalJobConfig(eval_program_path=str(tmp_path / "evaluate.py"))
    )
    for name, text, score in (("good", told(10), 0.75), ("bad", "raise SystemExit(1)", 0.0)):
        program = tmp_path / f"{name}.py"
        program.write_text(text)
        results, _ = scheduler.run(str(program), str(tmp_path / name))
        assert results["metrics"]["combined_score"] == score
        assert results["correct"]["correct"] is (score > 0)


def test_a_rule_that_may_tell_anothers_score_is_refused_in_a_sentence(board):
    from holdfast.adapters.evaluator import evaluator
    from holdfast.errors import NotSupported

    with pytest.raises(NotSupported, match="evolution takes what is told for each program's own"):
        evaluator(board("steps"), [sys.executable, "{program}"])


def test_a_program_runs_without_the_evaluators_environment(told, board, tmp_path):
    from holdfast.adapters.evaluator import evaluator

    program = tmp_path / "program.py"
    program.write_text(f"import os\nopen({str(tmp_path / 'seen')!r}, 'w').write(str(os.environ))\n")
    assert os.environ["HOLDFAST_TOKEN"]
    evaluator(board(), [sys.executable, "-I", "{program}"])(str(program))
    assert "HOLDFAST" not in (tmp_path / "seen").read_text()


class Board:
    """What is asked of a board before any program runs."""

    def __init__(self, metric="accuracy", higher_is_better=True):
        self.told = {"metric": metric, "higher_is_better": higher_is_better, "release": "round:2"}

    def board(self):
        return {"policy": self.told}


def test_a_loss_is_refused_in_a_sentence():
    from holdfast.adapters.evaluator import evaluator
    from holdfast.errors import NotSupported

    with pytest.raises(NotSupported, match="log_loss is better when it is lower"):
        evaluator(Board("log_loss", higher_is_better=False), ["{program}"])


def test_a_program_that_cant_be_ended_or_never_stops_printing_is_not_waited_for(
    tmp_path, monkeypatch
):
    """As one of another user is: a search stood still for as long as a program liked."""
    from holdfast.adapters import evaluator as module

    def not_allowed(process):
        raise PermissionError

    monkeypatch.setattr(module, "LARGEST_OUTPUT", 1000)
    evaluate = module.evaluator(Board(), [sys.executable, "-I", "{program}"], seconds=2.0)
    endless, program = tmp_path / "endless.py", tmp_path / "program.py"
    endless.write_text("while True: print('id,label')\n")
    assert evaluate(str(endless)) == {"combined_score": 0.0, "answered": 0.0}
    monkeypatch.setattr(module.subprocess.Popen, "kill", not_allowed)
    program.write_text(
        f"import os, time\nwhile not os.path.exists({str(tmp_path / 'go')!r}): time.sleep(0.1)\n"
    )
    assert evaluate(str(program)) == {"combined_score": 0.0, "answered": 0.0}
    (tmp_path / "go").touch()
