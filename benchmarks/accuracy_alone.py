"""Cost of other metrics for whoever scores accuracies alone: CPU time against an earlier commit.

    python -m benchmarks.accuracy_alone [--before COMMIT] [--blocks 15]

Two processes, one with the earlier commit's sources and one with these, take turns: a block of
guarded looks (an SQLite ledger), a block of a game of `BlockMajority` in memory, whose queries are
fixed, one of `ChampionChallenger`, which waits for each answer. Unless told otherwise the earlier
commit is the last one without other metrics. Each tells the CPU time of its block; the ratio is the
median over blocks of now over before. Turns follow each other closely, so that what else the
machine does slows both.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The last commit before metrics became a seam.
BEFORE = "6879dd25acfa9d7ee2a63d52d04ecdbc704976a1"
BLOCKS = ("guard.score", "play block-majority", "play champion-challenger")
WORKER = """
import sys, tempfile, time
import numpy as np
from holdfast import Problem, attacks, oracles, play
from holdfast.guard import Guard, Policy

n, m, looks = 10_000, 10, 60
rng = np.random.default_rng(1)
labels = rng.integers(m, size=n)
folder = tempfile.mkdtemp()
policy = Policy("ladder:0.01", looks_per_team=10**6, looks_per_data_set=10**9)
guard = Guard(labels, policy, folder + "/ledger.db", create=True)
problem = Problem(n, m, 301)

def guarded():
    guesses = [rng.integers(m, size=n) for _ in range(looks)]
    start = time.process_time()
    for guess in guesses:
        guard.score(guess, team="red")
    return time.process_time() - start

def played(make):
    attack = make(problem, rng=np.random.default_rng(2))
    oracle = oracles.LabelOracle(labels, problem=problem)
    start = time.process_time()
    play(attack, oracle)
    return time.process_time() - start

blocks = {
    "guard.score": guarded,
    "play block-majority": lambda: played(attacks.BlockMajority),
    "play champion-challenger": lambda: played(attacks.ChampionChallenger),
}
for name in blocks:
    blocks[name]()
print("ready", flush=True)
for line in sys.stdin:
    print(blocks[line.strip()](), flush=True)
"""


def worker(source: Path) -> subprocess.Popen[str]:
    """Start a process that uses a source tree, and wait until its kernels are compiled."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    return process


def asked(process: subprocess.Popen[str], name: str) -> float:
    """Return the CPU seconds of one block."""
    assert process.stdin is not None and process.stdout is not None  # noqa: PT018
    process.stdin.write(f"{name}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", default=BEFORE, help="the commit to compare with")
    parser.add_argument("--blocks", type=int, default=15)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", chosen.before, "src"], cwd=ROOT, check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        before, now = worker(Path(folder) / "src"), worker(ROOT / "src")
        for name in BLOCKS:
            pairs = []
            for block in range(chosen.blocks):
                order = (before, now) if block % 2 else (now, before)
                told = {id(process): asked(process, name) for process in order}
                pairs.append((told[id(before)], told[id(now)]))
            ratio = statistics.median(new / old for old, new in pairs)
            old, new = (1000 * statistics.median(each) for each in zip(*pairs, strict=True))
            print(f"{name}: {old:.1f} ms before, {new:.1f} ms now, ratio {ratio:.3f}")
        for process in (before, now):
            process.terminate()


if __name__ == "__main__":
    main()
