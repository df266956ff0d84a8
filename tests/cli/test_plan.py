import pytest

from holdfast.attacks.registry import attack_types

SIZES = ("--n-examples", 1000, "--n-classes", 10, "--looks", 50)


def test_the_json_lists_every_attack_with_the_chosen_one_first(holdfast):
    outcome = holdfast("plan", *SIZES, "--json")
    assert outcome.code == 0
    assert outcome.err == ""
    found = outcome.json
    assert found["problem"] == {"n_examples": 1000, "n_classes": 10, "n_queries": 50}
    assert {each["attack"] for each in found["attacks"]} == {
        *(cls.name for cls in attack_types()),
        "mixture",
    }
    assert found["chosen"] == found["attacks"][0]
    assert found["chosen"]["attack"] == "champion-challenger"
    for each in found["attacks"]:
        assert {"attack", "gain", "accuracy", "looks", "adaptive", "reason"} <= set(each)
        assert each["reason"]
        if each["gain"] is not None:
            assert each["gain"] <= found["chosen"]["gain"]
            assert abs(each["accuracy"] - 0.1 - each["gain"]) < 1e-9
            assert abs(each["gain_examples"] - 1000 * each["gain"]) < 1e-9


def test_the_table_says_what_to_play_and_why(holdfast):
    out = holdfast("plan", *SIZES).out
    assert "50 scored submissions (looks) at 1,000 examples of 10 classes, released: exact" in out
    assert "Play champion-challenger: steers every example to one level" in out
    assert "block-majority: finds each" in out
    assert all(head in out for head in ("gain, points", "accuracy, %", "looks"))
    assert "no attack can exceed 37.303 % in expectation, a gain of 27.30" in out


def test_the_release_rule_matters(holdfast):
    exact = holdfast("plan", *SIZES, "--json").json["chosen"]
    noisy = holdfast("plan", *SIZES, "--rule", "gaussian:0.02", "--json").json
    assert noisy["answers"] == "NoisyAnswers(scale=0.02)"
    assert 0 < noisy["chosen"]["gain"] < exact["gain"]
    ranks = holdfast("plan", *SIZES, "--rule", "rank", "--json").json
    assert ranks["chosen"]["attack"] == "block-climb"


@pytest.mark.slow
def test_a_model_is_the_start(holdfast):
    found = holdfast("plan", *SIZES, "--prior-accuracy", 0.7, "--json").json
    assert abs(found["start"] - 0.7) < 1e-9
    assert 0 < found["chosen"]["gain"] < 0.3


def test_all_queries_at_once(holdfast):
    found = holdfast("plan", *SIZES, "--non-adaptive", "--json").json
    assert not found["chosen"]["adaptive"]


def test_auto_plays_as_planned(holdfast):
    played = holdfast("attack", "auto", *SIZES, "--trials", 12, "--seed", 3, "--json").json
    planned = holdfast("plan", *SIZES, "--json").json["chosen"]["gain"]
    error = played["bias"]["stderr"]
    assert abs(played["bias"]["mean"] - planned) < max(0.1 * planned, 4 * error)


def test_bad_input_is_refused(refused):
    assert refused("plan", *SIZES, "--prior-accuracy", 0.05) == (
        "prior_accuracy must lie between 1/n_classes = 0.1 and 1, got 0.05."
    )
    assert "n_classes must be at least 2" in refused(
        "plan", "--n-examples", 5, "--n-classes", 1, "--looks", 1
    )
