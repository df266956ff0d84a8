"""Evaluator file of OpenEvolve and ShinkaEvolve: programs print predictions, a board grades.

HOLDFAST_BOARD_URL and HOLDFAST_TOKEN name the board; RUN_AS, if it is set, another user.
"""

import os
import sys

from holdfast.adapters.evaluator import evaluator, shinka
from holdfast.client import BoardClient

limit = ["timeout", "-k", "1", "600"]  # as the other user: nobody else could end it
as_user = ["sudo", "-u", os.environ["RUN_AS"], *limit] if os.environ.get("RUN_AS") else []
client = BoardClient(os.environ["HOLDFAST_BOARD_URL"], os.environ["HOLDFAST_TOKEN"])
evaluate = evaluator(client, [*as_user, sys.executable, "-I", "{program}"])

if __name__ == "__main__":  # ShinkaEvolve calls it as a script
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    shinka(evaluate, options["--program_path"], options["--results_dir"])
