"""The challenge's evaluation script: EvalAI calls `evaluate`."""

from holdfast.guard.adapters.evalai import evaluate

__all__ = ["evaluate"]
