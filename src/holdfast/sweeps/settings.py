"""Settings in a reference: `column-vote(queries_per_nat=2)` is an attack with one of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from holdfast.attacks.description import Described
from holdfast.errors import HoldfastError, InvalidInput
from holdfast.problem import Problem
from holdfast.quoting import quoted

__all__ = ["are_plain", "bound_attack", "parted", "with_settings"]

SETTINGS = re.compile(r"(?P<base>.*?[\w-])\((?P<settings>\s*\w+\s*=.*)\)", re.DOTALL)
# What every attack is given for a play.
OF_A_PLAY = ("problem", "rng", "prior", "answers")
# A problem that is there to see whether an attack takes a setting.
SMALL = Problem(100, 2, 20)


def parted(reference: str) -> tuple[str, dict[str, Any]]:
    """Return a reference without its settings, and these: numbers, texts and lists of them.

    >>> parted("column-vote(queries_per_nat=2)"), parted("round:2")
    (('column-vote', {'queries_per_nat': 2}), ('round:2', {}))
    """
    # Most have none, and a large grid asks for every cell.
    found = SETTINGS.fullmatch(reference) if "(" in reference else None
    if found is None:
        return reference, {}
    try:
        call = ast.parse(f"_({found['settings']})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError
        settings = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    except (ValueError, SyntaxError):
        raise InvalidInput(
            f"settings must be as in column-vote(queries_per_nat=2), got {quoted(reference)}."
        ) from None
    return found["base"], settings


def with_settings(base: str, settings: Mapping[str, Any]) -> str:
    """Return a reference with settings, in one order."""
    if not settings:
        return base
    told = ", ".join(f"{name}={_plain(settings[name])!r}" for name in sorted(settings))
    return f"{base}({told})"


def are_plain(settings: Mapping[str, Any]) -> bool:
    """Tell whether a text can tell the settings: they come back from it as they were."""
    try:
        return bool(parted(with_settings("_", settings))[1] == dict(settings))
    except (InvalidInput, ValueError):
        return False


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def bound_attack(cls: type[Described], settings: Mapping[str, Any]) -> type[Described]:
    """Return an attack that is made with these settings."""
    taken = [name for name in settings if name in OF_A_PLAY]
    if taken:
        raise InvalidInput(f"{cls.name} gets its {taken[0]} from the cell, not as a setting.")
    made: Any = cls
    try:
        made(SMALL, rng=np.random.default_rng(0), **settings)
    except TypeError as error:
        raise InvalidInput(f"{cls.name} does not take these settings: {error}.") from None
    except HoldfastError:
        pass  # not on problems of this size; a cell of another one will tell

    def __init__(self: Any, *given: Any, **more: Any) -> None:  # noqa: N807 - of the class made here
        cls.__init__(self, *given, **{**settings, **more})

    # What is proved of it is that of the usual settings.
    own: dict[str, Any] = {
        "__init__": __init__,
        "__doc__": cls.__doc__,
        "__module__": cls.__module__,
        "guarantee": None,
    }
    return type(cls.__name__, (cls,), own)
