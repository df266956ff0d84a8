"""Attacks that never see the test features: queries and predictions are classifiers."""

from holdfast.attacks.without_features.block_majority import BlockMajority
from holdfast.attacks.without_features.by_index import ByIndex
from holdfast.attacks.without_features.column_vote import ColumnVote
from holdfast.attacks.without_features.naive_bayes import NaiveBayes
from holdfast.attacks.without_features.permuted import Permuted
from holdfast.attacks.without_features.uniform_vote import UniformVote

__all__ = ["BlockMajority", "ByIndex", "ColumnVote", "NaiveBayes", "Permuted", "UniformVote"]
