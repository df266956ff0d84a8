"""The challenge's evaluation script: EvalAI imports this folder and calls `evaluate`."""

from pathlib import Path
from typing import Any

from holdfast.guard.adapters import evalai


def evaluate(
    test_annotation_file: str, user_submission_file: str, phase_codename: str, **kwargs: Any
) -> dict[str, Any]:
    return evalai.evaluate(
        test_annotation_file,
        user_submission_file,
        phase_codename,
        folder=Path(__file__).parent,
        split="test_split",
        metric="Accuracy",
        **kwargs,
    )
