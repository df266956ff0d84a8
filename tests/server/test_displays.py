"""Boards that show more than an accuracy: over HTTP they answer, record and certify as an array."""

import io
import json

import numpy as np
import pytest

from holdfast import Problem, play
from holdfast.attacks import BlockMajority
from holdfast.attacks.through_metrics import ByGroup
from holdfast.cli import main
from holdfast.errors import BudgetExhausted, NotSupported
from holdfast.guard import Guard, GuardedFile, GuardOracle, Ledger, OutcomeGuard, Policy
from holdfast.guard.exposure import exposure
from holdfast.oracles import Remote
from holdfast.server import store
from holdfast.server.accounts import new_token
from holdfast.server.boards import Boards
from holdfast.server.gatekeeper import Gatekeeper
from holdfast.server.records import Outcomes
from tests.server.conftest import Place, bearer, listening

N, LOOKS = 60, 12
CLASSES = np.array(["bird", "cat", "dog"])
LIMITS = f"looks_per_team = {LOOKS}\nlooks_per_data_set = 100\n"
SECRET = b"a secret that nobody has, of 32 b"


class Hidden(Place):
    """A board over any file."""

    def __init__(self, url, folder, text, policy, **options):
        self.url, self.folder, self.slug = url, folder, "pets"
        self.labels_file = folder / "hidden.csv"
        self.labels_file.write_text(text)
        self.labels_file.chmod(0o600)
        self.gatekeeper = Gatekeeper(url, create=True)
        self.boards = Boards(self.gatekeeper)
        self.board = self.boards.create("pets", self.labels_file, policy, title="Pets", **options)


def as_file(table):
    """Return columns as a CSV file."""
    rows = [table, *zip(*table.values(), strict=True)]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def labels_of(m, seed=0):
    labels = np.random.default_rng(seed).integers(m, size=N)
    labels[:m] = np.arange(m)
    groups = np.where(np.arange(N) % 3 == 0, "north", "south")
    return {"id": range(100, 100 + N), "label": CLASSES[labels], "region": groups}


def chances(rng, m=3):
    rows = rng.dirichlet(np.ones(m), size=N)
    return dict(zip(CLASSES, rows.T, strict=False))


def named(rng, m=3):
    return {"label": CLASSES[rng.integers(m, size=N)]}


# What is hidden, the policy's lines, and the columns of a random submission.
DISPLAYS = {
    "f1": (labels_of(3), 'metric = "f1_macro"', named),
    "several columns": (labels_of(3), 'also = ["f1_macro", "recall_per_class"]', named),
    "breakdown": (labels_of(3), 'metric = "f1_macro"\nbreakdown = "region"', named),
    "probabilities": (labels_of(3), 'metric = "log_loss[0,5]"\nalso = ["accuracy"]', chances),
    "scores": (
        labels_of(2), 'metric = "roc_auc"', lambda rng: {"score": rng.normal(size=N).round(3)},
    ),
    "ranked": (
        labels_of(3),
        'metric = "top_k_accuracy:2"',
        lambda rng: dict(zip(("label_1", "label_2"),
                             CLASSES[np.argsort(rng.random((N, 3)))[:, :2]].T, strict=True)),
    ),
    "numbers": (
        {"id": range(100, 100 + N), "target": np.random.default_rng(3).integers(9, size=N)},
        'metric = "mse[0,20000]"\nalso = ["mae[0,9]"]',
        lambda rng: {"target": rng.integers(9, size=N)},
    ),
    "label sets": (
        {"id": range(100, 100 + N),
         **dict(zip("abc", np.random.default_rng(4).integers(2, size=(3, N)), strict=True))},
        'metric = "hamming_loss"',
        lambda rng: dict(zip("abc", rng.integers(2, size=(3, N)), strict=True)),
    ),
}  # fmt: skip


def told(entry):
    """Return what of an entry does not depend on when and for whom it was made."""
    return (entry.kind, entry.rule, entry.released, entry.detail, entry.prediction, entry.policy)


def looks(ledger):
    return [told(entry) for entry in ledger.entries() if entry.kind == "look"]


@pytest.mark.parametrize("release", ["round:2", "ladder:0.05"])
@pytest.mark.parametrize("name", DISPLAYS)
def test_a_board_answers_records_and_certifies_as_the_array_does(
    sqlite_url, tmp_path, name, release
):
    table, lines, submission = DISPLAYS[name]
    policy = f'release = "{release}"\n{lines}\n{LIMITS}'
    place = Hidden(sqlite_url, tmp_path, as_file(table), policy)
    (tmp_path / "array").mkdir()
    host = GuardedFile(
        place.labels_file, Policy.parse(place.phase().policy), tmp_path / "array/l.db", create=True
    )
    rng, team = np.random.default_rng(7), place.team("red")
    token = place.token(team)
    with place.client() as client:
        for _ in range(LOOKS):
            order = rng.permutation(N)
            guess = {"id": np.arange(100, 100 + N), **submission(rng)}
            guess = {column: np.asarray(cells)[order] for column, cells in guess.items()}
            sent = client.post(
                "/api/v1/boards/pets/submissions", content=as_file(guess), headers=bearer(token)
            )
            assert sent.status_code == 201, sent.text
            receipt = host.score(io.BytesIO(as_file(guess).encode()), team=team.ledger_name)
            answer = sent.json()
            assert answer["released"] == receipt.shown
            assert answer["numbers"] == receipt.numbers
            assert (answer["own"], answer["new_best"]) == (receipt.own, receipt.new_best)
            assert answer["meaning"].replace("red", team.ledger_name) == receipt.meaning
        [row] = client.get("/api/v1/boards/pets/standings").json()["standings"]
        [best] = [each for each in client.get(
            "/api/v1/boards/pets/submissions", headers=bearer(token)
        ).json()["submissions"] if each["released"] == row["released"]][-1:]  # fmt: skip
        assert row["numbers"] == best["numbers"]
        page = client.get("/b/pets").text
        assert all(f">{number}<" in page for number in row["numbers"].values())
    assert looks(place.gatekeeper.ledger) == looks(host.guard.ledger)
    [over_http], [array] = exposure(place.gatekeeper.ledger), exposure(host.guard.ledger)
    assert (over_http.gain, over_http.nats) == (array.gain, array.nats)
    assert place.boards.different(place.board) == []
    assert place.gatekeeper.verify().ok


@pytest.mark.parametrize("name", DISPLAYS)
def test_the_sample_of_a_board_can_be_submitted_and_its_pages_open(sqlite_url, tmp_path, name):
    table, lines, _ = DISPLAYS[name]
    place = Hidden(sqlite_url, tmp_path, as_file(table), f'release = "round:2"\n{lines}\n{LIMITS}')
    token = place.token(place.team("red"))
    with place.client() as client:
        sample = client.get("/b/pets/sample")
        facts = client.get("/api/v1/boards/pets").json()
        assert sample.text.splitlines()[0].split(",")[1:] == facts["columns"]
        sent = client.post(
            "/api/v1/boards/pets/submissions", content=sample.text, headers=bearer(token)
        )
        assert sent.status_code == 201, sent.text
        for page in ("", "/rules", "/submit", f"/receipts/{sent.json()['receipt_id']}"):
            assert client.get(f"/b/pets{page}").status_code == 200
        wrong = client.post(
            "/api/v1/boards/pets/submissions", content="id,label\n1,2\n", headers=bearer(token)
        )
        assert (wrong.status_code, wrong.json()["type"]) == (422, "invalid_submission")
        assert str(tmp_path) not in wrong.text


class Groups:
    """Answers without the last number, which is of all examples."""

    def __init__(self, oracle):
        self.problem, self._oracle, self.batch = oracle.problem, oracle, []

    def query(self, query):
        return self._oracle.query(query)[:-1]


def test_an_attack_on_a_breakdown_gains_over_http_what_it_gains_on_the_array(sqlite_url, tmp_path):
    """Every group is read by itself; the same seed gives the same guess through both doors."""
    looks_, rng = 21, np.random.default_rng(2)
    labels = rng.integers(2, size=N)
    groups = np.repeat(["a", "b", "c"], N // 3)
    table = {"id": range(100, 100 + N), "label": labels, "part": groups}
    policy = f'release = "exact"\nbreakdown = "part"\nlooks_per_team = {looks_}\n'
    place = Hidden(sqlite_url, tmp_path, as_file(table), policy)
    problem = Problem(N, 2, looks_)

    def attack():
        return ByGroup(problem, groups, BlockMajority, rng=np.random.default_rng(4))

    with listening(place) as url:
        remote = Remote(url, place.token(place.team("red")))
        assert remote.metric == "accuracy by part"
        over_http = play(attack(), Groups(remote))
    guard = Guard(labels, Policy.parse(policy), tmp_path / "array.db", create=True, groups=groups)
    array = play(attack(), Groups(GuardOracle(guard, "red")))
    assert np.array_equal(over_http, array)
    assert np.mean(over_http == labels) > 0.9  # twenty labels a group fall to thirty looks


TASKS = [f"fix-{number}" for number in range(40)]


def of_outcomes(url, folder, *, release="round:2", between=None, missing="refuse"):
    secret = folder / "secret"
    secret.write_bytes(SECRET)
    secret.chmod(0o600)
    outcomes = Outcomes(str(secret), missing, between)
    policy = f'release = "{release}"\n{LIMITS}'
    return Hidden(url, folder, "\n".join(TASKS) + "\n", policy, outcomes=outcomes)


@pytest.mark.parametrize("release", ["round:2", "ladder:0.05"])
@pytest.mark.parametrize("between", [None, (0.0, 10.0)])
def test_a_board_of_outcomes_answers_and_certifies_as_the_array_does(
    new_ledger_url, tmp_path, release, between
):
    place = of_outcomes(new_ledger_url(), tmp_path, release=release, between=between)
    policy = Policy.parse(f'release = "{release}"\n{LIMITS}')
    guard = OutcomeGuard(
        TASKS, policy, tmp_path / "array.db", secret=SECRET, between=between, create=True
    )
    rng, team = np.random.default_rng(7), place.team("red")
    token = place.token(team)
    with place.client() as client:
        for _ in range(LOOKS):
            high = 2 if between is None else 11
            grades = rng.integers(high, size=len(TASKS)).tolist()
            passed = grades if between is not None else [bool(each) for each in grades]
            outcomes = dict(zip(rng.permutation(TASKS).tolist(), passed, strict=True))
            sent = client.post(
                "/api/v1/boards/pets/submissions", json=outcomes, headers=bearer(token)
            )
            assert sent.status_code == 201, sent.text
            receipt = guard.score(outcomes, team=team.ledger_name)
            assert sent.json()["released"] == receipt.shown
            assert sent.json()["own"] == receipt.own
        page = client.get("/b/pets/rules").text
        exposed = place.gatekeeper.exposure(place.phase())
        assert f"{100 * exposed.gain:.2f} points" in page
        assert ("share of tasks" in page) == (between is None)
    assert looks(place.gatekeeper.ledger) == looks(guard.guard.ledger)
    assert exposed.gain == exposed.teams[0].gain == guard.certificate(LOOKS).excess
    assert place.gatekeeper.test_sets.prices(place.phase())[0].team == 100 * exposed.gain
    assert place.boards.different(place.board) == []


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b'{"fix-0": true}', "an outcome for every task"),
        (b'{"zzz": true}', "unknown id"),
        (b'{"fix-0": true, "fix-0": false}', "stands twice"),
        (b'{"fix-0": 1' + b"0" * 400 + b"}", "true, false or a number"),
        (b'{"fix-0": NaN}', "true, false or a number"),
        (b"[" * 60_000, "nested too deeply"),
        (b"<testsuite/>", "JSON"),
        (b"\xff", "UTF-8"),
        (b"", "JSON"),
    ],
)
def test_outcomes_that_cannot_be_read_are_refused_without_the_place_of_the_tasks(
    sqlite_url, tmp_path, sent, reason
):
    place = of_outcomes(sqlite_url, tmp_path)
    token = place.token(place.team("red"))
    with place.client() as client:
        answer = client.post("/api/v1/boards/pets/submissions", content=sent, headers=bearer(token))
    assert (answer.status_code, answer.json()["type"]) == (422, "invalid_submission")
    assert reason in answer.json()["detail"]
    assert str(tmp_path) not in answer.text


def test_tasks_without_an_outcome_fail_where_the_owner_says_so(sqlite_url, tmp_path):
    place = of_outcomes(sqlite_url, tmp_path, missing="fail")
    token = place.token(place.team("red"))
    with place.client() as client:
        assert '"fix-0": false' in client.get("/b/pets/sample").text
        sent = client.post(
            "/api/v1/boards/pets/submissions", json={"fix-3": True}, headers=bearer(token)
        )
        assert sent.json()["released"] == 0.03  # 1 of 40, rounded up
        assert "counts as failed" in client.get("/b/pets/submit").text


def test_the_commands_make_a_board_of_tasks_and_submit_what_a_tool_wrote(tmp_path, capsys):
    tasks, secret, database = tmp_path / "tasks.txt", tmp_path / "secret", tmp_path / "b.db"
    tasks.write_text("\n".join(TASKS))
    secret.write_bytes(SECRET)
    secret.chmod(0o600)
    made = ["board", "init", "fixes", "--tasks", tasks, "--database", database]
    assert main([*map(str, made)]) == 2
    assert "secret must be given with tasks" in capsys.readouterr().err
    assert main([*map(str, [*made, "--secret", secret])]) == 0
    place = Hidden.__new__(Hidden)
    place.url, place.slug = str(database), "fixes"
    keeper = Gatekeeper(str(database))
    with keeper.store.writing() as transaction:
        team = store.new_team(transaction, 1, "red", 0)
        token = new_token(transaction, board=1, team=team.id, scope="submit", name="s", days=9)
    held = tmp_path / "token"
    held.write_text(token)
    held.chmod(0o600)
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"resolved_ids": TASKS[:30], "unresolved_ids": TASKS[30:]}))
    with listening(place) as url:
        capsys.readouterr()
        options = ["--board", url, "--token-file", str(held), "--json"]
        assert main(["submit", str(report), *options]) == 0
        assert json.loads(capsys.readouterr().out)["released"] == 0.75
        with pytest.raises(NotSupported, match="it takes outcomes"):
            Remote(url, token)
        assert main(["submit", str(secret), *options]) == 2  # no outcomes: nothing is sent
    keeper.close()
    with Ledger(database) as ledger:
        assert [entry.kind for entry in ledger.entries() if entry.kind == "look"] == ["look"]


def test_a_host_sees_what_each_column_costs_and_nobody_else_does(sqlite_url, tmp_path):
    table, _, _ = DISPLAYS["breakdown"]
    lines = 'metric = "f1_macro"\nbreakdown = "region"\nalso = ["accuracy"]\n'
    place = Hidden(sqlite_url, tmp_path, as_file(table), f'release = "round:2"\n{lines}{LIMITS}')
    prices = place.gatekeeper.test_sets.prices(place.phase())
    assert [price.what for price in prices] == [
        "f1_macro", "f1_macro by region", "f1_macro by region, also accuracy",
    ]  # fmt: skip
    assert prices[0].team < prices[1].team <= prices[2].team
    assert all(price.team <= price.everyone for price in prices)


def test_looks_that_are_used_up_are_refused_as_anywhere(sqlite_url, tmp_path):
    table, lines, submission = DISPLAYS["probabilities"]
    policy = f'release = "round:2"\n{lines}\nlooks_per_team = 1\n'
    place = Hidden(sqlite_url, tmp_path, as_file(table), policy)
    rng = np.random.default_rng(0)
    with listening(place) as url:
        remote = Remote(url, place.token(place.team("red")), n_queries=2)
        first = np.column_stack(list(submission(rng).values()))
        assert len(remote.query(first)) == 2
        with pytest.raises(BudgetExhausted):
            remote.query(first[::-1].copy())
