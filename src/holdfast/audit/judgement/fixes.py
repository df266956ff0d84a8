"""Fixes: what a host can change, what it costs honest teams, and what an attack still gains.

A fix is advice, so it is held to what the verdict is held to: whoever would play in an audit of the
changed policy plays here, contenders as often as there, and the word that is promised follows from
intervals so wide that the next audit, with other seeds, says no worse. In this order:

1. rows held back, on which no look is scored: they decide, and nothing that is gained counts;
2. less is shown, under the same rule;
3. another rule at today's looks: the one that costs least of those that are enough, or else the one
   that leaves least;
4. fewer looks, the most that are enough, ten or more, under today's rule, or else under the rule
   that leaves least. The gain is monotone in looks, so they are found by bisection.

Beside them stand the gaps that are safe as things are. What was played is kept by rule, looks and
show, for the verdict on the public board as well.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from holdfast.audit.inputs.disclosure import FEWEST_FOR_INTERVAL, NORMAL_95
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.limits import allowed
from holdfast.audit.judgement.sentences import doubt
from holdfast.audit.judgement.verdict import RESERVE, WORDS, word_for, worth
from holdfast.audit.result import TOTAL, Fix, Interval, Verdict, in_digits
from holdfast.audit.scenarios.measurer import Measurer, Strongest, strongest_first, unread
from holdfast.audit.scenarios.rules import OnRule, blur_of
from holdfast.audit.scenarios.suite import compared, suite
from holdfast.problem import Problem
from holdfast.rules import Exact, Ladder, Rounding, Rule, parse_rule

__all__ = ["READ", "FixSearch", "last_enough", "loss", "numbers_of_looks", "private_examples"]

Able = TypeVar("Able")

# Where to read on.
READ = "docs/choosing_a_rule.md"
ALL_SHOWN = "all that is shown"
# At most so many rules are played out at today's looks.
MOST_PLAYED = 3
# A promise is kept by the next audit if its means lie two standard errors of a difference higher.
SURE = 2.5
# Labels scored in one play up to which the whole suite is played, as in an audit of the fix.
WHOLE_SUITE = 2 * 10**5
# Fewer looks than this are no advice.
FEWEST_LOOKS = 10
# Ladders beside the rules that are always compared, where the gap allows their step.
COARSE_STEPS = (0.02, 0.05)
# Of so many rows at most two thirds are held back.
MOST_HELD_BACK = 2.0 / 3.0
# Half-width of a 95 % interval of a score on N examples, in points, times sqrt(N), at most.
HALF_WIDTH = NORMAL_95 * 50.0


def last_enough(able: Sequence[Able], enough: Callable[[Able], bool]) -> Able | None:
    """Return the last candidate that is enough, of those sorted from safe to generous.

    More looks never gain less, so that "enough" is True, ..., True, False, ..., False in this
    order. Bisection asks about log2 of them: three or four of nine. None: not even the first is.

    >>> last_enough([1, 2, 5, 10, 20], lambda looks: looks < 7)
    5
    """
    first_too_many = bisect_left(able, True, key=lambda each: not enough(each))
    return able[first_too_many - 1] if first_too_many else None


def numbers_of_looks(request: Request) -> list[int]:
    """Return fewer looks than an account has today, from ten on: round numbers.

    >>> from holdfast.audit.inputs.reading import read_request
    >>> numbers_of_looks(read_request(looks="200"))
    [10, 20, 50, 100]
    """
    powers = range(1, len(str(request.looks.count)) + 1)
    found = [digit * 10**power for power in powers for digit in (1, 2, 5)]
    return [k for k in found if FEWEST_LOOKS <= k < request.looks.count]


def loss(rule: Rule, looks: int, request: Request) -> float:
    """Return what a change costs honest teams, in doublings.

    Coarseness counts in standard errors of a score, because a step below the error hides nothing
    that an honest team could rely on: log2(1 + resolution / error). Half the looks cost one, and
    answers that come in batches of b cost log2(b). It orders candidates; it is no measurement.

    Examples
    --------
    The embedded example has 899 labels, so a score has a standard error of 1.7 points: two decimals
    cost less than one doubling, half the looks one. The 0.09 in both is the coarseness of exact
    scores, one match in 899.

    >>> from holdfast.audit.inputs.reading import read_request
    >>> request = read_request()
    >>> changes = (Rounding(decimals=2), 1000), (request.rule, 500)
    >>> [round(loss(rule, looks, request), 2) for rule, looks in changes]
    [0.68, 1.09]
    """
    n, m, today = request.problem
    coarse = math.log2(1.0 + rule.resolution(Problem(n, m, looks)) * 2.0 * math.sqrt(n))
    return coarse + math.log2(today / looks) + math.log2(rule.batch_size or 1)


def private_examples(gap: float) -> int:
    """Return how many private examples tell two scores apart that differ by the gap, in points.

    So many that a score is good to the gap: its 95 % interval is no wider than that on either side,
    whatever the accuracy. A score of N examples varies most at one half, by 50/sqrt(N) points, so
    1.96 * 50/sqrt(N) = gap.

    >>> private_examples(1.0)
    9604
    """
    return math.ceil((HALF_WIDTH / gap) ** 2)


@dataclass(frozen=True)
class Tried:
    """What came of a candidate: the strongest attack, and whether any read the values."""

    strongest: Strongest
    unread: bool


@dataclass(frozen=True, eq=False)
class FixSearch:
    """The search for fixes; what was played for one verdict serves the next.

    Parameters
    ----------
    measurer
        Plays what is not known yet, with the audit's board and unit.
    rows
        What each rule leaves at today's looks.
    """

    measurer: Measurer
    rows: Mapping[Rule, OnRule]
    tried: dict[tuple[Rule, int, bool], Tried | None] = field(default_factory=dict)

    def fixed(self, verdict: Verdict, found: Strongest, *, unread: bool) -> Verdict:
        """Return a verdict that is not SAFE with its fixes, and with what else would do."""
        share = worth(self.measurer.board, verdict.about)
        if share == 0.0:  # only the choice among private scores is left
            return replace(
                verdict,
                would_do=(
                    "Let teams name one or two submissions before the private scores are shown.",
                ),
            )
        search = _VerdictSearch(self, verdict, share)
        return replace(
            verdict,
            fixes=tuple(search.fixes()),
            would_do=tuple(search.would_do(found, unread=unread)),
        )

    def try_out(self, rule: Rule, looks: int, gap: float, *, less: bool) -> Tried | None:
        """Return the strongest attack under a rule with so many looks; None: nothing can play.

        Parameters
        ----------
        rule, looks
            What is released, and looks of all accounts together.
        gap
            The gap, for a gain on the scored part: a few plays that lie far above half of it are
            enough to see that nothing is safe there.
        less
            Whether the total alone is shown.
        """
        key = (rule, looks, less)
        if key not in self.tried:
            self.tried[key] = self._try_out(rule, looks, gap, less=less)
        return self.tried[key]

    def _try_out(self, rule: Rule, looks: int, gap: float, *, less: bool) -> Tried | None:
        measurer, board = self.measurer, self.measurer.board
        who = suite if board.labels.size * looks <= WHOLE_SUITE else compared
        plays = [each for each in who(board, rule, looks) if not less or each.show == TOTAL]
        measured = measurer.measure(
            [(each, rule, looks) for each in plays], range(measurer.budget.fewer)
        )
        able = [each for each in strongest_first(measured) if each.points is not None]
        if not able:
            return None
        shows = (TOTAL,) if less else tuple(board.shows)
        heard = unread(measured, shows, rule)
        low = able[0].points.low if able[0].points is not None else None
        if low is not None and RESERVE * low >= gap:
            return Tried(measurer.again(able[:1], measurer.budget.trials), heard)
        return Tried(measurer.confirmed(able, hopeless=gap / RESERVE), heard)


class _VerdictSearch:
    """The search for one verdict: its gap, and the share by which gains count in it."""

    def __init__(self, search: FixSearch, verdict: Verdict, share: float) -> None:
        self.search, self.verdict, self.share = search, verdict, share
        self.measurer = search.measurer
        self.board, self.unit = self.measurer.board, self.measurer.unit
        self.today = self.measurer.budget.looks
        # A gain on the scored part counts by its share.
        self.gap = verdict.gap_points / share

    def fixes(self) -> Iterator[Fix]:
        """Yield what helps, the way that costs honest teams least first within each kind."""
        if self.verdict.about == "final ranking" and not self.board.parts.private:
            yield from self._held_back()
        own, several = self.board.rule, len(self.board.shows) > 1
        if several:
            fix = self._fix(own, self.today, less=True)
            if fix is not None:
                yield fix
        by_rule = self._by_rule()
        if by_rule is not None:
            yield by_rule
        by_looks = self._by_looks(own)
        if by_looks is not None:
            yield by_looks
        elif by_rule is not None and by_rule.verdict != "SAFE":
            both = self._by_looks(parse_rule(by_rule.rule))
            if both is not None:
                yield both

    def would_do(self, found: Strongest, *, unread: bool) -> Iterator[str]:
        """Yield what else is true of a board that is not safe: its gaps, and its private part."""
        parts = self.board.parts
        if self.verdict.about == "final ranking" and parts.private:
            good = self._good_to(parts.private)
            yield (
                f'Ranked by the {parts.private:,} private examples alone (final = "private"), '
                f"nothing gained on the public board would count{good}."
            )
        elif self.verdict.about == "public board":
            yield "Nothing gained here counts where a private part decides alone."
        if doubt(self.board, unread=unread, by_looks=True) is None:
            gap = self._safe_gap(self.unit.times(found.within(SURE), self.share).upper)
            if gap is not None:
                yield (
                    f"As things are, gaps of {self.unit.number(gap)} or more are safe: at least "
                    "twice what can be gained."
                )

    def _safe_gap(self, sure: float) -> float | None:
        """Return the gap from which on a gain is no matter; None: two scores differ by less."""
        gap = _two_digits(max(RESERVE * sure + self.unit.rounding_unit, self.verdict.gap_points))
        most = min(self.board.most_gap, self.unit.perfect)
        return gap if self.verdict.gap_points < gap < most else None

    def _held_back(self) -> Iterator[Fix]:
        """Yield rows held back: as many as make a private score good to the gap, if there are.

        Where two thirds of them are too few for an interval, no score of them says anything.
        """
        n = self.board.labels.size
        most = math.floor(MOST_HELD_BACK * n)
        if most < FEWEST_FOR_INTERVAL:
            return
        held = most
        if self.unit.accuracy is not None:
            held = min(most, private_examples(self.verdict.gap_points))
        rows, left = f"{held:,} of your {n:,} rows", n - held
        cost = f"{left:,} rows are left for the public board"
        if self.unit.accuracy is not None:
            cost += f", where a score is good to ±{HALF_WIDTH / math.sqrt(left):.2g} points"
        yield Fix(
            rule=self.board.release,
            looks=self.board.n_looks,
            loss=round(0.5 * math.log2(n / left), 2),
            possible=Interval(0.0, 0.0, 0.0),
            allowed=0.0,
            price_points=0.0,
            proven=True,
            verdict="SAFE",
            text=f"Hold back {rows}, on which no look is scored (a column Usage or split), and "
            f"rank by them (cost to honest teams: {cost}): nothing that is gained moves the final "
            f"ranking{self._good_to(held)}, and the verdict becomes SAFE.",
            read=READ,
            hold_back=held,
        )

    def _good_to(self, n_examples: int) -> str:
        if self.unit.accuracy is None:
            return ""
        return f"; a score there is good to ±{HALF_WIDTH / math.sqrt(n_examples):.2g} points"

    def _by_rule(self) -> Fix | None:
        """Return the cheapest rule that is enough at today's looks, or the one that leaves least.

        None blurs an honest score by more than the gap, which would hide what the ranking is for.
        """
        rules = self._rules()
        by_loss = sorted(rules, key=lambda rule: loss(rule, self.today, self.board))
        promising = [rule for rule in by_loss if self._promising(rule, self.today)]
        fixes = []
        for rule in promising[:MOST_PLAYED]:
            fix = self._fix(rule, self.today)
            if fix is not None and fix.verdict == "SAFE":
                return fix
            fixes += [fix] if fix is not None else []
        known = [rule for rule in rules if self._row_upper(rule) is not None]
        least = min(known, key=lambda rule: self._row_upper(rule) or 0.0, default=None)
        if least is not None and least not in promising[:MOST_PLAYED]:
            fix = self._fix(least, self.today)
            fixes += [fix] if fix is not None else []
        return min(fixes, key=lambda fix: fix.possible.upper, default=None)

    def _rules(self) -> list[Rule]:
        """Return the rules that a host may switch to."""
        found: list[Rule] = [*self.search.rows]
        if any(isinstance(rule, Ladder) for rule in found):  # else none works on what is shown
            gap, scale = self.verdict.gap_points, self.unit.scale
            found += [Ladder(step) for step in COARSE_STEPS if scale * step <= gap][-1:]
        return [
            rule
            for rule in dict.fromkeys(found)
            if rule != self.board.rule and self._blur(rule, self.today) <= self.verdict.gap_points
        ]

    def _by_looks(self, rule: Rule) -> Fix | None:
        """Return the most looks of an account that are enough under a rule."""
        able = [
            self.board.accounts * own
            for own in numbers_of_looks(self.board)
            if self.board.accounts * own < min(self.today, self.board.n_looks)
        ]

        def safe(looks: int) -> bool:
            fix = self._fix(rule, looks) if self._promising(rule, looks) else None
            return fix is not None and fix.verdict == "SAFE"

        most = last_enough(able, safe)
        return None if most is None else self._fix(rule, most)

    def _promising(self, rule: Rule, looks: int) -> bool:
        """Tell whether neither a formula nor a measurement rules a candidate out.

        Both are one-sided: they spare plays and never offer a fix. A forecast, with the verdict's
        reserve, reaches the gap; or so does the lower end of what was played at today's looks.
        """
        problem = self.board.problem._replace(n_queries=looks)
        if self.unit.accuracy is not None and isinstance(rule, Rounding | Exact):
            forms = self.board.baseline.formulas
            formula = forms.forecast_of_blocks(rule, problem)
            if rule.refines(Exact(), problem):
                formula = forms.forecast_from_exact(problem)
            if formula is not None and RESERVE * formula >= self.gap:
                return False
        if looks < self.today or rule not in self.search.rows:
            return True
        lows = [each.points.low for each in self.search.rows[rule].strongest.values()]
        return not any(low is not None and RESERVE * low >= self.gap for low in lows)

    def _row_upper(self, rule: Rule) -> float | None:
        row = self.search.rows.get(rule)
        return max((e.points.upper for e in row.strongest.values()), default=None) if row else None

    def _blur(self, rule: Rule, looks: int) -> float:
        problem = self.board.problem._replace(n_queries=looks)
        return blur_of(rule, problem, self.unit.scale)

    def _fix(self, rule: Rule, looks: int, *, less: bool = False) -> Fix | None:
        """Return a candidate as advice if it improves the word, or the number; else None.

        The word is what the next audit says for all that chance can do: SAFE if even wide
        intervals, doubled, end below the gap, and no doubt is left; MARGINAL if they do as they
        are. Or the certified bound lies below the gap, for attackers with models as good as the
        given ones.
        """
        tried = self.search.try_out(rule, looks, self.gap, less=less)
        if tried is None:
            return None
        asked = self.board.n_looks if looks == self.today else looks
        certain, proven = self._certified(rule, asked)
        shown = self.unit.times(tried.strongest.points, self.share).at_most(certain)
        sure = self.unit.times(tried.strongest.within(SURE), self.share)
        word = word_for(sure, self.verdict.gap_points, proven=proven, most=certain)
        unsure = doubt(self.board, unread=tried.unread, by_looks=True)
        if word == "SAFE" and not proven and unsure:
            word = "MARGINAL"
        elif word == "MARGINAL" and min(sure.upper, certain) >= self.verdict.gap_points:
            word = "UNSAFE"
        before, better = self.verdict, WORDS.index(word) - WORDS.index(self.verdict.word)
        if better < 0 or (better == 0 and shown.upper >= (before.points.low or before.points.mean)):
            return None
        blur = self._blur(rule, looks)
        was = in_digits(max(0.0, before.points.mean), self.unit.rounding_unit)
        now = replace(shown, mean=max(0.0, shown.mean))
        fell = in_digits(now.mean, self.unit.rounding_unit) != was
        left = f"{f'falls from {was} to' if fell else 'is'} {self.unit.in_words(now)}"
        holds = None if word == "SAFE" or unsure else self._safe_gap(sure.upper)
        return Fix(
            rule=str(rule),
            looks=asked,
            loss=round(loss(rule, asked, self.board), 2),
            possible=shown,
            allowed=None if math.isinf(certain) else certain,
            price_points=blur,
            proven=proven,
            verdict=word,
            text=f"{self._change(rule, looks, less=less)} ({self._price(rule, blur)}): the worst "
            f"gain found {left}, and the verdict {'becomes' if better else 'stays'} {word}"
            + (f"; gaps of {self.unit.number(holds)} or more are safe then." if holds else "."),
            read=READ,
            show=TOTAL if less else ALL_SHOWN,
        )

    def _certified(self, rule: Rule, looks: int) -> tuple[float, bool]:
        """Return what no attack exceeds, and whether that proves the board safe."""
        if not self.board.display.plain:
            return math.inf, False
        most, model = allowed(self.board, rule, looks), self.board.stated_model
        if model is not None:
            most = max(most, allowed(self.board, rule, looks, model=model))
        return self.share * most, model is not None and most < self.gap

    def _change(self, rule: Rule, looks: int, *, less: bool) -> str:
        """Return what to change, in words; looks per account, as a policy states them."""
        board, parts = self.board, []
        if rule != board.rule:
            parts.append(f"release {rule} instead of {board.release}")
        if less:
            parts.append("show the total only")
        if looks < self.today:
            own = looks // board.accounts
            parts.append(
                f"allow {own:,} scored submissions per account instead of {board.looks.count:,}"
            )
        change = " and ".join(parts)
        return f"{change[:1].upper()}{change[1:]}"

    def _price(self, rule: Rule, blur: float) -> str:
        """Return what honest teams lose: the blur, and what they are told later or never."""
        if not blur:
            return "no blur for honest teams"
        text = f"blur for honest teams: up to {self.unit.number(blur)}"
        return f"{text}, and only a new best is told its score" if rule.tells_best else text


def _two_digits(value: float) -> float:
    """Return the next number with two digits.

    >>> _two_digits(27.01), _two_digits(1.0)
    (28.0, 1.0)
    """
    power = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / power - 1e-9) * power:.3g}")
