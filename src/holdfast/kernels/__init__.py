"""Vector kernels: keyed random numbers, columns, permutations, narrow counters, threads."""

from holdfast import compiling

compiling.watch()
