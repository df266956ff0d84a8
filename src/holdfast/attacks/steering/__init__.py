"""Adaptive attacks that steer every label posterior by reverse water-filling."""
