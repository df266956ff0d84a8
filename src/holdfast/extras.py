"""Optional dependencies: the extra that installs each, and the one message that says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.errors import NotSupported

__all__ = ["INSTALLED_BY", "needed_for", "remedy"]

# Modules that an installation may lack: the distribution, and the extra that installs it.
INSTALLED_BY = {
    "altair": ("altair", "report"),
    "argon2": ("argon2-cffi", "server"),
    "distributed": ("distributed", "sweep"),
    "fastapi": ("fastapi", "server"),
    "httptools": ("httptools", "server"),
    "jinja2": ("jinja2", "report"),
    "matplotlib": ("matplotlib", "plot"),
    "mcp": ("mcp", "mcp"),
    "narwhals": ("narwhals", "frames"),
    "numba": ("numba", "attacks"),
    "pandas": ("pandas", "sweep"),
    "prometheus_client": ("prometheus-client", "server"),
    "psycopg": ("psycopg", "postgres"),
    "pyarrow": ("pyarrow", "sweep"),
    "python_multipart": ("python-multipart", "server"),
    "rich": ("rich", "cli"),
    "sklearn": ("scikit-learn", "sklearn"),
    "typer": ("typer", "cli"),
    "uvicorn": ("uvicorn", "server"),
    "uvloop": ("uvloop", "server"),
    "vl_convert": ("vl-convert-python", "report"),
    "yaml": ("PyYAML", "cli"),
    "zstandard": ("zstandard", "inspect"),
}


def remedy(what: str, module: str) -> str:
    """Return what is missing for something, and how to install it.

    >>> remedy("the page", "jinja2")
    "the page needs jinja2; install it with: pip install 'holdfast[report]'"
    """
    distribution, extra = INSTALLED_BY[module]
    return f"{what} needs {distribution}; install it with: pip install 'holdfast[{extra}]'"


@contextmanager
def needed_for(what: str) -> Iterator[None]:
    """Turn a missing optional dependency into `NotSupported` with its remedy.

    >>> with needed_for("lint"):
    ...     raise ModuleNotFoundError("No module named 'yaml'", name="yaml")
    Traceback (most recent call last):
        ...
    holdfast.errors.NotSupported: lint needs PyYAML; install it with: pip install 'holdfast[cli]'
    """
    try:
        yield
    except ImportError as error:
        module = (error.name or "").partition(".")[0]
        if module not in INSTALLED_BY:
            raise
        raise NotSupported(remedy(what, module)) from None
