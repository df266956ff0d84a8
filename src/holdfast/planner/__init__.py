"""Which attack is best for a problem, before a look is spent; and the attack that plans first."""

from holdfast.forecasts import Setting
from holdfast.planner.auto import Auto
from holdfast.planner.forecast import Forecast
from holdfast.planner.mixture import Mixture
from holdfast.planner.plan import Plan, plan

__all__ = ["Auto", "Forecast", "Mixture", "Plan", "Setting", "plan"]
