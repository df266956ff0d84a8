"""References: attacks and rules by name, by `package.module:Name`, or by `path/to/file.py:Name`.

A reference is text, so that a cell means the same to every process and on every machine: each
worker looks it up for itself. The file that defines it is part of a cell's content address. It may
have settings, as in `column-vote(queries_per_nat=2)`. An object whose settings no text can tell is
called by its class and a digest, and travels to the workers.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import holdfast.planner  # noqa: F401 - registers the attack that plans first
from holdfast.attacks.description import Described
from holdfast.attacks.registry import attack_type
from holdfast.errors import InvalidInput
from holdfast.quoting import shortened
from holdfast.rules import Rule, parse_rule
from holdfast.sweeps.settings import are_plain, bound_attack, parted, with_settings

__all__ = [
    "attack_reference",
    "digest",
    "find_attack",
    "find_rule",
    "is_own",
    "keep_objects",
    "kept_objects",
    "named_in_file",
    "rule_reference",
]

# Of a file's digest; enough that no two files of a sweep share it.
DIGITS = 16
# What a module that was loaded from a file's path is called, before a digest of the path.
OWN = "holdfast_own_"
MAIN = "__main__"
# Between the class of an object that no text can tell and the object's digest.
KEPT = "#"
# Of pickle: a later one would call the same object otherwise.
PROTOCOL = 5


def attack_reference(attack: str | type[Described] | partial[Any]) -> str:
    """Return the text by which every process finds an attack, or raise why there is none.

    >>> from holdfast import attacks
    >>> attack_reference(attacks.BlockMajority), attack_reference("lattice")
    ('block-majority', 'lattice')
    >>> attack_reference(partial(attacks.ColumnVote, queries_per_nat=2))
    'column-vote(queries_per_nat=2)'
    """
    if isinstance(attack, str):
        find_attack(attack)
        return with_settings(*parted(attack))
    settings: dict[str, Any] = {}
    made: Any = attack
    if isinstance(attack, partial) and not attack.args:
        made, settings = attack.func, attack.keywords
    if not (isinstance(made, type) and issubclass(made, Described)):
        raise InvalidInput(
            f"an attack must be a name, a class of attacks or a partial of one, got {attack!r}."
        )
    reference = _of_object(made, made.name, attack_type)
    if not are_plain(settings):
        bound_attack(made, settings)  # settings that it does not take are refused
        return _kept_as(reference, attack)
    reference = with_settings(reference, settings)
    find_attack(reference)
    return reference


def rule_reference(rule: str | Rule | type[Rule]) -> str:
    """Return the text by which every process finds a release rule, or raise why there is none."""
    if isinstance(rule, str):
        found = find_rule(rule)
        return with_settings(*parted(rule)) if _is_place(rule) else str(found)
    if isinstance(rule, type) and issubclass(rule, Rule):
        try:
            rule = rule()
        except TypeError as error:
            raise InvalidInput(f"a rule of this class can't be made: {error}.") from None
    if not isinstance(rule, Rule):
        raise InvalidInput(f"a rule must be a text such as round:2 or a rule, got {rule!r}.")
    try:
        if parse_rule(str(rule)) == rule:
            return str(rule)
    except (InvalidInput, NotImplementedError):
        pass
    given = {each.name: getattr(rule, each.name) for each in fields(rule) if each.init}
    usual = {each.name: each.default for each in fields(rule)}
    settings = {name: value for name, value in given.items() if value != usual[name]}
    reference = _of_object(type(rule))
    if are_plain(settings) and find_rule(with_settings(reference, settings)) == rule:
        return with_settings(reference, settings)
    return _kept_as(reference, rule)


# Objects that no text can tell, by what they are called.
_kept: dict[str, Any] = {}


def _kept_as(reference: str, thing: Any) -> str:
    """Return what an object of a class is called, and keep it for those who ask."""
    try:
        packed = pickle.dumps(thing, PROTOCOL)
    except Exception as error:  # whatever an object of one's own raises
        raise InvalidInput(
            f"{thing!r} can't travel to other processes: {shortened(str(error))}"
        ) from None
    # Not its `repr`, which leaves out most of a long array.
    name = f"{reference}{KEPT}{hashlib.sha256(packed).hexdigest()[:DIGITS]}"
    _kept[name] = thing
    return name


def _kept_object(name: str) -> Any:
    if name not in _kept:
        raise InvalidInput(f"{name} is an object that only the experiment that was given it has.")
    return _kept[name]


def kept_objects(references: Iterable[str]) -> dict[str, Any]:
    """Return the objects among these that no text can tell."""
    return {each: _kept[each] for each in references if each in _kept}


def keep_objects(objects: Mapping[str, Any]) -> None:
    """Let this process find objects that travelled to it."""
    _kept.update(objects)


def is_own(cell: Any) -> bool:
    """Tell whether a cell plays an attack or a rule from outside the package."""
    return ":" in cell.attack or KEPT in cell.attack or _is_place(cell.rule)


def _is_place(reference: str) -> bool:
    """Tell `package.module:NAME` and `file.py:NAME` from `round:2` and `ladder:0.01`."""
    place, _, name = _without_object(parted(reference)[0]).rpartition(":")
    return name.isidentifier() and ("." in place or "/" in place)


def _without_object(reference: str) -> str:
    """Return the class of an object that is kept."""
    return reference.partition(KEPT)[0]


def _of_object(
    thing: Any, name: str | None = None, by_name: Callable[[str], Any] | None = None
) -> str:
    if name is not None and by_name is not None:
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
    if KEPT in reference:
        kept = _kept_object(reference)
        return bound_attack(kept.func, kept.keywords)
    base, settings = parted(reference)
    found = attack_type(base) if ":" not in base else _looked_up(base)
    if not (isinstance(found, type) and issubclass(found, Described)):
        raise InvalidInput(
            f"{base} must be a class of attacks (holdfast.attacks.description.Described)."
        )
    return bound_attack(found, settings) if settings else found


@lru_cache(maxsize=256)
def find_rule(reference: str) -> Rule:
    """Return the release rule that a reference names: a class is made with its settings."""
    if not _is_place(reference):
        return parse_rule(reference)
    if KEPT in reference:
        kept: Rule = _kept_object(reference)
        return kept
    base, settings = parted(reference)
    found = _looked_up(base)
    try:
        rule = found(**settings) if settings or isinstance(found, type) else found
    except TypeError as error:
        raise InvalidInput(f"{reference} can't be made: {error}.") from None
    if not isinstance(rule, Rule):
        raise InvalidInput(f"{reference} must be a release rule (holdfast.rules.Rule).")
    return rule


def digest(reference: str) -> str | None:
    """Return the digest of the file that a reference names; None: it is not one.

    Of a module it is the file that defines it; what that imports is not part of it.
    """
    reference = _without_object(parted(reference)[0])
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


def named_in_file(reference: str) -> str:
    """Return what a reference names in its file, with settings and all; "": the whole file."""
    base = _without_object(parted(reference)[0])
    name = base.rpartition(":")[2]
    return name + reference[len(base) :] if name.isidentifier() else ""


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
    except (Exception, SystemExit) as error:  # somebody's file may raise anything
        why = shortened(f"{type(error).__name__}: {error}")
        raise InvalidInput(f"{reference} can't be loaded: {why}") from None


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
