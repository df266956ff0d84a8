"""Guarded scoring in the form that each platform calls: one file per platform."""
