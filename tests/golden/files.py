"""A host's files, written from seeds: labels, predictions, a history, policies, configurations."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

N = 120

POLICIES = {
    "ladder.toml": 'release = "ladder:0.01"\nlooks_per_team = 4\n',
    "noisy.toml": (
        'release = "round:2+laplace:0.02"\nlooks_per_team = 2\nwindow = "day"\nfailed = "look"\n'
        'min_gap = "30 minutes"\ndays = 5\nteams = 3\n'
    ),
    "parts.toml": 'release = "round:2"\nlooks_per_team = 5\nfinal_choices = 1\n',
    "exact.toml": 'release = "exact"\nlooks_per_team = 9\nclasses = ["c0", "c1", "c2"]\n',
    "wrong.toml": 'release = "ladder:0.01"\nlooks_per_team = 0\n',
}

CONFIGURATIONS = {
    "evalai.yaml": """\
title: Animals
leaderboard:
  - id: 1
    schema: {"labels": ["accuracy", "recall"], "default_order_by": "accuracy"}
challenge_phases:
  - id: 1
    start_date: 2026-01-01 00:00:00
    end_date: 2026-01-31 00:00:00
    max_submissions_per_day: 5
    max_submissions: 50
  - id: 2
    name: Test phase
    is_submission_public: True
challenge_phase_splits:
  - challenge_phase_id: 1
    leaderboard_id: 1
    visibility: 3
    leaderboard_decimal_places: 2
""",
    "codabench.yaml": """\
title: Animals
phases:
  - name: Development
    start: 2026-01-01
    end: 2026-03-01
    max_submissions_per_day: 200
    max_submissions: 20000
  - name: Final
    start: 2026-03-02
    hide_output: true
leaderboards:
  - title: Results
    columns:
      - key: accuracy
        precision: 3
""",
    "conf.json": '{"COMPETITION_TYPE": "generic", "SUBMISSION_LIMIT": 100, "SELECTION_LIMIT": 0}\n',
    "other.yaml": "title: Animals\n",
}

HISTORY = """\
team,time,score
blue,2026-01-01,0.60
red,2026-01-02,0.50
blue,2026-01-03,0.62
red,2026-01-04,0.58
blue,2026-01-05,0.65
green,2026-01-06,0.61
"""


def write(folder: Path) -> None:
    """Write every file into a folder."""
    rng = np.random.default_rng(21)
    ids = rng.permutation(10_000)[:N]
    even = rng.integers(3, size=N)
    skewed = rng.permutation(np.repeat([0, 1, 2], [80, 30, 10]))
    usage = np.where(rng.random(N) < 0.4, "Public", "Private")
    table(folder / "even.csv", ids, even)
    table(folder / "skewed.csv", ids, skewed)
    table(folder / "parts.csv", ids, even, usage)
    np.save(folder / "even.npy", even)
    for name, truth, skill in (
        ("good", even, 0.8),
        ("fair", even, 0.7),
        ("poor", even, 0.4),
        ("model", skewed, 0.85),
    ):
        guess = np.where(rng.random(N) < skill, truth, rng.integers(3, size=N))
        order = rng.permutation(N)
        table(folder / f"{name}.csv", ids[order], guess[order])
    table(folder / "short.csv", ids[1:], even[1:])
    for name, text in {**POLICIES, **CONFIGURATIONS, "history.csv": HISTORY}.items():
        (folder / name).write_text(text)
    for path in folder.iterdir():
        path.chmod(0o600)


def table(path: Path, ids: Iterable[Any], labels: Iterable[Any], usage: Any = None) -> None:
    rows = [f"{i},c{label}" for i, label in zip(ids, labels, strict=True)]
    if usage is not None:
        rows = [f"{row},{part}" for row, part in zip(rows, usage, strict=True)]
    head = "id,label" if usage is None else "id,label,Usage"
    path.write_text("\n".join([head, *rows, ""]))
