"""`holdfast plan`: every attack's expected gain, before a look is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from holdfast.cli.options import AsJson, completed_rule, count_option, looks_option
from holdfast.cli.output import human, print_json
from holdfast.cli.plain import explained_attack, percent, points, scored_submissions
from holdfast.cli.plan_metric import plan_metric
from holdfast.errors import InvalidInput
from holdfast.problem import Problem

if TYPE_CHECKING:
    from holdfast.certificates import Certificate
    from holdfast.planner import Forecast, Plan
    from holdfast.priors import Prior

__all__ = ["plan"]

ATTACK_WIDTH = 38


def plan(
    n_examples: Annotated[int, count_option("Size of the test set.")],
    n_classes: Annotated[int, count_option("Number of classes.")],
    n_queries: Annotated[int, looks_option("Number of scored submissions (looks).")],
    mechanism: Annotated[
        str,
        typer.Option(
            "--rule",
            help="What is released: exact, round:3, gaussian:0.01, rank, ...",
            autocompletion=completed_rule,
        ),
    ] = "exact",
    prior_accuracy: Annotated[
        float | None,
        typer.Option(help="Accuracy of a model to start from, equally sure of every example."),
    ] = None,
    metric: Annotated[
        str,
        typer.Option(
            help="What the board shows, as scikit-learn spells it: f1, roc_auc, log_loss, ..."
        ),
    ] = "accuracy",
    breakdown: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help="Sizes of the groups whose scores are shown, too, such as 300,700 or 10x25,750.",
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC",
            help="A metric that the board shows beside it; may be given several times.",
        ),
    ] = None,
    non_adaptive: Annotated[
        bool,
        typer.Option(
            "--non-adaptive", help="All queries must be handed in before the first answer."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Predict what every attack would gain and say which one to play, and why.

    The gain is the expected accuracy above guessing, or above the model with --prior-accuracy: in
    points here, a fraction in the JSON. The figures come from closed forms and from curves measured
    beforehand; no attack is played.

    Examples
    --------
    holdfast plan --n-examples 10000 --n-classes 10 --looks 1000
    holdfast plan --n-examples 10000 --n-classes 10 --looks 100 --rule round:2
        --prior-accuracy 0.8
    holdfast plan --n-examples 10000 --n-classes 2 --looks 300 --metric log_loss
    holdfast plan --n-examples 10000 --n-classes 4 --looks 300 --breakdown 50x200
    holdfast plan --n-examples 10000 --n-classes 2 --looks 300 --metric f1 --also roc_auc
        --also log_loss
    """
    from holdfast.certificates import certify
    from holdfast.planner import plan_under
    from holdfast.rules import parse_rule

    problem = Problem(n_examples, n_classes, n_queries)
    rule = parse_rule(mechanism)
    if metric != "accuracy" or breakdown is not None or also:
        for name, value in (("prior_accuracy", prior_accuracy), ("non_adaptive", non_adaptive)):
            if value not in (None, False):
                raise InvalidInput(
                    f"{name} must be left out with metric or breakdown, and with also."
                )
        plan_metric(problem, rule, metric, breakdown, also or (), as_json=as_json)
        return
    found = plan_under(
        rule,
        problem,
        prior=None if prior_accuracy is None else _model(problem, prior_accuracy),
        non_adaptive=non_adaptive,
    )
    certificate = certify(problem, rule, knows=prior_accuracy, fixed_queries=non_adaptive)
    result = _result(found, mechanism, certificate)
    if as_json:
        print_json(result)
    else:
        _show(result)


def _model(problem: Problem, accuracy: float) -> Prior:
    """Return what a model of this accuracy says that is as sure of one example as of the next."""
    import numpy as np

    from holdfast.priors import Prior

    n, m, _ = problem
    if not problem.baseline <= accuracy <= 1.0:
        raise InvalidInput(
            f"prior_accuracy must lie between 1/n_classes = {problem.baseline:g} and 1, "
            f"got {accuracy:g}."
        )
    return Prior.candidates(np.zeros((n, 1), dtype=np.int64), np.full((n, 1), accuracy), m)


def _result(found: Plan, mechanism: str, certificate: Certificate) -> dict[str, Any]:
    problem = found.setting.problem
    n = problem.n_examples
    return {
        "problem": problem,
        "mechanism": mechanism,
        "answers": str(found.setting.answers),
        "start": found.setting.start / n,
        "most_possible": certificate.accuracy,
        "bound": certificate.bound,
        "binds": certificate.binds,
        "chosen": _entry(found.chosen, found),
        "attacks": [_entry(each, found) for each in found.forecasts],
    }


def _entry(each: Forecast, found: Plan) -> dict[str, Any]:
    n = found.setting.problem.n_examples
    accuracy = None if each.gain is None else (found.setting.start + each.gain) / n
    return {
        "attack": each.attack,
        "gain": None if each.gain is None else each.gain / n,
        "gain_examples": each.gain,
        "gain_stderr": None if each.error is None else each.error / n,
        "accuracy": accuracy,
        "looks": each.looks,
        "adaptive": each.adaptive,
        "reason": each.reason,
        "settings": dict(each.settings),
    }


def _show(result: dict[str, Any]) -> None:
    n, m, k = result["problem"]
    console = human()
    console.print(
        f"{scored_submissions(k)} at {n:,} examples of {m:,} classes, released: "
        f"{result['mechanism']}"
    )
    chosen = result["chosen"]
    console.print(f"Play {chosen['attack']}: {chosen['reason']}.")
    table = Table()
    table.add_column("attack", max_width=ATTACK_WIDTH)
    for name in ("gain, points", "accuracy, %", "looks"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("why")
    for each in result["attacks"]:
        figures = ("-", "-", "-")
        if each["gain"] is not None:
            gain = f"{points(each['gain'])} ± {points(each['gain_stderr'])}"
            figures = (gain, percent(each["accuracy"]), f"{each['looks']:,}")
        table.add_row(explained_attack(each["attack"]), *figures, each["reason"])
    console.print(table)
    start, most = result["start"], result["most_possible"]
    console.print(
        f"Before the first look {percent(start)} % are right; under this rule no attack can exceed "
        f"{percent(most)} % in expectation, a gain of {points(most - start)} points, by "
        f"{result['bound']}. It binds {result['binds']}."
    )
