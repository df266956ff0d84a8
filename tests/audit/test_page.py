"""The page as text, and in a real browser with the network off."""

import json
import re
from dataclasses import replace
from itertools import pairwise

import altair as alt
import jsonschema
import pytest

from holdfast.audit import compare, page
from holdfast.audit.page.charts import comparison_chart, gain_chart, what_if_chart
from holdfast.audit.page.runtime import bundle
from holdfast.audit.page.templates import json_for_script
from holdfast.audit.page.tiles import tiles
from holdfast.audit.result import AttackGain, Finding
from tests.audit.browser import PATIENCE, chromium, executable
from tests.audit.sample import interval, sample_audit, sample_with_private_part
from tests.audit.test_comparison import after

# Most start a browser.
pytestmark = pytest.mark.slow

needs_browser = pytest.mark.skipif(
    executable() is None, reason="no Chromium found: run `make browser`, or set HOLDFAST_CHROMIUM"
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return page.write(sample_audit(), tmp_path_factory.mktemp("page") / "audit.html")


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    comparison = compare(sample_audit(), after())
    path = tmp_path_factory.mktemp("page") / "compare.html"
    return page.write_comparison(comparison, path, title="A made-up change")


def own_text(path):
    """Return the page without its scripts, white space evened out."""
    text = path.read_text(encoding="utf-8")
    return " ".join(re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL).split())


def test_it_is_one_file_below_a_megabyte_and_a_half_without_addresses(written):
    text = written.read_text(encoding="utf-8")
    assert written.stat().st_size < 1_500_000
    ours = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r'(src|href)="[^#]', ours)
    assert not re.search(r"url\((?!#)", ours)  # parts of the drawings refer to each other


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
    text = own_text(written)
    assert "points, certified without a model" in text
    assert "the looks allow" in text
    assert "to somebody without a model of the labels, unexplained:" in text


def test_the_page_has_its_title_its_date_and_contents_that_lead_somewhere(written, compared):
    for path, title in ((written, "a made-up board"), (compared, "A made-up change")):
        text = own_text(path)
        assert f"<h1>{title}</h1>" in text
        assert "2026-11-17" in text.split("<h1>")[0]
        wanted = re.findall(r'href="#([^"]+)"', text)
        assert len(wanted) > 8
        ids = re.findall(r' id="([^"]+)"', text)
        assert len(ids) == len(set(ids))
        assert set(wanted) <= set(ids)


def test_two_verdicts_have_their_own_tiles_in_one_scale():
    text = " ".join(page.render(sample_with_private_part()).split())
    boxes = re.findall(r'<section id="(?:public-)?verdict".*?</section>', text)
    assert [re.search(r'class="word">(\w+)<', box)[1] for box in boxes] == ["SAFE", "UNSAFE"]
    assert ["Final ranking" in boxes[0], "Public board" in boxes[1]] == [True, True]
    widths = [re.findall(r"width:([\d.]+)%", box) for box in boxes]
    # possible, no attack can exceed, observed, gap: of 55 points, the largest of both boxes
    assert widths == [["0", "0", "0", "1.8"], ["18.9", "100.0", "2.0", "1.8"]]


def test_tiles_have_one_number_of_digits_and_none_is_empty_where_there_is_no_history():
    audit = sample_audit()
    verdict = replace(audit.verdict, allowed=32.77, observed=None)
    shown = tiles(verdict, replace(audit, verdict=verdict, history=None, rounding_unit=0.1))
    assert [each.shown for each in shown] == ["+10.4", "+32.8", "1.0"]


def test_what_every_row_would_say_is_no_column_and_no_score_is_no_number():
    audit = sample_audit()
    silent = replace(audit.rules[-1], rule="improved", price_points=100.0)
    text = " ".join(page.render(replace(audit, rules=(*audit.rules, silent))).split())
    attacks = re.search(r'<section id="attacks".*?</section>', text)[0]
    assert "accounts, number" not in attacks
    rows = re.search(r'<section id="rules".*?</section>', text)[0]
    improved = re.search(r"<code>improved</code>.*?</tr>", rows)[0]
    assert improved.endswith("<td>no score</td></tr>")


def test_attacks_are_folded_to_those_that_matter_and_say_what_they_do():
    gains = [
        AttackGain(name, setting, 1, 1000, 10, interval(points), 55.0, None)
        for name, setting, points in (
            ("lattice", "features", 9.0),
            ("naive-bayes", "features", 8.0),
            ("boosting", "features", 7.0),
            ("hill-climb", "features", 6.0),
            ("block-majority", "no features", 5.0),
            ("uniform-vote", "no features", 4.0),
        )
    ]
    text = " ".join(page.render(replace(sample_audit(), gains=tuple(gains))).split())
    section = re.search(r'<section id="attacks".*?</section>', text)[0]
    shown, folded = section.split("<details>")
    names = [re.findall(r'scope="row">([a-z-]+)', part) for part in (shown, folded)]
    assert names == [
        ["lattice", "naive-bayes", "boosting", "block-majority"],
        ["hill-climb", "uniform-vote"],
    ]
    assert '<th scope="row">lattice<span class="does">recovers labels exactly</span>' in shown


def test_every_column_of_numbers_has_its_unit(written, compared):
    units = ("points", "number", "%", "bits per look", "submissions", "under the rule")
    words = ("attack", "rule", "team", "setting", "before", "after", "reaches the gap")
    for path in (written, compared):
        heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', own_text(path))
        assert len(heads) >= 8
        for head in heads:
            plain = re.sub("<[^>]+>", "", head)
            assert (
                any(unit in plain for unit in units)
                or "<span>" in head
                or any(word in plain for word in words)
            ), head


def test_it_can_be_read_without_scripts(written):
    text = own_text(written)
    assert re.search(r"<noscript><svg .*?champion-challenger.*?</svg></noscript>", text)


def test_an_audit_in_which_nothing_was_played_has_a_page():
    audit = sample_audit()
    curve = replace(audit.curve, measured=(), looks=())
    text = page.render(replace(audit, gains=(), rules=(), curve=curve, history=None, findings=()))
    assert "None could be played." in text
    assert 'href="#rules"' not in text
    assert 'href="#history"' not in text


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


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


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
def test_it_renders_at_every_width_without_errors_or_requests(browser, written, scheme, width):
    tab, trouble, requests = opened(
        browser, written, color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    assert tab.inner_text("#verdict .word") == "UNSAFE"
    assert tab.locator("#gain-chart svg path").count() > 10
    wide = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert trouble == []
    assert requests == [written.as_uri()]
    assert wide <= 0, f"the page is {wide} pixels wider than the window"


def serious_faults(tab):
    """Unfold all, and return what axe finds serious."""
    from axe_playwright_python.sync_playwright import Axe

    tab.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    found = Axe().run(tab).response["violations"]
    return [
        (fault["id"], [node["html"][:120] for node in fault["nodes"]])
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_accessibility_fault(browser, written, scheme):
    tab, _, _ = opened(browser, written, color_scheme=scheme)
    assert serious_faults(tab) == []


def test_the_script_is_bundled_once_and_a_damaged_one_again(tmp_path):
    made = bundle(tmp_path / "new")
    (path,) = (tmp_path / "new").iterdir()
    written = path.stat().st_mtime_ns
    assert bundle(tmp_path / "new") == made
    assert path.stat().st_mtime_ns == written
    path.write_text(path.read_text(encoding="utf-8")[:-100], encoding="utf-8")
    assert bundle(tmp_path / "new") == made
    assert path.stat().st_size > len(made)
    (tmp_path / "file").touch()
    assert bundle(tmp_path / "file") == made  # nowhere to keep it


def test_the_charts_are_vega_lites():
    audit, both = sample_audit(), compare(sample_audit(), after())
    for narrow in (False, True):
        for spec in (
            gain_chart(audit, narrow=narrow),
            comparison_chart(both, narrow=narrow),
            what_if_chart(narrow=narrow),
        ):
            alt.Chart.from_dict(spec, validate=True)
            with pytest.raises(jsonschema.ValidationError):
                alt.Chart.from_dict(spec | {"layer": [{"mark": "lime"}]}, validate=True)


@needs_browser
def test_the_keyboard_reaches_every_table_and_slider(browser, written):
    tab, _, _ = opened(browser, written)
    reached = set()
    for _ in range(80):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.tagName"))
    assert {"A", "SUMMARY", "DIV", "INPUT", "SELECT", "PRE"} <= reached


@needs_browser
def test_settings_move_the_curve_and_the_sentence_in_whole_numbers(browser, written):
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
    for name in ("n_examples", "n_classes", "looks", "accounts"):
        tab.focus(f"#what-if-{name}-slider")
        # "Home" is the least value; a slider that stands there goes to its largest.
        tab.keyboard.press("Home")
        if shown() == seen[-1]:
            tab.keyboard.press("End")
        tab.keyboard.press("ArrowLeft")
        tab.keyboard.press("ArrowRight")
        seen.append(shown())
        assert re.fullmatch(r"\d+", tab.input_value(f"#what-if-{name}"))
    for rule in ("round:1", "ladder:0.01"):
        option = tab.locator("#what-if-rule option", has_text=rule)
        tab.select_option("#what-if-rule", value=option.get_attribute("value"))
        seen.append(shown())
    tab.fill("#what-if-n_classes", "7")
    seen.append(shown())
    sentences = [sentence for sentence, _ in seen]
    assert len(set(sentences)) == len(sentences), sentences
    # The looks move the line at their value, every other setting the curve itself.
    curves = [curve for _, curve in seen]
    assert sum(before != after for before, after in pairwise(curves)) == len(curves) - 2
    assert trouble == []


@needs_browser
def test_the_panel_begins_at_todays_rule_and_exact_numbers(browser, tmp_path):
    audit = sample_audit()
    board = replace(audit.board, rule="ladder:0.01", n_examples=4711)
    written = page.write(replace(audit, board=board), tmp_path / "audit.html")
    tab, _, _ = opened(browser, written)
    chosen = tab.evaluate("document.getElementById('what-if-rule').selectedOptions[0].text")
    typed = tab.input_value("#what-if-n_examples")
    assert chosen == "ladder:0.01 (1 point)"
    assert typed == "4711"


@needs_browser
def test_values_stand_under_the_pointer(browser, written):
    tab, _, _ = opened(browser, written)
    today = tab.locator("#gain-chart svg .mark-rule.role-mark").first
    today.scroll_into_view_if_needed()
    line = today.bounding_box()
    for off in (9, 2):
        tab.mouse.move(line["x"] + off, line["y"] + line["height"] / 2)
    tab.wait_for_selector("#vg-tooltip-element.visible")
    told = " ".join(tab.inner_text("#vg-tooltip-element").split())
    assert "scored submissions 1000" in told
    assert "champion-challenger 10.00 (9.00 to 11.00)" in told
    assert "no attack can exceed 45.00" in told


@needs_browser
def test_lines_are_labelled_at_their_ends_and_no_label_covers_another(browser, written):
    tab, _, _ = opened(browser, written, viewport={"width": 1280, "height": 900})
    boxes = {}
    for name in ("champion-challenger", "no attack can exceed", "forecast, exact scores"):
        text = tab.locator("#gain-chart svg text", has_text=name).last
        boxes[name] = text.bounding_box()
    tops = sorted(box["y"] for box in boxes.values())
    assert all(below - above >= 12 for above, below in pairwise(tops))


@needs_browser
def test_without_scripts_the_chart_is_there_and_folds_open(browser, written):
    context = browser.new_context(offline=True, java_script_enabled=False)
    tab = context.new_page()
    tab.goto(written.as_uri())
    drawn = tab.locator("#gain-chart svg")
    assert drawn.is_visible()
    assert drawn.bounding_box()["width"] > 600
    assert not tab.locator('.contents a[href="#what-if"]').is_visible()
    tab.click("#gain summary")
    assert tab.locator("#gain details table").is_visible()


@needs_browser
def test_phones_are_told_where_a_table_goes_on(browser, written):
    tab, _, _ = opened(browser, written, viewport={"width": 390, "height": 800})
    wide = tab.locator("#attacks .wide").first
    sign, box = wide.locator(".more"), wide.locator(".scroll")
    assert sign.is_visible()
    box.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    sign.wait_for(state="hidden")
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.wait_for_function("!document.querySelector('#attacks .wide.overflows')")


@needs_browser
def test_paper_keeps_colours_and_shows_what_is_folded(browser, written):
    tab, _, _ = opened(browser, written, color_scheme="dark")
    tab.emulate_media(media="print", color_scheme="dark")
    ground = "getComputedStyle(document.querySelector('{}')).backgroundColor"
    assert tab.evaluate(ground.format(".verdict.unsafe")) == "rgb(253, 236, 235)"
    assert tab.evaluate(ground.format("body")) == "rgb(255, 255, 255)"
    adjust = "getComputedStyle(document.querySelector('.verdict')).printColorAdjust"
    assert tab.evaluate(adjust) == "exact"
    assert tab.locator("#gain details table").is_visible()
    # Browsers that can't unfold by style alone do it by script, and fold again.
    for event, open_ones in (("beforeprint", True), ("afterprint", False)):
        tab.evaluate(f"window.dispatchEvent(new Event('{event}'))")
        assert tab.evaluate("document.querySelector('#gain details').open") is open_ones


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_two_audits_stand_on_one_page(browser, compared, scheme, width):
    tab, trouble, requests = opened(
        browser, compared, color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    assert tab.locator(".sides .word").all_inner_texts() == ["UNSAFE", "SAFE"]
    assert "UNSAFE becomes SAFE" in tab.inner_text("header")
    assert "ladder:0.01" in tab.inner_text("#settings")
    wide = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert serious_faults(tab) == []
    assert trouble == []
    assert requests == [compared.as_uri()]
    assert wide <= 0
