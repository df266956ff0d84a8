"""Experiments: a grid of everything that a play depends on, in Python or in TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.description import Described
from holdfast.errors import InvalidInput
from holdfast.experiments.label_kinds import LABEL_KINDS
from holdfast.files.label_files import LabelFile, read_labels
from holdfast.labels import Labels
from holdfast.metrics.registry import parse_metric
from holdfast.problem import Problem, check_at_least
from holdfast.quoting import choice, quoted
from holdfast.rules import Rule
from holdfast.sweeps.arrays import fitting, label_array, vote_array
from holdfast.sweeps.cells import COUNTS, Cell, Sources
from holdfast.sweeps.models import NO_MODEL, check_prior, is_drawn, prediction_files, read_votes
from holdfast.sweeps.references import attack_reference, digest, kept_objects, rule_reference
from holdfast.sweeps.settings import parted
from holdfast.sweeps.stretches import MappedLabels, mapped_labels

__all__ = ["MOST_CELLS", "Experiment", "Parts", "read_experiment"]

# Beyond this many cells a grid is a typing error.
MOST_CELLS = 10_000_000
LABEL_FILES = (".csv", ".npy", ".txt")


@dataclass(frozen=True, eq=False)
class Experiment:
    """A grid: every attack x rule x metric x problem x labels x prior x seed is one cell.

    Parameters
    ----------
    attacks
        Names, classes, `package.module:Class` or `path/to/file.py:Class`; with settings
        `column-vote(queries_per_nat=2)`, or a `functools.partial` of a class.
    rules
        Release rules as text, objects or classes, or `path/to/file.py:NAME`.
    metrics
        What a look tells, as `holdfast.metrics.registry.parse_metric` reads it.
    n_examples, n_classes, n_queries
        Sizes; all combinations are problems.
    problems
        More problems, each as three sizes.
    labels
        Kinds of hidden labels, or paths of label files, whose own sizes replace the grid's;
        "counts": uniform labels that nobody draws, for attacks whose law follows from counts; or
        arrays of labels.
    priors
        "none"; "model:0.7" for models that are right about so many labels; or a file of predicted
        labels, or a pattern (`models/*.csv`) for the vote of several models, or an array of
        predicted labels, one column per model. These are about the examples of the label files and
        arrays.
    seeds
        How many plays of each, or their seeds, each of which counts once.

    Examples
    --------
    >>> experiment = Experiment(["block-majority", "lattice"], rules=["exact", "round:2"],
    ...                         n_examples=[1000], n_classes=[10], n_queries=[30, 100], seeds=5)
    >>> len(experiment), next(iter(experiment)).attack
    (40, 'block-majority')
    """

    attacks: Sequence[str | type[Described] | partial[Any]]
    rules: Sequence[str | Rule | type[Rule]] = ("exact",)
    metrics: Sequence[str] = ("accuracy",)
    n_examples: Sequence[int] = ()
    n_classes: Sequence[int] = ()
    n_queries: Sequence[int] = ()
    problems: Sequence[Sequence[int]] = ()
    labels: Sequence[str | NDArray[Any]] = ("uniform",)
    priors: Sequence[str | NDArray[Any]] = ("none",)
    seeds: int | Sequence[int] = 1

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "seeds" and isinstance(value, int):
                check_at_least("seeds", value, 1)
                if value > MOST_CELLS:  # before a range, which can't tell how long it is
                    raise _too_many(value)
                value = range(value)
            if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
                raise InvalidInput(f"{field.name} must be a list, got {value!r}.")
            object.__setattr__(self, field.name, value)
        for name in ("attacks", "rules", "metrics", "labels", "priors", "seeds"):
            if not len(getattr(self, name)):
                raise InvalidInput(f"{name} must not be empty.")
        if (cells := self._size()) > MOST_CELLS:
            raise _too_many(cells)
        object.__setattr__(self, "metrics", _once(str(parse_metric(each)) for each in self.metrics))
        if not isinstance(self._seeds, range):
            # A seed that is given twice is one play, not two.
            seeds = _once(check_at_least("seeds", seed, 0) for seed in self._seeds)
            object.__setattr__(self, "seeds", seeds)
        for name, check in (("labels", label_array), ("priors", vote_array)):
            for each in getattr(self, name):
                if not isinstance(each, (str, np.ndarray)):
                    raise InvalidInput(f"{name} must be texts or arrays, got {quoted(each)}.")
            arrays = [each for each in getattr(self, name) if isinstance(each, np.ndarray)]
            named = {id(each): check(each) for each in arrays}
            self._arrays.update(named.values())
            references = [
                named[id(each)][0] if isinstance(each, np.ndarray) else each
                for each in getattr(self, name)
            ]
            object.__setattr__(self, name, _once(references))
        for looks in self.n_queries:
            check_at_least("n_queries", looks, 1)
        for prior in self._priors:
            if prior not in self._arrays:
                check_prior(prior)
        for labels in self._labels:
            if labels in self._arrays or _is_file(labels):
                continue
            if labels not in (kinds := (*LABEL_KINDS, COUNTS)):
                raise InvalidInput(f"labels must be a file, an array or {choice(labels, kinds)}")
        # Whatever can't be found must say so before anything is played.
        object.__setattr__(self, "attacks", _once(map(attack_reference, self.attacks)))
        object.__setattr__(self, "rules", _once(map(rule_reference, self.rules)))
        if not self._problems:
            raise InvalidInput(
                "there is nothing to play: give n_examples, n_classes and n_queries, or problems."
            )

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self._problems) * prod(
            len(part) for part in (self.attacks, self.rules, self.metrics, self.priors, self._seeds)
        )

    def __iter__(self) -> Iterator[Cell]:
        """Yield every cell once, the seeds of one place in the grid beside each other."""
        for (labels, problem), attack, rule, metric, prior, seed in product(
            self._problems, self.attacks, self.rules, self.metrics, self._priors, self._seeds
        ):
            n, m, k = problem
            yield Cell(str(attack), str(rule), metric, n, m, k, labels, prior, seed)

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Labels and predictions that were given as arrays, by what cells call them."""
        return {}

    @property
    def _labels(self) -> list[str]:
        return [str(each) for each in self.labels]

    @property
    def _priors(self) -> list[str]:
        return [str(each) for each in self.priors]

    @property
    def _seeds(self) -> Sequence[int]:
        assert not isinstance(self.seeds, int)
        return self.seeds

    def _size(self) -> int:
        """Return the number of cells without making one."""
        sizes = prod(len(part) for part in (self.n_examples, self.n_classes, self.n_queries))
        others = (self.attacks, self.rules, self.metrics, self.labels, self.priors, self._seeds)
        return (sizes + len(self.problems)) * prod(len(part) for part in others)

    @cached_property
    def _problems(self) -> list[tuple[str, Problem]]:
        """Every kind of labels with every problem; a file has its own sizes."""
        given = [_problem(each) for each in self.problems]
        given += [
            Problem(n, m, k) for n, m, k in product(self.n_examples, self.n_classes, self.n_queries)
        ]
        looks = _once([*self.n_queries, *(each.n_queries for each in given)])
        found: list[tuple[str, Problem]] = []
        for kind in self._labels:
            if kind in self.sources.labels:
                labels = self.sources.labels[kind]
                if isinstance(labels, MappedLabels):
                    m = labels.n_classes
                else:
                    m = max(2, int(labels.max()) + 1)
                found += [(kind, Problem(labels.size, m, k)) for k in looks]
            else:
                found += [(kind, each) for each in _once(given)]
        return found

    @cached_property
    def sources(self) -> Sources:
        """What the cells refer to by name."""
        labels: dict[str, Labels | MappedLabels] = {}
        votes: dict[tuple[str, str], Any] = {}
        models = [each for each in self._priors if each != NO_MODEL and not is_drawn(each)]
        for each in self._labels:
            if each in self._arrays:
                held = self._arrays[each]
                file = LabelFile(held, tuple(map(str, range(max(2, int(held.max()) + 1)))))
            elif not _is_file(each):
                continue
            else:
                mapped = mapped_labels(Path(each))
                if mapped is not None and not models:
                    labels[each] = mapped
                    continue
                file = read_labels(Path(each))
            labels[each] = file.labels
            for prior in models:
                if prior in self._arrays:
                    votes[each, prior] = fitting(self._arrays[prior], file)
                else:
                    votes[each, prior] = read_votes(prior, file)
        attacks, rules = list(map(str, self.attacks)), list(map(str, self.rules))
        named = (*attacks, *rules, *self._labels)
        digests = {each: found for each in named if (found := digest(each)) is not None}
        for prior in models:
            if prior not in self._arrays:
                digests[prior] = "".join(str(digest(str(path))) for path in prediction_files(prior))
        return Sources(digests, labels, votes, kept_objects([*attacks, *rules]))


class Parts:
    """Several grids played as one: every cell of each, one that is in two of them once."""

    def __init__(self, parts: Sequence[Experiment]) -> None:
        self._parts = parts
        if (cells := sum(map(len, parts))) > MOST_CELLS:
            raise InvalidInput(
                f"the grids have {cells:,} cells, and at most {MOST_CELLS:,} are played."
            )
        self._cells = list(dict.fromkeys(cell for part in parts for cell in part))

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self._cells)

    def __iter__(self) -> Iterator[Cell]:
        """Yield every cell once."""
        return iter(self._cells)

    @cached_property
    def sources(self) -> Sources:
        """What the cells refer to by name."""
        digests: dict[str, str] = {}
        labels: dict[str, Labels | MappedLabels] = {}
        votes: dict[tuple[str, str], Any] = {}
        objects: dict[str, Any] = {}
        for part in self._parts:
            digests |= part.sources.digests
            labels |= part.sources.labels
            votes |= part.sources.votes
            objects |= part.sources.objects
        return Sources(digests, labels, votes, objects)


def read_experiment(path: Path) -> Experiment | Parts:
    """Read an experiment from a TOML file whose keys are the fields of `Experiment`.

    With `[[parts]]` it has several grids: each part has the file's other keys and its own. Paths
    are relative to the file.
    """
    if not path.is_file():
        raise InvalidInput(f"file must be an experiment in TOML, but there is none at {path}.")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"{path} can't be read: {error}") from None
    parts = content.pop("parts", None)
    if parts is None:
        return _grid(path, content)
    if not (isinstance(parts, list) and parts and all(isinstance(each, dict) for each in parts)):
        raise InvalidInput(f"{path}: parts must be tables, each under [[parts]].")
    grids = [_grid(path, content | each) for each in parts]
    try:
        return Parts(grids)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def _grid(path: Path, content: dict[str, Any]) -> Experiment:
    """Return one grid of a file."""
    known = [field.name for field in fields(Experiment)]
    for key in content:
        if key not in known:
            raise InvalidInput(f"{path}: a key must be {choice(key, [*known, 'parts'])}")
    if "attacks" not in content:
        raise InvalidInput(f"{path}: attacks must be given.")
    for key in ("attacks", "rules", "labels", "priors"):
        if isinstance(content.get(key), list):
            content[key] = [_from_folder(each, path.parent) for each in content[key]]
    try:
        return Experiment(**content)
    except (InvalidInput, TypeError) as error:
        raise InvalidInput(f"{path}: {error}") from None


def _too_many(cells: int) -> InvalidInput:
    return InvalidInput(f"the grid has {cells:,} cells, and at most {MOST_CELLS:,} are played.")


def _problem(sizes: Any) -> Problem:
    """Return a problem of three sizes."""
    if isinstance(sizes, str) or not isinstance(sizes, Sequence) or len(sizes) != 3:
        raise InvalidInput(
            f"problems must be three sizes each (examples, classes, looks), got {quoted(sizes)}."
        )
    return Problem(*sizes)


def _from_folder(reference: Any, folder: Path) -> Any:
    """Return a reference to a file as seen from the working folder."""
    if not isinstance(reference, str):
        return reference
    if _is_file(reference):
        return str(folder / reference)
    base, _ = parted(reference)
    place, _, _ = base.rpartition(":")
    return str(folder / reference) if place.endswith(".py") else reference


def _is_file(labels: object) -> bool:
    return isinstance(labels, str) and Path(labels).suffix in LABEL_FILES


def _once(values: Any) -> list[Any]:
    return list(dict.fromkeys(values))
