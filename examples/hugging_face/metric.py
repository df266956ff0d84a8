"""The competition's custom metric: the platform calls `compute(params)`."""

from holdfast.guard.adapters.hugging_face import compute

__all__ = ["compute"]
