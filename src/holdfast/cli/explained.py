"""Help screens: commands by task, summaries in full, and examples as they are typed."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup

__all__ = [
    "ExplainedCommand",
    "ExplainedGroup",
    "examples_of",
    "folded",
    "text_of",
    "with_examples",
]

# A docstring's section of examples: one command per line, a long one goes on indented.
HEADING = re.compile(r"\n+Examples\n-+\n")


def text_of(explanation: str | None) -> str:
    r"""Return what stands before the examples.

    >>> text_of("Play.\n\nExamples\n--------\nholdfast demo")
    'Play.'
    """
    return HEADING.split(explanation or "")[0].rstrip()


def examples_of(explanation: str | None) -> list[str]:
    r"""Return the examples, one command per entry.

    >>> examples_of("Play.\n\nExamples\n--------\nholdfast demo\nholdfast demo --json\n")
    ['holdfast demo', 'holdfast demo --json']
    """
    _, *sections = HEADING.split(explanation or "")
    whole = re.sub(r"\n +", " ", "\n".join(sections))
    return [line for line in whole.splitlines() if line]


def folded(command: str, width: int) -> list[str]:
    r"""Return a command in lines that a shell reads as one; an option stays with its value.

    >>> print("\n".join(folded("holdfast demo --out figures --seed 7", 24)))
    holdfast demo \
        --out figures \
        --seed 7
    """
    together = re.sub(r"((?:^| )(?:-[\w-]+|>)) (?=[^-])", "\\1\0", command)
    lines = textwrap.wrap(
        together,
        width - 2,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    lines = [line.replace("\0", " ") for line in lines]
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def with_examples(text: str, *examples: str) -> str:
    """Return the explanation of a group, which has no docstring, with its examples."""
    return "\n".join([text, "", "Examples", "--------", *examples])


class _Explained:
    """Show a text without its examples, the examples last, and the summary in full."""

    help: str | None

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the first paragraph whole, however long it is."""
        del limit
        return " ".join(text_of(self.help).partition("\n\n")[0].split())

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the text alone."""
        del ctx
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text_of(self.help))

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples so that they can be copied."""
        del ctx
        examples = examples_of(self.help)
        if examples:
            with formatter.section("Examples"):
                indent = formatter.current_indent
                for example in examples:
                    for line in folded(example, formatter.width - indent):
                        formatter.write(f"{'':{indent}}{line}\n")


class ExplainedCommand(_Explained, TyperCommand):
    """A command whose help ends with examples."""


class ExplainedGroup(_Explained, TyperGroup):
    """Commands listed by task; those of no task under "Commands"."""

    tasks: ClassVar[Mapping[str, Sequence[str]]] = {}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Answer a group that is given nothing with its help, as lines and not as an error's."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            print(ctx.get_help(), file=sys.stderr)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one section for each task."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        listed = [name for names in self.tasks.values() for name in names]
        others = [name for name in found if name not in listed]
        for task, names in [*self.tasks.items(), ("Commands", others)]:
            rows = [
                (name, command.get_short_help_str())
                for name in names
                if (command := found.get(name)) is not None
            ]
            if rows:
                with formatter.section(task):
                    formatter.write_dl(rows)
