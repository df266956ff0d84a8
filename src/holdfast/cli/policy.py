"""`holdfast policy`: write a policy file to start from, and check one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json
from holdfast.errors import InvalidInput
from holdfast.guard import Policy
from holdfast.guard.policy import POLICY_TEMPLATE

__all__ = ["policy"]

policy = typer.Typer(
    help="Write or check a policy: what is released of a score, and how often.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@policy.command()
def init(
    path: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("policy.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a policy file with every setting, its default and what it means."""
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(POLICY_TEMPLATE)
    except FileExistsError:
        raise InvalidInput(f"{path} must not exist yet; --force overwrites it.") from None
    except OSError as error:
        raise InvalidInput(f"{path} must be writable: {error.strerror}.") from None
    if as_json:
        print_json({"path": str(path), "settings": dict(Policy.read(path).settings())})
        return
    human().print(f"Wrote {path}. Check it after editing: holdfast policy check {path}")


@policy.command()
def check(
    path: Annotated[Path, typer.Argument(help="The policy file.")] = Path("policy.toml"),
    as_json: AsJson = False,
) -> None:
    """Check a policy file and show every setting; an error names the line."""
    settings = dict(Policy.read(path).settings())
    if as_json:
        print_json(settings)
        return
    for name, value in settings.items():
        human().print(f"{name:18} {_shown(value)}", markup=False)


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
