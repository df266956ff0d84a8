"""Oracles: hidden labels, with or without features, behind a budget and a rule; and boards."""

from holdfast.oracles.classifier_oracle import ClassifierOracle, IndexedOracle
from holdfast.oracles.label_oracle import LabelOracle
from holdfast.oracles.metric_oracle import MetricOracle
from holdfast.oracles.multi_account_oracle import MultiAccountOracle
from holdfast.oracles.remote import Remote

__all__ = [
    "ClassifierOracle",
    "IndexedOracle",
    "LabelOracle",
    "MetricOracle",
    "MultiAccountOracle",
    "Remote",
]
