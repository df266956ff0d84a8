"""A command with subcommands: what names none of them is for the command itself."""

from __future__ import annotations

from typing import Any

from holdfast.cli.explained import ExplainedGroup

__all__ = ["WithDefault"]


class WithDefault(ExplainedGroup):
    """A group whose first command runs under the group's own name.

    `holdfast audit compare A B` is the command `compare`; `holdfast audit labels.csv`, or
    `holdfast audit --help`, is the first one, whose usage line bears the group's name. A label
    file that has a subcommand's name is written with its folder: `./compare`.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.own = self.commands.pop(next(iter(self.commands)))

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Return the own command's context, unless the first word names another."""
        if args and args[0] in self.commands:
            return super().make_context(info_name, args, parent=parent, **extra)
        return self.own.make_context(info_name, args, parent=parent, **extra)
