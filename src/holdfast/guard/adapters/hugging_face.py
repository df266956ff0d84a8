"""Hugging Face competitions: a custom metric `compute(params)` over `solution.csv`.

In the private competition repository set EVAL_METRIC to "custom", put `policy.toml` and, unless
HOLDFAST_LEDGER is set, `ledger.url` beside `solution.csv`, and let `metric.py` say
`from holdfast.guard.adapters.hugging_face import compute`. The rows whose `split` is "public" are
answered under the policy; those whose split is "private" are scored once, by `holdfast close`,
from the predictions that the ledger keeps. The platform wants a private score with every
submission, too, and is told the public one.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidQuery, NotSupported
from holdfast.guard.adapters.host_columns import Columns, as_columns, check_columns, row_of
from holdfast.guard.adapters.settings import find_ledger, find_policy
from holdfast.guard.files import GuardedFile

__all__ = ["compute"]


def compute(
    params: Any,
    *,
    fetch: Callable[[Any, str], str] | None = None,
    metric: str | Columns | None = None,
) -> dict[str, dict[str, float]]:
    """Score a team's submission and return public and private scores as the platform wants them.

    Both are the public score: no look touches the private part.

    Parameters
    ----------
    params
        The platform's parameters: competition_id, token, team_id, submission_id,
        submission_id_col and submission_cols are read.
    fetch
        Returns the local path of a file of the competition repository; None: from the Hub.
    metric
        The name of the score; or for each name the released number that stands there, as in
        {"overall": "accuracy", "law": "subject=law"}. None: the policy's metric by its name.
    """
    fetch = fetch or _from_hub
    solution = fetch(params, "solution.csv")
    submission = _submission(params, fetch)
    # Each file where its own download says: a commit in between puts the next one elsewhere.
    policy, ledger = (
        Path(solution if variable in os.environ else fetch(params, name)).parent
        for name, variable in (
            ("policy.toml", "HOLDFAST_POLICY"),
            ("ledger.url", "HOLDFAST_LEDGER"),
        )
    )
    id_column = params.submission_id_col
    others = [name for name in getattr(params, "submission_cols", ()) if name != id_column]
    rules = find_policy(policy)
    columns = as_columns(metric, rules.display)
    host = GuardedFile(
        solution,
        rules,
        find_ledger(ledger),
        part="public",
        id_column=id_column,
        label_column=others[0] if len(others) == 1 else None,
        shared=True,
    )
    check_columns(columns, host.guard)
    receipt = host.score(submission, team=f"team {params.team_id}")
    if receipt.shown is None:
        raise NotSupported("recorded; the score is released when the batch is full.")
    released = row_of(receipt, columns)
    return {"public_score": dict(released), "private_score": dict(released)}


def _submission(params: Any, fetch: Callable[[Any, str], str]) -> str:
    """Return the path of a submission; one that is there as Parquet is refused in a sentence."""
    name = f"submissions/{params.team_id}-{params.submission_id}"
    try:
        return fetch(params, f"{name}.csv")
    except Exception as error:  # the Hub's own, and the platform's versions of it
        missing = error
    try:
        fetch(params, f"{name}.parquet")
    except Exception:
        raise missing from None
    raise InvalidQuery("submission must be a CSV file, got a Parquet file; send it as CSV.")


def _from_hub(params: Any, name: str) -> str:
    """Download a file of the competition repository, as the platform's own metrics do."""
    hub = importlib.import_module("huggingface_hub")  # the platform has it, nobody else needs it
    return str(
        hub.hf_hub_download(
            repo_id=params.competition_id, filename=name, token=params.token, repo_type="dataset"
        )
    )
