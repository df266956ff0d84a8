"""Hugging Face competitions: a metric.py that forwards submissions to a board.

Save it as metric.py in the private competition repository, with EVAL_METRIC "custom" in conf.json.
The labels stay on the board's server: solution.csv may hold ids alone. The platform wants a
private score with every submission and is told the public one; the final ranking is the board's.
A token that is not written into this file is read from a file holdfast-token of that repository.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from holdfast.client.forwarder.sending import Refused, find_token, row_of, send


def compute(params: Any) -> dict[str, dict[str, Any]]:
    """Return public and private scores as the platform wants them."""
    name = "submissions/{}-{}.csv".format(params.team_id, params.submission_id)
    with open(found(params, name), "rb") as file:
        body = file.read()
    try:
        token = find_token()
    except Refused as refusal:
        try:
            kept = downloaded(params, "holdfast-token")
        except Exception:
            raise refusal from None
        token = find_token(os.path.dirname(kept))
    told = send(body, "team {}".format(params.team_id), token, name)
    released = row_of(told)
    return {"public_score": dict(released), "private_score": dict(released)}


def found(params: Any, name: str) -> str:
    """Return the path of a submission; one that is there as Parquet is refused in a sentence."""
    try:
        return downloaded(params, name)
    except Exception as error:
        missing = error
    try:
        downloaded(params, name[: -len("csv")] + "parquet")
    except Exception:
        raise missing from None
    raise Refused("submission must be a CSV file, got a Parquet file; send it as CSV.")


def downloaded(params: Any, name: str) -> str:
    """Return the path of a file of the competition's repository."""
    hub = importlib.import_module("huggingface_hub")  # the platform has it
    path = hub.hf_hub_download(
        repo_id=params.competition_id, filename=name, token=params.token, repo_type="dataset"
    )
    return str(path)
