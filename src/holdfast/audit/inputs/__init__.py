"""Inputs of an audit: labels, policy, history, models, and the unit of its figures."""
