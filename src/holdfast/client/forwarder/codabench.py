"""Codabench: a scoring program that forwards submissions to a board.

Save it as score.py in the scoring program, with a metadata.yaml that says
`command: python3 score.py /app/input /app/output`. The labels stay on the board's server: the
reference data needs none. Codabench does not tell whose submission it is, so all participants
share one team's looks: the policy's looks_per_team is for everybody together.
"""

from __future__ import annotations

import json
import os
import sys

from holdfast.client.forwarder.sending import EVERYONE, METRIC, Refused, find_token, send


def main(arguments: list[str]) -> int:
    """Forward the one file in input/res, and write what is released to output/scores.json."""
    folders = arguments if len(arguments) == 2 else ["/app/input", "/app/output"]
    result, output = os.path.join(folders[0], "res"), folders[1]
    try:
        found = sorted(os.listdir(result)) if os.path.isdir(result) else []
        files = [name for name in found if name.lower().endswith((".csv", ".npy"))]
        if len(files) != 1:
            raise Refused("submission must be one CSV or NPY file, got {}.".format(len(files)))
        with open(os.path.join(result, files[0]), "rb") as file:
            body = file.read()
        here = os.path.dirname(os.path.abspath(sys.argv[0]))
        token = find_token(here, os.path.join(folders[0], "ref"))
        told = send(body, os.environ.get("HOLDFAST_TEAM") or EVERYONE, token, files[0])
    except Refused as refusal:
        sys.stderr.write("{}\n".format(refusal))  # Codabench shows it to the submitter
        return 1
    if not os.path.isdir(output):
        os.makedirs(output)
    with open(os.path.join(output, "scores.json"), "w") as file_:
        json.dump({METRIC: told["released"], "looks_left": told["looks_left"]}, file_)
    print("released {}: {}".format(told["released"], told["meaning"]))
    print("{} looks left, {}".format(told["looks_left"], told["receipt_id"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
