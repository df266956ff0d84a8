"""Planning: every attack's expected gain before a look is spent, and an attack that plans."""

from holdfast.forecasts import Setting
from holdfast.planner.auto import Auto
from holdfast.planner.forecast import Forecast
from holdfast.planner.mixture import Mixture
from holdfast.planner.plan import Plan, plan, plan_under

__all__ = ["Auto", "Forecast", "Mixture", "Plan", "Setting", "plan", "plan_under"]
