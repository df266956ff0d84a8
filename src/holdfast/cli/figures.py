"""`holdfast sweep figures`: the figures and tables of a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import AsJson, output_folder
from holdfast.cli.output import human, print_json
from holdfast.errors import InvalidInput
from holdfast.quoting import choice

__all__ = ["figures"]

FORMATS = ("svg", "pdf", "png")


def figures(
    rows: Annotated[Path, typer.Argument(help="Rows of a sweep: its .jsonl file.")],
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = Path("figures"),
    as_format: Annotated[
        str, typer.Option("--format", help="What to draw: svg, pdf or png.")
    ] = "svg",
    as_json: AsJson = False,
) -> None:
    """Draw the figures of a sweep, and write its tables.

    What the rows are enough for: gain against looks between guarantees and bounds, for each rule;
    gain against n and m with fitted exponents, closed forms and guarantees; attacks against rules;
    bits of the labels per look, below what a look can tell; looks for all labels over the
    information limit; processor seconds against n, m and k with fitted exponents; all means as a
    LaTeX table; exponents of the gain and of the seconds in k, n and m by regression, as Markdown
    and LaTeX. left_out.md says which places are in no figure.

    Examples
    --------
    holdfast sweep figures experiment.rows.jsonl
    holdfast sweep figures experiment.rows.jsonl --out paper/figures --format pdf
    """
    from holdfast.sweeps import read_rows
    from holdfast.sweeps.figures import draw_all

    if as_format not in FORMATS:
        raise InvalidInput(f"--format must be {choice(as_format, FORMATS)}")
    found = draw_all(read_rows(rows), output_folder(out), suffix=f".{as_format}")
    if as_json:
        print_json([{"path": str(each.path), "shows": each.shows} for each in found])
        return
    for each in found:
        human().print(f"{each.path}: {each.shows}", soft_wrap=True)
