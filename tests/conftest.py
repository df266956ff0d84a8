"""Settings that every test shares."""

from hypothesis import settings

# The same examples on every run, and no deadline: the first call of a kernel compiles it.
settings.register_profile("holdfast", deadline=None, derandomize=True)
settings.load_profile("holdfast")
