"""The page as text, and in a real browser with the network off."""

import json
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from holdfast.audit import page
from holdfast.audit.page.render import json_for_script
from holdfast.audit.result import Finding
from tests.audit.browser import PATIENCE, chromium, executable
from tests.audit.sample import sample_audit

# Most start a browser.
pytestmark = pytest.mark.slow

needs_browser = pytest.mark.skipif(
    executable() is None, reason="no Chromium found: run `make browser`, or set HOLDFAST_CHROMIUM"
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return page.write(sample_audit(), tmp_path_factory.mktemp("page") / "audit.html")


def test_it_is_one_file_below_a_megabyte_and_a_half_without_addresses(written):
    text = written.read_text(encoding="utf-8")
    assert written.stat().st_size < 1_500_000
    ours = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r'(src|href)="[^#]', ours)
    assert "url(" not in ours


def test_the_runtime_carries_the_notices_that_its_licences_ask_for(written):
    text = written.read_text(encoding="utf-8")
    runtime = next(
        script
        for script in re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
        if "window.vegaEmbed=" in script
    )
    assert runtime.startswith("/*!")
    notices, code = runtime.split("*/", maxsplit=1)
    assert "window.vegaEmbed=" in code
    plain = " ".join(notices.split())
    for holder in (
        "University of Washington Interactive Data Lab",
        "Mike Bostock",
        "Mapbox",
        "Joachim Wester",
        "Simon Lydell",
        "Isaac Z. Schlueter",
    ):
        assert re.search(rf"Copyright [^*]*{holder}", plain), holder
    # What each licence asks to be kept: its conditions, and its disclaimer.
    for words in (
        "Redistributions in binary form must reproduce the above copyright notice",
        "Neither the name of the copyright holder nor the names of its contributors",
        'THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"',
        "provided that the above copyright notice and this permission notice appear in all copies",
        "The above copyright notice and this permission notice shall be included in all copies",
        "Licensed under the Apache License, Version 2.0",
    ):
        assert words in plain, words
    # Parts that can be told from the script itself are named.
    for mark, name in (
        ("JSON.stringify([1],void 0,void 0===e.indent", "json-stringify-pretty-compact"),
        ("SEMVER", "semver"),
        ("mollweide", "d3-geo-projection"),
        ("Invalid hex string", "buffer"),
    ):
        assert mark not in code or name in plain, name


def test_the_order_is_verdict_warnings_chart_rules_preflight_reproduce(written):
    text = written.read_text(encoding="utf-8")
    marks = ['id="verdict"', 'id="void-title"', 'id="gain-chart"', 'id="rules-title"',
             'id="preflight-title"', 'id="reproduce-title"', 'id="share-title"']  # fmt: skip
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def test_what_looks_allow_is_said_of_whom_it_is_proved_for(written):
    text = " ".join(written.read_text(encoding="utf-8").split())
    assert "points, certified without a model" in text
    assert "the looks allow" in text
    assert "to somebody without a model of the labels, unexplained:" in text


def test_names_from_outside_cannot_become_markup():
    audit = sample_audit()
    nasty = "</script><img src=x onerror=alert(1)>"
    board = replace(audit.board, name=nasty)
    finding = Finding("x", "void", nasty, nasty, nasty)
    text = page.render(replace(audit, board=board, findings=(finding,), what_if={"note": nasty}))
    assert "<img" not in re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert json.loads(json_for_script(nasty)) == nasty
    assert "</script" not in json_for_script(nasty)


def test_writing_replaces_the_old_page_at_once(tmp_path):
    target = tmp_path / "audit.html"
    target.write_text("old")
    page.write(sample_audit(), target)
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [path.name for path in tmp_path.iterdir()] == ["audit.html"]


def opened(browser, written, **options):
    """Open the page offline; return it with everything that went wrong and was requested."""
    context = browser.new_context(offline=True, **options)
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    trouble, requests = [], []
    tab.on("console", lambda m: trouble.append(m.text) if m.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: trouble.append(str(error)))
    tab.on("request", lambda request: requests.append(request.url))
    tab.goto(written.as_uri())
    tab.wait_for_selector("#gain-chart svg")
    return tab, trouble, requests


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 760, 390])
def test_it_renders_at_every_width_without_errors_or_requests(written, scheme, width):
    with chromium() as browser:
        tab, trouble, requests = opened(
            browser, written, color_scheme=scheme, viewport={"width": width, "height": 900}
        )
        assert tab.inner_text("h1") == "UNSAFE"
        assert tab.locator("#gain-chart svg path").count() > 10
        wide = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert trouble == []
    assert requests == [written.as_uri()]
    assert wide <= 0, f"the page is {wide} pixels wider than the window"


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_accessibility_fault(written, scheme):
    from axe_playwright_python.sync_playwright import Axe

    with chromium() as browser:
        tab, _, _ = opened(browser, written, color_scheme=scheme)
        tab.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        found = Axe().run(tab).response["violations"]
    serious = [
        (fault["id"], [node["html"][:120] for node in fault["nodes"]])
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]
    assert serious == []


@needs_browser
def test_the_keyboard_reaches_every_table_and_slider(written):
    with chromium() as browser:
        tab, _, _ = opened(browser, written)
        reached = set()
        for _ in range(60):
            tab.keyboard.press("Tab")
            reached.add(tab.evaluate("document.activeElement.tagName"))
    assert {"A", "SUMMARY", "DIV", "INPUT", "PRE"} <= reached


@needs_browser
def test_sliders_move_the_curve_and_the_sentence(written):
    with chromium() as browser:
        tab, trouble, _ = opened(browser, written)
        tab.wait_for_selector("#what-if-chart svg")

        def shown():
            tab.wait_for_function(
                "document.getElementById('what-if-chart').dataset.drawn"
                " === document.getElementById('what-if-sentence').textContent"
            )
            curves = tab.locator("#what-if-chart svg .mark-line path")
            drawn = curves.evaluate_all("paths => paths.map(path => path.getAttribute('d'))")
            return tab.inner_text("#what-if-sentence"), "\n".join(drawn)

        seen = [shown()]
        for name in ("n_examples", "n_classes", "looks", "accounts", "decimals"):
            tab.focus(f"#what-if-{name}")
            # "Home" is the least value; a slider that stands there goes to its largest.
            tab.keyboard.press("Home")
            if shown() == seen[-1]:
                tab.keyboard.press("End")
            seen.append(shown())
        tab.focus("#what-if-rule")
        tab.keyboard.press("End")
        seen.append(shown())
        tab.focus("#what-if-step")
        tab.keyboard.press("Home")
        seen.append(shown())
        assert tab.locator("#what-if-decimals").is_hidden()
    sentences = [sentence for sentence, _ in seen]
    assert len(set(sentences)) == len(sentences), sentences
    # The looks slider moves the line at its value, every other one the curve itself.
    curves = [curve for _, curve in seen]
    assert sum(before != after for before, after in pairwise(curves)) == len(curves) - 2
    assert trouble == []
