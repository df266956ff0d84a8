"""A made-up record with every part filled in: the page does not care where numbers come from."""

from __future__ import annotations

import math
from dataclasses import replace

from holdfast.audit import result

LOOKS = (1, 3, 10, 30, 100, 300, 1000)
BOUND_LOOKS = tuple(int(10 ** (i / 4)) for i in range(17))
RULES = [
    ("exact", "champion-challenger", 10.5, 55.0, 8.0, 0.01),
    ("round:4", "champion-challenger", 10.4, 55.0, 8.0, 0.01),
    ("round:2", "hadamard-blocks", 3.2, 40.0, 5.0, 0.5),
    ("ladder:0.01", "block-climb", 0.2, 3.4, 0.3, 1.0),
]


def interval(mean: float) -> result.Interval:
    return result.Interval(round(mean, 2), round(0.9 * mean, 2), round(1.1 * mean, 2))


def growing(constant: float) -> list[float]:
    """Return a gain in points that grows with the square root of the looks."""
    return [100 * constant * math.sqrt(k / 1e5) for k in BOUND_LOOKS]


def series(attack: str, setting: result.Knowledge, constant: float) -> result.Series:
    points = tuple(interval(100 * constant * math.sqrt(k / 1e5)) for k in LOOKS)
    return result.Series(attack, setting, points)


def rule_row(
    rule: str, attack: str, gain: float, allowed: float, bits: float, price: float
) -> result.RuleRow:
    cells = {"champion-challenger": gain, "block-majority": gain / 2, "naive-bayes": gain / 3}
    return result.RuleRow(
        rule, rule == "round:4", attack, rule, interval(gain), allowed, bits, price, cells
    )


def history() -> result.History:
    team = result.TeamHistory("blue", 120, 91.2, 90.1, 1.1, 0.6, 0.9, 0.0)
    other = result.TeamHistory("green", 4, 90.9, None, None, None, None, None)
    return result.History(
        n_teams=2,
        looks=124,
        first="2026-01-02",
        last="2026-03-04",
        most_looks=120,
        over_limit=("blue",),
        median_gap=0.3,
        half_width=0.8,
        paired_half_width=0.2,
        mean_gap=1.1,
        chance=0.6,
        allowed=0.9,
        unexplained=0.0,
        teams=(team, other),
        groups=(result.TieGroup(1, 2, ("blue", "green")),),
    )


def surfaces() -> dict[str, object]:
    """Return what-if surfaces in the shape of `audit.judgement.what_if`, on a coarse grid."""
    axes: dict[str, tuple[float | None, ...]] = {
        "n_examples": (100, 100_000),
        "n_classes": (2, 1000),
        "looks": (1, 100, 10_000),
        "decimals": (1, 2, None),
        "step": (0.001, 0.01),
        "accounts": (1, 100),
    }

    def gain(n: float, m: float, k: float, factor: float) -> float:
        return round(min(99.0, 50 * factor * math.sqrt(k / (m * n))), 2)

    def surface(last: list[float]) -> list[object]:
        return [
            [[[gain(n, m, k, f) for f in last] for k in (1, 100, 10_000)] for m in (2, 1000)]
            for n in (100, 100_000)
        ]

    def with_accounts(last: list[float]) -> list[object]:
        return [
            [
                [[[gain(n, m, k, f * a) for a in (1, 10)] for f in last] for k in (1, 100, 10_000)]
                for m in (2, 1000)
            ]
            for n in (100, 100_000)
        ]

    return {
        "axes": axes,
        "round": {"possible": surface([0.1, 0.5, 1.0]), "allowed": surface([0.5, 2.0, 4.0])},
        "ladder": {"possible": surface([0.1, 0.01]), "allowed": with_accounts([0.5, 0.05])},
    }


def fix(rule: str, looks: int, price: float) -> result.Fix:
    return result.Fix(
        rule=rule,
        looks=looks,
        loss=2.0,
        possible=interval(0.2),
        allowed=3.4,
        price_points=price,
        proven=False,
        verdict="SAFE",
        text=f"Release {rule} to {looks} looks: blur for honest teams {price} points.",
        read="docs/choosing_a_rule.md",
    )


def sample_audit() -> result.Audit:
    """Return the record."""
    return result.Audit(
        verdict=result.Verdict(
            about="final ranking",
            word="UNSAFE",
            gap_points=1.0,
            points=interval(10.4),
            attack="champion-challenger",
            setting="features",
            allowed=55.0,
            allowed_model=None,
            observed=1.1,
            proven=False,
            certified=None,
            sentence="UNSAFE for ranking gaps of 1 point: 10.4 points (95 % interval 9.4 to 11.4) "
            "can be gained without learning anything, with 1,000 scored submissions under the rule "
            "round:4 (attack champion-challenger: plays best against second-best labels).",
            fixes=(fix("ladder:0.01", 1000, 1.0), fix("round:4", 40, 0.01)),
            would_do=("A private part of 9,604 examples would do.",),
        ),
        public=None,
        findings=(
            result.Finding("sorted", "void", "Rows are sorted.", "They tell.", "Shuffle them."),
            result.Finding("round", "warning", "Rounding hides nothing.", "n <= 10^4.", "Step."),
            result.Finding("classes", "note", "One class holds 11 %.", "Baseline.", "Say so."),
        ),
        board=result.AuditedBoard(
            name="a made-up board",
            header="a made-up board: 10,000 rows, 10 classes, 40 teams, rule round:4, 1,000 scored "
            "submissions (looks) per account (5 looks a day for 200 days)",
            n_rows=10_000,
            n_examples=10_000,
            n_classes=10,
            parts=(result.AuditedPart("all", 10_000, True, True),),
            rule="round:4",
            rule_source="policy.toml",
            memory="team",
            looks=1000,
            looks_text="5 looks a day for 200 days",
            looks_per_account=1000,
            accounts=1,
            teams=40,
            final_share=1.0,
            majority_percent=11.3,
            skewed=False,
            free=10.0,
            models=(result.Model("logistic regression", 95.5),),
        ),
        rounding_unit=0.01,
        gains=(
            result.AttackGain(
                "champion-challenger", "features", 1, 1000, 10, interval(10.4), 55.0, None
            ),
            result.AttackGain(
                "block-majority", "no features", 1, 1000, 10, interval(5.2), 55.0, None
            ),
            result.AttackGain(
                "lattice", "features", 1, 1000, 10, None, None, "It needs exact answers."
            ),
        ),
        curve=result.GainCurve(
            today=1000,
            looks=LOOKS,
            measured=(
                series("champion-challenger", "features", 1.0),
                series("block-majority", "no features", 0.55),
            ),
            bound_looks=BOUND_LOOKS,
            guarantee=tuple(
                value if k <= 501 else None
                for k, value in zip(BOUND_LOOKS, growing(1 / 8), strict=True)
            ),
            guaranteed_by=tuple("small-k" if k <= 501 else None for k in BOUND_LOOKS),
            forecast=tuple(growing(0.6)),
            allowed=tuple(min(90.0, value) for value in growing(4.5)),
        ),
        rules=tuple(rule_row(*row) for row in RULES),
        limits=result.Limits(
            allowed=55.0,
            allowed_model=None,
            allowed_everyone=90.0,
            everyone_looks=40_000,
            forecast=28.0,
            guarantee=4.0,
            bits_per_look=8.0,
            bound="information-adaptive-tilted",
            binds="anybody without a model of the labels",
            binds_model=None,
            not_covered=(),
            looks_until={"possible": 12, "forecast": None, "allowed": 2},
            searched=10**6,
            recover_all=2531,
        ),
        history=history(),
        what_if=surfaces(),
        reproduce=result.Reproduce(
            "holdfast audit labels.csv --seed 1", 1, 10, "2026.11", "3f9a", {"numpy": "2.4"}
        ),
        seconds=41.0,
        date="2026-11-17",
    )


def sample_with_private_part() -> result.Audit:
    """Return the record of a board whose private part decides: two verdicts."""
    audit = sample_audit()
    zero = result.Interval(0.0, 0.0, 0.0)
    final = replace(
        audit.verdict,
        word="SAFE",
        points=zero,
        allowed=0.0,
        observed=None,
        proven=True,
        sentence="SAFE for ranking gaps of 1 point or more: 20,000 examples that no look is scored "
        "on decide it, so that nothing gained on the public board counts.",
        fixes=(),
        would_do=(),
    )
    parts = (
        result.AuditedPart("public", 10_000, True, False),
        result.AuditedPart("private", 20_000, False, True),
    )
    board = replace(
        audit.board,
        header="a made-up board: 30,000 rows (10,000 public: scored at every look; 20,000 private: "
        "scored in the final ranking alone), 10 classes, 40 teams, rule round:4, 1,000 scored "
        "submissions (looks) per account",
        n_rows=30_000,
        parts=parts,
        final_share=0.0,
    )
    public = replace(audit.verdict, about="public board")
    findings = tuple(each for each in audit.findings if each.severity != "void")
    return replace(audit, verdict=final, public=public, board=board, findings=findings)
