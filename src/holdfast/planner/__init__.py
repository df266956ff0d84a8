"""Planning: every attack's expected gain before a look is spent, and an attack that plans."""

from holdfast.planner.auto import Auto
from holdfast.planner.forecast import Forecast
from holdfast.planner.metric_formulas import MetricEstimate, rule_told
from holdfast.planner.mixture import Mixture
from holdfast.planner.plan import Plan, plan, plan_under
from holdfast.planner.through_metrics import (
    board_under,
    by_forecast,
    decimals_of,
    metric_plan,
    planned_on_counts,
)
from holdfast.setting import Setting

__all__ = [
    "Auto",
    "Forecast",
    "MetricEstimate",
    "Mixture",
    "Plan",
    "Setting",
    "board_under",
    "by_forecast",
    "decimals_of",
    "metric_plan",
    "plan",
    "plan_under",
    "planned_on_counts",
    "rule_told",
]
