"""Figures and tables of a sweep: one file each, drawn from its rows alone."""

from holdfast.sweeps.figures.draw import draw_all
from holdfast.sweeps.figures.latex import latex_table

__all__ = ["draw_all", "latex_table"]
