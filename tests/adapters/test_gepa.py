"""GEPA's own engine, with an adapter and a proposer that need no language model."""

import types

import pytest

gepa = pytest.importorskip("gepa")

from gepa.core.adapter import EvaluationBatch

from holdfast.adapters.gepa import GatedAcceptance
from holdfast.errors import NotSupported
from holdfast.guard import Guard, OutcomeGuard, Policy

TASKS = [f"held-out-{at}" for at in range(100)]


class Prompts:
    """A candidate is a number in its prompt: it passes an example whose number is below."""

    def __init__(self, proposals):
        self.proposals = list(proposals)
        self.propose_new_texts = lambda candidate, dataset, components: {
            "prompt": self.proposals.pop(0)
        }

    def evaluate(self, batch, candidate, capture_traces=False):
        skill = int(candidate["prompt"].split(":")[0])
        scores = [float(each < skill) for each in batch]
        return EvaluationBatch(outputs=scores, scores=scores,
                               trajectories=scores if capture_traces else None)  # fmt: skip

    def make_reflective_dataset(self, candidate, batch, components):
        return {"prompt": [{"feedback": "do better"}]}


def outcomes(candidate):
    """What a prompt says after the colon is how many of the held-out tasks it passes."""
    passed = int(candidate["prompt"].split(":")[1])
    return {task: at < passed for at, task in enumerate(TASKS)}


def test_only_a_candidate_that_passes_on_held_out_tasks_is_accepted(tmp_path):
    guard = OutcomeGuard(TASKS, Policy("round:2", looks_per_team=3), tmp_path / "l.db",
                         secret=b"0" * 16, create=True)  # fmt: skip
    criterion = GatedAcceptance(guard, outcomes)
    # Better on GEPA's own examples each time; on held-out tasks only the second is.
    proposals = ["4:51", "5:90", "6:91", "7:92", "8:93"]
    found = gepa.optimize(
        seed_candidate={"prompt": "2:50"},
        trainset=list(range(10)),
        valset=list(range(10)),
        adapter=Prompts(proposals),
        acceptance_criterion=criterion,
        max_metric_calls=2000,
        stop_callbacks=lambda state: state.i >= len(proposals) - 1,
        reflection_minibatch_size=10,
        run_dir=str(tmp_path / "run"),
        seed=1,
    )
    prompts = [each["prompt"] for each in found.candidates]
    assert prompts[0] == "2:50"
    assert "5:90" in prompts
    assert "4:51" not in prompts
    assert guard.guard.allowance(team="gepa")[0] == 0
    assert len(prompts) < 5


def test_a_guard_of_labels_is_refused_in_a_sentence(tmp_path):
    guard = Guard([0, 1], Policy("exact"), tmp_path / "l.db", create=True)
    with pytest.raises(NotSupported, match="take an OutcomeGuard"):
        GatedAcceptance(guard, outcomes)


def test_a_candidate_that_was_merged_without_asking_ends_the_search(tmp_path):
    """GEPA's engine asks the criterion of mutations alone."""
    guard = OutcomeGuard(TASKS, Policy("round:2", looks_per_team=3), tmp_path / "l.db",
                         secret=b"0" * 16, create=True)  # fmt: skip
    state = types.SimpleNamespace(parent_program_for_candidate=[[None], [0], [0], [1, 2]])
    with pytest.raises(NotSupported, match="without asking its acceptance criterion"):
        GatedAcceptance(guard, outcomes).should_accept(types.SimpleNamespace(), state)
    assert guard.guard.allowance(team="gepa")[0] == 3
