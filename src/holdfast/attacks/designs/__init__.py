"""Non-adaptive dense designs: Hadamard blocks and random label subsets."""
