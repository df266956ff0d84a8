import numpy as np
import pytest

SIZES = ("--n-examples", 300, "--n-classes", 3, "--looks", 21)


def test_the_json_has_the_documented_fields(holdfast):
    outcome = holdfast("attack", "block-majority", *SIZES, "--trials", 4, "--seed", 7, "--json")
    assert outcome.code == 0
    assert outcome.err == ""
    result = outcome.json
    assert list(result) == [
        *(
            "attack",
            "problem",
            "trials",
            "seed",
            "accuracy",
            "bias",
            "gain_examples",
            "looks",
            "seconds",
        )
    ]
    assert result["attack"] == "block-majority"
    assert result["problem"] == {"n_examples": 300, "n_classes": 3, "n_queries": 21}
    assert (result["trials"], result["seed"]) == (4, 7)
    for name in ("accuracy", "bias", "gain_examples"):
        assert set(result[name]) == {"mean", "stderr"}
        assert result[name]["stderr"] > 0
    assert result["looks"] == {"mean": 21.0, "stderr": 0.0, "max": 21}
    assert result["bias"]["mean"] == pytest.approx(result["accuracy"]["mean"] - 1 / 3)
    assert result["gain_examples"]["mean"] == pytest.approx(300 * result["bias"]["mean"])


def test_the_error_of_a_single_trial_is_null(holdfast):
    outcome = holdfast("attack", "block-majority", *SIZES, "--trials", 1, "--json")
    assert outcome.json["accuracy"]["stderr"] is None


def test_same_seed_same_result_whatever_the_processes(holdfast):
    def accuracy(*options):
        return holdfast("attack", "block-majority", *SIZES, *options, "--json").json["accuracy"]

    assert accuracy("--seed", 3) == accuracy("--seed", 3, "--processes", 2)
    assert accuracy("--seed", 3) != accuracy("--seed", 4)


def test_the_table_names_what_was_measured(holdfast):
    outcome = holdfast("attack", "block-majority", *SIZES)
    assert outcome.code == 0
    assert (
        "300 examples, 3 classes, 21 scored submissions (looks): 10 trials, seed 0" in outcome.out
    )
    assert "block-majority: finds each block's more frequent label\n" in outcome.out
    heads = ("accuracy, %", "gain above guessing, points", "gain above guessing, examples", "looks")
    for word in (*heads, "Guessing scores 33.333 %."):
        assert word in outcome.out


@pytest.mark.parametrize("kind", ["uniform", "balanced", "sorted", "constant", "skewed"])
def test_every_kind_of_labels(holdfast, kind):
    outcome = holdfast("attack", "block-majority", *SIZES, "--label-kind", kind, "--json")
    assert outcome.code == 0


def test_without_features(holdfast):
    options = (*SIZES, "--trials", 2, "--without-features", "--json")
    outcome = holdfast("attack", "block-majority", *options)
    assert outcome.code == 0
    assert outcome.json["looks"]["max"] == 21


def test_a_label_file_gives_the_sizes(holdfast, tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("id,label\n" + "\n".join(f"{i},{'abc'[i % 3]}" for i in range(60)))
    outcome = holdfast("attack", "block-majority", "--labels", path, "--looks", 9, "--json")
    assert outcome.json["problem"] == {"n_examples": 60, "n_classes": 3, "n_queries": 9}


def test_columns_of_a_label_file_can_be_chosen(holdfast, tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("key,split,truth\n1,test,a\n2,test,b\n")
    columns = ("--id-column", "key", "--label-column", "truth")
    outcome = holdfast(*("attack", "constant", "--labels", path, *columns, "--looks", 1, "--json"))
    assert outcome.json["problem"] == {"n_examples": 2, "n_classes": 2, "n_queries": 1}


def test_more_classes_than_the_file_shows_may_be_declared(holdfast, tmp_path):
    path = tmp_path / "truth.npy"
    np.save(path, np.zeros(50, dtype=np.int64))
    options = ("--labels", path, "--n-classes", 10, "--looks", 5, "--json")
    assert holdfast("attack", "block-majority", *options).json["problem"]["n_classes"] == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("magic", *SIZES), "attack must be one of "),
        (("permuted", *SIZES), "attack must be one of "),
        (("hill-climb", *SIZES, "--without-features"), "attack without features must be one of "),
        (("constant", "--looks", 1), "n_examples must be given when labels is not."),
        (("constant", "--looks", 1, "--n-examples", 5), "n_classes must be given when"),
        (("constant", *SIZES, "--n-classes", 1), "n_classes must be at least 2, got 1."),
        (("constant", *SIZES, "--looks", 0), "n_queries must be at least 1, got 0."),
        (("constant", *SIZES, "--trials", 0), "trials must be at least 1, got 0."),
        (("constant", *SIZES, "--seed", -1), "seed must be at least 0, got -1."),
        (("constant", *SIZES, "--processes", 0), "processes must be at least 1, got 0."),
        (("constant", *SIZES, "--label-kind", "odd"), "label_kind must be one of uniform, "),
        (("block-majority", *SIZES, "--looks", 302), "n_queries must be at most n_examples +"),
        (("constant", *SIZES, "--labels", "none.csv"), "none.csv must be a file, but there is"),
        (
            ("constant", *SIZES, "--labels", "none.csv", "--label-kind", "uniform"),
            "label_kind must not be given together with labels.",
        ),
        (("constant", *SIZES, "--n-examples", "many"), "Invalid value for '--n-examples'"),
        (("constant",), "Missing option '--looks'"),
        (("constant", *SIZES, "--frob"), "No such option"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(refused, arguments, message):
    assert refused("attack", *arguments).startswith(message)


def test_sizes_must_agree_with_the_label_file(refused, tmp_path):
    path = tmp_path / "truth.npy"
    np.save(path, np.arange(5))
    options = ("attack", "constant", "--labels", path, "--looks", 1)
    assert refused(*options, "--n-examples", 6).startswith("n_examples must be 5, the number of")
    assert refused(*options, "--n-classes", 4).startswith("n_classes must be at least 5, the ")


def test_wrappers_are_not_listed_among_the_attacks(refused):
    listed = refused("attack", "magic", *SIZES)
    assert "block-majority" in listed
    assert "permuted" not in listed
