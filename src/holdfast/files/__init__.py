"""Readers of label and prediction files."""
