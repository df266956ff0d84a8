"""Exact recovery of all labels; one file for each part of a round."""

from holdfast.attacks.exact.lattice.attack import Lattice

__all__ = ["Lattice"]
