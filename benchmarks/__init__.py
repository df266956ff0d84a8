"""Speed and power, measured: scripts whose figures the docs quote.

Matrix products are rounded differently on every kind of processor, and in an attack that weighs
posteriors the last bit may decide a tie: one seed, another game, as good as the first. Numbers that
are kept and compared are therefore computed with one kernel, which every x86-64 processor with AVX2
has. It must be chosen before numpy is loaded.
"""

import os

os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
