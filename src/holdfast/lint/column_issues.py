"""Findings about a leaderboard's columns: what each tells, and which are no accuracies."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.errors import NotSupported
from holdfast.lint.metrics import COST, MetricColumn, template_names
from holdfast.lint.record import Issue
from holdfast.metrics import Metric
from holdfast.problem import Problem

__all__ = ["column_issues"]

RECALL_OF_ONE = "a recall of one class"


def column_issues(
    columns: Sequence[MetricColumn], fix: str, n_classes: int | None = None
) -> list[Issue]:
    """Return what the shown columns tell together, and which of them are no accuracy.

    `n_classes` is the labels' number of classes; None: not known, and taken as two.
    """
    issues = []
    template = template_names(columns)
    scored = [column for column in columns if column.kind != COST and column not in template]
    if template:
        issues.append(
            Issue(
                template[0].line,
                "template-names",
                "note",
                f"The leaderboard's columns {', '.join(each.name for each in template)} are called "
                "as in the template.",
                "Which metrics they are, and how many, can't be told; they are not counted.",
                "Call them what the evaluation script returns, and leave out the others.",
            )
        )
    if len(scored) > 1:
        issues.append(
            Issue(
                scored[1].line,
                "many-metrics",
                "warning",
                f"The leaderboard shows {len(scored)} metrics of every submission.",
                "Every metric of the same labels is one more answer to the same look: "
                f"{_adds(scored)}.",
                fix,
            )
        )
    others = [column for column in columns if column.kind is not None]
    if others:
        told = ", ".join(f"{each.name} is {each.kind}" for each in others)
        issues.append(
            Issue(
                others[0].line,
                "not-accuracy",
                "note",
                f"No accuracy: {told}.",
                ("" if len(scored) > 1 else f"{_adds(others)}. ") + _meant(others),
                _priced(others, 2 if n_classes is None else n_classes),
            )
        )
    return issues


def _meant(others: Sequence[MetricColumn]) -> str:
    """Return what the figures of columns that are no accuracies mean."""
    unknown = [each.name for each in others if each.metric is None and each.kind != COST]
    if not unknown:
        return "Gains of this table are labels that are known, in points of accuracy."
    return f"Bits and gains of {', '.join(unknown)} are taken as those of an accuracy."


def _adds(columns: Sequence[MetricColumn]) -> str:
    """Return what columns tell, those first that stand for a metric, each of them by name."""
    names: dict[tuple[Metric | None, str | None], list[str]] = {}
    for column in sorted(columns, key=lambda column: column.metric is None):
        kind = RECALL_OF_ONE if column.of_one_class else column.kind
        names.setdefault((column.metric, kind), []).append(column.name)
    return "; ".join(
        _tells(list(dict.fromkeys(each)), metric, kind) for (metric, kind), each in names.items()
    )


def _tells(names: Sequence[str], metric: Metric | None, kind: str | None) -> str:
    """Return a clause about columns of the same kind."""
    who, one = ", ".join(names), len(names) == 1
    if metric is not None:
        return f"{who} ({metric}) {'tells' if one else 'tell'} {metric.reveals}"
    if kind is None:
        verb = "tells" if one else "each tell"
        return f"{who} {verb} the number of matches, of all examples or of a group"
    if kind == RECALL_OF_ONE:
        from holdfast.attacks.through_metrics import ClassPools

        verb = "tells" if one else "each tell"
        return (
            f"{who} {verb} how many examples of a class are right, and {ClassPools.name} reads the "
            "recalls of all classes together"
        )
    return f"{who} {'is' if one else 'are each'} {kind} that no attack here reads"


def _priced(columns: Sequence[MetricColumn], n_classes: int) -> str:
    """Return how to learn what the columns give away on the host's own labels."""
    known = list(dict.fromkeys(each.metric for each in columns if each.metric is not None))
    refused = {metric: reason for metric in known if (reason := _refusal(metric, n_classes))}
    audited = [str(metric) for metric in known if metric not in refused]
    reasons = "".join(f" {reason}" for reason in refused.values())
    options = f" --metric {' or '.join(audited)}" if audited else ""
    if any(each.of_one_class for each in columns):
        options += " --also recall_per_class"
    if not options:
        return f"Read the gains as those of a board that shows an accuracy.{reasons}"
    return f"Audit the labels: holdfast audit LABELS{options}.{reasons}"


def _refusal(metric: Metric, n_classes: int) -> str | None:
    """Return why no audit covers a metric of so many classes; None: audits do."""
    # Attacks are loaded where a board shows more than accuracies, and for gains.
    from holdfast.attacks.through_metrics.registry import check_covered

    try:
        check_covered(metric, Problem(2, n_classes, 1))
    except NotSupported as error:
        return str(error)
    return None
