"""Release rules: what an oracle tells of an exact score. One rule per file."""

from holdfast.mechanisms.exact import Exact

__all__ = ["Exact"]
