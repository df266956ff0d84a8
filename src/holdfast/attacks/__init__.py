"""Who asks: one attack per file."""

from holdfast.attacks.block_majority import BlockMajority

__all__ = ["BlockMajority"]
