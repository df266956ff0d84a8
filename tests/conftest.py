"""Settings that every test shares."""

import contextlib
import os
import signal
import sys

import benchmarks  # noqa: F401 - first: it settles how numpy multiplies matrices
from hypothesis import HealthCheck, settings
from numba.core import caching

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background of a script: commands under test would inherit deafness to Ctrl-C.
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.default_int_handler)


# Each test process has a core of its own: threads of scikit-learn would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests start hundreds of processes; without bytecode each would compile the whole package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No audit of a test finds what another one played, or what the developer's own audits did.
os.environ["HOLDFAST_CACHE_DIR"] = os.devnull

# The same examples on every run, and no clock: the first call of a kernel compiles it, and a busy
# machine may stop for a while at any time.
settings.register_profile(
    "holdfast", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("holdfast")


def _save_alone(self, key, data, save=caching.IndexDataCacheFile.save):
    """Save compiled code while no other test process saves code of the same function.

    Numba reads the index, picks the next free number and writes both. Of two processes that do so
    at once for two signatures, one could leave its code under the number of the other's.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # a folder that can't be written: then nothing is saved
            file = stack.enter_context(open(f"{self._index_path}.lock", "w"))
            fcntl.flock(file, fcntl.LOCK_EX)
        save(self, key, data)


if fcntl is not None:
    caching.IndexDataCacheFile.save = _save_alone
