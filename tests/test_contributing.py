"""What CONTRIBUTING names is there: files, commands, classes, and the attributes of its lists."""

import importlib.util
import re
from pathlib import Path

import pytest

from holdfast import attacks, rules
from holdfast.attacks import through_metrics
from holdfast.attacks.base import LabelAttack
from holdfast.attacks.description import FAMILIES, Described
from holdfast.attacks.informed import InformedAttack
from holdfast.attacks.through_metrics.description import (
    AroundAttack,
    MetricBoard,
    ThroughMetric,
)
from holdfast.cli.app import COMMANDS
from holdfast.errors import NotSupported
from holdfast.rules.base import Reading, Rule

ROOT = Path(__file__).resolve().parents[1]
IMPORTED = re.compile(r"^\s*from (holdfast[\w.]*)(?:\.| import )(_[a-z]\w*)\b", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CLASSES = {**vars(attacks), **vars(through_metrics), **vars(rules)} | {
    cls.__name__: cls
    for cls in (
        Described,
        InformedAttack,
        ThroughMetric,
        AroundAttack,
        MetricBoard,
        NotSupported,
    )
}


def words_of(page, *, section=""):
    """Return what stands in backquotes in a page, or in one section of it, code blocks apart."""
    text = FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    if section:
        text = re.search(rf"^## {section}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]
    return sorted(set(re.findall(r"`([^`\n]+)`", text)))


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md", "docs/design.md"])
def test_every_target_of_make_and_every_command_exists(page):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for word in words_of(page):
        program, _, rest = word.partition(" ")
        if program == "make" and rest:
            assert rest.split()[0] in targets, word
        if program == "holdfast" and rest and not rest.startswith("-"):
            assert rest.split()[0] in COMMANDS, word
        if word.startswith("python -m "):
            assert importlib.util.find_spec(word.split()[2]), word


def test_every_file_and_folder_that_it_names_exists():
    for word in words_of("CONTRIBUTING.md"):
        if re.fullmatch(r"[\w./-]*(/[\w.-]*|\.(py|toml|txt|md))", word) and word != ".venv/bin":
            assert (
                (ROOT / word).exists()
                or (ROOT / "src" / "holdfast" / word).exists()
                or (ROOT / "src" / "holdfast" / "attacks" / word).exists()
            ), word


def test_every_file_that_a_source_or_a_page_of_ours_names_exists():
    named = re.compile(r"`((?:benchmarks|scripts|tests|docs|src|examples)/[\w./-]+\.\w+)`")
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
    for path in [*files, *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]:
        for name in named.findall(path.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{path.relative_to(ROOT)} names {name}"


def test_every_class_that_it_names_exists():
    for word in words_of("CONTRIBUTING.md"):
        if re.fullmatch(r"([A-Z][a-z]+)+", word):
            assert word in CLASSES, word


@pytest.mark.parametrize(
    ("section", "owners", "others"),
    [
        ("A new release rule", (Rule, Reading), ("source", "name", "holdfast.testing")),
        (
            "A new attack",
            (InformedAttack, LabelAttack),
            ("plan", "matrix", "audit", "lint", "rng", "predict_on"),
        ),
        (
            "A new attack through a metric",
            (AroundAttack,),
            ("inner", "ranges", "class_sizes", "told", "elsewhere"),
        ),
    ],
)
def test_every_attribute_in_its_lists_is_one(section, owners, others):
    """What is declared without a value counts, too."""
    known = {name for owner in owners for cls in owner.__mro__ for name in dir(cls)}
    known |= {
        name for o in owners for cls in o.__mro__ for name in vars(cls).get("__annotations__", ())
    }
    known |= {"prior", "answers", "certain", *FAMILIES, *others}
    words = [
        re.sub(r"(\(\)|=| = .*)$", "", word)
        for word in words_of("CONTRIBUTING.md", section=section)
    ]
    attributes = [word for word in words if re.fullmatch(r"[a-z_]+", word)]
    assert len(attributes) > 8
    assert [word for word in attributes if word not in known] == []


def test_its_list_names_every_attribute_of_an_attack():
    methods = {name for name, each in vars(Described).items() if isinstance(each, classmethod)}
    declared = {*Described.__annotations__, *methods} - {"__init_subclass__"}
    # The name follows from that of the class; the family is its folder.
    wanted = declared - {"name", "family"}
    assert wanted - set(words_of("CONTRIBUTING.md", section="A new attack")) == set()


def test_its_list_names_every_attribute_of_an_attack_through_a_metric():
    methods = {name for name, each in vars(ThroughMetric).items() if isinstance(each, classmethod)}
    declared = {*ThroughMetric.__annotations__, *methods} - {"__init_subclass__"}
    # The skeleton has the summary; names follow from that of the class.
    wanted = declared - {"name", "title", "summary"}
    assert wanted - set(words_of("CONTRIBUTING.md", section="A new attack through a metric")) == (
        set()
    )


def test_a_module_of_a_package_alone_is_imported_by_no_other_and_by_no_test():
    """Its name begins with an underscore; the version is everybody's."""
    found = set()
    for folder in ("src", "tests", "benchmarks", "scripts", "examples"):
        for path in (ROOT / folder).rglob("*.py"):
            here = ".".join(path.relative_to(ROOT).parent.parts).removeprefix("src.")
            for owner, module in IMPORTED.findall(path.read_text(encoding="utf-8")):
                is_module = (ROOT / "src" / owner.replace(".", "/") / f"{module}.py").exists()
                if is_module and owner != here and module != "_version":
                    found.add((str(path.relative_to(ROOT)), f"{owner}.{module}"))
    assert found == set()
