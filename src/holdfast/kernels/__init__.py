"""Vector kernels: keyed random numbers, columns, permutations, narrow counters, threads."""

from holdfast import compiling, extras, interrupts

with extras.needed_for("playing attacks"):
    from numba import njit as njit

compiling.watch(lock=interrupts.hold, unlock=interrupts.let_go)
