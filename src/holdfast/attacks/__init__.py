"""Who asks: one attack per file."""

from holdfast.attacks import without_features
from holdfast.attacks.climbing.block_climb import BlockClimb
from holdfast.attacks.climbing.hill_climb import HillClimb
from holdfast.attacks.climbing.prior_climb import PriorClimb
from holdfast.attacks.climbing.random_climb import RandomClimb
from holdfast.attacks.designs.hadamard_blocks import HadamardBlocks
from holdfast.attacks.designs.label_subset import LabelSubset
from holdfast.attacks.designs.message_passing import MessagePassing
from holdfast.attacks.exact.detecting import Detecting, PooledDetecting
from holdfast.attacks.exact.lattice import Lattice
from holdfast.attacks.paper.block_majority import BlockMajority
from holdfast.attacks.paper.boosting import Boosting
from holdfast.attacks.paper.column_vote import ColumnVote
from holdfast.attacks.paper.constant import Constant
from holdfast.attacks.paper.exhaustive import Exhaustive
from holdfast.attacks.paper.naive_bayes import NaiveBayes
from holdfast.attacks.paper.uniform_vote import UniformVote
from holdfast.attacks.steering.boundary_challenger import BoundaryChallenger
from holdfast.attacks.steering.champion_challenger import (
    AnytimeChampionChallenger,
    ChampionChallenger,
)
from holdfast.attacks.steering.vote_stacking import VoteStacking
from holdfast.attacks.wrappers.grid_reader import GridReader
from holdfast.attacks.wrappers.improvement_reader import ImprovementReader
from holdfast.attacks.wrappers.permuted import Permuted
from holdfast.attacks.wrappers.rank_reader import RankReader

__all__ = [
    "AnytimeChampionChallenger",
    "BlockClimb",
    "BlockMajority",
    "Boosting",
    "BoundaryChallenger",
    "ChampionChallenger",
    "ColumnVote",
    "Constant",
    "Detecting",
    "Exhaustive",
    "GridReader",
    "HadamardBlocks",
    "HillClimb",
    "ImprovementReader",
    "LabelSubset",
    "Lattice",
    "MessagePassing",
    "NaiveBayes",
    "Permuted",
    "PooledDetecting",
    "PriorClimb",
    "RandomClimb",
    "RankReader",
    "UniformVote",
    "VoteStacking",
    "without_features",
]
