from pathlib import Path

import pytest

from holdfast.errors import InvalidInput
from holdfast.guard import Policy
from holdfast.guard.policy import POLICY_TEMPLATE


def test_the_template_holds_every_key_with_its_default():
    written = Policy.parse(POLICY_TEMPLATE)
    assert written == Policy(release=written.release)
    assert all(f"\n{name} = " in f"\n{POLICY_TEMPLATE}" for name in written.settings())
    assert len(POLICY_TEMPLATE.splitlines()) <= 10
    assert all("#" in line for line in POLICY_TEMPLATE.splitlines())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("looks_per_team = 0", "line 3: looks_per_team must be at least 1, got 0."),
        ("looks_per_team = 2.5", "line 3: looks_per_team must be an integer, got 2.5."),
        ("looks_per_team = true", "line 3: looks_per_team must be an integer, got True."),
        ('looks_per_data_set = "9"', "line 3: looks_per_data_set must be an integer, got '9'."),
        ("final_choices = -1", "line 3: final_choices must be at least 0, got -1."),
        ('failed = "half"', 'line 3: failed must be "free" or "look", got \'half\'.'),
        ("memory = 3", "line 3: memory must be a string, got 3."),
        ('min_gap = "soon"', "line 3: min_gap must be a number of seconds"),
        ('window = "year"', 'line 3: window must be "total"'),
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
    with pytest.raises(InvalidInput, match="must be a readable text file"):
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


def test_the_page_shows_the_template():
    page = Path(__file__).parents[2] / "docs" / "guard.md"
    assert f"```toml\n{POLICY_TEMPLATE}```\n" in page.read_text(encoding="utf-8")
