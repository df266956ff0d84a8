"""`holdfast attack --board`: one attack against a board, to be gone on with after any crash."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from holdfast.cli import INVALID, NO_LEDGER, REFUSED
from holdfast.cli.boards_access import EXIT_UNREACHABLE, token_from
from holdfast.cli.output import human, print_json, progress, report_error
from holdfast.cli.plain import explained_attack, scored_submissions
from holdfast.errors import (
    BoardUnreachable,
    BudgetExhausted,
    InconsistentAnswer,
    InvalidInput,
    InvalidQuery,
    LedgerError,
)

if TYPE_CHECKING:
    from holdfast.oracles import Remote

__all__ = ["attack_board"]

CODES = {InvalidQuery: INVALID, LedgerError: NO_LEDGER, BoardUnreachable: EXIT_UNREACHABLE}


def attack_board(
    name: str,
    board: str,
    *,
    n_queries: int | None,
    seed: int,
    resume: Path | None,
    token_file: Path | None,
    wait: bool,
    insecure: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Play an attack on a board that the token's owner may probe, and report what it ends with.

    The final guess is sent, too, if a look is left for it. Where the budget ends before that, or an
    answer fits no labels, what there is is reported all the same, with the exit code of a refusal
    or of a submission that tells nothing. An attack that needs what the board's public policy does
    not release is not begun.
    """
    import numpy as np

    from holdfast.attacks.registry import make_attack
    from holdfast.loop import play
    from holdfast.oracles import Remote

    if out is not None and not out.parent.is_dir():
        raise InvalidInput(f"out must be a file in a folder that exists, got {out}.")
    token = token_from(token_file)
    try:
        oracle = Remote(
            board,
            token,
            n_queries=n_queries,
            state=resume,
            wait=wait,
            insecure=insecure,
            run=f"{name} seed {seed}" + ("" if n_queries is None else f" looks {n_queries}"),
        )
        if n_queries is None:
            # One of the looks that are left is for the final guess.
            whole = max(1, oracle.problem.n_queries - 1)
            oracle.problem = oracle.problem._replace(n_queries=whole)
        told = _told_to(name, oracle)
        attack = make_attack(name, oracle.problem, np.random.default_rng(seed), **told)
        looks, refused, unexplained = 0, "", ""

        def count(taken: int) -> None:
            nonlocal looks
            looks = taken
            advance(1)

        with progress(name, oracle.problem.n_queries) as advance:
            try:
                guess = play(attack, oracle, on_look=count)
            except BudgetExhausted as refusal:
                refused, guess = str(refusal), attack.predict()
            except InconsistentAnswer as error:
                unexplained, guess = str(error), attack.predict()
                looks += 1  # it was answered, if not understood
        if out is not None:
            np.save(out, guess)
        final = None
        if not refused:
            try:
                final = oracle.query(guess)
            except BudgetExhausted as refusal:
                refused = str(refusal)
    except (InvalidQuery, LedgerError, BoardUnreachable) as error:
        report_error(str(error))
        code = next(code for kind, code in CODES.items() if isinstance(error, kind))
        raise typer.Exit(code) from None
    result: dict[str, Any] = {
        "attack": name,
        "board": board,
        "problem": oracle.problem,
        "seed": seed,
        "looks": looks,
        "released": final,
        "looks_left": oracle.looks_left,
        "refused": refused or None,
        "unexplained": unexplained or None,
    }
    if as_json:
        print_json(result)
    else:
        _show(result)
    if refused or unexplained:
        raise typer.Exit(REFUSED if refused else INVALID)


def _told_to(name: str, oracle: Remote) -> dict[str, Any]:
    """Return what an attack is made with on this board; raise if it can't read what is released."""
    from holdfast.answers import ExactAnswers
    from holdfast.attacks.registry import attack_type
    from holdfast.planner.plan import plan_under
    from holdfast.rules import parse_rule
    from holdfast.setting import Setting

    cls, rule = attack_type(name), parse_rule(oracle.release)
    if not cls.takes_answers:
        return {}
    answers, readable = rule.board_model(oracle.problem), oracle.metric == "accuracy"
    fits = readable and cls.obstacle(Setting(oracle.problem, None, answers)) is None
    if not fits and cls.tolerates == {ExactAnswers}:
        hint = "no attack is sure to read its values"
        if readable:
            hint = f"{plan_under(rule, oracle.problem).chosen.attack} suits it"
        raise InvalidInput(
            f"{name} must be told exact accuracies, and the board's rule is {oracle.release} of "
            f"{oracle.metric}: {hint}. No look was spent."
        )
    return {"answers": answers} if fits and type(answers) in cls.tolerates else {}


def _show(result: dict[str, Any]) -> None:
    n, m, _ = result["problem"]
    human().print(
        f"{explained_attack(result['attack'])}\n{result['board']}: {n:,} examples, {m:,} classes, "
        f"{scored_submissions(result['looks'])}, seed {result['seed']}"
    )
    final = result["released"]
    if result["unexplained"]:
        human().print(
            f"It was stopped: {result['unexplained']} The board's rule gives other numbers than "
            "the attack reads; the looks are spent, and its guess is that of before.",
            soft_wrap=True,
        )
    if result["refused"]:
        human().print(f"It was stopped: {result['refused']}", soft_wrap=True)
        human().print("No look was left for its final guess.")
    else:
        human().print(f"Released for its final guess: {final}. Guessing scores {1 / m:.5f}.")
