"""References: attacks and rules by name, by `package.module:Name`, or by `path/to/file.py:Name`.

A reference is text, so that a cell means the same to every process and on every machine: each
worker looks it up for itself. The file that defines it is part of a cell's content address.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import holdfast.planner  # noqa: F401 - registers the attack that plans first
from holdfast.attacks.description import Described
from holdfast.attacks.registry import attack_type
from holdfast.errors import InvalidInput
from holdfast.mechanisms import Rule, parse_mechanism

__all__ = ["attack_reference", "digest", "find_attack", "find_rule", "is_own", "rule_reference"]

# Of a file's digest; enough that no two files of a sweep share it.
DIGITS = 16
# What a module that was loaded from a file's path is called, before a digest of the path.
OWN = "holdfast_own_"
MAIN = "__main__"


def attack_reference(attack: str | type[Described]) -> str:
    """Return the text by which every process finds an attack, or raise why there is none.

    >>> from holdfast import attacks
    >>> attack_reference(attacks.BlockMajority), attack_reference("lattice")
    ('block-majority', 'lattice')
    """
    if isinstance(attack, str):
        find_attack(attack)
        return attack
    if not (isinstance(attack, type) and issubclass(attack, Described)):
        raise InvalidInput(f"an attack must be a name or a class of attacks, got {attack!r}.")
    return _of_object(attack, attack.name, attack_type)


def rule_reference(rule: str | Rule) -> str:
    """Return the text by which every process finds a release rule, or raise why there is none."""
    if isinstance(rule, str):
        found = find_rule(rule)
        return rule if _is_place(rule) else str(found)
    if not isinstance(rule, Rule):
        raise InvalidInput(f"a rule must be a text such as round:2 or a rule, got {rule!r}.")
    try:
        if parse_mechanism(str(rule)) == rule:
            return str(rule)
    except InvalidInput:
        pass
    raise InvalidInput(f"the rule {rule} has no text form; give it as path/to/file.py:NAME.")


def is_own(cell: Any) -> bool:
    """Tell whether a cell plays an attack or a rule from outside the package."""
    return ":" in cell.attack or _is_place(cell.rule)


def _is_place(reference: str) -> bool:
    """Tell `package.module:NAME` and `file.py:NAME` from `round:2` and `ladder:0.01`."""
    place, _, name = reference.rpartition(":")
    return name.isidentifier() and ("." in place or "/" in place)


def _of_object(thing: Any, name: str, by_name: Callable[[str], Any]) -> str:
    try:
        if by_name(name) is thing:
            return name
    except InvalidInput:
        pass
    reference = f"{_home(thing.__module__)}:{thing.__qualname__}"
    if _looked_up(reference) is not thing:
        raise InvalidInput(f"{thing!r} must be at the top of a module, or path/to/file.py:Name.")
    return reference


def _home(module: str) -> str:
    """Return by what every process finds a module: a script is another one's `__main__` nowhere."""
    path = getattr(sys.modules.get(module), "__file__", None)
    return str(path) if path and (module == MAIN or module.startswith(OWN)) else module


@lru_cache(maxsize=256)
def find_attack(reference: str) -> type[Described]:
    """Return the attack that a reference names."""
    if ":" not in reference:
        return attack_type(reference)
    found = _looked_up(reference)
    if not (isinstance(found, type) and issubclass(found, Described)):
        raise InvalidInput(f"{reference} must be a class of attacks (holdfast.attacks.Described).")
    return found


@lru_cache(maxsize=256)
def find_rule(reference: str) -> Rule:
    """Return the release rule that a reference names: a class is made without arguments."""
    if not _is_place(reference):
        return parse_mechanism(reference)
    found = _looked_up(reference)
    rule = found() if isinstance(found, type) else found
    if not isinstance(rule, Rule):
        raise InvalidInput(f"{reference} must be a release rule (holdfast.mechanisms.Rule).")
    return rule


def digest(reference: str) -> str | None:
    """Return the digest of the file that a reference names; None: it is not one.

    Of a module it is the file that defines it; what that imports is not part of it.
    """
    place, _, name = reference.rpartition(":")
    path = Path(place if name.isidentifier() else reference)
    if path.suffix not in (".py", ".csv", ".npy", ".txt"):
        if not (place and name.isidentifier()):
            return None
        path = Path(_origin(place) or "")
    if not path.is_file():
        return None
    with path.open("rb") as file:  # by and by: a file may be larger than memory
        return hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]


def _origin(module: str) -> str | None:
    """Return the file that a module comes from, if there is one."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return None
    return spec.origin if spec is not None and spec.has_location else None


def _looked_up(reference: str) -> Any:
    """Return what a module or a file calls by a name."""
    place, _, name = reference.rpartition(":")
    try:
        module = _loaded(place) if place.endswith(".py") else import_module(place)
        return getattr(module, name)
    except (ImportError, OSError, SyntaxError, AttributeError) as error:
        raise InvalidInput(f"{reference} can't be loaded: {error}") from None


def _loaded(place: str) -> Any:
    """Load a file as a module of its own, once; the script that runs is loaded already."""
    path = Path(place).resolve()
    main = sys.modules[MAIN]
    if (running := getattr(main, "__file__", None)) and Path(running).resolve() == path:
        return main
    name = f"{OWN}{hashlib.sha256(str(path).encode()).hexdigest()[:DIGITS]}"
    if name not in sys.modules:
        if not path.is_file():
            raise OSError("there is no such file")
        spec = spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise OSError("it is no Python file")
        module = sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]
