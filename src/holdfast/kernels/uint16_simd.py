"""Arithmetic modulo 2^16 for compiled loops: sixteen numbers at a time in a vector unit.

Numba widens every sum and product of small integers to 64 bits, and the compiler can't always
narrow them again. These operations are 16 bits wide by definition, so a loop that uses nothing
else is compiled to 16-bit vector instructions.

An upper half of a product needs both factors from arrays, also the factor that never changes
(`constant_lanes`): hoisted out of the loop it would be widened there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

__all__ = [
    "CHUNK_ENTRIES",
    "add16",
    "constant_lanes",
    "high16",
    "min16",
    "mul16",
    "shift16",
    "sub16",
    "wrap16",
    "xor16",
]

# Entries computed at a time, so that all arrays of a loop stay in the first-level cache.
CHUNK_ENTRIES = 2048

_INT16, _INT32 = ir.IntType(16), ir.IntType(32)


def _operation(build: Callable[[Any, Any, Any], Any]) -> Any:
    """Make a compiled function of two 16-bit numbers from the instructions that compute it."""

    @intrinsic
    def operation(context: Any, first: Any, second: Any) -> Any:  # noqa: ARG001 - numba's form
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return build(builder, *arguments)

        return types.uint16(types.uint16, types.uint16), code

    return operation


def _upper_half(builder: Any, x: Any, y: Any) -> Any:
    product = builder.mul(builder.zext(x, _INT32), builder.zext(y, _INT32))
    return builder.trunc(builder.lshr(product, ir.Constant(_INT32, 16)), _INT16)


add16 = _operation(lambda builder, x, y: builder.add(x, y))
sub16 = _operation(lambda builder, x, y: builder.sub(x, y))
mul16 = _operation(lambda builder, x, y: builder.mul(x, y))
xor16 = _operation(lambda builder, x, y: builder.xor(x, y))
shift16 = _operation(lambda builder, x, y: builder.lshr(x, y))
min16 = _operation(lambda builder, x, y: builder.select(builder.icmp_unsigned("<", x, y), x, y))
high16 = _operation(_upper_half)


@njit(cache=True, nogil=True, inline="always")
def wrap16(value: Any, modulus: Any) -> Any:
    """Return value mod modulus for value < 2 * modulus <= 2^16, without a branch.

    Below the modulus the subtraction wraps around to a huge number, and the minimum ignores it.
    """
    return min16(value, sub16(value, modulus))


@njit(cache=True, nogil=True)
def constant_lanes(value: Any) -> Any:
    """Return an array that holds one number in every lane."""
    return np.full(CHUNK_ENTRIES, value, np.uint16)
