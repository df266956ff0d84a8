"""Who answers: hidden labels, or hidden features and labels, behind a budget and a rule."""

from holdfast.oracles.classifier_oracle import ClassifierOracle, IndexedOracle
from holdfast.oracles.label_oracle import LabelOracle

__all__ = ["ClassifierOracle", "IndexedOracle", "LabelOracle"]
