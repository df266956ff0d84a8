"""Exact recovery of all labels by adaptive rounds of detecting designs: the course of a game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdfast.answers import AnswerModel
from holdfast.attacks._rehearsal import (
    A_LABEL,
    FEWEST_GAMES,
    rehearsed_if_hard,
    remembered_share,
)
from holdfast.attacks.description import Reads
from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.cluster import number_of_clusters
from holdfast.attacks.exact.lattice.few_classes import FewClasses, Waiting
from holdfast.attacks.exact.lattice.forecast import lattice_certain
from holdfast.attacks.exact.lattice.kernels import Ints
from holdfast.attacks.exact.lattice.knowledge import Asking, LabelKnowledge
from holdfast.attacks.exact.lattice.layout import Contradiction
from holdfast.attacks.exact.lattice.many_classes import ManyClasses
from holdfast.attacks.informed import InformedAttack
from holdfast.errors import InconsistentAnswer, InvalidInput
from holdfast.forecasts import Estimate, Setting
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["Lattice"]

# Its effort with more than a few classes and too few looks for all labels: most of its rounds are
# tests of whole clusters.
LEAPING_EFFORT = 10.0
# Seconds of a core of 2025 that a game from a model takes for each example, look and label shown:
# games of 500 to 100,000 examples and 20 to 3,000 looks took 0.4 to 1.8 times that. Groups are
# checked, and their number hardly depends on that of the examples; with few classes a round is
# planned for each. And how many times the usual time such games may take, since nothing else is
# known.
AN_EXAMPLE, A_CHECK, A_SHOWN_LABEL, LONGEST_WITH_MODEL = 5e-6, 1e-4, 4e-9, 10.0
A_CHECK_OF_FEW_CLASSES = 4e-4
# From so many looks on, games from a model differ by a few per cent: two are enough.
LONG_GAME, LONG_GAMES = 1000, 2
# What is known without a model promises up to 1.4 times what is gained with one and many classes.
UNKNOWN_SHARE = 0.7
# With many classes a game takes up to so many times the looks of the measured multiple, and before
# the last of them nothing may be gained.
LOOKS_TO_SPARE = 1.5


class Lattice(InformedAttack):
    r"""Recover every label exactly, in rounds of rows that are read as sets of bits.

    A round asks rows x = 0 .. K-1, read as sets of bits. A position sits at a node c, a nonempty
    set of bits, and what it shows in row x depends on the bits of x inside c alone. Then the
    alternating sum over x within c,

        T_c = sum of (-1)^(|c|-|x|) answer(x),

    contains the positions at c, and at larger nodes that contain c, and nothing else. A position
    that shows label a instead of b in v rows of positive sign adds v ([z = a] - [z = b]). So the
    positions of a node get weights in a mixed radix, the digits of T_c are read off, larger nodes
    first, and about log2(K)/2 bits per query are learnt, as in Lindström's detecting matrices. The
    last digit block of a node has no digit above it: its range is unlimited, and a whole group of
    positions can share it. What a group's sum leaves open is asked in the next round.

    Up to 16 classes every step follows from the answers. For more classes clusters of positions
    are tested label by label, hits are located by multiway splits, and what was only likely is
    confirmed before it counts as certain; a cluster that fails starts over.

    Departures
    ----------
    Not in the paper, whose attack with many queries needs 9 n log m of them for all labels. See
    docs/attacks/lattice.md for the argument and the number of looks.

    Parameters
    ----------
    problem
        The sizes to play for. It stops asking when all labels are known; with too few queries it
        recovers as many labels as it can.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2). Off: still exact,
        but the number of looks is no longer the same for all label vectors.
    prior
        What a model says of the labels.
    answers
        What a released answer tells: only exact answers will do.
    positions
        The examples to recover; the others show one label throughout. None: all.

    Examples
    --------
    >>> attack = Lattice(Problem(3, 2, 9), rng=np.random.default_rng(0))
    >>> hidden = np.array([1, 0, 1])
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(np.mean(query == hidden))
    >>> attack.predict(), attack.certain()
    (array([1, 0, 1], dtype=uint8), array([ True,  True,  True]))
    """

    family = "exact"
    summary = "recovers labels exactly"
    adaptive = True
    proves_labels = True
    intolerance = (
        "it reads digits from sums and differences of many counts, and one count that is off by "
        "one can change all of them"
    )
    strongest_on = frozenset({Reads.SCORES})
    effort = 250.0

    @classmethod
    def forecast(cls, setting: Setting) -> Estimate:
        """Return the expected gain of the labels that it makes certain."""
        sure, looks = lattice_certain(setting)
        n, m, k = setting.problem
        # With many classes the rounds that it can afford come in leaps, and are quickly played.
        many = m > tuning.FEW_CLASSES_AT_MOST
        leaps, checks = many and sure < n and not setting.informed, setting.informed
        effort = _checking_effort(setting.problem) if checks else LEAPING_EFFORT if leaps else None
        longest = LONGEST_WITH_MODEL if checks else 1.0
        fewest = LONG_GAMES if checks and k >= LONG_GAME else FEWEST_GAMES
        played = rehearsed_if_hard(
            cls, setting, hard=leaps, effort=effort, longest=longest, fewest=fewest
        )
        if played is not None:
            return played
        if many and checks and (sure < n or LOOKS_TO_SPARE * looks > k):
            why = "nothing was measured of a model's many classes with few looks for all labels"
            return Estimate(UNKNOWN_SHARE * setting.sure_gain(sure), looks, why, known=False)
        reason = f"makes {sure:,} labels certain: measured multiple of the limit"
        return Estimate(setting.sure_gain(sure), looks, reason)

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        prior: Prior | NDArray[Any] | None = None,
        answers: AnswerModel | None = None,
        positions: ArrayLike | None = None,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted, prior=prior, answers=answers)
        self._positions = _checked_positions(positions, self._problem.n_examples)
        self._counts: list[int] = []
        self._replay()

    def _replay(self) -> None:
        """Bring knowledge and script to where the counts so far have led."""
        _, m, k = self._problem
        self._knowledge = LabelKnowledge(self._shifts, m, k)
        if self._prior is not None:
            self._knowledge.guess[:] = self._prior.top()
        self._script = self._run()
        self._next: NDArray[Any] | None = next(self._script, None)
        for count in self._counts:
            self._knowledge.looks -= 1
            self._next = next(_sent(self._script, count), None)

    def __getstate__(self) -> dict[str, Any]:
        # A running generator can't be copied; the counts lead to the same place.
        state = self.__dict__.copy()
        for name in ("_knowledge", "_script", "_next"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._replay()

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels are known for certain: never a wrong one under exact answers."""
        return self._knowledge.certain.copy()

    def _query(self, index: int) -> Labels | None:  # noqa: ARG002 - the base class's signature
        return self._next

    def _learn(self, low: int, high: int, estimate: float) -> None:  # noqa: ARG002
        # A position whose label is certain shows it in every later query.
        sure = int(np.count_nonzero(self._knowledge.certain))
        if low < sure:
            raise InconsistentAnswer(
                f"Query {self._answered}: it shows {sure} labels known for certain, "
                f"got {low} matches."
            )
        self._knowledge.looks -= 1
        try:
            self._next = next(_sent(self._script, low), None)
        except Contradiction:
            self._replay()
            raise InconsistentAnswer(
                f"Query {self._answered}: with this answer no label vector explains the answers "
                f"of the round that it ends."
            ) from None
        self._counts.append(low)

    def _guess(self) -> Labels:
        known = self._knowledge
        best = np.where(known.label >= 0, known.label, known.guess)
        return known.actual(np.arange(best.size), best)

    # -- the course of the attack

    def _run(self) -> Asking[None]:
        """Yield all queries of a game; is sent the counts of matches."""
        if self._problem.n_classes <= tuning.FEW_CLASSES_AT_MOST:
            yield from FewClasses(self._knowledge, certain=True).play(waiting=self._line())
        else:
            yield from self._in_clusters()

    def _line(self) -> list[Waiting]:
        """Return the positions to work on, those that a prior doubts most first.

        There an answer gains most, if the looks do not suffice for all. A position whose likeliest
        label has probability `TRUSTED_FROM` or more comes with that label and the unlikeliest one.
        """
        if self._prior is None:
            return [Waiting(j) for j in self._positions.tolist()]
        m = self._problem.n_classes
        labels, odds = self._prior.ranked(min(m, tuning.LABELS_RANKED))
        doubts = np.where(
            odds[:, 0] >= tuning.TRUSTED_FROM, np.minimum(1.0 - odds[:, 0], 0.999), 1.0
        )
        out, all_ranked = [], m <= tuning.LABELS_RANKED
        for j in self._positions[np.argsort(-doubts[self._positions], kind="stable")].tolist():
            listed = labels[j].tolist()
            unlikely = listed[-1] if all_ranked else next(x for x in range(m) if x not in listed)
            out.append(Waiting(j, listed[0], unlikely, float(doubts[j])))
        return out

    def _in_clusters(self) -> Asking[None]:
        """Check what a model names first; then clusters, until all they found is confirmed."""
        known = self._knowledge
        left: Ints = self._positions
        if self._prior is not None:
            trusted = FewClasses(known, certain=True)
            yield from trusted.play(waiting=[item for item in self._line() if item.doubt < 1.0])
            left = left[~known.certain[left]]
        for _ in range(tuning.CLUSTER_TRIES):
            if not left.size:
                return
            count = number_of_clusters(left.size, known.n_classes)
            rounds = tuning.CLUSTER_ROUNDS_AT_LEAST
            if known.looks < rounds * count:
                # Fewer clusters, so that their first tests do not use up all looks.
                count = 2 ** max(1, (known.looks // rounds).bit_length() - 1) - 1
                left = left[: max(1, int(tuning.CLUSTER_SHARE * known.n_classes * count))]
            stage = ManyClasses(known, left, count)
            yield from stage.play(spare=2)
            # What was presumed was wrong somewhere; the confirmation finds out where.
            with suppress(Contradiction):
                yield from self._last_candidates(stage)
            found = left[(known.label[left] >= 0) & ~known.certain[left]]
            if known.looks >= 2 and found.size:
                yield from stage.confirm()
            left = left[~known.certain[left]]
            if stage.out_of_looks:
                return
            known.label[left] = -1
        raise Contradiction(0)

    def _last_candidates(self, stage: ManyClasses) -> Asking[None]:
        """Resolve the positions of clusters whose tests are through: few candidates are left."""
        few = FewClasses(self._knowledge, certain=False)
        for cluster in stage.clusters:
            if cluster.ready and not cluster.hit_sets:
                for j in cluster.members.tolist():
                    few.admit_narrowed(j, cluster.candidates(), cluster.wrong_label())
        yield from few.play(spare=2)


def _checking_effort(problem: Problem) -> float:
    """Return the effort of a game from a model, for which labels matter little."""
    n, m, k = problem
    a_check = A_CHECK if m > tuning.FEW_CLASSES_AT_MOST else A_CHECK_OF_FEW_CLASSES
    seconds = AN_EXAMPLE * n + a_check * k + A_SHOWN_LABEL * n * k
    return seconds / (A_LABEL * n * k * remembered_share(k))


def _sent(script: Asking[None], count: int) -> Iterator[NDArray[Any]]:
    """Send a count; yield the next query, if there is one."""
    try:
        yield script.send(count)
    except StopIteration:
        return


def _checked_positions(positions: ArrayLike | None, n: int) -> Ints:
    if positions is None:
        return np.arange(n, dtype=np.int64)
    chosen = np.asarray(positions)
    if chosen.ndim != 1 or not np.issubdtype(chosen.dtype, np.integer):
        raise InvalidInput(
            f"positions must be a list of integers, got shape {chosen.shape} of {chosen.dtype}."
        )
    if chosen.size and (chosen.min() < 0 or chosen.max() >= n):
        raise InvalidInput(
            f"positions must lie in 0 .. {n - 1}, got {chosen.min()} .. {chosen.max()}."
        )
    if np.unique(chosen).size != chosen.size:
        raise InvalidInput("positions must be different, got a repeated one.")
    return chosen.astype(np.int64)
