"""Vector kernels: keyed random numbers, columns, permutations, narrow counters, threads."""
