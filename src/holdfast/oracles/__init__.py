"""Oracles: hidden labels, with or without hidden features, behind a budget and a rule."""

from holdfast.oracles.classifier_oracle import ClassifierOracle, IndexedOracle
from holdfast.oracles.label_oracle import LabelOracle
from holdfast.oracles.metric_oracle import MetricOracle
from holdfast.oracles.multi_account_oracle import MultiAccountOracle

__all__ = ["ClassifierOracle", "IndexedOracle", "LabelOracle", "MetricOracle", "MultiAccountOracle"]
