"""What is found on a whole board: who is flagged, by what measure, and where nothing is said."""

import tracemalloc
from functools import partial

import numpy as np
import pytest

from holdfast.detect import Look, Why, detect, looks_of, stands
from holdfast.detect.board import MERGED
from holdfast.errors import InvalidInput
from tests.detect.models import Field


@pytest.fixture(scope="module")
def field():
    return Field(1)


@pytest.fixture(scope="module")
def board(field):
    """Six honest teams with eight looks each, two of them who blend."""
    teams = {f"honest {at}": field.models(8) for at in range(4)}
    return teams | {f"blends {at}": field.blends(8) for at in range(2)}


def found_of(teams, baselines=(), **options):
    found = detect(looks_of(teams), baselines, **options)
    return found, {each.team: each for each in found.teams}


def test_probes_from_scratch_are_flagged_at_look_6_and_honest_teams_are_not(field, board):
    found, by_name = found_of(board | {"guesses": field.guesses(9)}, rate=0.1)
    assert by_name["guesses"].flagged_at == 6
    assert by_name["guesses"].counted(Why.CHANCE) == 9
    assert [each.team for each in found.flagged] == ["guesses"]


def test_probes_from_a_model_are_flagged_by_a_rate_that_the_other_teams_have_shown(field, board):
    found, by_name = found_of(board | {"probes": field.probes(14)})
    probes = by_name["probes"]
    assert [each.team for each in found.flagged] == ["probes"]
    assert probes.counted(Why.COIN) >= 8
    assert probes.counted(Why.NEW) >= 2
    # Seven looks of each honest team can be told, and hardly one is unexplained.
    assert probes.others == 6
    assert probes.others_decided >= 40
    assert 0.1 <= probes.rate < 0.2
    assert found.between_teams == {"probes"}


def test_accounts_with_few_looks_are_one_stream(field, board):
    probes = field.probes(16)
    accounts = {f"account {at}": probes[4 * at : 4 * at + 4] for at in range(4)}
    found, by_name = found_of(board | accounts)
    assert [each.team for each in found.flagged] == [MERGED]
    assert by_name[MERGED].accounts().keys() == accounts.keys()


def test_honest_accounts_with_few_looks_are_not_flagged_as_one_stream(field, board):
    accounts = {f"account {at}": field.models(3) for at in range(8)}
    assert not found_of(board | accounts)[0].flagged


def test_a_flood_of_accounts_chooses_no_panel_where_the_host_gives_a_baseline(field, board):
    """A team is held against the host's own, and against what agrees with it beyond chance."""
    flood = {f"flood {at}": field.guesses(1) for at in range(30)}
    found, by_name = found_of(flood | board, field.models(1), rate=0.1)
    assert set(found.panel) == set(board)
    assert not any(by_name[team].ones for team in board)


def test_without_a_baseline_the_root_is_what_most_submissions_agree_with(field, board):
    flood = {f"flood {at}": field.guesses(1) for at in range(30)}
    found, _ = found_of(flood | board, rate=0.1)
    assert set(found.panel) == set(board)


def test_a_team_is_no_member_of_its_own_panel(field):
    """Held against itself, whatever it did would have a direction."""
    found, by_name = found_of({"alone": field.probes(8)}, rate=0.1)
    assert by_name["alone"].refused.startswith("nobody to hold it against")
    assert not found.flagged
    assert found_of({"alone": field.probes(12)}, field.models(1), rate=0.1)[0].flagged


def test_nothing_is_said_where_the_other_teams_rate_is_not_known(field):
    teams = {"probes": field.probes(12), "other": field.models(2)}
    found, by_name = found_of(teams)
    assert by_name["probes"].others_decided == 1
    assert "of the other teams' looks 0 of 1 are unexplained" in by_name["probes"].refused
    assert by_name["probes"].refused.endswith("give one (holdfast detect --rate)")
    assert not found.flagged


def test_one_team_that_probes_for_long_does_not_hide_the_next(field, board):
    """Each team's looks count for the rate of others up to twenty."""
    found, _ = found_of(board | {"one": field.probes(200), "two": field.guesses(20)})
    assert {each.team for each in found.flagged} == {"one", "two"}


def test_constants_resubmissions_and_labels_off_by_one_are_no_probes(field):
    model = field.models(1)[0]
    same = [np.full_like(model, label) for label in range(5)] + [model] * 4
    off = [((each + 1) % 5).astype(np.uint8) for each in field.models(8)]
    found, by_name = found_of({"same": same, "off": off}, field.models(3), rate=0.1)
    assert by_name["same"].decided == 0
    assert by_name["off"].ones == 0
    assert not found.flagged


def test_between_teams_no_more_stand_than_the_share_allows():
    """e-BH: of 500 teams the first needs 5,000, and two with 2,500 each do."""
    rest = dict.fromkeys(map(str, range(498)), 0.0)
    assert stands({"a": np.log(4999), "b": 0.0, **rest}) == frozenset()
    assert stands({"a": np.log(5001), "b": 0.0, **rest}) == {"a"}
    assert stands({"a": np.log(2501), "b": np.log(2501), **rest}) == {"a", "b"}


@pytest.mark.parametrize("rate", [0.05, 0.6])
def test_a_rate_that_was_never_measured_is_refused(field, rate):
    with pytest.raises(InvalidInput, match=r"rate must be from 0\.1 to 0\.5"):
        detect(looks_of({"a": field.models(2)}), rate=rate)


def test_looks_of_other_lengths_are_refused(field):
    teams = {"a": field.models(1), "b": [np.zeros(7, np.uint8)]}
    with pytest.raises(InvalidInput, match="must have 4000 rows"):
        detect(looks_of(teams))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.full(4000, 0.5), "look 2 of b must be integers, got 0.5 at position 0"),
        (np.arange(4000) % 3 - 1, "look 2 of b must lie in 0 .. 1, got -1 at position 0"),
        (np.full(4000, "cat"), "look 2 of b must be integers"),
        (np.zeros((4000, 2), int), "look 2 of b must be one-dimensional"),
        (np.arange(7) % 3, "look 2 of b must have 4000 rows"),
        (np.zeros(0, int), "look 2 of b must not be empty"),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_what_is_no_submission_is_refused_by_its_name(field, labels, message, first):
    looks = [*field.models(1), labels] if not first else [np.zeros(4000, int), labels]
    with pytest.raises(InvalidInput, match=message):
        detect(looks_of({"a": field.models(2), "b": looks}), rate=0.1)


@pytest.mark.parametrize(
    ("baselines", "message"),
    [
        ([np.zeros(4000, int)] * 10, "baselines must be 9 at most, got 10"),
        ([np.zeros(4000, int), np.zeros(7, int)], "baseline 2 must have 4000 rows"),
        ([np.full(4000, -1)], "baseline 1 must lie in 0 .. 1"),
    ],
)
def test_baselines_are_submissions_and_nine_at_most(field, baselines, message):
    with pytest.raises(InvalidInput, match=message):
        detect(looks_of({"a": field.models(2)}), baselines)


def test_memory_is_that_of_one_team_however_many_there_are():
    """Sixty teams take turns; their looks together are twelve megabytes."""
    rng, n = np.random.default_rng(0), 20_000
    models = [rng.integers(250, size=n).astype(np.uint8) for _ in range(3)]

    def read(at):
        return np.roll(models[at % 3], at)

    looks = [Look(f"team {at % 60}", str(at), partial(read, at)) for at in range(600)]
    tracemalloc.start()
    detect(looks, models, rate=0.1)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4e6


def test_boards_with_too_few_examples_are_not_judged():
    field = Field(2, n=150)
    found, by_name = found_of({"guesses": field.guesses(9), "other": field.models(9)}, rate=0.1)
    assert not found.flagged
    assert by_name["guesses"].refused == "200 examples at least are needed, here are 150"


def test_a_flood_does_not_use_up_the_places_of_the_panel(field, board):
    flood = {f"flood {at}": field.guesses(1) for at in range(80)}
    found, _ = found_of(flood | board, field.models(1), rate=0.1)
    assert set(found.panel) == set(board)
