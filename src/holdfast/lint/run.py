"""Detection and linting of a host's configuration file."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from holdfast.attacks import ChampionChallenger, ColumnVote, HillClimb, Lattice
from holdfast.certificates import certify
from holdfast.errors import InvalidInput
from holdfast.forecasts import Setting
from holdfast.lint import codabench, evalai, hugging_face
from holdfast.lint.record import Exposure, Phase, Report
from holdfast.lint.tree import read_tree
from holdfast.mechanisms import parse_mechanism
from holdfast.problem import Problem, check_at_least

__all__ = ["lint"]

HOSTS = (evalai, codabench, hugging_face)
# How long a phase without dates is taken to last: competitions run for about three months.
DEFAULT_DAYS = 90


def lint(
    path: str | Path,
    *,
    n_examples: int | None = None,
    n_classes: int | None = None,
    days: int = DEFAULT_DAYS,
) -> Report:
    """List unsafe settings of a host's configuration, and what its looks expose.

    Parameters
    ----------
    path
        EvalAI's `challenge_config.yaml`, Codabench's or CodaLab's `competition.yaml`, or a
        Hugging Face competition's `conf.json`.
    n_examples, n_classes
        The scored test set; None: no gains are computed.
    days
        How long a phase lasts whose dates are missing.
    """
    path = Path(path)
    check_at_least("days", days, 1)
    if (n_examples is None) != (n_classes is None):
        raise InvalidInput("n_examples and n_classes must be given together.")
    if n_examples is not None and n_classes is not None:
        Problem(n_examples, n_classes, 1)
    tree = read_tree(path)
    host = next((host for host in HOSTS if host.matches(tree)), None)
    if host is None:
        raise InvalidInput(
            f"{path} must be a configuration of EvalAI (challenge_phases), Codabench or CodaLab "
            "(phases) or Hugging Face competitions (SUBMISSION_LIMIT), got other keys."
        )
    issues, phases = host.read(tree, days)
    report = Report(
        file=str(path),
        host=host.HOST,
        issues=tuple(sorted(issues, key=lambda issue: (issue.line, issue.code))),
        phases=tuple(phases),
    )
    if n_examples is None or n_classes is None:
        return report
    exposures = tuple(_exposure(phase, n_examples, n_classes) for phase in phases)
    return replace(report, exposures=exposures)


def _exposure(phase: Phase, n: int, m: int) -> Exposure:
    problem = Problem(n, m, phase.looks)
    rule = parse_mechanism(phase.release)
    certificate = certify(problem, rule)
    bits = certificate.bits_per_look * phase.metrics
    strongest = (ChampionChallenger, HillClimb, ColumnVote, Lattice)
    gain = max(cls.forecast(Setting(problem)).gain for cls in strongest)
    return Exposure(
        phase=phase.name,
        line=phase.line,
        looks=phase.looks,
        looks_text=phase.looks_text,
        release=phase.release,
        bits_per_look=round(bits, 2),
        bits=round(min(bits * phase.looks, n * math.log2(m)), 1),
        possible=round(100.0 * min(gain / n, 1.0 - 1.0 / m), 2),
        # What several metrics of a submission tell together is not covered.
        allowed=round(100.0 * certificate.gain, 2) if phase.metrics == 1 else None,
    )
