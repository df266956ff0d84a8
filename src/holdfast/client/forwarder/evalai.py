"""EvalAI: an evaluation script that forwards submissions to a board.

Save it as `__init__.py` in the folder of the evaluation script, which is zipped with the challenge.
The labels stay on the board's server: the annotation file may be empty.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from holdfast.client.forwarder.sending import EVERYONE, SPLIT, Refused, find_token, row_of, send


def evaluate(
    test_annotation_file: str, user_submission_file: str, phase_codename: str, **kwargs: Any
) -> dict[str, Any]:
    """Return what EvalAI puts on its leaderboard; without a result, the submission has failed.

    A refusal goes to stderr, which the worker shows to the participant: of what is raised it would
    show the traceback, with its own paths.
    """
    try:
        return scored(test_annotation_file, user_submission_file, phase_codename, kwargs)
    except Refused as refusal:
        sys.stderr.write("{}\n".format(refusal))
        return {}


def scored(
    test_annotation_file: str, user_submission_file: str, phase_codename: str, kwargs: Any
) -> dict[str, Any]:
    """Forward a submission, or raise `Refused`."""
    metadata = kwargs.get("submission_metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    team = metadata.get("participant_team")
    name = EVERYONE if team in (None, "") else "team {}".format(team)
    with open(user_submission_file, "rb") as file:
        body = file.read()
    here = os.path.dirname(os.path.abspath(__file__))
    token = find_token(here, os.path.dirname(os.path.abspath(test_annotation_file)))
    told = send(body, name, token, os.path.basename(user_submission_file), phase_codename)
    row = row_of(told)
    return {
        "result": [{SPLIT: row}],
        "submission_result": row,
        "submission_metadata": {
            "looks_left": told["looks_left"],
            "meaning": told["meaning"],
            "receipt_id": told["receipt_id"],
        },
    }
