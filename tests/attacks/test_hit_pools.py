"""Hit pools: packing, reading and mending of sums, what splits leave, gains, and bad input."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from holdfast.answers import NoisyAnswers
from holdfast.attacks import ChampionChallenger, HitPools
from holdfast.attacks.exact.hit_pools import tuning
from holdfast.attacks.exact.hit_pools.groups import Group, GroupSplit, after_test
from holdfast.attacks.exact.hit_pools.packing import RADICES, block_size, pack, room_for_tests
from holdfast.attacks.exact.hit_pools.round import HitPoolRound
from holdfast.attacks.exact.hit_pools.sizes import Sizes, expected_hits, sizes
from holdfast.attacks.exact.hit_pools.sum_odds import LARGEST_SUM, block_odds, split_odds
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.loop import play
from holdfast.optimal import optimal
from holdfast.oracles import LabelOracle
from holdfast.planner.forecast import forecast
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.setting import Setting
from tests.attacks.released import play_under
from tests.attacks.test_detecting import adversarial
from tests.paces import few

NO_SPLITS = (0,) * len(RADICES)


# -- packing


@pytest.mark.parametrize("rows", [2, 3, 8, 45, 128, 300])
@pytest.mark.parametrize("waiting", [NO_SPLITS, (5, 3, 0, 0, 0), (0, 1, 2, 1, 0)])
def test_digits_fit_their_nodes_and_every_split_has_a_place(
    rows: int, waiting: tuple[int, ...]
) -> None:
    nodes = pack(rows, waiting)
    assert sorted(node for node, _ in nodes) == list(range(1, rows))
    for node, digits in nodes:
        assert digits[-1].radix == 0
        assert math.prod(digit.radix for digit in digits[:-1]) <= 1 << (node.bit_count() - 1)
    placed = [digit.radix for _, digits in nodes for digit in digits if digit.split]
    room = room_for_tests(rows, waiting)
    if room:
        assert [placed.count(radix) for radix in RADICES] == list(waiting)
        sizes_ = [block_size(digit) for _, digits in nodes for digit in digits]
        assert room == pytest.approx(sum(sizes_))
    else:
        assert len(placed) < sum(waiting)


def test_large_nodes_come_first() -> None:
    bits = [node.bit_count() for node, _ in pack(64, NO_SPLITS)]
    assert bits == sorted(bits, reverse=True)


# -- sums


def round_of(
    rng: np.random.Generator, n: int, m: int, rows: int, halves: int, thirds: int
) -> tuple[HitPoolRound, np.ndarray, list[int]]:
    """Return a round of random blocks and splits, hidden labels, and the true sums."""
    waiting = tuple({2: halves, 3: thirds}.get(radix, 0) for radix in RADICES)
    nodes = pack(rows, waiting)
    kinds = [digit for _, digits in nodes for digit in digits]
    hidden = rng.integers(2, m, size=n)
    order = rng.permutation(n)
    parts = np.array_split(order, halves + thirds + sum(not kind.split for kind in kinds))
    splits = []
    for i, members in enumerate(parts[: halves + thirds]):
        hidden[rng.choice(members)] = 4  # one hit of label 4, none of its partner 5
        hidden[members[hidden[members] == 5]] = 6
        extra = members[hidden[members] == 4][1:]
        hidden[extra] = 6
        splits.append(GroupSplit.of(Group(members, 4, 5, 1), 2 if i < halves else 3))
    blocks = parts[halves + thirds :]
    for block in blocks:
        hidden[rng.choice(block)] = rng.choice([0, 1, 7])
    made = HitPoolRound(nodes, splits, blocks, (0, 1), np.zeros(n, dtype=np.uint32), 50 * m)
    by_radix = {2: splits[:halves], 3: splits[halves:]}
    left, true = iter(blocks), []

    def surplus(members: np.ndarray, label: int, partner: int) -> int:
        return int((hidden[members] == label).sum() - (hidden[members] == partner).sum())

    for kind in kinds:
        if kind.split:
            split = by_radix[kind.radix].pop()
            total = surplus(split.parts[0], 4, 5)
            true.append(total - (surplus(split.parts[1], 4, 5) if kind.radix == 3 else 0))
        else:
            true.append(surplus(next(left), 0, 1))
    return made, hidden, true


def told(made: HitPoolRound, hidden: np.ndarray) -> np.ndarray:
    """Return the sums read from exact answers, large nodes first."""
    for _ in range(made.rows):
        row = made.row(made.alternative, made.base)
        made.tell(int((row == hidden).sum()))
    return made.sums()[made.reading_order()]


@pytest.mark.parametrize("rows", [2, 5, 16, 40])
@pytest.mark.parametrize("seed", range(4))
def test_sums_within_their_windows_are_read_as_they_are(rows: int, seed: int) -> None:
    rng = np.random.default_rng([rows, seed])
    halves, thirds = (rows // 8, rows // 16)
    made, hidden, true = round_of(rng, 12 * rows, 40, rows, halves, thirds)
    np.testing.assert_array_equal(told(made, hidden), true)


@pytest.mark.parametrize("seed", range(5))
def test_a_sum_outside_its_window_is_found_by_its_likelihood(seed: int) -> None:
    rng = np.random.default_rng([77, seed])
    nodes = pack(64, NO_SPLITS)
    kinds = [digit for _, digits in nodes for digit in digits]
    n = 40 * len(kinds)
    blocks = np.array_split(np.arange(n), len(kinds))
    hidden = np.full(n, 9)
    # A digit of radix 3 at a large node holds 2, one more than its window.
    far = next(t for t, kind in enumerate(kinds) if kind.radix == 3)
    hidden[blocks[far][:2]] = 0
    for t in rng.choice(len(kinds), size=len(kinds) // 5, replace=False):
        if t != far:
            hidden[blocks[t][0]] = rng.integers(2)
    made = HitPoolRound(nodes, [], blocks, (0, 1), np.zeros(n, dtype=np.uint32), 200)
    true = [int((hidden[b] == 0).sum() - (hidden[b] == 1).sum()) for b in blocks]
    np.testing.assert_array_equal(told(made, hidden), true)


def test_a_block_has_the_law_of_a_difference_of_poisson_numbers() -> None:
    odds = block_odds(30, 100)
    expected = stats.skellam.logpmf(np.arange(-4, 5), 0.3, 0.3)
    np.testing.assert_allclose(odds[LARGEST_SUM - 4 : LARGEST_SUM + 5], expected, rtol=1e-6)
    assert np.exp(odds).sum() == pytest.approx(1.0, abs=1e-6)
    assert block_odds(0, 100)[LARGEST_SUM] == 0.0


@pytest.mark.parametrize("parts", [2, 3])
@pytest.mark.parametrize("hits", [1, 2])
def test_a_split_has_the_law_of_all_ways_to_place_its_hits(parts: int, hits: int) -> None:
    mean, law = 0.3, {}
    for more in range(4):
        weight = mean ** (2 * more) / (math.factorial(hits + more) * math.factorial(more))
        for places in itertools.product(range(parts), repeat=hits + 2 * more):
            worth = [1 if p == 0 else (-1 if p == 1 and parts == 3 else 0) for p in places]
            total = sum(worth[: hits + more]) - sum(worth[hits + more :])
            law[total] = law.get(total, 0.0) + weight / parts ** len(places)
    odds = np.exp(split_odds(30, hits, 100, parts=parts))
    for total in range(-3, 4):
        expected = law.get(total, 0.0) / sum(law.values())
        assert odds[LARGEST_SUM + total] == pytest.approx(expected, abs=1e-9)


# -- groups


@pytest.mark.parametrize("parts", [2, 3])
@pytest.mark.parametrize("hits", [1, 2, 3])
def test_a_split_keeps_every_hit_that_its_sum_allows(parts: int, hits: int) -> None:
    group = Group(np.arange(12), 4, 5, hits)
    split = GroupSplit.of(group, parts)
    for places in itertools.product(range(parts), repeat=hits):
        counts = [places.count(part) for part in range(parts)]
        total = counts[0] - (counts[1] if parts == 3 else 0)
        assert split.low <= total < split.low + split.radix
        groups, rest = split.after(total)
        assert sum(each.hits for each in groups) == hits
        everyone = np.concatenate([*(each.members for each in groups), *rest])
        assert sorted(everyone.tolist()) == list(range(12))
        # With a hit in both of the parts that cancel, the likeliest places are kept.
        if parts == 2 or not (counts[0] and counts[1]):
            kept = {int(j) for each in groups for j in each.members}
            for part, count in zip(split.parts, counts, strict=True):
                assert not count or set(part.tolist()) <= kept


def test_a_test_tells_the_label_and_its_hits() -> None:
    members = np.arange(5)
    assert after_test(members, 2, 3, 0) is None
    for total, label, partner in ((2, 2, 3), (-1, 3, 2)):
        group = after_test(members, 2, 3, total)
        assert group is not None
        assert (group.label, group.partner, group.hits) == (label, partner, abs(total))


# -- sizes


def test_the_law_of_hits_and_the_sizes_that_follow_from_it() -> None:
    problem = Problem(50_000, 1000, 1000)
    hits = expected_hits(problem, 3.0)
    sums = 1000 * hits**2 / (2 * 3 * 50_000) + hits * math.log(3, 3)
    assert sums == pytest.approx(tuning.SUMS_PER_LOOK * 1000)
    blocks = [sizes(Problem(50_000, 1000, k)).block for k in (30, 100, 300, 1000, 3000)]
    assert blocks == sorted(blocks)
    sizes_left = [Sizes(2.0).left_alone(problem, groups, 500) for groups in (0, 50, 200)]
    assert sizes_left == sorted(sizes_left, reverse=True)
    assert Sizes(2.0).left_alone(Problem(10, 1000, 1), 0, 1) == 10.0


# -- games


@pytest.mark.parametrize(
    ("problem", "trials"),
    [(Problem(2000, 100, 300), 12), (Problem(5000, 1000, 300), 10), (Problem(3000, 50, 400), 8)],
    ids=str,
)
def test_gains_are_as_forecast(problem: Problem, trials: int) -> None:
    n, m, _ = problem
    gains = np.empty(trials)
    for trial in range(trials):
        rng = np.random.default_rng((31, trial))
        hidden = rng.integers(m, size=n)
        gains[trial] = (play_under(HitPools(problem, rng=rng), hidden) == hidden).sum() - n / m
    told = forecast(HitPools, Setting(problem)).gain
    error = gains.std(ddof=1) / math.sqrt(trials)
    assert abs(gains.mean() - told) < max(0.1 * told, 4 * error)
    assert gains.mean() > 1.05 * forecast(ChampionChallenger, Setting(problem)).gain


@pytest.mark.parametrize("name", ["constant", "sorted", "periodic", "two labels"])
def test_labels_of_any_kind_are_as_good_as_random_ones(name: str) -> None:
    problem = Problem(2000, 100, 200)
    hidden = adversarial(2000, 100)[name]
    gains = []
    for seed in range(8):
        attack = HitPools(problem, rng=np.random.default_rng(seed))
        gains.append((play_under(attack, hidden) == hidden).sum() - 20)
    told = forecast(HitPools, Setting(problem)).gain
    assert abs(np.mean(gains) - told) < max(0.1 * told, 4 * np.std(gains, ddof=1) / 8**0.5)


@pytest.mark.parametrize(("n", "m", "k"), [(4, 3, 3), (4, 4, 3), (3, 6, 4)])
def test_tiny_problems_stay_below_the_optimum(n: int, m: int, k: int) -> None:
    vectors = np.array(list(itertools.product(range(m), repeat=n)))
    matches = 0
    for hidden in vectors:
        attack = HitPools(Problem(n, m, k), rng=np.random.default_rng(0))
        matches += int((play_under(attack, hidden) == hidden).sum())
    accuracy = matches / vectors.size
    assert 1 / m < accuracy <= float(optimal(n, m, k)) + 1e-12


def test_answers_that_no_labels_give_do_not_stop_the_game() -> None:
    # Nothing is certain, so nothing contradicts: sums are only likely or unlikely.
    problem = Problem(300, 40, 120)
    rng = np.random.default_rng(3)
    attack = HitPools(problem, rng=np.random.default_rng(0))
    while attack.ask() is not None:
        attack.tell(int(rng.integers(301)) / 300)
    guess = attack.predict()
    assert attack.answered == 120
    assert guess.shape == (300,)
    assert guess.max() < 40


def test_a_count_out_of_range_is_refused_and_named() -> None:
    attack = HitPools(Problem(300, 40, 120), rng=np.random.default_rng(0))
    for _ in range(3):
        attack.ask()
        attack.tell(0.1)
    attack.ask()
    with pytest.raises(InconsistentAnswer, match="Query 3: "):
        attack.tell(1.5)
    attack.tell(0.1)


def test_bad_settings_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(NotSupported, match=r"needs ExactAnswers.*off by one spoils"):
        HitPools(Problem(100, 10, 10), rng=rng, answers=NoisyAnswers(0.1))
    with pytest.raises(InvalidInput, match="rng must be"):
        HitPools(Problem(100, 10, 10), rng=3)  # type: ignore[arg-type]


# -- side information


def unequal(n, m, power, rng):
    """Return labels of classes whose shares fall with their rank, and the shares as a prior."""
    law = np.arange(1, m + 1) ** -power
    law /= law.sum()
    return rng.choice(m, size=n, p=law), Prior.dense(np.tile(law, (n, 1)))


def heard(n, m, strength, rng):
    """Return labels, and what one normal number per label says of them."""
    hidden = rng.integers(m, size=n)
    numbers = rng.normal(size=(n, m))
    numbers[np.arange(n), hidden] += strength
    odds = np.exp(strength * (numbers - numbers.max(axis=1, keepdims=True)))
    return hidden, Prior.dense(odds / odds.sum(axis=1, keepdims=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "level", "lead"), few(1, [(unequal, 0.4, 1.2), (heard, 0.5, 1.2), (heard, 1.0, 1.05)])
)
def test_from_a_prior_it_gains_more_than_champion_challenger(draw, level, lead):
    # 8 games, error about 0.03; from surer models champion-challenger gains as much (evidence 1.5).
    n, m, _ = problem = Problem(2000, 60, 250)
    gains = {HitPools: 0.0, ChampionChallenger: 0.0}
    for trial in range(8):
        hidden, prior = draw(n, m, level, np.random.default_rng([31, trial]))
        for cls in gains:
            attack = cls(problem, rng=np.random.default_rng([32, trial]), prior=prior)
            guess = play(attack, LabelOracle(hidden, problem=problem))
            gains[cls] += np.count_nonzero(guess == hidden) - np.count_nonzero(
                prior.top() == hidden
            )
    assert gains[HitPools] > lead * gains[ChampionChallenger]
    told = forecast(HitPools, Setting(problem, prior=prior), in_head=True)
    assert told.gain is not None
    assert told.gain == pytest.approx(gains[HitPools] / 8, rel=0.1)


def test_examples_of_which_a_prior_is_sure_are_left_to_it():
    n, m, k = problem = Problem(400, 20, 60)
    rng = np.random.default_rng(33)
    hidden = rng.integers(m, size=n)
    sure = np.where(np.arange(n) < 100, 0.9, 1.0 / m)
    prior = Prior.candidates(hidden[:, None], sure[:, None], m)
    attack = HitPools(problem, rng=rng, prior=prior)
    while (query := attack.ask()) is not None:
        assert (query[:100] == hidden[:100]).all()
        attack.tell(float((query == hidden).mean()))
    assert (attack.predict()[:100] == hidden[:100]).all()
    assert attack.answered == k


def test_a_prior_that_is_sure_of_all_leaves_nothing_to_ask():
    hidden = np.arange(50) % 7
    prior = Prior.candidates(hidden[:, None], np.full((50, 1), 0.95), 7)
    attack = HitPools(Problem(50, 7, 20), rng=np.random.default_rng(0), prior=prior)
    assert attack.ask() is None
    assert (attack.predict() == hidden).all()


def test_a_prior_that_says_nothing_is_no_prior_to_speak_of():
    n, m, _ = problem = Problem(2000, 50, 200)
    gains = []
    for prior in (None, Prior.uniform(n, m)):
        matches = []
        for trial in range(12):
            hidden = np.random.default_rng([34, trial]).integers(m, size=n)
            attack = HitPools(problem, rng=np.random.default_rng([35, trial]), prior=prior)
            matches.append(
                np.count_nonzero(play(attack, LabelOracle(hidden, problem=problem)) == hidden)
            )
        gains.append(np.array(matches))
    difference = gains[1] - gains[0]
    assert abs(difference.mean()) < 4.0 * difference.std(ddof=1) / math.sqrt(12)
