"""`holdfast bounds`: gains that are achievable or impossible with k looks, and the inverse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from holdfast.cli.options import AsJson, count_option, looks_option
from holdfast.cli.output import human, print_json
from holdfast.cli.plain import looks as count_looks
from holdfast.cli.plain import percent, point_word, scored_submissions
from holdfast.errors import InvalidInput
from holdfast.problem import Problem

if TYPE_CHECKING:
    from holdfast.bounds import Bound

__all__ = ["bounds"]


def bounds(
    n_examples: Annotated[int, count_option("Size of the test set.")],
    n_classes: Annotated[int, count_option("Number of classes.")],
    n_queries: Annotated[int | None, looks_option("Number of scored submissions (looks).")] = None,
    max_bias: Annotated[
        float | None,
        typer.Option(
            help="Ask the other way round: how many looks keep the expected accuracy above "
            "guessing below this fraction? 0.01 is one point."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what so many scored submissions can reach, and what no attack can exceed.

    Accuracies are expected values against the worst labels, with exact scores released, for
    attacks without a model of the labels (with one, see `holdfast plan`). A bound outside its
    conditions says why it does not apply. With --max-bias, say instead how many scored submissions
    (looks) keep every such attack's expected bias (accuracy above 1/m) below a limit.

    Examples
    --------
    holdfast bounds --n-examples 10000 --n-classes 10 --looks 500
    holdfast bounds --n-examples 50000 --n-classes 1000 --max-bias 0.01
    """
    from holdfast.bounds import all_bounds

    if (n_queries is None) == (max_bias is None):
        raise InvalidInput("exactly one of --looks and --max-bias must be given.")
    if max_bias is not None:
        _invert(n_examples, n_classes, max_bias, as_json)
        return
    assert n_queries is not None
    problem = Problem(n_examples, n_classes, n_queries)
    found = all_bounds(problem)
    if as_json:
        print_json({"problem": problem, "bounds": [_entry(bound) for bound in found]})
    else:
        _show(problem, found)


def _entry(bound: Bound) -> dict[str, object]:
    return {
        "name": bound.name,
        "side": bound.side,
        "accuracy": bound.accuracy,
        "reason": bound.reason,
        "statement": bound.statement,
        "conditions": bound.conditions,
        "analyst": bound.analyst,
        "assumptions": list(bound.assumptions),
        "not_covered": list(bound.not_covered),
    }


def _show(problem: Problem, found: list[Bound]) -> None:
    n, m, k = problem
    console = human()
    console.print(
        f"{scored_submissions(k)} at {n:,} examples of {m:,} classes; guessing scores "
        f"{percent(1 / m)} %"
    )
    for side, title in (
        ("achievable", "accuracy that some attack reaches, %"),
        ("impossible", "accuracy that no attack can exceed, %"),
    ):
        table = Table("bound", title, "statement", "for")
        for bound in sorted(found, key=lambda bound: (bound.accuracy is None, bound.accuracy or 0)):
            if bound.side == side:
                value = bound.reason if bound.accuracy is None else percent(bound.accuracy)
                who = f"{bound.analyst} analyst" if bound.analyst == "any" else bound.analyst
                table.add_row(bound.name, value, bound.statement, who)
        console.print(table)


def _invert(n: int, m: int, max_bias: float, as_json: bool) -> None:
    from holdfast.bounds import queries_to_recover_all
    from holdfast.certificates import safe_looks

    looks = safe_looks(n, m, max_bias)
    fixed = safe_looks(n, m, max_bias, fixed_queries=True)
    recover = queries_to_recover_all(n, m)
    if as_json:
        print_json(
            {
                "n_examples": n,
                "n_classes": m,
                "max_bias": max_bias,
                "max_queries": {"any": looks, "non-adaptive": fixed},
                "queries_to_recover_all": recover,
            }
        )
        return
    console = human()
    console.print(
        f"{n:,} examples of {m:,} classes, an expected gain above guessing of at most "
        f"{point_word(max_bias)}:"
    )
    console.print(
        f"  {scored_submissions(looks)} {_are(looks)} safe against any attack without a model of "
        "the labels"
    )
    console.print(
        f"  {count_looks(fixed)} {_are(fixed)} safe if all queries are fixed before the first "
        "answer"
    )
    console.print("To recover every label:")
    console.print(f"  fewer than {recover.adaptive:,} looks can't suffice")
    console.print(
        f"  fewer than {recover.non_adaptive:,} can't if the queries are fixed in advance"
    )
    console.print(f"  from {recover.column_vote:,} on, column-vote decides every label")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
