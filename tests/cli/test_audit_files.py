"""Files that `holdfast audit` writes, and the page in a browser; nothing is played."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from holdfast import audit as auditing
from holdfast.cli import audit_files
from tests.audit.sample import sample_audit


@pytest.fixture
def labels(tmp_path, monkeypatch):
    """Return a small label file in the working directory; its audit is the made-up record."""
    monkeypatch.chdir(tmp_path)

    def played(board, **_):
        audit = sample_audit()
        return replace(audit, board=replace(audit.board, name=board.name))

    monkeypatch.setattr(auditing, "audit", played)
    path = tmp_path / "labels.csv"
    path.write_text("id,label\n" + "".join(f"{at},{at % 2}\n" for at in range(20)))
    return path


@pytest.fixture
def opened(monkeypatch):
    """Return the addresses that a browser was asked for."""
    addresses = []
    monkeypatch.setattr(
        audit_files.webbrowser, "open", lambda address: addresses.append(address) or True
    )
    return addresses


@pytest.fixture
def drawn(monkeypatch):
    """Write a line instead of the page, which takes seconds to draw."""

    class Page:
        @staticmethod
        def write(result, path):
            path.write_text(result.board.name)

        @staticmethod
        def write_comparison(result, path, title=None):
            path.write_text(title or result.after.board.name)

    monkeypatch.setattr(audit_files, "page_module", lambda: Page)


def test_badge_sarif_and_junit_are_written(holdfast, labels, tmp_path):
    options = ("--badge", "out/b.svg", "--sarif", "out/a.sarif", "--junit", "out/a.xml")
    assert holdfast("audit", labels, *options, "--fail-above", "50").code == 0
    badge = (tmp_path / "out" / "b.svg").read_text(encoding="utf-8")
    (run,) = json.loads((tmp_path / "out" / "a.sarif").read_text(encoding="utf-8"))["runs"]
    gain = run["properties"]["points"]
    assert gain > 0.0
    assert f">UNSAFE: +{gain:g} points<" in badge
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "labels.csv"}
    suite = ET.parse(tmp_path / "out" / "a.xml").getroot()[0]
    assert [case.get("name") for case in suite][:2] == ["verdict-final-ranking", "gain-limit"]


def test_results_are_about_the_policy_if_there_is_one(holdfast, labels, tmp_path):
    policy = tmp_path / "boards" / "policy.toml"
    policy.parent.mkdir()
    assert holdfast("policy", "init", policy, "--rule", "exact", "--looks", "5").code == 0
    assert holdfast("audit", labels, "--policy", policy, "--sarif", "a.sarif").code == 0
    (run,) = json.loads((tmp_path / "a.sarif").read_text(encoding="utf-8"))["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "boards/policy.toml"}


def test_a_file_elsewhere_is_named_without_its_folders(holdfast, labels, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    holdfast("audit", labels, "--sarif", "a.sarif")
    text = (elsewhere / "a.sarif").read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    assert '"uri": "labels.csv"' in text


@pytest.mark.parametrize("option", ["badge", "sarif", "junit", "report"])
def test_a_file_that_can_not_be_written_is_refused_before_anything_is_played(
    refused, labels, tmp_path, option
):
    said = refused("audit", labels, f"--{option}", tmp_path)
    assert said.startswith(f"{option} must be a file that can be written")


def test_the_title_is_what_the_page_calls_the_test_set(holdfast, labels, drawn):
    holdfast("audit", labels, "--title", "Birds of 2026", "--report", "page.html")
    assert labels.with_name("page.html").read_text() == "Birds of 2026"
    holdfast("audit", labels, "--report", "page.html")
    assert labels.with_name("page.html").read_text() == "labels.csv"


def test_the_page_is_opened(holdfast, labels, opened, drawn, tmp_path):
    assert holdfast("audit", labels, "--report", "page.html", "--open").code == 0
    assert opened == [(tmp_path / "page.html").resolve().as_uri()]


def test_without_a_file_the_page_that_is_opened_is_a_temporary_one(
    holdfast, labels, opened, drawn, tmp_path, monkeypatch
):
    monkeypatch.setattr(audit_files.tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    outcome = holdfast("audit", labels, "--open")
    assert opened == [(tmp_path / "audit.html").resolve().as_uri()]
    assert "audit.html" in outcome.out


def test_without_a_browser_the_page_is_written_and_the_user_told(
    holdfast, labels, drawn, monkeypatch
):
    monkeypatch.setattr(audit_files.webbrowser, "open", lambda address: False)
    outcome = holdfast("audit", labels, "--report", "page.html", "--open")
    assert outcome.code == 0
    assert outcome.err.endswith("No browser could be started: open page.html yourself.\n")
    assert labels.with_name("page.html").exists()


def test_a_comparison_is_written_under_its_title_and_opened(
    holdfast, labels, opened, drawn, tmp_path
):
    for name in ("before.json", "after.json"):
        (tmp_path / name).write_text(json.dumps(auditing.as_json(sample_audit())))
    words = ("audit", "compare", "before.json", "after.json", "--report", "change.html")
    assert holdfast(*words, "--title", "One rule later", "--open").code == 0
    assert (tmp_path / "change.html").read_text() == "One rule later"
    assert opened == [(tmp_path / "change.html").resolve().as_uri()]
