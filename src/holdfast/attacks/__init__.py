"""Attacks: one file and one line each, in the order in which tables list them.

Every attack is made with `problem`, the sizes to play for; `rng`, where its seed is drawn from; and
mostly `permuted`, off to play without Theorem 2's permutation (`attacks.base.LabelAttack`). Each
says what it takes besides.
"""
# ruff: noqa: I001 - see above

from holdfast import kernels as kernels  # first: it says what to install where numba is missing
from holdfast.attacks import without_features as without_features
from holdfast.attacks.paper.constant import Constant as Constant
from holdfast.attacks.paper.block_majority import BlockMajority as BlockMajority
from holdfast.attacks.paper.column_vote import ColumnVote as ColumnVote
from holdfast.attacks.paper.uniform_vote import UniformVote as UniformVote
from holdfast.attacks.paper.naive_bayes import NaiveBayes as NaiveBayes
from holdfast.attacks.paper.boosting import Boosting as Boosting
from holdfast.attacks.paper.exhaustive import Exhaustive as Exhaustive
from holdfast.attacks.designs.hadamard_blocks import HadamardBlocks as HadamardBlocks
from holdfast.attacks.designs.label_subset import LabelSubset as LabelSubset
from holdfast.attacks.designs.message_passing import MessagePassing as MessagePassing
from holdfast.attacks.exact.detecting import Detecting as Detecting
from holdfast.attacks.exact.detecting import PooledDetecting as PooledDetecting
from holdfast.attacks.exact.hit_pools import HitPools as HitPools
from holdfast.attacks.exact.lattice import Lattice as Lattice
from holdfast.attacks.steering.champion_challenger import ChampionChallenger as ChampionChallenger
from holdfast.attacks.steering.champion_challenger import (
    AnytimeChampionChallenger as AnytimeChampionChallenger,
)
from holdfast.attacks.steering.boundary_challenger import BoundaryChallenger as BoundaryChallenger
from holdfast.attacks.steering.steered_pools import SteeredPools as SteeredPools
from holdfast.attacks.steering.vote_stacking import VoteStacking as VoteStacking
from holdfast.attacks.climbing.hill_climb import HillClimb as HillClimb
from holdfast.attacks.climbing.block_climb import BlockClimb as BlockClimb
from holdfast.attacks.climbing.random_climb import RandomClimb as RandomClimb
from holdfast.attacks.climbing.prior_climb import PriorClimb as PriorClimb
from holdfast.attacks.wrappers.permuted import Permuted as Permuted
from holdfast.attacks.wrappers.grid_reader import GridReader as GridReader
from holdfast.attacks.wrappers.rank_reader import RankReader as RankReader
from holdfast.attacks.wrappers.improvement_reader import ImprovementReader as ImprovementReader
