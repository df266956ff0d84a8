"""Constants of hit pools, and where they come from.

Sizes are in units of the size at which a group with a hit is left alone, and were chosen together
by trial on labels that no table of the docs uses; the gain is flat around them, as
`python -m benchmarks.hit_pools --around` shows.
"""

# A block in a digit of radix 5 and of radix 3, as a share of one in a place without a limit.
BLOCK_SHARE_RADIX_5, BLOCK_SHARE_RADIX_3 = 0.8, 0.3
# What a digit is worth that splits a group, that tests a block with radix 5, with radix 3.
SPLIT_WORTH, RADIX_5_WORTH, RADIX_3_WORTH = 1.0, 0.8, 0.4
# The size of a block in a place without a limit, by the hits per expected match (H m/n) that the
# looks will do for: a block that is tested once finds a hit sooner the larger it is, and then
# takes splits. Up to 3.5, up to 5.5, ...
HITS_PER_MATCH = (3.5, 5.5, 9.0)
BLOCK = (1.4, 2.0, 2.4, 3.0)
# A group is split from this size on: with one hit, with several.
SPLIT_FROM, SPLIT_SEVERAL_FROM = 1.8, 9.0
# A group with one hit is halved below this size, and cut in three above.
HALVE_BELOW = 2.2
# Sums read per look, and how much more than these to hope for: the equation for the size at which
# a group is left alone overestimates what it costs, since blocks without hits are tested again.
SUMS_PER_LOOK, SUMS_HOPED_FOR = 1.5, 1.3
# With fewer looks left after it, a round is the last one; its blocks have at least this size.
LOOKS_FOR_A_ROUND, LAST_BLOCK = 24, 0.5
# A digit is moved if that is likelier by this much (nats), so often at most in a round.
CLEARLY_LIKELIER, MOVES_AT_MOST = 0.5, 12
