"""Real test sets: what attacks gain on them, and what boards would have shown of real models.

    python -m benchmarks.real games --data DIR      play what is missing, into out/real/rows.jsonl
    python -m benchmarks.real analysts --data DIR   submit the real models in order, to each rule
    python -m benchmarks.real keep                  put the rows into docs/data
    python -m benchmarks.real again --data DIR      play some of the kept games again, and compare

The labels and the models' predictions are not part of the project. DIR has a folder for each test
set; without `--data` it is what HOLDFAST_DATA names, or ../shared/data if that is there.
"""
