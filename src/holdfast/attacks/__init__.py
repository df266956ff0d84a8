"""Who asks: one attack per file."""

from holdfast.attacks import without_features
from holdfast.attacks.block_climb import BlockClimb
from holdfast.attacks.block_majority import BlockMajority
from holdfast.attacks.boosting import Boosting
from holdfast.attacks.boundary_challenger import BoundaryChallenger
from holdfast.attacks.champion_challenger import AnytimeChampionChallenger, ChampionChallenger
from holdfast.attacks.column_vote import ColumnVote
from holdfast.attacks.constant import Constant
from holdfast.attacks.detecting import Detecting, PooledDetecting
from holdfast.attacks.exhaustive import Exhaustive
from holdfast.attacks.grid_reader import GridReader
from holdfast.attacks.hadamard_blocks import HadamardBlocks
from holdfast.attacks.hill_climb import HillClimb
from holdfast.attacks.improvement_reader import ImprovementReader
from holdfast.attacks.label_subset import LabelSubset
from holdfast.attacks.lattice import Lattice
from holdfast.attacks.message_passing import MessagePassing
from holdfast.attacks.naive_bayes import NaiveBayes
from holdfast.attacks.permuted import Permuted
from holdfast.attacks.prior_climb import PriorClimb
from holdfast.attacks.random_climb import RandomClimb
from holdfast.attacks.rank_reader import RankReader
from holdfast.attacks.uniform_vote import UniformVote
from holdfast.attacks.vote_stacking import VoteStacking

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
