import numpy as np
import pytest

from holdfast.audit import parse_looks
from holdfast.audit.judgement.preflight import coarse_rule, expected_best
from holdfast.audit.metrics.findings import metric_findings
from holdfast.audit.metrics.units import unit_for


def preflight(request):
    board = request
    return metric_findings(board, unit_for(board), 100.0)


def codes(request):
    findings = preflight(request)
    for finding in findings:
        assert finding.what.endswith((".", "%."))
        assert finding.why
        assert finding.fix
    return {finding.code: finding.severity for finding in findings}


def shuffled(n, m, seed=0):
    return np.random.default_rng(seed).permutation(np.arange(n) % m)


def test_a_clean_test_set_has_notes_at_most(request_for):
    found = codes(request_for(shuffled(2000, 4), m=4, release="ladder:0.01"))
    assert set(found.values()) <= {"note"}


def test_sorted_rows_void_the_verdict(request_for):
    assert codes(request_for(np.sort(shuffled(600, 3))))["sorted-rows"] == "void"
    assert codes(request_for(np.sort(shuffled(600, 3))[::-1]))["sorted-rows"] == "void"


def test_grouped_rows_are_a_warning(request_for):
    labels = np.repeat(shuffled(60, 3), 10)
    assert codes(request_for(labels))["grouped-rows"] == "warning"


def test_ids_in_the_order_of_the_labels_void_the_verdict(request_for):
    labels = shuffled(600, 3)
    ids = np.argsort(np.argsort(labels, kind="stable"))
    found = codes(request_for(labels, ids=ids))
    assert found["telling-ids"] == "void"
    assert "grouped-rows" not in found


def test_consecutive_ids_are_a_note_and_random_ones_nothing(request_for):
    labels = shuffled(600, 3)
    assert codes(request_for(labels, ids=np.arange(600)))["consecutive-ids"] == "note"
    random = np.random.default_rng(1).permutation(10**6)[:600]
    assert not {"consecutive-ids", "telling-ids"} & set(codes(request_for(labels, ids=random)))


def test_ids_that_differ_in_zeros_or_case_only(request_for):
    labels = shuffled(600, 3)
    ids = [f"x{j}" for j in range(598)] + ["A1", "a1"]
    assert codes(request_for(labels, ids=ids))["alike-ids"] == "warning"


def test_imbalance_and_absent_classes(request_for):
    labels = np.where(np.random.default_rng(0).random(1000) < 0.8, 0, 1)
    found = codes(request_for(labels, m=3))
    assert found["imbalance"] == "warning"
    assert found["absent-classes"] == "note"


def test_few_examples(request_for):
    assert codes(request_for(n=120))["tiny"] == "warning"
    assert "tiny" not in codes(request_for(n=1200))


@pytest.mark.parametrize(
    ("n", "release", "void"),
    [
        (1000, "round:3", True),
        (1001, "round:3", False),
        (1000, "round:4", True),
        (3000, "subsample:0.3+round:3", True),
        (1000, "exact", False),
    ],
)
def test_rounding_that_hides_nothing(request_for, n, release, void):
    assert ("void-rounding" in codes(request_for(n=n, release=release))) == void


def test_constant_submissions_reveal_class_shares_unless_the_rule_hides_them(request_for):
    assert "constant-reveals" in codes(request_for(n=1000, release="round:3"))
    assert "constant-reveals" not in codes(request_for(n=1000, release="ladder:0.01"))


def test_public_examples_in_the_final_ranking(request_for):
    split = ["Public", "Private"] * 150
    assert codes(request_for(split=split, final="all"))["public-in-final"] == "warning"
    assert "public-in-final" not in codes(request_for(split=split))
    assert codes(request_for())["no-private-part"] == "note"


def test_the_best_of_all_private_scores(request_for):
    split = ["Public", "Private"] * 150
    assert codes(request_for(split=split, final_choices=0))["best-of-private"] == "warning"
    assert "best-of-private" not in codes(request_for(split=split, final_choices=2))


def test_the_best_of_many_draws_against_simulation():
    draws = np.random.default_rng(3).standard_normal((4000, 50)).max(axis=1)
    error = draws.std() / np.sqrt(draws.size)
    # Blom's approximation itself is within a hundredth.
    assert abs(expected_best(50) - draws.mean()) < 4 * error + 0.01


def test_looks_are_a_number_or_a_rate():
    assert parse_looks("5/day", days=90).count == 450
    assert parse_looks("1/week", days=8).count == 2
    assert parse_looks("1_000").count == 1000


def test_classes_in_runs_are_sorted_whatever_their_order(request_for):
    labels = np.repeat([2, 0, 3, 1], 60)
    codes = {finding.code for finding in preflight(request_for(labels, m=4))}
    assert "sorted-rows" in codes
    mixed = np.concatenate([labels, labels])  # every class in two runs
    codes = {finding.code for finding in preflight(request_for(mixed, m=4))}
    assert "sorted-rows" not in codes
    assert "grouped-rows" in codes


def test_a_rule_that_is_coarser_than_the_gap_is_named(request_for):
    request = request_for(n=3000, release="ladder:0.05")
    found = list(coarse_rule(request, 1.0))
    assert [each.code for each in found] == ["coarse-rule"]
    assert found[0].what == (
        "The rule ladder:0.05 blurs scores by up to 5 points, and the ranking should show gaps of "
        "1."
    )
    assert list(coarse_rule(request, 5.0)) == []
    assert (
        list(coarse_rule(request_for(n=50), 1.0)) == []
    )  # one example of fifty is no rule's fault
