"""Adapters in the frames of loops: Optuna, Inspect, OpenEvolve and ShinkaEvolve, GEPA, pytest, MCP.

Each asks a guard or a board for looks, and hands on what is told of the submission itself, never
another's value. Hosts' adapters, which score in the host's process, are in `guard.adapters`.
"""
