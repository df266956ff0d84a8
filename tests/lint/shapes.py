"""Small configuration files of the shapes that hosts' files have, and what lint finds in them."""

BLANK_LIMITS = """\
version: 2
title: Leaves
tasks:
  - index: 0
    name: Development
    reference_data: dev_labels/
  - index: 1
    name: Final
    reference_data: final_labels/
phases:
  - index: 0
    name: Development
    start: 2026-01-05
    end: 2026-02-04
    max_submissions_per_day: 0
    max_submissions:
    hide_output: True
    tasks: [0]
  - index: 1
    name: Final
    start: 2026-02-05
    max_submissions_per_day: null
    max_submissions: 3
    tasks: [1]
leaderboards:
  - title: Results
    key: main
    columns:
      - title: Accuracy
        key: accuracy
        index: 0
        precision: 3
"""

MONTH_DAY_YEAR = """\
version: 2
title: Leaves, two tracks
tasks:
  - index: 0
    reference_data: labels/
phases:
  - index: 1
    name: Code track
    start: 1-15-2026 # month, day, year
    end: 7-14-2026
    max_submissions_per_day: 3
    max_submissions: 0
    tasks: [0]
  - index: 0
    name: Results track
    start: 01/15/2026
    end: 02/14/2026
    max_submissions_per_day: 5
    max_submissions: 0
    tasks: [0]
leaderboards:
  - title: Results
    key: main
    columns:
      - {title: Score, key: score, index: 0}
      - {title: Mean, key: mean, index: 1, computation: avg, computation_indexes: [0]}
      - {title: Duration, key: duration, index: 2, sorting: asc}
"""

PHASENUMBER = """\
title: Leaves
end_date: 2026-05-01
html:
  overview: overview.html
phases:
  1:
    phasenumber: 1
    label: Practice A
    start_date: 2026-01-01
    max_submissions: 999
    max_submissions_per_day: 2
    reference_data: practice_a.zip
  2:
    phasenumber: 2
    label: Practice B
    start_date: 2026-01-01
    max_submissions: 40
    reference_data: practice_b.zip
  3:
    phasenumber: 3
    label: Pause
    start_date: 2026-03-02
    max_submissions: 0
    max_submissions_per_day: 0
  4:
    phasenumber: 4
    label: Evaluation
    start_date: 2026-04-01
    max_submissions: 2000
    max_submissions_per_day: 100
    hide_output: True
    reference_data: evaluation.zip
  5:
    phasenumber: 5
    label: Final
    start_date: 2026-04-21
    max_submissions: 2000
    max_submissions_per_day: 999
    leaderboard_management_mode: hide_results
    reference_data: evaluation.zip
leaderboard:
  leaderboards:
    RESULTS: &RESULTS
      label: Results
      rank: 1
  columns:
    correct:
      leaderboard: *RESULTS
      label: Correct
      rank: 1
      numeric_format: 2
"""

DECIMAL_PRECISION = """\
title: Leaves
leaderboard:
  - id: 1
    schema: {"labels": ["Accuracy", "Macro F1"], "default_order_by": "Accuracy"}
  - id: 2
    schema: {"labels": ["Accuracy"], "default_order_by": "Accuracy"}
challenge_phases:
  - id: 1
    name: Dev
    is_submission_public: True
    start_date: 2026-01-01 00:00:00
    end_date: 2099-01-01 00:00:00
    test_annotation_file: annotations/dev.json
    max_submissions_per_day: 5
    max_submissions_per_month: 50
  - id: 2
    name: Test
    start_date: 2026-01-01 00:00:00
    end_date: 2026-03-02 00:00:00
    test_annotation_file: annotations/test.json
    max_submissions_per_day: 2
    max_submissions: 10
  - id: 3
    name: Sealed
    test_annotation_file: annotations/sealed.json
challenge_phase_splits:
  - challenge_phase_id: 1
    leaderboard_id: 2
    dataset_split_id: 1
    visibility: 3
    leaderboard_decimal_precision: 2
    is_leaderboard_order_descending: True
  - challenge_phase_id: 2
    leaderboard_id: 1
    dataset_split_id: 1
    visibility: 2
    leaderboard_decimal_precision: 4
    is_leaderboard_order_descending: True
  - challenge_phase_id: 3
    leaderboard_id: 1
    dataset_split_id: 1
    visibility: 1
    leaderboard_decimal_precision: 4
    is_leaderboard_order_descending: True
"""

CONF_JSON = """\
{
  "COMPETITION_TYPE": "generic",
  "SUBMISSION_LIMIT": 5,
  "SELECTION_LIMIT": 10,
  "END_DATE": "12-31-2026",
  "EVAL_HIGHER_IS_BETTER": 1,
  "EVAL_METRIC": "roc_auc_score"
}
"""

HIDDEN = """\
version: 2
title: Organs
phases:
  - name: Development
    start: 2026-01-05
    end: 2026-02-04
    max_submissions: 50
    hide_score_output: true
leaderboards:
  - title: Results
    key: main
    hidden: true
    columns:
      - title: Public Dice
        key: test_dice
        index: 0
        precision: 4
      - title: Private Dice
        key: private_dice
        index: 1
        hidden: True
      - title: Character error rate (CER)
        key: cer
        index: 2
      - title: Train time
        key: train_time
        index: 3
"""

# Of each shape: the file's name, its text, the exit code, the findings (line, code, severity) and
# for each phase (name, looks, where they come from, who sees scores, metrics shown).
SHAPES = {
    "Codabench, blank limits": (
        "competition.yaml",
        BLANK_LIMITS,
        1,
        [
            (15, "no-limit", "error"),
            (16, "no-limit", "error"),
            (19, "visible-output", "warning"),
            (32, "display-rounding", "note"),
        ],
        [
            ("Development", None, "no limit", "everyone", 1),
            ("Final", 3, "3 in all", "everyone", 1),
        ],
    ),
    "Codabench, month-day-year, parallel phases": (
        "competition.yaml",
        MONTH_DAY_YEAR,
        1,
        [
            (7, "same-labels", "warning"),
            (12, "no-limit", "error"),
            (14, "visible-output", "warning"),
            (22, "display-rounding", "note"),
            (27, "not-accuracy", "note"),
        ],
        [
            ("Results track", 150, "5 a day for 30 days", "everyone", 1),
            ("Code track", 540, "3 a day for 180 days", "everyone", 1),
        ],
    ),
    "CodaLab, phasenumber and 0": (
        "competition.yaml",
        PHASENUMBER,
        1,
        [
            (23, "zero-limit", "note"),
            (29, "high-limit", "warning"),
            (30, "high-limit", "warning"),
            (31, "unknown-setting", "warning"),
            (33, "hosts-only", "note"),
            (33, "same-labels", "warning"),
            (41, "display-rounding", "note"),
        ],
        [
            ("Practice A", 120, "2 a day for 60 days", "everyone", 1),
            ("Practice B", 40, "40 in all", "everyone", 1),
            ("Pause", 0, "no submission", "everyone", 1),
            ("Evaluation", 2000, "2,000 in all", "everyone", 1),
            ("Final", 2000, "2,000 in all", "hosts", 1),
        ],
    ),
    "EvalAI, leaderboard_decimal_precision": (
        "challenge_config.yaml",
        DECIMAL_PRECISION,
        1,
        [
            (4, "many-metrics", "warning"),
            (4, "not-accuracy", "note"),
            (8, "no-limit", "error"),
            (30, "visible-scores", "note"),
            (31, "display-rounding", "note"),
            (42, "hosts-only", "note"),
        ],
        [
            ("Dev", 44450, "50 a month for 26,663 days", "everyone", 1),
            ("Test", 10, "10 in all", "own team", 2),
            ("Sealed", 100_000, "100,000 in all", "hosts", 1),
        ],
    ),
    "Hugging Face": (
        "conf.json",
        CONF_JSON,
        1,
        [
            (3, "undated", "note"),
            (4, "selection", "warning"),
            (5, "no-end", "warning"),
            (7, "display-rounding", "note"),
            (7, "not-accuracy", "note"),
        ],
        [("public", 450, "5 a day for 90 days", "everyone", 1)],
    ),
    "Codabench, hidden board and columns, no accuracy": (
        "competition.yaml",
        HIDDEN,
        0,
        [
            (12, "own-scores", "note"),
            (14, "not-accuracy", "note"),
            (17, "display-rounding", "note"),
        ],
        [("Development", 50, "50 in all", "own team", 1)],
    ),
}
