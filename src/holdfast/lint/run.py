"""Detection and linting of a host's configuration file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.lint import codabench, codalab, evalai, hugging_face
from holdfast.lint.record import CODES, Report
from holdfast.lint.tree import read_tree
from holdfast.problem import Problem, check_at_least
from holdfast.quoting import choice
from holdfast.rules import parse_rule

__all__ = ["lint"]

HOSTS = (evalai, codalab, codabench, hugging_face)
DEFAULT_DAYS = 90


def lint(
    path: str | Path,
    *,
    n_examples: int | None = None,
    n_classes: int | None = None,
    days: int = DEFAULT_DAYS,
    release: str | None = None,
    ignore: Collection[str] = (),
) -> Report:
    """List what a host's configuration leaves open, and what its looks expose.

    Parameters
    ----------
    path
        EvalAI's `challenge_config.yaml`, Codabench's or CodaLab's `competition.yaml`, or a
        Hugging Face competition's `conf.json`.
    n_examples, n_classes
        The scored test set; None: no gains are computed.
    days
        How long a phase lasts whose dates are missing.
    release
        The rule that the scoring program applies before the host sees a score, such as
        "round:2"; None: nobody said, so exact scores.
    ignore
        Codes of findings to leave out.
    """
    path = Path(path)
    check_at_least("days", days, 1)
    if (n_examples is None) != (n_classes is None):
        raise InvalidInput("n_examples and n_classes must be given together.")
    if n_examples is not None and n_classes is not None:
        Problem(n_examples, n_classes, 1)
    rule = parse_rule("exact" if release is None else release)
    for code in ignore:
        if code not in CODES:
            raise InvalidInput(f"ignore must be {choice(code, CODES)}")
    tree = read_tree(path)
    host = next((host for host in HOSTS if host.matches(tree)), None)
    if host is None:
        raise InvalidInput(
            f"{path} must be a configuration of EvalAI (challenge_phases), Codabench or CodaLab "
            "(phases) or Hugging Face competitions (SUBMISSION_LIMIT), got other keys."
        )
    found, phases = host.read(tree, days, n_classes)
    if release is not None:  # what the note asks for has been said
        found = [issue for issue in found if issue.code != "display-rounding"]
    kept = [issue for issue in found if issue.code not in ignore]
    phases = [replace(phase, release=str(rule)) for phase in phases]
    report = Report(
        file=str(path),
        host=host.HOST,
        issues=tuple(sorted(kept, key=lambda issue: (issue.line, issue.code))),
        phases=tuple(phases),
        ignored=len(found) - len(kept),
    )
    if n_examples is None or n_classes is None:
        return report
    from holdfast.lint.exposure import exposure

    exposures = tuple(exposure(phase, rule, n_examples, n_classes) for phase in phases)
    return replace(report, exposures=exposures)
