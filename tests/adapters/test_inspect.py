import asyncio
import sys
import types

import pytest

# The package fetches a tokenizer from the net when a model is made.
words = types.SimpleNamespace(encode=lambda text, **_: text.split())
sys.modules["tiktoken"] = types.ModuleType("tiktoken")
sys.modules["tiktoken"].get_encoding = lambda _: words
pytest.importorskip("inspect_ai")

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Score, includes, mean, scorer
from inspect_ai.solver import generate, solver, use_tools
from inspect_ai.tool import ToolDef

from holdfast.adapters.inspect import board_look
from holdfast.errors import InvalidInput, NotSupported
from holdfast.files.outcomes import read_outcomes
from tests.adapters.conftest import as_csv, with_wrong


def test_a_model_submits_by_the_tool_and_reads_its_own_score(board, served, tmp_path):
    _, _, labels = served
    guess = as_csv(with_wrong(labels, 10))
    call = ModelOutput.for_tool_call("mockllm/model", "holdfast_look", {"submission": guess})
    model = get_model("mockllm/model", custom_outputs=[
        call, call, ModelOutput.from_content("mockllm/model", "done"),
    ])  # fmt: skip
    task = Task(dataset=[Sample(input="Do well.", target="done")],
                solver=[use_tools(board_look(board())), generate()], scorer=includes())  # fmt: skip
    (log,) = eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    told = [m.text for m in log.samples[0].messages if m.role == "tool"]
    assert told == ["score 0.75, 2 looks left"] * 2  # the same again is the same look


@solver
def breaks_off():
    async def solve(state, generate):
        if state.sample_id == "broken" and state.epoch == 2:
            raise RuntimeError("no container")
        return state

    return solve


@scorer(metrics=[mean()])
def graded():
    async def score(state, target):
        return Score(value=0.25 * state.epoch)

    return score


@pytest.mark.parametrize("form", ["eval", "json"])
def test_logs_are_read_as_inspect_writes_them(form, tmp_path):
    """Packed as it likes, with several scorers and runs, one of which breaks off."""
    answers = {"fix/1": "Default", 2: "else", "broken": "Default"}
    data = [Sample(id=task, input="a", target=answer) for task, answer in answers.items()]
    task = Task(dataset=data, solver=[breaks_off(), generate()], scorer=[includes(), graded()])
    (log,) = eval(task, model="mockllm/model", epochs=2, fail_on_error=False,
                  log_dir=str(tmp_path), log_format=form, display="none")  # fmt: skip
    assert log.status == "success", log.error
    path = log.location.removeprefix("file://")
    assert read_outcomes(path, score="includes", mean=True) == {"fix/1": 1.0, "2": 0.0}
    assert read_outcomes(path, score="graded", mean=True) == {"fix/1": 0.375, "2": 0.375}
    with pytest.raises(InvalidInput, match="got 'includes', 'graded'; name it with --key"):
        read_outcomes(path, mean=True)
    with pytest.raises(InvalidInput, match="one outcome for each task, got 2 for "):
        read_outcomes(path, score="includes")


def test_refusals_are_sentences_that_a_model_can_read(board, served):
    _, _, labels = served
    look = ToolDef(board_look(board())).tool
    told = [asyncio.run(look(as_csv(with_wrong(labels, wrong)))) for wrong in range(4)]
    assert told[2].endswith("0 looks left")
    assert told[3].startswith("refused: all looks of")
    assert "must have" in asyncio.run(look("id,label\nnobody,1\n"))


def test_a_board_of_outcomes_is_refused_in_a_sentence():
    class Client:
        def board(self):
            return {"takes": "outcomes", "policy": {"release": "round:2"}}

    with pytest.raises(NotSupported, match="a model that submits outcomes of tasks grades itself"):
        board_look(Client())
