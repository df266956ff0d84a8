"""Messages for two audiences: participants, and the owner of the labels."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from holdfast.errors import BudgetExhausted, HoldfastError, InvalidQuery
from holdfast.guard.receipt import Receipt

__all__ = ["NEUTRAL_MESSAGE", "OWNERS_FILE_VARIABLE", "for_participants"]

NEUTRAL_MESSAGE = (
    "submissions can't be scored at present; nothing was released. Please tell the organizers."
)

# The variable that names a file for the details.
OWNERS_FILE_VARIABLE = "HOLDFAST_ERRORS"


def for_participants(score: Callable[[], Receipt]) -> Receipt:
    """Score, and let only what concerns a submission out.

    For platforms that show errors to participants. A fault of the labels, the policy, the ledger
    or the host itself may quote them, or name places on the host: it becomes one line that says
    nothing. The whole message, and every warning, is added to the file that HOLDFAST_ERRORS names,
    if it does.

    Raises
    ------
    InvalidQuery, BudgetExhausted
        As they are: they say the same whatever the labels are.
    HoldfastError
        Anything else, as that one line.
    """
    with warnings.catch_warnings(record=True) as cautions:
        warnings.simplefilter("always")
        try:
            return score()
        except (InvalidQuery, BudgetExhausted):
            raise
        except HoldfastError as error:
            fault = f"{type(error).__name__}: {error}"
        except Exception:
            fault = traceback.format_exc()
        finally:
            _tell_owner([str(caution.message) for caution in cautions])
    _tell_owner([fault])
    # Out here, so that nothing hangs on the exception but its message.
    raise HoldfastError(NEUTRAL_MESSAGE)


def _tell_owner(messages: list[str]) -> None:
    path = os.environ.get(OWNERS_FILE_VARIABLE)
    if not path or not messages:
        return
    now = datetime.now(UTC).isoformat(timespec="seconds")
    # Whatever is wrong with the file, participants are not to see it.
    with suppress(OSError):
        handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.writelines(f"{now} {' '.join(message.split())}\n" for message in messages)
