"""Adapters in the real frames of loops; `make test-adapters` installs them."""
