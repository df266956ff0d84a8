"""Questions of an audit before anything is played, for people at a terminal."""

from __future__ import annotations

import sys
from dataclasses import replace

import typer

from holdfast.audit import Request

__all__ = ["asked_breakdown"]


def at_a_terminal() -> bool:
    """Whether somebody is there who reads questions and can answer them."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def asked_breakdown(request: Request, breakdown: str | None) -> tuple[Request, str | None]:
    """Ask about columns that look like groups, unless an option or a policy has said.

    Without a terminal nothing is asked, the total alone is audited, and a finding says so. With
    an answer there is nothing left to find.
    """
    said = breakdown is not None or request.policy is not None
    if said or not request.group_columns or not at_a_terminal():
        return request, breakdown
    for column in request.group_columns:
        question = (
            f"The column {column} looks like groups. Does the board show scores per {column}?"
        )
        if typer.confirm(question, default=False, err=True):
            return request, column
    return replace(request, group_columns=()), None
