"""The audit's header: all rows, both parts, the teams, the rule and the looks in one line.

It opens every output, so that a host sees at once if the audit was asked about another board than
his: the wrong label column, looks of one account taken for those of all, a private part forgotten.
"""

from __future__ import annotations

from holdfast.audit.inputs.request import Request
from holdfast.audit.result import AuditedPart

__all__ = ["header"]


def header(request: Request, *, numbers: bool = False) -> str:
    """Return what is audited, in one line.

    Sizes and roles of the parts, looks, rule and accounts: with the verdict below it, it can be
    quoted alone. `numbers`: what is hidden are numbers, which have no classes.
    """
    parts = request.parts.described()
    rows = f"{request.file.n_examples:,} rows"
    if len(parts) > 1:
        rows += f" ({'; '.join(_part(part) for part in parts)})"
    m, each = request.problem.n_classes, request.looks.count
    words = [
        rows,
        "numbers to predict" if numbers else _counted(m, "class", "classes"),
        _counted(request.teams, "team", "teams"),
        f"rule {request.release}",
        _counted(each, "scored submission (look)", "scored submissions (looks)") + " per account",
    ]
    if request.looks.text != f"{each:,} looks":
        words[-1] += f" ({request.looks.text})"
    if request.accounts > 1:
        words.append(f"{request.accounts:,} accounts that work together")
        if request.capped:
            words[-1] += f", with {request.n_looks:,} in all"
    return f"{request.name}: {', '.join(words)}"


def _part(part: AuditedPart) -> str:
    roles = {
        (True, True): "scored at every look and in the final ranking",
        (True, False): "scored at every look",
        (False, True): "scored in the final ranking alone",
        (False, False): "never scored",
    }
    return f"{part.n_examples:,} {part.name}: {roles[part.scored_at_looks, part.in_final_ranking]}"


def _counted(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"
