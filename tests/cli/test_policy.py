import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.guard import Policy
from holdfast.guard.policy_text import policy_text

PLAYED = ("--processes", 1, "--json")
# What an audit measures, without how it was asked and how long it took.
ASKED = ("reproduce", "seconds")

# The same few audits again and again.
pytestmark = pytest.mark.usefixtures("kept_plays")


@pytest.fixture
def labels(tmp_path):
    """Write labels with ids, names and three parts."""
    rng = np.random.default_rng(5)
    rows = zip(
        rng.permutation(9_000)[:150],
        rng.integers(3, size=150),
        rng.permutation(["Public"] * 100 + ["Private"] * 40 + ["Ignored"] * 10),
        strict=True,
    )
    path = tmp_path / "truth.csv"
    path.write_text("id,label,Usage\n" + "".join(f"{i},c{y},{part}\n" for i, y, part in rows))
    return path


def measured(outcome):
    assert outcome.code == 0, outcome.err
    return {name: value for name, value in outcome.json.items() if name not in ASKED}


@pytest.mark.parametrize(
    ("options", "more"),
    [
        pytest.param(
            ("--looks", "2/day", "--days", 3, "--teams", 4, "--gap", 2.5),
            (),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ("--looks", "3/week", "--days", 15, "--teams", 4),
            ("--accounts", 2),
            marks=pytest.mark.long,
        ),
    ],
)
def test_an_audit_of_the_written_policy_needs_nothing_else(holdfast, labels, options, more):
    policy = labels.parent / "policy.toml"
    rule = "round:2"
    wrote = holdfast("policy", "init", policy, "--rule", rule, *options, "--labels", labels)
    assert wrote.code == 0, wrote.err
    by_policy = holdfast("audit", labels, "--policy", policy, *more, *PLAYED)
    by_options = holdfast("audit", labels, "--rule", rule, *options, *more, *PLAYED)
    assert measured(by_policy) == measured(by_options)
    asked = " ".join(map(str, more))
    assert by_policy.json["reproduce"]["command"] == (
        f"holdfast audit truth.csv --policy policy.toml {asked}".strip()
    )


def test_a_policy_holds_what_was_said_and_the_class_names_but_nothing_else_of_the_labels(
    holdfast, labels
):
    policy = labels.parent / "policy.toml"
    holdfast(
        "policy", "init", policy, "--rule", "round:2", "--looks", "5/day", "--days", 60,
        "--teams", 40, "--gap", 0.5, "--min-gap", "10 minutes", "--labels", labels,
    )  # fmt: skip
    expected = Policy(
        "round:2",
        looks_per_team=5,
        window="day",
        looks_per_data_set=12_000,
        days=60,
        teams=40,
        ranking_gap=0.5,
        min_gap="10 minutes",
        classes=("c0", "c1", "c2"),
        part="public",
    )
    assert Policy.read(policy) == expected
    # The same text for any labels with these names and a public part: no count, no id, no label.
    assert policy.read_text() == policy_text(
        {
            "release": "round:2",
            "looks_per_team": 5,
            "window": "day",
            "looks_per_data_set": 12_000,
            "days": 60,
            "teams": 40,
            "ranking_gap": 0.5,
            "min_gap": "10 minutes",
            "classes": ("c0", "c1", "c2"),
            "part": "public",
        }
    )


@pytest.mark.slow
def test_a_part_of_the_policy_is_what_the_audit_plays_on(holdfast, labels):
    policy = labels.parent / "policy.toml"
    sizes = {}
    for part in ("auto", "public", "private", "all"):
        holdfast(
            "policy", "init", policy, "--looks", 4, "--part", part, "--labels", labels, "--force"
        )
        board = holdfast("audit", labels, "--policy", policy, *PLAYED).json["board"]
        sizes[part] = (board["n_examples"], board["final_share"])
    # Where the public part is scored, the private one decides; else the scored examples do.
    assert sizes == {"auto": (100, 0), "public": (100, 0), "private": (40, 1), "all": (140, 1)}


@pytest.mark.slow
def test_declared_classes_count_even_if_no_label_has_them(holdfast, labels):
    names = labels.parent / "names.txt"
    names.write_text("c0\nc1\nc2\nc3\n")
    folder = labels.parent / "board"
    folder.mkdir()
    policy = folder / "policy.toml"
    holdfast("policy", "init", policy, "--looks", 4, "--classes", names, "--labels", labels)
    assert 'classes = "../names.txt"' in policy.read_text()
    board = holdfast("audit", labels, "--policy", policy, *PLAYED).json["board"]
    assert board["n_classes"] == 4


def test_options_of_the_audit_come_before_the_policy(holdfast, labels):
    policy = labels.parent / "policy.toml"
    holdfast(
        "policy", "init", policy, "--looks", "1/day", "--days", 4, "--teams", 5, "--gap", 3,
        "--labels", labels,
    )  # fmt: skip
    outcome = holdfast(
        "audit", labels, "--policy", policy, "--days", 2, "--teams", 3, "--gap", 1, *PLAYED
    )
    found = outcome.json
    assert found["board"]["looks_text"] == "1/day for 2 days"
    assert found["board"]["teams"] == 3
    assert found["verdict"]["gap"] == pytest.approx(0.01)


@pytest.mark.slow
def test_the_least_time_between_looks_bounds_them(holdfast, labels):
    policy = labels.parent / "policy.toml"
    holdfast(
        "policy", "init", policy, "--looks", "500", "--days", 2, "--min-gap", "12 hours",
        "--labels", labels,
    )  # fmt: skip
    board = holdfast("audit", labels, "--policy", policy, *PLAYED).json["board"]
    assert (board["looks"], board["looks_text"]) == (5, "one per 12 hours for 2 days")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--looks", "few"), "looks must be a number such as 1000 or a rate"),
        (("--looks", "5/day", "--days", 0), "days must be at least 1, got 0."),
        (("--days", 0), "days must be at least 1, got 0."),
        (("--teams", 0), "teams must be at least 1, got 0."),
        (("--rule", "rung"), "release rule must be one of"),
        (("--part", "some"), 'part must be "auto", "public"'),
        (("--part", "some", "--labels", "truth.csv"), 'part must be "auto", "public"'),
        (
            ("--looks", "5/day", "--days", 60, "--teams", 10**11),
            "looks_per_data_set must be at most 1,000,000,000,000, got 30000000000000.",
        ),
        (("--gap", 101), "ranking_gap must lie in (0, 100] points, got 101.0."),
        (("--classes", "none.txt"), "classes none.txt must be a file"),
        (("--classes", "a,a"), "classes must be distinct, got 'a' twice."),
        (("--labels", "none.csv"), "none.csv must be a file"),
        (("--labels", "truth.csv", "--classes", "c0,c1"), "truth.csv must hold only known"),
    ],
)
def test_what_does_not_fit_is_refused_before_a_file_is_written(
    refused, labels, monkeypatch, options, message
):
    monkeypatch.chdir(labels.parent)
    assert refused("policy", "init", "policy.toml", *options).startswith(message)
    assert not (labels.parent / "policy.toml").exists()


def test_a_part_that_the_labels_do_not_have_is_refused(refused, tmp_path):
    (tmp_path / "plain.csv").write_text("id,label\n3,a\n1,b\n")
    message = refused(
        "policy", "init", tmp_path / "policy.toml", "--labels", tmp_path / "plain.csv",
        "--part", "private",
    )  # fmt: skip
    assert message.startswith("part must be all where the labels have no Usage or split column")


def test_any_class_name_survives_being_written():
    names = ('say "hi"', "a,b", "C:\\new", "tab\there", "\x7f", "naïve 雪", "#no comment", "'", "x")
    names += tuple(f"species number {number}" for number in range(300))
    text = policy_text({"classes": names, "release": "exact"})
    assert Policy.parse(text).classes == names
    assert max(map(len, text.splitlines())) <= 100
    with pytest.raises(InvalidInput, match="settings must be keys of a policy, got 'colour'"):
        policy_text({"colour": "red"})


def test_a_final_ranking_by_another_part_than_the_scored_one_is_refused(holdfast, refused, labels):
    policy = labels.parent / "policy.toml"
    holdfast("policy", "init", policy, "--part", "all")
    message = refused("audit", labels, "--policy", policy, "--final", "private")
    assert message == "final must be all, as looks are scored on it, got private."
