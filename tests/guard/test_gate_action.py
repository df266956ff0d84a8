"""The GitHub action and the pre-commit hook: their own steps, run here."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def steps():
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return action["inputs"], action["runs"]["steps"]


def run(step, folder, inputs):
    """Run a step as a runner does: its inputs in the environment, its text in bash."""
    given = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: inputs.get(m[1], ""), text)
             for name, text in step.get("env", {}).items()}  # fmt: skip
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, "PATH": path, "GITHUB_EVENT_NAME": "pull_request", **given},
        capture_output=True,
        text=True,
    )


def test_a_proposers_own_workflow_is_refused_in_a_sentence(tmp_path):
    refusal = steps()[1][0]
    # Of these alone GitHub takes the workflow from the default branch: a review, a merge queue and
    # a dispatch run that of another one.
    allowed = re.fullmatch(r"!contains\(fromJSON\('(.*)'\), github.event_name\)", refusal["if"])
    assert json.loads(allowed[1]) == ["workflow_run", "schedule", "repository_dispatch"]
    ran = run(refusal, tmp_path, {})
    assert ran.returncode == 1
    assert ran.stdout.startswith("::error::this action needs the labels")


def test_the_last_step_gates_outcomes(tmp_path):
    inputs, (*_, gate) = steps()
    tasks = [f"t{at}" for at in range(80)]
    (tmp_path / "tasks.txt").write_text("\n".join(tasks))
    (tmp_path / "secret").write_text("0123456789abcdef")
    (tmp_path / "secret").chmod(0o600)
    (tmp_path / "policy.toml").write_text('release = "round:2"\nlooks_per_team = 5\n')
    for name, passed in (("old", 30), ("new", 60), ("junk", 31)):
        found = {task: at < passed for at, task in enumerate(tasks)}
        (tmp_path / f"{name}.json").write_text(json.dumps(found))
    ledger = [sys.executable, "-m", "holdfast", "ledger", "init", "l.db"]
    subprocess.run(ledger, cwd=tmp_path, check=True, capture_output=True)
    given = {"policy": "policy.toml", "tasks": "tasks.txt", "secret": "secret", "ledger": "l.db",
             "baseline": "old.json", "team": "ci"}  # fmt: skip
    assert set(given) | {"candidate", "labels", "version"} == set(inputs)
    passed = run(gate, tmp_path, {**given, "candidate": "new.json"})
    assert (passed.returncode, passed.stdout.splitlines()[-1]) == (0, "PASS")
    failed = run(gate, tmp_path, {**given, "candidate": "junk.json"})
    assert failed.returncode == 1
    assert "would pass: a p value of at most" in failed.stdout
    (tmp_path / "link.json").symlink_to(tmp_path / "new.json")
    link = run(gate, tmp_path, {**given, "candidate": "link.json"})
    assert link.returncode == 1
    assert link.stdout.startswith("::error::the candidate must be a file, got a link")


def test_the_hook_lints_the_files_that_hosts_read_several_at_once(tmp_path):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    for name in ("a/competition.yaml", "challenge_config.yml", "x/conf.json"):
        assert re.search(hook["files"], name)
    assert not re.search(hook["files"], "my_competition.yaml.txt")
    file = str(ROOT / "examples" / "hugging_face" / "conf.json")
    command = [sys.executable, "-m", *hook["entry"].split(), file, file, "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert [report["file"] for report in json.loads(ran.stdout)] == [file, file]
