"""The example of a gate in CI: what runs a pull request's code never meets the labels."""

import re
from pathlib import Path

import pytest
import yaml

from holdfast.guard import Policy

FOLDER = Path(__file__).parents[2] / "examples" / "gate"
SECRETS = ("LABELS", "LEDGER", "secrets.")


def jobs(path):
    """Each job of a workflow, with what starts it (YAML reads the key `on` as true)."""
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    starts = workflow.get("on", workflow.get(True))
    starts = {starts} if isinstance(starts, str) else set(starts)
    return [(starts, job) for job in workflow["jobs"].values()]


def gives_labels_away(starts, job):
    """Why a pull request could read the labels in a job; "": it could not."""
    text = str(job)
    if not any(secret in text for secret in SECRETS) and "self-hosted" not in str(job["runs-on"]):
        return ""
    if starts & {"pull_request", "push"}:
        return "the workflow itself, and so what the runner does, is the pull request's"
    for step in job["steps"]:
        if "checkout" in step.get("uses", ""):
            ref = str(step.get("with", {}).get("ref", ""))
            if "head" in ref or ("pull_request_target" not in starts and not ref):
                return "the pull request's files are checked out beside the labels"
        if re.search(r"\b(python|bash|sh|make|node)\b", step.get("run", "")):
            return "something is run that may be the pull request's"
    return ""


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yml")), ids=lambda path: path.name)
def test_no_job_has_both_the_labels_and_code_of_the_pull_request(path):
    assert [gives_labels_away(*each) for each in jobs(path)] == [""]


def test_the_fault_that_was_there_is_noticed(tmp_path):
    """One job that checked out and ran the pull request's code on the runner with the labels."""
    old = tmp_path / "old.yml"
    old.write_text(
        "on: pull_request\n"
        "jobs:\n"
        "  gate:\n"
        "    runs-on: [self-hosted, holdout]\n"
        "    steps:\n"
        "      - uses: actions/checkout@v4\n"
        "      - run: python predict.py --out candidate.csv\n"
        '      - run: holdfast gate --labels "$HOLDOUT_LABELS" --candidate candidate.csv\n'
    )
    assert "pull request" in gives_labels_away(*jobs(old)[0])
    moved = old.read_text().replace("on: pull_request", "on: workflow_run")
    old.write_text(
        moved.replace("checkout@v4", "checkout@v4\n        with: {ref: '${{ x.head_sha }}'}")
    )
    assert "beside the labels" in gives_labels_away(*jobs(old)[0])


def test_predictions_go_from_one_workflow_to_the_other_and_the_policy_is_one():
    (_, predict), (_, decide) = (jobs(FOLDER / f"{name}.yml")[0] for name in ("predict", "gate"))
    uploaded = next(step["with"] for step in predict["steps"] if "upload" in step.get("uses", ""))
    taken = next(step["with"] for step in decide["steps"] if "download" in step.get("uses", ""))
    assert uploaded["name"] == taken["name"]
    candidate = f"{taken['path']}/{uploaded['path']}"
    (gated,) = (step["run"] for step in decide["steps"] if "holdfast gate" in step.get("run", ""))
    # A link in its place could lead to the labels.
    assert gated.startswith(f"test ! -L {candidate} && holdfast gate")
    assert f"--candidate {candidate}" in gated
    assert Policy.read(FOLDER / "policy.toml").looks_per_team == 5
