"""Hit pools. Start with `attack`: `sizes`, `packing` and `round` make a round, `groups` learns."""

from holdfast.attacks.exact.hit_pools.attack import HitPools

__all__ = ["HitPools"]
