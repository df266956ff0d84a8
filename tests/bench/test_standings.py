"""Standings: what is chosen is not flattered, and attacks and rules of one's own take part."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from holdfast import attacks
from holdfast.bench import FULL, QUICK, BenchSuite, as_markdown, as_page, n_rows, run_bench
from holdfast.bench.honest import STEP, SUBMISSIONS, honest_cost
from holdfast.bench.picture import Box, placed
from holdfast.bench.standings import strongest
from holdfast.errors import InvalidInput
from holdfast.experiments.summary import mean_of
from holdfast.rules import parse_rule
from holdfast.sweeps import run
from holdfast.sweeps.batches import forecast_seconds

TINY = BenchSuite(
    "tiny",
    sizes=((60, 2), (90, 3)),
    looks=(6, 15),
    rules=("exact", "ladder:0.05", "rank"),
    seeds=3,
    attacks=("block-majority", "hill-climb", "naive-bayes", "constant"),
)

OWN = '''
import numpy as np
from dataclasses import dataclass
from holdfast.attacks.base import LabelAttack
from holdfast.rules.rounding import Rounding

class Repeats(LabelAttack):
    """Submit one constant label again and again."""

    family = "climbing"

    def _query(self, index):
        return np.full(self.problem.n_examples, index % self.problem.n_classes, self._dtype)

    def _receive(self, count):
        pass

    def _guess(self):
        return np.zeros(self.problem.n_examples, self._dtype)

class Breaks(Repeats):
    """Fall over at the first answer."""

    def _receive(self, count):
        raise ValueError("out of paper")

COARSE = Rounding(1)
NOT_A_RULE = 7
'''


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return path


@pytest.fixture(scope="module")
def found():
    return run_bench(TINY)


def test_the_strongest_is_chosen_by_the_other_seeds():
    """By hand: seed 0 is chosen by 1 and 2, and so on; the plain maximum would say 4."""
    board = {"a": {0: 9.0, 1: 0.0, 2: 3.0}, "b": {0: 1.0, 1: 4.0, 2: 2.0}}
    # Others' means: seed 0: a 1.5, b 3 -> b's 1; seed 1: a 6, b 1.5 -> a's 0; seed 2: a 4.5 -> 3.
    name, gain = strongest(board)
    assert name == "a"
    assert gain == mean_of([1.0, 0.0, 3.0])
    assert gain.mean < 4.0


def test_a_board_of_pure_chance_has_no_gain_in_the_mean():
    """Of twenty attacks that gain nothing the largest mean is far up, and the chosen one is not."""
    rng = np.random.default_rng(7)
    flattered, fair = [], []
    for _ in range(200):
        board = {str(at): dict(enumerate(rng.normal(size=4))) for at in range(20)}
        flattered.append(max(mean_of(gains.values()).mean for gains in board.values()))
        fair.append(strongest(board)[1].mean)
    error = mean_of(fair).stderr
    assert np.mean(flattered) > 0.8
    assert abs(np.mean(fair)) < 4 * error


def test_among_near_equals_the_choice_is_fair_and_errs_by_more_than_its_games_say():
    """Eight games of MNIST at ten looks, as docs/real_test_sets.md tells of them, again and again.

    Who did badly in a game is chosen for that game: no bias, but games that are not independent.
    """
    rng = np.random.default_rng(16)
    means = [0.68, 0.68, 0.63, 0.59, 0.48, 0.47, 0.46]
    spreads = [0.28, 0.19, 0.31, 0.18, 0.22, 0.28, 0.20]
    found = [
        strongest(
            {
                str(at): dict(enumerate(row))
                for at, row in enumerate(rng.normal(means, spreads, (8, 7)).T)
            }
        )[1]
        for _ in range(400)
    ]
    gains = [each.mean for each in found]
    assert abs(np.mean(gains) - 0.665) < 4 * mean_of(gains).stderr
    assert 1.4 < np.std(gains) / np.mean([each.stderr for each in found]) < 1.8


def test_standings_agree_with_the_rows_of_the_sweep(found):
    """The gain of one attack on one board is the mean of its rows."""
    rows = [row for grid in TINY.grids([], []) for row in run(grid)]
    mine = [
        row["gain"]
        for row in rows
        if (row["attack"], row["rule"], row["n_examples"], row["n_queries"])
        == ("naive-bayes", "exact", 90, 6)
    ]
    assert len(mine) == TINY.seeds
    standing = next(each for each in found.attacks if each.attack == "naive-bayes")
    (gain,) = [each.gain for each in standing.gains if (each.n_examples, each.looks) == (90, 6)]
    assert gain.mean == pytest.approx(mean_of(mine).mean)
    assert [len(each.gains) for each in found.attacks] == [4, 4, 4, 4]


def test_attacks_are_ranked_by_share_and_rules_by_worst_gain(found):
    shares = [each.share for each in found.attacks]
    assert shares == sorted(shares, reverse=True)
    assert found.attacks[-1].attack == "constant"
    worst = [each.worst.mean for each in found.rules]
    assert worst == sorted(worst)
    assert found.rules[0].rule == "ladder:0.05"
    for each in found.rules:
        assert each.worst.mean == pytest.approx(mean_of(g.gain.mean for g in each.gains).mean)


def test_the_same_suite_gives_the_same_standings(found):
    def timeless(standings):
        attacks = tuple(replace(each, seconds=0.0) for each in standings.attacks)
        return replace(standings, attacks=attacks)

    assert timeless(run_bench(TINY)) == timeless(found)


def test_an_attack_and_a_rule_of_ones_own_take_part_without_other_changes(own, found):
    attacks, rules = [f"{own}:Repeats"], [f"{own}:COARSE"]
    with_own = run_bench(TINY, attacks=attacks, rules=rules)
    mine = next(each for each in with_own.attacks if each.attack == "repeats")
    assert mine.own
    assert len(mine.gains) == 4
    rule = next(each for each in with_own.rules if each.rule == "COARSE")
    assert rule.own
    assert rule.cost.off == pytest.approx(0.025, abs=0.01)  # a tenth apart: off by a fortieth
    # What the others gained where they met the same boards is what it was.
    before = {each.attack: each.gains for each in found.attacks}
    assert all(each.gains == before[each.attack] for each in with_own.attacks if not each.own)
    assert "repeats (yours)" in as_markdown(with_own)
    assert str(own.parent) not in as_markdown(with_own) + as_page(with_own)
    played = n_rows(TINY, attacks=attacks, rules=rules)
    assert played == (5 * 4 * 2 + 5 * 2) * TINY.seeds


def test_an_attack_that_breaks_is_named_and_the_others_are_ranked(own):
    found = run_bench(TINY, attacks=[f"{own}:Breaks"])
    assert len(found.attacks) == 5
    assert "breaks against exact: ValueError: out of paper" in found.failures
    assert [each.share for each in found.attacks if each.own] == [0.0]
    assert "out of paper" in as_page(found)


@pytest.mark.parametrize(
    ("attacks", "rules", "said"),
    [
        (["no-such-attack"], [], "no-such-attack"),
        (["nowhere.py:Class"], [], "there is no such file"),
        ([], ["round:x"], "round"),
        ([], ["{own}:NOT_A_RULE"], "must be a release rule"),
        (["{own}:COARSE"], [], "must be a class of attacks"),
    ],
)
def test_a_bad_reference_says_so_before_anything_is_played(own, attacks, rules, said, monkeypatch):
    monkeypatch.setattr("holdfast.bench.run.run", None)
    with pytest.raises(InvalidInput, match=said):
        run_bench(
            TINY,
            attacks=[each.format(own=own) for each in attacks],
            rules=[each.format(own=own) for each in rules],
        )


def test_tables_and_page_hold_every_standing_and_load_nothing(found):
    markdown, page = as_markdown(found), as_page(found)
    for each in (*found.attacks, *found.rules):
        name = getattr(each, "attack", None) or each.rule
        assert f"| {name} |" in markdown
        assert f">{name}</th>" in page
    assert found.suite in markdown
    assert found.suite in page
    assert "http" not in page.replace("http-equiv", "")
    assert "src=" not in page
    assert json.dumps(found.as_dict())  # plain data


def test_text_from_outside_is_escaped(found):
    odd = replace(found, failures=("<script>alert(1)</script>",))
    assert "<script>" not in as_page(odd)


def test_honest_teams_lose_nothing_to_exact_scores_but_what_chance_hides():
    """On many examples every step of a point is seen; with a step of five points one in five."""
    exact = honest_cost(parse_rule("exact"), 100_000, 10, teams=3)
    assert exact.off == 0.0
    assert exact.unseen < 0.05
    ladder = honest_cost(parse_rule("ladder:0.05"), 100_000, 10, teams=3)
    # A step is shown when the sixth point since the last one is there: at most 4 of 20.
    shown = (1 - ladder.unseen) * (SUBMISSIONS - 1)
    assert 2.5 < shown <= math.floor((SUBMISSIONS - 1) * STEP / 0.05 + 1e-9)


def test_rules_without_scores_are_judged_by_what_they_show():
    rank = honest_cost(parse_rule("rank"), 20_000, 5, teams=2)
    assert rank.off is None
    assert rank.unseen < 0.15
    late = honest_cost(parse_rule("batch:7"), 20_000, 5, teams=2)
    # Three of 21 looks are answered at once; the first of them stands for the first step too.
    assert late.unseen == pytest.approx(17 / 20, abs=0.051)


@pytest.mark.parametrize("suite", [QUICK, FULL])
def test_the_suites_are_playable_and_quick_ones_quick(suite):
    grids = suite.grids([], [])
    assert all(len(grid) for grid in grids)
    seconds = sum(forecast_seconds(cell) for grid in grids for cell in grid)
    assert seconds < (150 if suite is QUICK else 3000)


# What each version of the suite plays. If this fails because an attack was added, or anything else
# is played than before: raise VERSION in bench/suite.py, and put the new digests here.
PINNED = {"2026.11-quick": "5735dcbba567", "2026.11-full": "9a0c777b68df"}


def test_a_suite_that_plays_something_else_has_another_version():
    assert {suite.version: suite.digest for suite in (QUICK, FULL)} == PINNED


def test_the_digest_is_of_everything_that_is_played():
    others = (
        replace(TINY, sizes=((60, 2), (90, 4))),
        replace(TINY, looks=(6, 16)),
        replace(TINY, rules=("exact", "rank", "ladder:0.05")),
        replace(TINY, seeds=4),
        replace(TINY, attacks=(*TINY.attacks, "lattice")),
    )
    assert len({TINY.digest, *(each.digest for each in others)}) == 6
    assert replace(TINY).digest == TINY.digest


def test_no_text_of_the_picture_lies_on_a_dot_or_on_another_text():
    rng = np.random.default_rng(5)
    for _ in range(20):
        dots = [(70 + 300 * x, 20 + 240 * y) for x, y in rng.beta(0.4, 0.8, size=(9, 2))]
        boxes = placed(dots, ["ladder:0.01"] * 9)
        marks = [Box(x - 4, y - 4, x + 4, y + 4) for x, y in dots]
        for at, box in enumerate(boxes):
            assert not any(box.touches(mark) for mark in marks)
            assert not any(box.touches(other) for other in boxes[:at])


def test_standings_name_the_attacks_that_play_otherwise_than_at_first(monkeypatch):
    suite = BenchSuite(
        "tiny", sizes=((60, 2),), looks=(8,), rules=("exact",), seeds=2, attacks=("constant",)
    )
    assert run_bench(suite).version.endswith("results 1")
    monkeypatch.setattr(attacks.Constant, "results", 3)
    assert run_bench(suite).version.endswith("results 1, constant 3")
