"""Hugging Face competitions: a custom metric `compute(params)` over `solution.csv`.

In the private competition repository set EVAL_METRIC to "custom", put `policy.toml` and, unless
HOLDFAST_LEDGER is set, `ledger.url` beside `solution.csv`, and let `metric.py` say
`from holdfast.guard.adapters.hugging_face import compute`. The rows whose `split` is "public" are
answered under the policy. Those whose split is "private" are a data set of their own in the same
ledger, released exactly: the platform shows that score when the competition is over, and every
look at it is counted all the same.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput, NotSupported
from holdfast.guard.adapters.frames import GuardedFrame
from holdfast.guard.adapters.settings import find_ledger, find_policy
from holdfast.guard.ledger import Ledger
from holdfast.quoting import quoted

__all__ = ["compute"]


def compute(
    params: Any, *, fetch: Callable[[Any, str], str] | None = None, metric: str = "accuracy"
) -> dict[str, dict[str, float]]:
    """Score a team's submission and return public and private scores as the platform wants them.

    Parameters
    ----------
    params
        The platform's parameters: competition_id, token, team_id, submission_id and
        submission_id_col are read.
    fetch
        Returns the local path of a file of the competition repository; None: from the Hub.
    metric
        The name of the score.
    """
    import pandas as pd

    fetch = fetch or _from_hub
    id_column = params.submission_id_col
    path = fetch(params, "solution.csv")
    solution = pd.read_csv(path, dtype=str)
    for name in (id_column, "split"):
        if name not in solution.columns:
            raise InvalidInput(f"solution.csv must have a column {quoted(name)}.")
    submitted = fetch(params, f"submissions/{params.team_id}-{params.submission_id}.csv")
    submission = pd.read_csv(submitted, dtype=str)
    for name, variable in (("policy.toml", "HOLDFAST_POLICY"), ("ledger.url", "HOLDFAST_LEDGER")):
        if variable not in os.environ:
            fetch(params, name)  # it lands beside solution.csv, where it is looked for
    policy = find_policy(Path(path).parent)
    released: dict[str, dict[str, float]] = {}
    with Ledger(find_ledger(Path(path).parent)) as ledger:
        for split in ("public", "private"):
            part = solution[solution["split"] == split].drop(columns="split")
            if part.empty:
                raise InvalidInput(f"solution.csv must have rows whose split is {split}.")
            rule = policy if split == "public" else dataclasses.replace(policy, release="exact")
            host = GuardedFrame(part, rule, ledger, id_column=id_column)
            rows = submission
            if id_column in submission.columns:
                rows = submission[submission[id_column].isin(part[id_column])]
            receipt = host.score(rows, team=f"team {params.team_id}")
            if receipt.released is None:
                raise NotSupported("recorded; the score is released when the batch is full.")
            released[f"{split}_score"] = {metric: receipt.released}
    return released


def _from_hub(params: Any, name: str) -> str:
    """Download a file of the competition repository, as the platform's own metrics do."""
    hub = importlib.import_module("huggingface_hub")  # the platform has it, nobody else needs it
    return str(
        hub.hf_hub_download(
            repo_id=params.competition_id, filename=name, token=params.token, repo_type="dataset"
        )
    )
