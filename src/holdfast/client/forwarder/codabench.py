"""Codabench: a scoring program that forwards submissions to a board.

Save it as score.py in the scoring program, with a metadata.yaml that says
`command: python3 score.py /app/input /app/output`. The labels stay on the board's server: the
reference data needs none. Codabench does not tell a scoring program whose submission it is, so all
participants share one team's looks: the policy's looks_per_team is for everybody together. Written
with --per-user, this file takes the user from the mounts of the container, whose source Codabench's
worker calls uPK-USER_sID-SUBMISSION (seen at its commit c7dbc756): a submission can't set it. Where
it is not there, all share one budget, and the log says so.
"""

from __future__ import annotations

import json
import os
import re
import sys

from holdfast.client.forwarder.sending import (
    EVERYONE,
    PER_USER,
    Refused,
    find_token,
    row_of,
    send,
)

MOUNTS = "/proc/self/mountinfo"
USER = re.compile("/uPK-([0-9]+)_sID-[0-9]+")


def team() -> str:
    """Return whose look it is: the user's, where that is wanted and told, or everyone's."""
    given = os.environ.get("HOLDFAST_TEAM")
    if given or PER_USER != "yes":
        return given or EVERYONE
    users = set()
    if os.path.isfile(MOUNTS):
        with open(MOUNTS) as file:
            users = set(USER.findall(file.read()))
    if len(users) == 1:
        return "user {}".format(users.pop())
    print("whose submission it is was not told: it counts for everyone's budget")
    return EVERYONE


def one_file(result: str) -> str:
    """Return the path of the submission: at the top of its archive, or one folder down."""
    found = tables(result)
    if not found and os.path.isdir(result):
        for name in sorted(os.listdir(result)):
            if not name.startswith((".", "__")):
                found += tables(os.path.join(result, name))
    if len(found) != 1:
        message = "submission must be one CSV or NPY file in the top folder of its archive, got {}."
        raise Refused(message.format(len(found)))
    return found[0]


def tables(folder: str) -> list[str]:
    """Return the paths of the CSV and NPY files of a folder."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    kept = [each for each in names if each.lower().endswith((".csv", ".npy")) and each[0] != "."]
    return [os.path.join(folder, each) for each in kept]


def main(arguments: list[str]) -> int:
    """Forward the one file in input/res, and write what is released to output/scores.json."""
    folders = arguments if len(arguments) == 2 else ["/app/input", "/app/output"]
    result, output = os.path.join(folders[0], "res"), folders[1]
    try:
        name = one_file(result)
        with open(name, "rb") as file:
            body = file.read()
        here = os.path.dirname(os.path.abspath(sys.argv[0]))
        token = find_token(here, os.path.join(folders[0], "ref"))
        told = send(body, team(), token, os.path.basename(name))
    except Refused as refusal:
        sys.stderr.write("{}\n".format(refusal))  # Codabench shows it to the submitter
        return 1
    if not os.path.isdir(output):
        os.makedirs(output)
    with open(os.path.join(output, "scores.json"), "w") as file_:
        json.dump({**row_of(told), "looks_left": told["looks_left"]}, file_)
    print("released {}: {}".format(told["released"], told["meaning"]))
    print("{} looks left, {}".format(told["looks_left"], told["receipt_id"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
