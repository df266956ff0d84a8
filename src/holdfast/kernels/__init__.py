"""Vector kernels: keyed random numbers, columns, permutations, narrow counters, threads."""

from holdfast import compiling, interrupts

compiling.watch(lock=interrupts.hold, unlock=interrupts.let_go)
