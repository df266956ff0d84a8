import pytest

from holdfast.audit import parse_looks
from holdfast.errors import InvalidInput

SPLIT = ["Public"] * 90 + ["Private"] * 200 + ["Ignored"] * 10


def test_looks_are_scored_on_the_public_part_and_ranked_by_the_private_one(request_for):
    request = request_for(split=SPLIT)
    assert request.problem.n_examples == 90
    assert request.parts.final_share == 0.0
    assert [
        (p.name, p.n_examples, p.scored_at_looks, p.in_final_ranking)
        for p in request.parts.described()
    ] == [
        ("public", 90, True, False),
        ("private", 200, False, True),
        ("ignored", 10, False, False),
    ]


def test_a_final_ranking_by_all_examples_dilutes_the_gain(request_for):
    assert request_for(split=SPLIT, final="all").parts.final_share == pytest.approx(90 / 290)
    assert request_for(split=SPLIT, final="public").parts.final_share == 1.0
    assert request_for().parts.final_share == 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": ["Public"] * 299 + ["Other"]}, "Public, Private or Ignored"),
        ({"split": ["private"] * 300}, "must have public examples"),
        ({"final": "private"}, "final must be all or public"),
        ({"gap": 0.0}, "gap must lie in"),
        ({"accounts": 0}, "accounts must be at least 1, got 0."),
        ({"release": "rung"}, "release rule must be one of"),
    ],
)
def test_bad_requests_are_refused(request_for, settings, message):
    with pytest.raises(InvalidInput, match=message):
        request_for(**settings)


def test_accounts_and_teams_add_up_to_the_limit_of_the_data_set(request_for):
    request = request_for(accounts=3, teams=10, looks=parse_looks("20"), looks_per_data_set=100)
    assert (request.n_looks, request.everyone_looks, request.histories) == (60, 100, 3)
    assert request_for(accounts=3, memory="data_set").histories == 1


@pytest.mark.parametrize(
    ("text", "days", "message"),
    [
        ("many", None, "looks must be a number such as 1000 or a rate"),
        ("5/day", None, "days must be given with a rate"),
        ("5", 90, "days must come with a rate"),
        ("0", None, "looks must be at least 1, got 0."),
        ("5/day", 0, "days must be at least 1, got 0."),
        ("9999999999", None, "looks must be at most"),
    ],
)
def test_bad_looks_are_refused(text, days, message):
    with pytest.raises(InvalidInput, match=message):
        parse_looks(text, days=days)
