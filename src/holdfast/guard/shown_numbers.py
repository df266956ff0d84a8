"""The numbers of a look: computed from hidden truth, released under the policy's rule."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.evaluate import evaluate
from holdfast.guard.hidden_examples import HiddenExamples
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import Answer
from holdfast.metrics import Show
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules import RecordedLook, look_text
from holdfast.rules.on_metrics import first_states, release_show, resumed

__all__ = ["ShownNumbers"]


class ShownNumbers:
    """What a policy lets a look tell of a test set: one accuracy, or the numbers of a display.

    Every number goes through the rule by itself, with a state of its own and the number of
    examples that it is of.

    Parameters
    ----------
    policy
        The rule, and what it is applied to.
    examples
        The test set.
    """

    def __init__(self, policy: Policy, examples: HiddenExamples) -> None:
        self._rule, self._examples = policy.mechanism, examples
        self.display = policy.display
        self._n_classes = examples.n_classes
        sizes: list[int] = []
        self.names: tuple[str, ...] = (str(self.display.metric),)
        if not self.display.plain:
            show = examples.show(None)
            truth = show.truth(examples.labels)  # what a metric can't score is refused here
            n, self.names = len(truth), show.names
            by_class = sum(each.numbers(self._n_classes) for each in self.display.by_class)
            # How many examples a class has is nobody's business: its numbers come last, unsized.
            members = show.members(truth)[: len(show.names) - by_class]
            sizes = [n if rows is None else rows.size for rows in members]
            first_states(self._rule, show, truth, Problem(n, self._n_classes, 1))
        self.text = look_text(policy.release, self.display, sizes)
        self.look = RecordedLook(self._rule, self.display, tuple(sizes))
        self._prepared: tuple[NDArray[Any] | None, Show, Any] | None = None

    def release(
        self,
        labels: NDArray[Any],
        order: NDArray[Any] | None,
        query: NDArray[Any],
        state: State | None,
        remembered: Problem,
        rng: np.random.Generator,
    ) -> tuple[list[Answer], State]:
        """Return what a look brings out, its own answer last, and the state after it.

        `labels` and `query` are in the ledger's order of the scored examples, which `order` makes
        of the given one.
        """
        rule = self._rule
        if self.display.plain:
            state = rule.init(remembered) if state is None else rule.resume(state, remembered)
            readings, state = rule.answers(state, evaluate(query, labels, self._n_classes), rng)
            return [Answer((float(each.value),), (each.told,)) for each in readings], state
        show, truth = self._in_order(labels, order)
        if state is None:
            states = first_states(rule, show, truth, remembered)
        else:
            states = resumed(rule, state["numbers"], show, truth, remembered)
        told, states = release_show(rule, show, states, truth, query, rng)
        answers = [
            Answer(
                tuple(float(each.value) for each in numbers),
                tuple(each.told for each in numbers),
                show.names,
                show.ranking,
            )
            for numbers in told
        ]
        return answers, {"numbers": states}

    def _in_order(
        self, labels: NDArray[Any], order: NDArray[Any] | None
    ) -> tuple[Show, NDArray[Any]]:
        """Return what computes the numbers in the ledger's order, made once."""
        if self._prepared is None or self._prepared[0] is not order:
            show = self._examples.show(order)
            self._prepared = order, show, show.truth(labels)
        return self._prepared[1:]
