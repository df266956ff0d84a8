"""`holdfast policy`: write a policy file to start from, and check one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.cli.explained import ExplainedCommand, ExplainedGroup, with_examples
from holdfast.cli.options import AsJson, Encoding, completed_rule
from holdfast.cli.output import human, print_json
from holdfast.cli.policy_settings import (
    classes_setting,
    settings_from_labels,
    settings_from_looks,
)
from holdfast.errors import InvalidInput

__all__ = ["policy"]

policy = typer.Typer(
    help=with_examples(
        "Write or check a policy: what is released of a score, and how often.",
        "holdfast policy init --rule ladder:0.01 --looks 5/day",
        "holdfast policy check policy.toml",
    ),
    cls=ExplainedGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
)


@policy.command(cls=ExplainedCommand)
def init(
    path: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("policy.toml"),
    release: Annotated[
        str | None,
        typer.Option(
            "--rule",
            help="Release rule such as round:3. Default: ladder:0.01.",
            autocompletion=completed_rule,
        ),
    ] = None,
    looks: Annotated[
        str | None,
        typer.Option(
            help='Scored submissions (looks) of one team: a number, or a rate such as "5/day". '
            "Default: 100."
        ),
    ] = None,
    days: Annotated[int | None, typer.Option(help="How many days the board runs.")] = None,
    teams: Annotated[int | None, typer.Option(help="Teams on the board.")] = None,
    gap: Annotated[
        float | None,
        typer.Option(help="Ranking gap in points that the board should be able to show."),
    ] = None,
    min_gap: Annotated[
        str | None,
        typer.Option(help='Least time between two looks of one team such as "10 minutes".'),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="CSV or NPY file of hidden labels: class names and part are taken from it."
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            help="The classes: a file with one name per line, or names separated by commas."
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(help="Rows that a look is scored on: auto, public, private or all."),
    ] = None,
    final: Annotated[
        str | None,
        typer.Option(
            help="Rows that decide the final ranking: private, all or public. Default: the private "
            "part if the labels have one."
        ),
    ] = None,
    final_choices: Annotated[
        int | None,
        typer.Option(
            help="Submissions a team may name for the final result; 0: the best of all counts. "
            "Default: 2."
        ),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option(help="Column of ids in the labels and in submissions.")
    ] = None,
    label_column: Annotated[
        str | None, typer.Option(help="Column of labels in the labels and in submissions.")
    ] = None,
    shared_labels: Annotated[
        bool, typer.Option("--shared-labels", help="Accept labels that others can read, too.")
    ] = False,
    encoding: Encoding = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a policy file with every setting, its value and what it means.

    With a rule, looks, days, teams and labels, holdfast audit LABELS --policy FILE needs nothing
    else. Of the labels only the class names and whether there is a public part are written.

    Examples
    --------
    holdfast policy init --rule ladder:0.01 --looks 100
    holdfast policy init policy.toml --rule round:3 --looks 5/day --days 60 --labels labels.csv
    """
    from holdfast.files.forms import read_as
    from holdfast.guard import Policy
    from holdfast.guard.policy_text import policy_text

    said: dict[str, Any] = {
        "release": release,
        "days": days,
        "teams": teams,
        "ranking_gap": gap,
        "min_gap": min_gap,
        "part": part,
        "final": final,
        "final_choices": final_choices,
        "id_column": id_column,
        "label_column": label_column,
        "shared_labels": shared_labels or None,
        "classes": None if classes is None else classes_setting(classes, path),
    }
    given = _checked({name: value for name, value in said.items() if value is not None})
    if labels is not None:
        with read_as(encoding):
            given |= settings_from_labels(
                labels, given, id_column=id_column, label_column=label_column, folder=path.parent
            )
    if looks is not None:
        given = _checked(given | settings_from_looks(looks, days, teams))
    text = policy_text(given)
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InvalidInput(f"{path} must not exist yet; --force overwrites it.") from None
    except OSError as error:
        raise InvalidInput(f"{path} must be writable: {error.strerror}.") from None
    if as_json:
        print_json({"path": str(path), "settings": dict(Policy.read(path).settings())})
        return
    human().print(f"Wrote {path}. Check it after editing: holdfast policy check {path}")


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    """Refuse a wrong setting before anything is written; classes were checked when read."""
    from holdfast.guard import Policy

    Policy(**{"release": "exact", **settings, "classes": None})
    return settings


@policy.command(cls=ExplainedCommand)
def check(
    path: Annotated[Path, typer.Argument(help="The policy file.")] = Path("policy.toml"),
    as_json: AsJson = False,
) -> None:
    """Check a policy file and show every setting; an error names the line.

    Examples
    --------
    holdfast policy check
    holdfast policy check board/policy.toml --json
    """
    from holdfast.guard import Policy

    read = Policy.read(path)
    settings = dict(read.settings())
    for caution in read.mechanism.cautions():
        typer.echo(f"caution: {caution}", err=True)
    if as_json:
        print_json(settings)
        return
    for name, value in settings.items():
        human().print(f"{name:18} {_shown(value)}", markup=False)


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
