import os
import warnings
from pathlib import Path

import pytest

from holdfast.errors import InvalidInput
from holdfast.guard import Guard, Policy
from holdfast.guard.policy import POLICY_TEMPLATE


def test_the_template_holds_every_key_with_its_default():
    written = Policy.parse(POLICY_TEMPLATE)
    assert written == Policy(release=written.release)
    for name, value in written.settings().items():
        start = "# " if value is None else ""
        assert f"\n{start}{name} = " in POLICY_TEMPLATE, name
    assert len(POLICY_TEMPLATE.splitlines()) <= 26
    assert all("#" in line for line in POLICY_TEMPLATE.splitlines())


def test_what_the_template_shows_as_a_comment_is_valid_once_the_sign_is_taken_away():
    keys = [name for name, value in Policy("exact").settings().items() if value is None]
    text = POLICY_TEMPLATE
    for name in keys:
        text = text.replace(f"# {name} = ", f"{name} = ")
    settings = Policy.parse(text).settings()
    assert {name: settings[name] for name in keys} == {
        "days": 60,
        "teams": 40,
        "ranking_gap": 1.0,
        "classes": ("cat", "dog"),
        "witness": "../witness.db",
        "breakdown": "subject",
        "final": "private",
        "id_column": "key",
        "label_column": "answer",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("looks_per_team = 0", "line 3: looks_per_team must be at least 1, got 0."),
        ("looks_per_team = 2.5", "line 3: looks_per_team must be an integer, got 2.5."),
        ("looks_per_team = true", "line 3: looks_per_team must be an integer, got True."),
        ('looks_per_data_set = "9"', "line 3: looks_per_data_set must be an integer, got '9'."),
        ("final_choices = -1", "line 3: final_choices must be at least 0, got -1."),
        ('final = "some"', 'line 3: final must be "private", "all" or "public", got \'some\'.'),
        ('label_column = " "', "line 3: label_column must be the name of a column, got ' '."),
        ('shared_labels = "yes"', "line 3: shared_labels must be true or false, got 'yes'."),
        ('failed = "half"', 'line 3: failed must be "free" or "look", got \'half\'.'),
        ("memory = 3", "line 3: memory must be a string, got 3."),
        ('min_gap = "soon"', "line 3: min_gap must be a number of seconds"),
        ('window = "year"', 'line 3: window must be "total"'),
        ("looks_per_team = 1_000_000_000_001", "line 3: looks_per_team must be at most 1,000,000"),
        ("days = 0", "line 3: days must be at least 1, got 0."),
        ("days = 40_000", "line 3: days must be at most 36,525, got 40000."),
        ('teams = "many"', "line 3: teams must be an integer, got 'many'."),
        ("refusals_per_team = 0", "line 3: refusals_per_team must be at least 1, got 0."),
        (
            'part = "both"',
            'line 3: part must be "auto", "public", "private" or "all", got \'both\'.',
        ),
        ("ranking_gap = 0", "line 3: ranking_gap must lie in (0, 100] points, got 0."),
        ("ranking_gap = nan", "line 3: ranking_gap must lie in (0, 100] points, got nan."),
        ("ranking_gap = true", "line 3: ranking_gap must be a number of points, got True."),
        ('classes = ["a"]', "line 3: classes must hold at least 2 names, got 1."),
        ('classes = ["a", "a"]', "line 3: classes must be distinct, got 'a' twice."),
        ('classes = ["a", " "]', "line 3: classes must hold names, got a blank as number 2."),
        ('classes = ["a", 0.5]', "line 3: classes must hold names or whole numbers, got 0.5"),
        ("classes = 3", "line 3: classes must be a list of names, got 3."),
        ('classes = "none.txt"', "line 3: classes none.txt must be a file, but there is none"),
        ('witness = ""', "line 3: witness must be a path or a URL, got ''."),
        ("look_per_team = 5", "line 3: unknown key look_per_team; did you mean looks_per_team?"),
        ("[limits]\nteam = 3", "line 3: unknown key limits; known: release, memory"),
        ("'xyzzy' = 1", "line 3: unknown key xyzzy; known: release"),
    ],
)
def test_an_error_names_the_line_the_key_the_rule_and_the_value(text, message):
    with pytest.raises(InvalidInput) as caught:
        Policy.parse(f'# looks_per_team = 7 is only a comment\nrelease = "exact"\n{text}\n')
    assert str(caught.value).startswith(f"policy {message}")


def test_a_file_that_is_not_toml_is_refused_with_the_line(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text('release = "exact"\nlooks_per_team = = 3\n')
    with pytest.raises(InvalidInput, match=r"policy.toml must be TOML: .* line 2"):
        Policy.read(path)


def test_a_policy_needs_a_release_rule_and_a_file():
    with pytest.raises(InvalidInput, match="must have a release rule"):
        Policy.parse("looks_per_team = 3")
    with pytest.raises(InvalidInput, match="must be a file, but there is none"):
        Policy.read("no/such/policy.toml")


def test_the_constructor_checks_like_the_file():
    with pytest.raises(InvalidInput, match="looks_per_team must be at least 1, got 0"):
        Policy("exact", looks_per_team=0)


def test_the_digest_changes_with_any_setting():
    digests = {
        Policy("exact").digest,
        Policy("exact", looks_per_team=99).digest,
        Policy("exact", memory="data_set").digest,
        Policy("exact", window="day").digest,
    }
    assert len(digests) == 4
    assert Policy("exact", looks_per_team=100).digest == Policy("exact").digest


def test_a_policy_without_the_later_keys_keeps_the_digest_it_had():
    # Recorded before the keys existed: ledgers hold these.
    assert Policy("exact").digest == "f9c4b5bcf593988f"
    assert Policy("ladder:0.01", looks_per_team=5, window="day").digest == "0bbc2e7453f08b54"
    changed = {
        Policy("exact").digest,
        Policy("exact", part="all").digest,
        Policy("exact", refusals_per_team=3).digest,
        Policy("exact", days=3).digest,
        Policy("exact", teams=3).digest,
        Policy("exact", ranking_gap=0.5).digest,
        Policy("exact", classes=("a", "b")).digest,
    }
    assert len(changed) == 7
    assert Policy("exact", witness="postgresql://me:secret@there/db").digest in changed
    # How a file is read shows in the data set.
    assert Policy("exact", id_column="a", label_column="b", shared_labels=True).digest in changed
    assert Policy("exact", final="all").digest not in changed


def test_relative_paths_start_at_the_folder_of_the_policy(tmp_path, monkeypatch):
    (tmp_path / "board").mkdir()
    (tmp_path / "board" / "names.txt").write_bytes("\ufeffant\r\n\n bee \r\ncow".encode())
    path = tmp_path / "board" / "policy.toml"
    path.write_text('release = "exact"\nclasses = "names.txt"\nwitness = "../w.db"\n')
    monkeypatch.chdir(tmp_path)
    policy = Policy.read("board/policy.toml")
    assert policy.classes == ("ant", "bee", "cow")
    assert Path(policy.witness).resolve() == tmp_path / "w.db"
    path.write_text('release = "exact"\nwitness = "postgresql://there/db"\n')
    assert Policy.read(path).witness == "postgresql://there/db"
    path.write_text('release = "exact"\nclasses = [0, 1, 2]\n')
    assert Policy.read(path).classes == ("0", "1", "2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "must be TOML: it is nested too deeply."),
        ("teams = " + "9" * 5000, "must be TOML: a number in it is too long."),
        ("teams = 0x" + "f" * 5000, "teams must be at most 1,000,000,000,000, got a very long int"),
        (f'release = "exact"\nmemory = "{"x" * 5000}"', "memory must be"),
        ("k" * 5000 + " = 1", "unknown key kkk"),
    ],
)
def test_absurd_text_is_one_short_error(text, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        Policy.parse(text)
    assert len(str(caught.value)) < 400


def test_a_device_and_a_huge_file_are_not_read(tmp_path):
    with pytest.raises(InvalidInput, match="must be a regular file, got a pipe or a device"):
        Policy.read("/dev/zero")
    (tmp_path / "large.toml").touch()
    os.truncate(tmp_path / "large.toml", 2**40)
    with pytest.raises(InvalidInput, match="must have at most 16,777,216 bytes"):
        Policy.read(tmp_path / "large.toml")
    with pytest.raises(InvalidInput, match="must be a file, got a directory"):
        Policy.read(tmp_path)
    with pytest.raises(InvalidInput, match="must not hold a NUL"):
        Policy.read("a\0b")


def test_the_page_shows_the_template():
    page = Path(__file__).parents[2] / "docs" / "reference" / "policy.md"
    assert f"```toml\n{POLICY_TEMPLATE}```\n" in page.read_text(encoding="utf-8")


def test_a_guard_warns_about_a_part_that_everybody_knows(tmp_path):
    labels = [0, 1] * 20
    with pytest.warns(UserWarning, match="default seed 0"):
        Guard(labels, Policy("subsample:0.5"), tmp_path / "a.db", create=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Guard(labels, Policy("subsample:fraction=0.5,seed=9"), tmp_path / "b.db", create=True)
