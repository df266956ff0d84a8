"""Attacks that prove labels: detecting designs in one round, and in adaptive rounds."""
