"""Attacks that never see the test features: queries and predictions are classifiers."""

__all__: list[str] = []
