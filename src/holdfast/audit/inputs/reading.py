"""An audit's request, read from files and options.

One thing is said in one place: a policy file excludes the options for what it says. What is said
nowhere has a default: exact scores, and the looks of the busiest team where a history tells them,
or else 1,000.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from holdfast.audit.inputs.example import NAME, example
from holdfast.audit.inputs.group_columns import group_columns, read_groups
from holdfast.audit.inputs.history import most_looks, read_history
from holdfast.audit.inputs.parts import parts_of
from holdfast.audit.inputs.request import MOST_POINTS, Prediction, Request
from holdfast.errors import InvalidInput
from holdfast.files.label_files import LabelFile, read_labels
from holdfast.files.spelling import steps_per_one
from holdfast.guard import Policy
from holdfast.guard.looks import looks_of, parse_looks
from holdfast.labels import Labels
from holdfast.metrics import Submission as Sent
from holdfast.metrics.display import Display
from holdfast.quoting import quoted
from holdfast.rules import parse_rule

__all__ = ["WIDEST_IN_POINTS", "read_request"]

# Values between 0 and 1, or -1 and 1, are told in points.
WIDEST_IN_POINTS = 2.0

# Of finer targets a float has too few digits left for what an error tells.
MOST_DECIMALS = 6
FINEST = 10**MOST_DECIMALS

DEFAULT_RULE, DEFAULT_LOOKS = "exact", "1000"


def read_request(
    labels: Path | None = None,
    *,
    policy: Path | None = None,
    mechanism: str | None = None,
    looks: str | None = None,
    days: int | None = None,
    teams: int | None = None,
    accounts: int = 1,
    final: str | None = None,
    final_choices: int | None = None,
    predictions: Sequence[Path] = (),
    history: Path | None = None,
    gap: float | None = None,
    id_column: str | None = None,
    label_column: str | None = None,
    seed: int = 0,
    title: str | None = None,
    metric: str | None = None,
    breakdown: str | None = None,
    also: Sequence[str] = (),
) -> Request:
    """Read what `holdfast audit` is given; the options are those of the command.

    Parameters
    ----------
    labels
        CSV or NPY file of hidden labels; None: the embedded example.
    policy
        Policy file; what it says is not to be said again by `mechanism` or `looks`.
    mechanism, looks, days
        Release rule, and looks of one account: a number or a rate for so many days. By default the
        looks are those of the busiest team of the history.
    teams, gap
        None: the policy's, or the defaults of `Request`.
    final, final_choices, id_column, label_column
        None: what the policy says. Where it says something, nothing else may be said here.
    predictions
        Files of models' predicted labels.
    history
        CSV file of past submissions.
    title
        What the page calls the test set; None: the label file's name.
    metric
        What the ranking goes by, whose unit the gap is in, as `metrics.registry.parse_metric` reads
        it; None: the policy's, or accuracy.
    breakdown
        The column of the label file with the group of each example; None: the policy's, or none.
    also
        Metrics that the board shows beside it; none: the policy's.

    Returns
    -------
    Request
        With the models' predictions of the scored part alone, in the order of the label file.
    """
    files = {"final": final, "id_column": id_column, "label_column": label_column}
    stated = _stated(policy, mechanism, looks, {**files, "final_choices": final_choices})
    if stated is not None:
        files = {name: getattr(stated, name) for name in files}
    columns = {name: files[name] for name in ("id_column", "label_column")}
    past = None if history is None else read_history(history)
    if looks is None and past is not None:
        looks = str(most_looks(past))  # nothing else is said of a board whose past is known
    wanted = _settings(stated, mechanism, looks, days)
    classes = None if stated is None else stated.classes
    display = _display(stated, metric, breakdown, also)
    shown = display.metric
    file, models, name = _test_set(
        labels,
        predictions,
        columns,
        classes,
        decimals=shown.takes is Sent.NUMBERS,
    )
    groups = None
    if display.breakdown is not None:
        if labels is None:
            raise InvalidInput("breakdown must be left out for the embedded example: no groups.")
        groups = read_groups(
            labels,
            display.breakdown,
            file.n_examples,
            **columns,
        )
    parts = parts_of(file, _final(files["final"]), "auto" if stated is None else stated.part)
    said = {"teams": teams, "gap": gap, "final_choices": final_choices}
    if labels is None and not (display.plain or predictions):
        models = []  # the example's own model is not used here
    return Request(
        name=title or name,
        file=file,
        parts=parts,
        accounts=accounts,
        predictions=[Prediction(model.name, model.labels[parts.where]) for model in models],
        history=past,
        seed=seed,
        most_gap=MOST_POINTS if shown.high - shown.low <= WIDEST_IN_POINTS else math.inf,
        group_columns=() if labels is None else group_columns(labels, **columns),
        display=display,
        said={name: value for name, value in files.items() if value is not None},
        groups=None if groups is None else groups[parts.where],
        **{**wanted, **{name: value for name, value in said.items() if value is not None}},
    )


def _display(
    policy: Policy | None, metric: str | None, breakdown: str | None, also: Sequence[str]
) -> Display:
    """Return what the board shows: what is said, else what the policy says.

    Each of the three by itself: `--metric f1` on a policy with a breakdown audits F1 of its groups.
    """
    stated = Display() if policy is None else policy.display
    return Display.of(
        stated.metric if metric is None else metric,
        breakdown or stated.breakdown,
        tuple(also) or (*stated.also, *stated.by_class),
    )


def _test_set(
    labels: Path | None,
    predictions: Sequence[Path],
    columns: Mapping[str, str | None],
    classes: Sequence[str] | None,
    *,
    decimals: bool,
) -> tuple[LabelFile, list[Prediction], str]:
    """Return labels, models' predictions and the name; the example has a model of its own."""
    if labels is None:
        file, model = example()
        given = [_prediction(path, file) for path in predictions]
        return file, given or [model], NAME
    file = read_labels(
        labels,
        id_column=columns["id_column"],
        label_column=columns["label_column"],
        class_names=classes,
        decimals=decimals,
    )
    if decimals:
        _refuse_fine(labels, file)
    if file.n_classes < 2:
        raise InvalidInput(f"{labels} must hold at least 2 classes, got {file.n_classes}.")
    return file, [_prediction(path, file) for path in predictions], labels.name


def _refuse_fine(labels: Path, file: LabelFile) -> None:
    """Refuse targets with more decimals than attacks that read whole numbers have room for."""
    fine = next((name for name in file.class_names if steps_per_one([name]) > FINEST), None)
    if fine is not None:
        raise InvalidInput(
            f"{labels} must hold targets of at most {MOST_DECIMALS} decimals, got {quoted(fine)}; "
            "round them to what matters: attacks read targets as whole numbers of the last decimal."
        )


def _prediction(path: Path, file: LabelFile) -> Prediction:
    """Read a model's labels in the order of the hidden ones."""
    read = read_labels(path, class_names=file.class_names)
    found: Labels = read.labels
    if read.n_examples != file.n_examples:
        raise InvalidInput(
            f"{path} must have {file.n_examples} predictions, one per label, got {read.n_examples}."
        )
    if read.ids is not None and file.ids is not None:
        places = file.id_index.places_in(read.ids)
        if (places < 0).any():
            raise InvalidInput(f"{path} must have the ids of the labels, got others.")
        found = read.labels[places]
    return Prediction(path.stem, found)


def _stated(
    path: Path | None, mechanism: str | None, looks: str | None, said: Mapping[str, Any]
) -> Policy | None:
    """Return the policy of a file, if one is named, with what it leaves open and options say."""
    if path is None:
        return None
    for name, value in (("mechanism", mechanism), ("looks", looks)):
        if value is not None:
            raise InvalidInput(f"{name} must not be given together with policy.")
    return Policy.read(path).agreeing(**said)


def _settings(
    policy: Policy | None, mechanism: str | None, looks: str | None, days: int | None
) -> dict[str, Any]:
    """Return the request's settings from a policy or from options."""
    if policy is None:
        return {
            "rule": parse_rule(mechanism or DEFAULT_RULE),
            "looks": parse_looks(looks or DEFAULT_LOOKS, days=days),
        }
    return {
        "rule": policy.mechanism,
        "looks": looks_of(policy, days),
        "memory": policy.memory,
        "looks_per_data_set": policy.looks_per_data_set,
        "final_choices": policy.final_choices,
        "teams": policy.teams or 1,
        "gap": policy.ranking_gap,
        "policy": policy,
    }


def _final(text: str | None) -> Any:
    if text not in (None, "private", "all", "public"):
        raise InvalidInput(f"final must be private, all or public, got {quoted(text)}.")
    return text
