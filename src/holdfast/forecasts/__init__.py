"""Forecasts: the setting that one is made for, the estimate, and the measured tables."""

from holdfast.forecasts.setting import Estimate, Setting

__all__ = ["Estimate", "Setting"]
