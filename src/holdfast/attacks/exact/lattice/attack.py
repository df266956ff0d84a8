"""Exact recovery of all labels by adaptive rounds of detecting designs: the course of a game.

A game is a generator (`Asking`): it yields a query, is sent the count, and goes on where it was. So
the course can be read from top to bottom, as if the oracle were called; `Lattice` turns it into the
ask-and-tell of every attack. A generator can't be copied or pickled, but it is a function of the
counts alone: a copy plays them again (`_replay`).

Up to 16 classes a game is one stage (`Recovery`). With more it has up to three, in turn: labels
that a model names are checked; the others are tested in clusters (`ManyClasses`) until each
position has few candidates left, which `Recovery` resolves; and everything that was presumed on
the way is confirmed. Positions whose confirmation fails go through the last two once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import log10
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdfast.answers import AnswerModel
from holdfast.attacks.description import Reads
from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.cluster import number_of_clusters
from holdfast.attacks.exact.lattice.many_classes import ManyClasses
from holdfast.attacks.exact.rounds.kernels import Ints
from holdfast.attacks.exact.rounds.knowledge import Asking, LabelKnowledge
from holdfast.attacks.exact.rounds.layout import Contradiction
from holdfast.attacks.exact.rounds.recovery import Recovery, WaitingPosition
from holdfast.attacks.informed import InformedAttack
from holdfast.errors import InconsistentAnswer, InvalidInput
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["Lattice"]


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

    Up to 16 classes, with many examples up to 26, every step follows from the answers. For more
    classes clusters of positions are tested label by label, hits are located by multiway splits,
    and what was only likely is confirmed before it counts as certain; a cluster that fails starts
    over.

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
    knows_only_proved = True
    intolerance = (
        "it reads digits from sums and differences of many counts, and one count that is off by "
        "one can change all of them"
    )
    strongest_on = frozenset({Reads.SCORES})
    effort = 250.0
    results = 3  # since 3: rounds packed by a linear programme, from a model too; since 2: clusters

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
        """Bring knowledge and script to where the counts so far have led.

        For a new attack, a copy, and after an answer that contradicts the others: the script can't
        take a count back, so it is started again and sent those that were accepted.
        """
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
                f"it shows {sure} labels known for certain, got {low} matches.",
                query=self._answered,
            )
        self._knowledge.looks -= 1
        try:
            self._next = next(_sent(self._script, low), None)
        except Contradiction:
            self._replay()
            raise InconsistentAnswer(
                "with this answer no label vector explains the answers of the round that it ends.",
                query=self._answered,
            ) from None
        self._counts.append(low)

    def _guess(self) -> Labels:
        known = self._knowledge
        best = np.where(known.label >= 0, known.label, known.guess)
        return known.actual(np.arange(best.size), best)

    # -- the course of the attack

    def _run(self) -> Asking[None]:
        """Yield all queries of a game; is sent the counts of matches."""
        m, model = self._problem.n_classes, self._prior is not None
        if one_by_one(self._positions.size, m, model=model):
            yield from Recovery(self._knowledge, certain=True).play(self._queue())
        else:
            yield from self._in_clusters()

    def _queue(self) -> list[WaitingPosition]:
        """Return the positions to work on, those that a prior doubts most first.

        There an answer gains most, if the looks do not suffice for all. A position whose likeliest
        label has probability `TRUSTED_FROM` or more comes with that label and the unlikeliest one.
        """
        if self._prior is None:
            return [WaitingPosition(j) for j in self._positions.tolist()]
        m = self._problem.n_classes
        labels, odds = self._prior.ranked(min(m, tuning.LABELS_RANKED))
        doubts = np.where(
            odds[:, 0] >= tuning.TRUSTED_FROM, np.minimum(1.0 - odds[:, 0], 0.999), 1.0
        )
        out, all_ranked = [], m <= tuning.LABELS_RANKED
        for j in self._positions[np.argsort(-doubts[self._positions], kind="stable")].tolist():
            listed = labels[j].tolist()
            unlikely = listed[-1] if all_ranked else next(x for x in range(m) if x not in listed)
            out.append(WaitingPosition(j, listed[0], unlikely, float(doubts[j])))
        return out

    def _in_clusters(self) -> Asking[None]:
        """Check what a model names first; then clusters, until all they found is confirmed.

        Too few looks for all: fewer clusters of fewer positions, which are brought to an end. It is
        better to know some labels than to have tested all positions for a few of their classes.
        """
        known = self._knowledge
        left: Ints = self._positions
        if self._prior is not None:
            trusted = Recovery(known, certain=True)
            yield from trusted.play([item for item in self._queue() if item.doubt < 1.0])
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
        few = Recovery(self._knowledge, certain=False)
        for cluster in stage.clusters:
            if cluster.ready and not cluster.hit_sets:
                for j in cluster.members.tolist():
                    few.narrow(j, cluster.candidates(), cluster.wrong_label())
        yield from few.play(spare=2)


def one_by_one(n_positions: int, n_classes: int, *, model: bool) -> bool:
    """Tell whether positions are worked on one by one, not in clusters.

    Up to 16 classes; without a model, and with more than a few positions, some more. Beyond, a
    position's digit takes more of a node than it tells, and a cluster's test of one label fills a
    last place better.

    >>> [one_by_one(10_000, m, model=False) for m in (16, 26, 27)]
    [True, True, False]
    >>> one_by_one(100, 20, model=False), one_by_one(10_000, 22, model=True)
    (False, False)
    """
    most = tuning.FEW_CLASSES_AT_MOST
    if not model:
        more = tuning.FEW_CLASSES_BASE + tuning.FEW_CLASSES_PER_DECADE * log10(max(1, n_positions))
        most = max(most, min(tuning.FEW_CLASSES_OF_MANY_POSITIONS, int(more)))
    return n_classes <= most


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
