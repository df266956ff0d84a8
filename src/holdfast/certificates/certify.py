"""Certified accuracy: the minimum over all upper bounds whose assumptions hold."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Literal, TypeAlias

from holdfast.bounds.bisection import fewest
from holdfast.certificates.asked import Asked, RuleLooks, shared_evenly
from holdfast.certificates.knowledge import Knowledge, Known, knowledge_of
from holdfast.certificates.limits import Analysts, limits
from holdfast.certificates.record import Certificate, NotCovered
from holdfast.certificates.theorems import theorems
from holdfast.errors import InvalidInput
from holdfast.problem import Problem, check_at_least
from holdfast.quoting import quoted
from holdfast.rules import Exact, Rule, parse_rule

__all__ = [
    "ALL_TEAMS",
    "Histories",
    "certify",
    "certify_histories",
    "log_answers",
    "log_transcripts",
    "of_all_teams",
    "safe_looks",
]

Memory: TypeAlias = Literal["team", "data_set"]
# Looks by history: the rule in text form, and whose looks it remembers together.
Histories: TypeAlias = Mapping[tuple[str, str], int]

# The memory of a state that all teams share.
ALL_TEAMS = ""


def certify(
    problem: Problem,
    rule: Rule | None = None,
    *,
    accounts: int = 1,
    looks_each: int | None = None,
    knows: Known = None,
    fixed_queries: bool = False,
    abstentions: bool = False,
    memory: str = "team",
    everyone: bool = False,
) -> Certificate:
    """Return the expected accuracy that nobody exceeds, with the bound that proves it.

    Parameters
    ----------
    problem
        The sizes; `n_queries` is the number of looks of all accounts together.
    rule
        What is released; None: exact scores.
    accounts
        Accounts that work together, each met by a state of its own. They share the looks evenly,
        or may share them as they like if `looks_each` is given.
    looks_each
        The most looks of one account; None: an even share.
    knows
        What the analyst knows of the labels before the first look. None: nothing. A sequence: the
        class shares. A `Prior`: the probabilities of a model. A number: there are models, about
        which nothing is known but that together they are right on this share of the examples.
    fixed_queries
        All queries are fixed before the first answer.
    abstentions
        Looks may show no label at all at some examples; that counts as wrong.
    memory
        "team": what the rule remembers is the accounts' own. "data_set": it remembers one past of
        everybody's looks, and others, who may have real models, take looks as well.
    everyone
        With one state for the data set: `n_queries` counts the looks of those others, too.

    Examples
    --------
    >>> from holdfast.rules import parse_rule
    >>> certificate = certify(Problem(10_000, 10, 1000), parse_rule("round:2"))
    >>> certificate.bound, round(certificate.gain, 3)
    ('spread-of-rounded-answers', 0.237)
    >>> many = certify(Problem(10_000, 10, 1000), parse_rule("round:2"), accounts=1000)
    >>> many.gain == certificate.gain  # the rule remembers nothing, the analyst everything
    True
    """
    if memory not in ("team", "data_set"):
        raise InvalidInput(f'memory must be "team" or "data_set", got {quoted(memory)}.')
    n, m, k = problem
    rule = Exact() if rule is None else rule
    shared = memory == "data_set"
    if shared:
        accounts, looks_each = 1, None
    states: Mapping[int, int] = shared_evenly(k, accounts)
    if looks_each is not None:
        most = min(check_at_least("looks_each", looks_each, 1), k)
        if accounts * most < k:
            raise InvalidInput(
                f"looks_each must be at least n_queries / accounts = {k}/{accounts}, "
                f"got {looks_each}."
            )
        if accounts * most > k:
            # Which account looks how often may depend on the answers: as if each looked its most.
            states = {most: accounts}
    asked = Asked(n, m, (RuleLooks(rule, states),), k)
    knowledge = knowledge_of(knows, problem)
    analysts = Analysts(knowledge.uniform, fixed_queries, abstentions, shared, everyone)
    return _certify(asked, knowledge, analysts)


def certify_histories(
    n_examples: int,
    n_classes: int,
    histories: Histories,
    *,
    knows: Known = None,
    everyone: bool = True,
) -> Certificate:
    """Return what looks allow that were taken, under one rule or several, by rule and memory.

    A history whose memory has no name ("") is that of a state which all teams share; `everyone`
    tells whether the looks of all of them are counted.

    Examples
    --------
    >>> found = certify_histories(10_000, 10, {("exact", "blue"): 60, ("round:1", "red"): 40})
    >>> certify_histories(10_000, 10, {("exact", "blue"): 60}).gain < found.gain
    True
    """
    by_rule: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for (text, _), count in histories.items():
        if count:
            by_rule[text][count] += 1
    looks = tuple(RuleLooks(parse_rule(text), states) for text, states in by_rule.items())
    total = sum(each.total for each in looks)
    problem = Problem(n_examples, n_classes, max(1, total))
    knowledge = knowledge_of(knows, problem)
    if not looks:
        return Certificate(
            accuracy=knowledge.free,
            free=knowledge.free,
            nats=0.0,
            looks=0,
            bound="no-look",
            statement="nothing was released",
            binds=knowledge.who,
        )
    asked = Asked(n_examples, n_classes, looks, total, taken=True)
    shared = any(of_all_teams(memory) for _, memory in histories)
    return _certify(asked, knowledge, Analysts(knowledge.uniform, shared=shared, everyone=everyone))


def of_all_teams(memory: str) -> bool:
    """Tell whether a memory is that of a state which all teams share.

    It has no name, but for that of the data set from which its looks were carried over.

    >>> of_all_teams(""), of_all_teams("0123456789abcdef "), of_all_teams("blue")
    (True, True, False)
    """
    return memory == ALL_TEAMS or memory.endswith(" ")


def _certify(asked: Asked, knowledge: Knowledge, analysts: Analysts) -> Certificate:
    """Return the least accuracy that a limit or a theorem proves for these looks.

    Examples that no look can touch keep the accuracy that is free.
    """
    # Looks of others that are not counted fill batches, too.
    at_once = asked.all_at_once and (analysts.everyone or not analysts.shared)
    analysts = analysts._replace(fixed=analysts.fixed or at_once)
    found, missing = limits(asked, analysts)
    least = min(found, key=lambda limit: limit.nats, default=None)
    proved = [(1.0, "none", "no bound excludes that every label is known")]
    if least is not None:
        accuracy = knowledge.accuracy(least.nats, asked.exposed)
        proved.append((accuracy, least.name, "information inequality (docs/bounds.md)"))
    n, size = asked.n_examples, asked.exposed
    for theorem in theorems(asked, knowledge, analysts):
        if theorem.accuracy is None:
            missing.append(NotCovered(theorem.name, theorem.reason or ""))
        else:
            accuracy = (size * theorem.accuracy + (n - size) * knowledge.free) / n
            proved.append((accuracy, theorem.name, theorem.statement))
    best, bound, statement = min(proved, key=lambda each: each[0])
    who = knowledge.who
    if analysts.fixed:
        who += ", with all queries fixed before the first answer"
    return Certificate(
        accuracy=min(1.0, max(best, knowledge.free)),
        free=knowledge.free,
        nats=float("inf") if least is None else least.nats,
        looks=asked.total,
        bound=bound,
        statement=statement,
        binds=who,
        not_covered=tuple(missing),
    )


def log_transcripts(n_examples: int, looks: Histories) -> float:
    """Return the logarithm of the number of answer sequences that the looks could have shown.

    Whatever the rule, an answer is one of n + 1 once its noise is fixed: given the answers before
    it, it is a function of a match count. A coarse rule without noise has fewer. The
    parameter-free Ladder decides by more than a count, but it answers with one of n + 1 values.
    Numbers of sequences multiply over histories.

    >>> round(log_transcripts(100, {("exact", "a"): 2, ("improved", "b"): 3}), 3)
    10.617
    """
    return sum(
        log_answers(parse_rule(text), n_examples, count) for (text, _), count in looks.items()
    )


def log_answers(rule: Rule, n_examples: int, looks: int) -> float:
    """Return the same for looks at one state of a rule."""
    limit = looks * math.log(n_examples + 1)
    return min(limit, rule.own_nats(Problem(n_examples, 2, looks))) if rule.counted else limit


def safe_looks(
    n_examples: int,
    n_classes: int,
    max_bias: float,
    rule: Rule | None = None,
    *,
    knows: Known = None,
    fixed_queries: bool = False,
    most: int = 10**9,
) -> int:
    """Return the most looks whose certificate leaves a gain of at most `max_bias`.

    Zero if even one look can't be certified.

    Parameters
    ----------
    n_examples, n_classes
        The hidden test set.
    max_bias
        Largest accepted accuracy above what is had without a look, in (0, 1 - 1/m).
    rule, knows, fixed_queries
        As for `certify`; one account.
    most
        Where the search stops.

    Examples
    --------
    >>> safe_looks(50_000, 1000, 0.01)
    147
    """
    n = check_at_least("n_examples", n_examples, 1)
    m = check_at_least("n_classes", n_classes, 2)
    if not 0.0 < max_bias < 1.0 - 1.0 / m:
        raise InvalidInput(
            f"max_bias must be above 0 and below 1 - 1/n_classes = {1.0 - 1.0 / m:g}, "
            f"got {max_bias}."
        )

    def safe(looks: int) -> bool:
        certificate = certify(Problem(n, m, looks), rule, knows=knows, fixed_queries=fixed_queries)
        return certificate.accuracy <= certificate.free + max_bias

    unsafe = fewest(lambda looks: not safe(looks), most=most)
    return most if unsafe is None else unsafe - 1
