"""Holdfast tells how far a hidden test set can be overfit through its score feedback.

It implements Acharya & Suresh, "Optimal multiclass overfitting by sequence reconstruction from
Hamming queries", and serves scores so that the overfitting stays within what was decided.

Everything is loaded when it is first used: most parts need scipy and numba, which take a second.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from holdfast._version import __version__

if TYPE_CHECKING:
    from holdfast import (
        answers,
        attacks,
        audit,
        bounds,
        errors,
        guard,
        metrics,
        oracles,
        planner,
        priors,
        rules,
        testing,
        votes,
    )
    from holdfast.files.label_files import read_labels
    from holdfast.loop import play
    from holdfast.problem import Problem
    from holdfast.transcript import Transcript

# Where the names live that are not modules.
HOME_MODULES = {
    "Problem": "problem",
    "Transcript": "transcript",
    "play": "loop",
    "read_labels": "files.label_files",
}

__all__ = [
    "Problem",
    "Transcript",
    "__version__",
    "answers",
    "attacks",
    "audit",
    "bounds",
    "errors",
    "guard",
    "metrics",
    "oracles",
    "planner",
    "play",
    "priors",
    "read_labels",
    "rules",
    "testing",
    "votes",
]


def __getattr__(name: str) -> Any:
    """Load a module, or what lives in one, when it is first used."""
    if name in HOME_MODULES:
        value = getattr(import_module(f"holdfast.{HOME_MODULES[name]}"), name)
        globals()[name] = value
        return value
    if name in __all__ or name == "mechanisms":  # the former name of rules, for one version more
        return import_module(f"holdfast.{name}")
    raise AttributeError(f"module 'holdfast' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
