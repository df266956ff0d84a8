"""Extras: the project, the README and the messages name the same ones."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from holdfast.errors import LedgerError
from holdfast.extras import INSTALLED_BY, needed_for

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
FOR_USERS = {name for name in EXTRAS if name not in ("all", "dev")}


def distributions(extra):
    found = set()
    for each in EXTRAS[extra]:
        others = re.match(r"holdfast\[(.*)\]", each)
        names = others[1].split(",") if others else ()
        found |= set().union(*map(distributions, names)) if others else {name_of(each)}
    return found


def name_of(requirement):
    return re.match(r"[A-Za-z0-9_-]+", requirement)[0].lower()


@pytest.mark.parametrize("module", INSTALLED_BY)
def test_the_extra_that_a_message_names_installs_the_module(module):
    distribution, extra = INSTALLED_BY[module]
    assert distribution.lower() in distributions(extra)


def test_everything_in_an_extra_has_its_message():
    with_messages = {distribution.lower() for distribution, _ in INSTALLED_BY.values()}
    assert set().union(*map(distributions, FOR_USERS)) <= with_messages


def test_all_is_every_extra_for_users():
    (everything,) = EXTRAS["all"]
    assert set(re.search(r"\[(.*)\]", everything)[1].split(",")) == FOR_USERS


def test_the_readme_lists_every_extra():
    readme = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Install")[1]
    named = readme.split("Extras: ")[1].split(";")[0]
    assert set(re.findall(r"`(\w+)`", named)) == {*FOR_USERS, "all"}


def test_a_module_of_no_extra_stays_the_bug_that_it_is():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"), needed_for("nothing"):
        import no_such_module  # noqa: F401


@pytest.mark.parametrize("module", ["altair", "jinja2", "vl_convert"])
def test_a_page_without_its_extra_is_refused_before_anything_is_played(
    module, monkeypatch, tmp_path, capsys
):
    from holdfast.cli import main

    for name in list(sys.modules):
        if name.startswith("holdfast.audit.page"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["audit", "--report", str(tmp_path / "page.html")]) == 2
    said = capsys.readouterr()
    distribution = INSTALLED_BY[module][0]
    remedy = f"needs {distribution}; install it with: pip install 'holdfast[report]'"
    assert said.err == f"error: the page {remedy}\n"
    assert said.out == ""


def test_a_ledger_in_postgresql_without_its_extra_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "holdfast.ledger.storage.postgres", raising=False)
    with pytest.raises(LedgerError, match=r"pip install 'holdfast\[postgres\]'"):
        import holdfast.ledger.storage.postgres  # noqa: F401


# What a host needs, where numba can't be imported.
WITHOUT_A_COMPILER = """
import sys
sys.modules["numba"] = None
import numpy as np
from holdfast import Problem, bounds, certificates, client, guard, rules, metrics
from holdfast.cli import main

labels = np.arange(3000) % 3
policy = guard.Policy(release="subsample:0.5,seed=7", looks_per_team=5)
keeper = guard.Guard(labels, policy, ledger="ledger.db", create=True)
print(keeper.score(np.zeros(3000, dtype=int), team="a").released)
print(bounds.best_impossible(Problem(3000, 3, 10)) > 0)
np.savetxt("labels.csv", labels, fmt="%d", header="label", comments="")
for line in (
    "policy init --labels labels.csv --looks 5/day --days 30",
    "bounds --n-examples 3000 --n-classes 3 --looks 10",
    "ledger verify ledger.db",
    "score --help",
    "board --help",
    "attack constant --n-examples 10 --n-classes 2 --looks 3",
):
    print(line.split()[0], main(line.split()))
"""


def test_all_but_attacks_runs_without_the_compiler(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_A_COMPILER], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    codes = re.findall(
        r"^(policy|bounds|ledger|score|board|attack) (\d)$", ran.stdout, re.MULTILINE
    )
    assert dict(codes) == {
        "policy": "0", "bounds": "0", "ledger": "0", "score": "0", "board": "0", "attack": "2"
    }  # fmt: skip
    assert ran.stderr.splitlines()[-1] == (
        "error: playing attacks needs numba; install it with: pip install 'holdfast[attacks]'"
    )
