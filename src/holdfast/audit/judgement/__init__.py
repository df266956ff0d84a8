"""Findings, upper bounds, verdict and fixes of an audit."""
