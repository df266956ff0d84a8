"""Options of the audit that more than one module has; nothing that plays is loaded for them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Also", "Breakdown", "Metric", "OpenPage", "Report"]

Metric = Annotated[
    str | None,
    typer.Option(
        help="What the board shows, as scikit-learn spells it: f1, roc_auc, log_loss, "
        "top_k_accuracy:5, ... Default: the policy's, or accuracy."
    ),
]
Breakdown = Annotated[
    str | None,
    typer.Option(help="Column of the label file whose groups the board shows scores of, too."),
]
Also = Annotated[
    list[str] | None,
    typer.Option(
        help="Another metric that the board shows beside it, or recall_per_class or "
        "confusion_matrix; repeat for more."
    ),
]
Report = Annotated[Path | None, typer.Option(help="Write the page into this HTML file.")]
OpenPage = Annotated[
    bool,
    typer.Option(
        "--open", help="Open the page in a browser; without --report it is a temporary file."
    ),
]
