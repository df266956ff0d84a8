"""`holdfast paper`: what the paper says, played and counted."""

from __future__ import annotations

import typer

from holdfast.cli.demo import demo
from holdfast.cli.explained import ExplainedCommand, ExplainedGroup, with_examples
from holdfast.cli.reproduce import reproduce
from holdfast.cli.statements import statements

__all__ = ["paper"]

paper = typer.Typer(
    help=with_examples(
        "Play the paper's demo and its Table 1, and list its statements with code and tests.",
        "holdfast paper reproduce --effort 0.1",
        "holdfast paper statements",
    ),
    cls=ExplainedGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
)

paper.command("reproduce", cls=ExplainedCommand)(reproduce)
paper.command("statements", cls=ExplainedCommand)(statements)
# The same as `holdfast demo`.
in_paper = str(demo.__doc__).replace("holdfast demo", "holdfast paper demo")
paper.command("demo", cls=ExplainedCommand, help=in_paper)(demo)
