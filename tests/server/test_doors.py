"""Every metric through every door to a score: as many entries as answers, and the same answers.

The doors are an array, a file, a data frame, a scorer of scikit-learn, a board over HTTP and a
forwarder. Metrics of one's own have no name in the file of a policy, so no board has them.
"""

import asyncio
import itertools
import math
import sys
import zlib
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from holdfast.certificates import certify_display
from holdfast.client.forwarder import sending
from holdfast.errors import InvalidQuery, ReleaseFailed
from holdfast.guard import Guard, GuardedFile, Policy
from holdfast.guard.adapters.frames import GuardedFrame
from holdfast.guard.adapters.scikit_learn import guarded_scorer
from holdfast.ledger.chain import Ledger
from holdfast.metrics import OwnMetric, Submission, registry
from holdfast.metrics.base import LabelMetric
from holdfast.metrics.display import Display
from holdfast.metrics.registry import metric_classes, parse_metric
from holdfast.problem import Problem
from holdfast.rules import parse_rule
from tests.server.conftest import Place, as_csv, bearer, listening

N = 40
CLASSES = np.array(["bird", "cat", "dog"])
BINARY = {"f1", "roc_auc", "average_precision"}
METRICS = {
    each.name: f"{each.name}:2" if each.name == "top_k_accuracy" else each.name
    for each in metric_classes()
}
TAKES = {each.name: each.takes for each in metric_classes()}
LIMITS = {"looks_per_team": 9, "looks_per_data_set": 100, "refusals_per_team": 9}
IDS = np.arange(100, 100 + N)


def hidden_of(name, rng):
    """Return what is hidden: as an array, and as columns of a file."""
    match TAKES[name]:
        case Submission.NUMBERS:
            truth = rng.normal(size=N)
            return truth, {"label": truth}
        case Submission.LABEL_SETS:
            truth = np.vstack([np.eye(3, dtype=int), rng.integers(2, size=(N - 3, 3))])
            return truth, dict(zip("abc", truth.T, strict=True))
    truth = rng.integers(2 if name in BINARY else 3, size=N)
    truth[:3] = [0, 1, 1 if name in BINARY else 2]
    return truth, {"label": CLASSES[truth]}


def guess_of(name, rng, n):
    """Return a random submission for n examples, as an array and as columns of a file."""
    m = 2 if name in BINARY else 3
    match TAKES[name]:
        case Submission.NUMBERS | Submission.SCORES:
            guess = rng.normal(size=n)
            return guess, {"label": guess}
        case Submission.LABEL_SETS:
            guess = rng.integers(2, size=(n, 3))
            return guess, dict(zip("abc", guess.T, strict=True))
        case Submission.PROBABILITIES:
            guess = rng.dirichlet(np.ones(m), size=n)
            return guess, dict(zip(CLASSES, guess.T, strict=False))
        case Submission.RANKED_LABELS:
            guess = np.argsort(rng.random((n, m)))[:, :2]
            return guess, dict(zip(("first", "second"), CLASSES[guess].T, strict=True))
    guess = rng.integers(m, size=n)
    return guess, {"label": CLASSES[guess]}


def submissions(name):
    """Return what is sent, in turn, and how often it can be scored: one of them comes again."""
    rng = np.random.default_rng(zlib.crc32(name.encode()) + 1)
    good = [guess_of(name, rng, N) for _ in range(3)]
    return [*good, guess_of(name, rng, N - 1), good[1], guess_of(name, rng, N + 3)]


def told_by(score, sent):
    """Return what a door answers to each of them; None: refused."""
    told = []
    for each in sent:
        try:
            receipt = score(each)
        except (InvalidQuery, sending.Refused):
            told.append(None)
        else:
            found = receipt if isinstance(receipt, dict) else vars(receipt) | {
                "released": receipt.released, "receipt_id": receipt.receipt_id,
            }  # fmt: skip
            told.append((found["receipt_id"], found["released"]))
    return told


def table(columns):
    n = len(next(iter(columns.values())))
    ids = np.append(IDS, np.arange(9000, 9003))[:n]
    return pd.DataFrame({"id": ids[::-1], **{key: col[::-1] for key, col in columns.items()}})


def written(path, columns):
    table(columns).to_csv(path, index=False)
    path.chmod(0o600)
    return path


def check(told, entries):
    """Compare answers with entries: one of each look, one of each refusal, none of a repetition."""
    answers = {each for each in told if each is not None}
    assert told[4] == told[1] is not None
    assert [each is None for each in told] == [False, False, False, True, False, True]
    kinds = Counter(entry.kind for entry in entries if entry.team)
    assert kinds == {"look": len(answers), "refused": told.count(None)} == {"look": 3, "refused": 2}
    recorded = {(e.receipt_id, float(e.released)) for e in entries if e.kind == "look"}
    assert answers == recorded
    return [each[1] for each in told if each is not None]


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    """A board of each metric in one database."""
    folder = tmp_path_factory.mktemp("boards")
    places = {}
    for name, metric in METRICS.items():
        truth, columns = hidden_of(name, np.random.default_rng(zlib.crc32(name.encode())))
        place = Place.__new__(Place)
        slug = name.replace("_", "-")
        text = f'release = "exact"\nmetric = "{metric}"\n'
        text += "".join(f"{key} = {value}\n" for key, value in LIMITS.items())
        path = written(folder / f"{slug}.csv", columns)
        if not places:
            place = Place(str(folder / "ledger.db"), folder)
        first = next(iter(places.values()), place)
        place.__dict__ |= vars(first) | {"slug": slug, "truth": truth, "columns": columns}
        place.board = place.boards.create(slug, path, text, title=name)
        places[name] = place
    return places


def of_board(place, team):
    entries = place.entries()
    return [e for e in entries if e.team == team.ledger_name]


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_answers_alike_at_every_door_and_records_each_answer(name, boards, tmp_path):
    place, sent = boards[name], submissions(name)
    policy = Policy("exact", metric=METRICS[name], **LIMITS)
    ledgers = {door: tmp_path / f"{door}.db" for door in ("array", "file", "frame")}
    guard = Guard(place.truth, policy, ledgers["array"], create=True, ids=IDS)
    doors = {"array": (lambda each: guard.score(each[0], team="blue"), guard.ledger)}
    hidden, guess = written(tmp_path / "hidden.csv", place.columns), tmp_path / "guess.csv"
    host = GuardedFile(hidden, policy, ledgers["file"], create=True)
    doors["file"] = (
        lambda each: host.score(written(guess, each[1]), team="blue"),
        host.guard.ledger,
    )
    if TAKES[name] is not Submission.LABEL_SETS:  # a platform's frames have one value per row
        Ledger(ledgers["frame"], create=True).close()
        frame = GuardedFrame(table(place.columns), policy, str(ledgers["frame"]), id_column="id")
        doors["frame"] = (lambda each: frame.score(table(each[1]), team="blue"), frame.guard.ledger)
    released = {
        door: check(told_by(score, sent), ledger.entries())
        for door, (score, ledger) in doors.items()
    }
    team = place.team("red")
    token = place.token(team)
    with place.client() as client:

        def post(each):
            body = table(each[1]).to_csv(index=False).encode()
            url = f"/api/v1/boards/{place.slug}/submissions"
            answer = client.post(url, content=body, headers=bearer(token))
            if answer.status_code == 422:
                raise InvalidQuery(answer.text)
            return answer.json()

        released["HTTP"] = check(told_by(post, sent), of_board(place, team))
    first = released["array"]
    for door, values in released.items():
        assert values == pytest.approx(first, rel=1e-12), door


def test_forwarders_answer_alike_and_record_each_answer(boards, monkeypatch):
    place = boards["accuracy"]
    with listening(place, flood="100000/second") as url:
        origin = url.rpartition("/b/")[0]
        for name, place in boards.items():
            monkeypatch.setattr(sending, "BOARD", f"{origin}/b/{place.slug}")
            token = place.token(scope="service")

            def forward(each, token=token):
                body = table(each[1]).to_csv(index=False).encode()
                return sending.send(body, f"team {name}", token, "guess.csv")  # noqa: B023

            sent = submissions(name)
            told = told_by(forward, sent)
            teams = {e.team for e in place.entries() if e.team.startswith(f"b{place.board.id}-")}
            [mine] = [
                each for each in teams
                if {e.receipt_id for e in place.entries() if e.team == each}
                >= {told[0][0]}
            ]  # fmt: skip
            entries = [e for e in place.entries() if e.team == mine]
            policy = Policy("exact", metric=METRICS[name], **LIMITS)
            values = check(told, entries)
            truth = policy.display.metric.truth(place.truth)
            expected = [policy.display.metric.value(truth, s[0]) for s in sent[:3]]
            assert values[:3] == pytest.approx(expected, rel=1e-9), name


def cancelled(truth, given):
    raise asyncio.CancelledError


OUTCOMES = {
    "raises": lambda t, g: 1 / 0,
    "nan": lambda t, g: float("nan"),
    "text": lambda t, g: "a lot",
    "below": lambda t, g: -5.0,
    "above": lambda t, g: 5.0,
    "infinite": lambda t, g: float("inf"),
    "exits": lambda t, g: sys.exit("no value"),
    "is cancelled": cancelled,
    "on some": lambda t, g: float(np.mean(t == g)) if t[0] == g[0] else 1 / 0,
}


def own_doors(door, policy, labels, folder):
    """Return what takes a guess through a door of a guard with a metric of one's own."""
    ledger, ids = folder / "l.db", IDS[: len(labels)]
    hidden = written(folder / "hidden.csv", {"label": CLASSES[labels]})
    if door == "file":
        host = GuardedFile(hidden, policy, ledger, create=True)
        return host.guard, lambda guess: host.score(
            written(folder / "guess.csv", {"label": CLASSES[guess]}), team="blue"
        )
    if door == "frame":
        Ledger(ledger, create=True).close()
        frame = GuardedFrame(table({"label": CLASSES[labels]}), policy, ledger, id_column="id")
        return frame.guard, lambda guess: frame.score(table({"label": CLASSES[guess]}), team="blue")
    guard = Guard(labels, policy, ledger, create=True, ids=ids)
    if door == "array":
        return guard, lambda guess: guard.score(guess, team="blue")
    scorer = guarded_scorer(guard, ids[:, None], team="blue")
    return guard, lambda guess: scorer.receipt(
        SimpleNamespace(predict=lambda _: guess), ids[:, None]
    )


@pytest.mark.parametrize(
    ("door", "release"),
    [
        *itertools.product(["array"], ["exact", "gaussian:0.1", "ladder:0.01"]),
        *itertools.product(["file", "frame", "scikit-learn"], ["exact"]),
    ],
)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_metrics_of_ones_own_record_each_answer_however_they_misbehave(
    outcome, door, release, tmp_path
):
    labels = np.arange(N) % 3
    metric = OwnMetric("own", OUTCOMES[outcome], low=0.0, high=1.0)
    policy = Policy(release, metric=metric, **LIMITS)
    guard, score = own_doors(door, policy, labels, tmp_path)
    told = Counter()
    for guess in (labels, labels[::-1], np.roll(labels, 1), labels, labels[:-1]):
        try:
            told["look"] += not score(guess).repeated
        except ReleaseFailed:
            told["failed"] += 1
        except InvalidQuery:
            told["refused"] += 1
    kinds = Counter(entry.kind for entry in guard.ledger.entries() if entry.team)
    assert kinds["refused"] == told["refused"] == 1
    assert kinds["look"] + kinds["failed"] == 3
    assert kinds["look"] == told["look"]
    assert guard.allowance(team="blue")[0] == LIMITS["looks_per_team"] - 3


@pytest.fixture
def plug_in(request, monkeypatch):
    """A metric of an installed package, which a policy's file can name."""

    class Mine(LabelMetric):
        name = "mine"
        value = staticmethod(OUTCOMES[request.param])

    def installed(group, base):
        return (Mine,) if issubclass(Mine, base) else ()

    monkeypatch.setattr(registry, "installed", installed)
    metric_classes.cache_clear()
    yield Mine()
    metric_classes.cache_clear()


@pytest.mark.parametrize("plug_in", OUTCOMES, indirect=True)
def test_metrics_of_installed_packages_record_each_answer_however_they_misbehave(
    plug_in, sqlite_url, tmp_path
):
    """Boards have them, too. One that left a thread was a free answer, and values were released
    that lay outside of the range by which they are counted."""
    policy = f'release = "round:2"\nmetric = "mine"\nlooks_per_team = {LIMITS["looks_per_team"]}\n'
    place = Place(sqlite_url, tmp_path, policy=policy)
    token, released = place.token(place.team("blue")), []
    with place.client() as client:
        for shift in (0, 1, 2, 0):
            body = as_csv((place.labels + shift) % 3)
            url = f"/api/v1/boards/{place.slug}/submissions"
            answer = client.post(url, content=body, headers=bearer(token))
            assert answer.status_code == (200 if len(released) == 3 else 201)
            released.append(answer.json()["released"])
            if released[-1] is None:
                assert answer.json()["meaning"].startswith("nothing: the metric has no value")
                with pytest.raises(sending.Refused, match="no score was released"):
                    sending.checked(answer.json())
    entries = [entry for entry in place.entries() if entry.team]
    assert [e.kind for e in entries] == ["failed" if v is None else "look" for v in released[:3]]
    assert answer.json()["looks_left"] == LIMITS["looks_per_team"] - 3
    assert released[3] == released[0]
    assert all(value is None or 0.0 <= value <= 1.0 for value in released)


@pytest.mark.parametrize("plug_in", ["nan"], indirect=True)
def test_no_value_of_an_installed_packages_metric_is_counted(plug_in):
    for metric in (plug_in, parse_metric("mine[0,0.5]")):
        found = certify_display(Problem(10_000, 2, 30), parse_rule("round:2"), Display(metric))
        own = certify_display(
            Problem(10_000, 2, 30),
            parse_rule("round:2"),
            Display(OwnMetric("own", lambda t, g: 0.0, low=metric.low, high=metric.high)),
        )
        assert found.nats == pytest.approx(own.nats)
    assert own.nats == pytest.approx(30 * math.log(52.0))
