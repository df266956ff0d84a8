"""Kaggle-style metrics, and any script: submissions forwarded to a board.

`score(solution, submission, row_id_column_name)` is for a host of one's own that calls such
metrics; Kaggle's servers let no request out. As a script it takes a file and a team:
`python3 forwarder.py submission.csv [TEAM]` prints what is released as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from holdfast.client.forwarder.sending import EVERYONE, Refused, find_token, send

HERE = os.path.dirname(os.path.abspath(__file__))


class ParticipantVisibleError(Exception):
    """An error whose message the host shows to the participant."""


def score(solution: Any, submission: Any, row_id_column_name: str, team: str = EVERYONE) -> float:
    """Return what is released for a data frame of ids and labels; the solution is not needed."""
    del solution, row_id_column_name
    body = submission.to_csv(index=False).encode()
    try:
        return float(send(body, team, find_token(HERE), "submission.csv")["released"])
    except Refused as refusal:
        message = str(refusal)
    raise ParticipantVisibleError(message)


def main(arguments: list[str]) -> int:
    """Forward a file in the name of a team."""
    if not 1 <= len(arguments) <= 2:
        sys.stderr.write("usage: forwarder.py SUBMISSION [TEAM]\n")
        return 2
    team = arguments[1] if len(arguments) == 2 else EVERYONE
    try:
        with open(arguments[0], "rb") as file:
            body = file.read()
        told = send(body, team, find_token(HERE), os.path.basename(arguments[0]))
    except (Refused, FileNotFoundError, IsADirectoryError, PermissionError) as refusal:
        sys.stderr.write("{}\n".format(refusal))
        return 1
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
