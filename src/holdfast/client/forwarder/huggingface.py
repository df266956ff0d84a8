"""Hugging Face competitions: a metric.py that forwards submissions to a board.

Save it as metric.py in the private competition repository, with EVAL_METRIC "custom" in conf.json.
The labels stay on the board's server: solution.csv may hold ids alone. The platform wants a
private score with every submission and is told the public one; the final ranking is the board's.
"""

from __future__ import annotations

import importlib
from typing import Any

from holdfast.client.forwarder.sending import METRIC, find_token, send


def compute(params: Any) -> dict[str, dict[str, Any]]:
    """Return public and private scores as the platform wants them."""
    hub = importlib.import_module("huggingface_hub")  # the platform has it
    name = "submissions/{}-{}.csv".format(params.team_id, params.submission_id)
    path = hub.hf_hub_download(
        repo_id=params.competition_id, filename=name, token=params.token, repo_type="dataset"
    )
    with open(path, "rb") as file:
        body = file.read()
    told = send(body, "team {}".format(params.team_id), find_token(), name)
    released = {METRIC: told["released"]}
    return {"public_score": dict(released), "private_score": dict(released)}
