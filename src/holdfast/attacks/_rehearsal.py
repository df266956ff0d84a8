"""Rehearsal: an attack's expected gain by Monte Carlo on imagined labels.

Closed forms and limits are true of many examples and of labels about which nothing is known. A
model that is sure of some labels, or a board that shows new bests alone, have none. But small games
are cheap, and all they need are labels: here an attack plays in the head, against labels drawn from
what is known of them, on a board that answers as the setting says. No look is spent.

Of tiny problems every label vector is played equally often: no luck of the draw is in the mean. How
many games are played otherwise follows from the sizes, not from the clock, and their seed is fixed:
the same setting has the same forecast everywhere.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import (
    ExactAnswers,
    NewBestAnswers,
    NoisyAnswers,
    RankAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.attacks.description import Described, NewBestBoard
from holdfast.attacks.wrappers.improvement_reader import ImprovementReader
from holdfast.forecasts import Estimate, Setting
from holdfast.labels import Labels
from holdfast.problem import Problem

__all__ = [
    "A_LABEL",
    "FEWEST_GAMES",
    "board_of",
    "rehearsed",
    "rehearsed_if_hard",
    "remembered_share",
]

SEED = 20_261_117
# Games are played until the mean is known to this share of itself, but not fewer or more than so
# many, nor for much longer than so many seconds of a core of 2025.
ERROR_SHARE, FEWEST_GAMES, MOST_GAMES, SECONDS_OF_A_CORE = 0.02, 6, 200, 0.4
# All label vectors are played if they are no more than this, and there is time for so many games.
MOST_VECTORS = 256
# What a label takes in the simplest attack, and a look in any.
A_LABEL, A_LOOK = 2e-9, 1e-4
# An attack's effort was measured with so many looks; with fewer it remembers less.
USUAL_LOOKS = 300
# Of more examples even a few games take long: fewer are played, and the gain is scaled.
MOST_IN_HEAD, IN_HEAD_INSTEAD = 200_000, 20_000
# That is done where there are so many examples of a class even then.
EXAMPLES_PER_CLASS = 10
# Rehearsals that are remembered: every trial of an experiment plans anew.
REMEMBERED = 256

_known: OrderedDict[Any, tuple[float, float, int]] = OrderedDict()


def board_of(setting: Setting) -> NewBestBoard:
    """Return what the board asks of a new best; ranks show every rise."""
    answers = setting.answers
    if isinstance(answers, NewBestAnswers):
        return NewBestBoard(answers.step, answers.standard_errors)
    return NewBestBoard(ties=isinstance(answers, RankAnswers))


def rehearsed(cls: type[Described], setting: Setting, *, games: int | None = None) -> Estimate:
    """Return the mean gain above the start of games played in the head, one at least.

    The games are the same for every model with the same probabilities, whatever its labels.
    """
    if setting.prior is not None and not cls.takes_prior:
        # It plays through a permutation of the labels: whose they are makes no difference to it.
        found = rehearsed(cls, setting.without_prior())
        return setting.from_scratch(*found[:3])._replace(error=found.error)
    key = (cls, setting.problem, setting.answers, _fingerprint(setting))
    if key not in _known:
        _known[key] = _mean_gain(cls, setting, games or max(1, _games(cls, setting)))
        if len(_known) > REMEMBERED:
            _known.popitem(last=False)
    gain, error, played = _known[key]
    reason = f"played in the head on imagined labels, {played} times"
    return Estimate(gain, setting.problem.n_queries, reason, error=error)


def rehearsed_if_hard(
    cls: type[Described],
    setting: Setting,
    *,
    hard: bool = False,
    effort: float | None = None,
    patience: float = 1.0,
    longest: float = 1.0,
    fewest: int = FEWEST_GAMES,
    grows_with_n: bool = True,
) -> Estimate | None:
    """Return the rehearsed gain where limits of many examples fail: from a model, or on a subset.

    None: the formula holds, or games take too long.

    Parameters
    ----------
    cls
        The attack.
    setting
        What is known before the first look.
    hard
        Whether the formula fails here for reasons of the attack's own.
    effort
        The attack's effort here, where it differs from the usual one.
    patience
        How many times the usual time it may take, where nothing else is known.
    longest
        How many times that the fewest games may take, if there is no time for more.
    fewest
        How many games are enough; long games are much alike.
    grows_with_n
        Whether the same exact looks gain more on more examples, by the root of their number; an
        attack that recovers labels one after another gains the same.
    """
    hard = hard or setting.informed or isinstance(setting.answers, SubsetAnswers)
    if not (hard and setting.in_head):
        return None
    n = setting.problem.n_examples
    played = setting if n <= MOST_IN_HEAD else _fewer_examples(setting)
    if played is None:
        return None
    games = _games(cls, played, effort, patience)
    if games < fewest <= _games(cls, played, effort, patience * longest):
        games = fewest
    if games < fewest:
        return None
    found = rehearsed(cls, played, games=games if played is setting else fewest)
    if played is setting:
        return found
    reason = f"{found.reason} of {IN_HEAD_INSTEAD:,} examples"
    reason += ", times the root of their share" if grows_with_n else "; more change nothing"
    share = math.sqrt(n / IN_HEAD_INSTEAD) if grows_with_n else 1.0
    error = None if found.error is None else found.error * share
    return found._replace(gain=found.gain * share, reason=reason, error=error)


def _fewer_examples(setting: Setting) -> Setting | None:
    """Return the same exact looks at fewer examples; None: games there would say nothing.

    From a model, or under another rule, nothing is known of how gains grow with n. With hardly more
    examples than classes games are of another kind.
    """
    _, m, k = setting.problem
    if setting.informed or not isinstance(setting.answers, ExactAnswers):
        return None
    if EXAMPLES_PER_CLASS * m > IN_HEAD_INSTEAD:
        return None
    return Setting(Problem(IN_HEAD_INSTEAD, m, k), in_head=True)


def remembered_share(looks: int) -> float:
    """Return which share of the usual effort a game of so many looks takes."""
    return min(1.0, (looks + 30) / USUAL_LOOKS)


def _games(
    cls: type[Described], setting: Setting, effort: float | None = None, patience: float = 1.0
) -> int:
    """Return how many games there is time for."""
    k = setting.problem.n_queries
    effort = cls.effort if effort is None else effort
    labels = cls.work(setting.problem) * effort * remembered_share(k)
    return int(min(MOST_GAMES, patience * SECONDS_OF_A_CORE / (A_LABEL * labels + A_LOOK * k)))


def _fingerprint(setting: Setting) -> bytes | None:
    """Return what tells priors apart: probabilities, whatever the labels are called."""
    if setting.prior is None:
        return None
    depth = min(setting.problem.n_classes, 3)
    return setting.prior.ranked(depth)[1].round(9).tobytes()


def _mean_gain(cls: type[Described], setting: Setting, most: int) -> tuple[float, float, int]:
    """Return the mean gain, its standard error, and how many games were played."""
    rng = np.random.default_rng([SEED, *setting.problem])
    n, m, _ = setting.problem
    if setting.prior is None and most >= MOST_GAMES and n * math.log(m) <= math.log(MOST_VECTORS):
        every = np.stack(np.unravel_index(np.arange(m**n), (m,) * n), axis=1)
        passes = max(1, MOST_GAMES // len(every))
        found = [_game(cls, setting, rng, hidden) for _ in range(passes) for hidden in every]
        return float(np.mean(found)), 0.0, len(found)
    gains: list[float] = []
    while len(gains) < most:
        hidden = rng.integers(m, size=n) if setting.prior is None else setting.prior.sample(rng)
        gains.append(_game(cls, setting, rng, hidden))
        if len(gains) >= FEWEST_GAMES:
            error = float(np.std(gains, ddof=1)) / math.sqrt(len(gains))
            # Gains that are all alike, such as none at all, may hide a rare one.
            if min(gains) < max(gains) and error <= ERROR_SHARE * abs(float(np.mean(gains))):
                break
    spread = float(np.std(gains, ddof=1)) if len(gains) > 1 else abs(gains[0])
    return float(np.mean(gains)), spread / math.sqrt(len(gains)), len(gains)


def _game(
    cls: type[Described], setting: Setting, rng: np.random.Generator, hidden: Labels
) -> float:
    n, m, _ = setting.problem
    settings = cls.settings_for(setting.problem, board_of(setting)) if setting.ordered else {}
    if cls.takes_prior:
        settings["prior"] = setting.prior
    if cls.takes_answers:
        settings["answers"] = setting.answers
    make: Any = cls
    attack = make(cls.usable(setting.problem), rng=rng, **settings)
    if isinstance(setting.answers, NewBestAnswers) and setting.answers.bits:
        attack = ImprovementReader(attack)
    answer = _answering(setting, hidden, rng)
    while (query := attack.ask()) is not None:
        attack.tell(answer(query))
    start = n / m if setting.prior is None else np.count_nonzero(setting.prior.top() == hidden)
    return float(np.count_nonzero(attack.predict() == hidden) - start)


def _answering(
    setting: Setting, hidden: Labels, rng: np.random.Generator
) -> Callable[[Labels], float]:
    """Return a board that answers as the setting says."""
    answers = setting.answers
    if setting.ordered:
        return _Standing(
            answers if isinstance(answers, NewBestAnswers) else NewBestAnswers(), hidden
        )
    here: Any = slice(None)
    if isinstance(answers, SubsetAnswers):
        here = rng.permutation(hidden.size)[: answers.size(hidden.size)]
    scored = hidden[here]

    def answer(query: Labels) -> float:
        accuracy = float((query[here] == scored).mean())
        if isinstance(answers, NoisyAnswers):
            return accuracy + answers.scale * float(rng.standard_normal())
        if isinstance(answers, RoundedAnswers):
            return round(accuracy / answers.step) * answers.step
        return accuracy

    return answer


class _Standing:
    """A board that shows new bests, with the thresholds of an answer model."""

    def __init__(self, answers: NewBestAnswers, hidden: Labels) -> None:
        self._answers, self._hidden = answers, hidden
        self._best: NDArray[np.bool_] | None = None  # what the best submission has right
        self._value = 0.0  # what is shown of it

    def __call__(self, query: Labels) -> float:
        right = np.asarray(query == self._hidden)
        climbed = self._best is None or self._climbs(right, self._best)
        if climbed:
            accuracy, step = float(right.mean()), self._answers.step
            self._value = round(accuracy / step) * step if step > 0.0 else accuracy
            self._best = right
        return float(climbed) if self._answers.bits else self._value

    def _climbs(self, right: NDArray[np.bool_], best: NDArray[np.bool_]) -> bool:
        step, errors = self._answers.step, self._answers.standard_errors
        if step > 0.0:
            return bool(right.mean() > self._value + step + 1e-12)
        more = int(np.count_nonzero(right)) - int(np.count_nonzero(best))
        return more > 0 and bool(more**2 > errors**2 * np.count_nonzero(right != best))
