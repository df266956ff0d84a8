"""Versions of plays: whoever changes what an attack plays must say so, or sweeps keep old rows."""

import json

import pytest

from tests.sweeps.plays import FILE, played


@pytest.mark.record
@pytest.mark.slow
def test_an_attack_that_plays_otherwise_than_is_kept_has_a_higher_version():
    kept, found = json.loads(FILE.read_text()), played()
    said = []
    for name, (version, digest) in found.items():
        old_version, old_digest = kept.get(name, [0, None])
        if digest == old_digest:
            continue  # a version that was raised for games of other sizes is kept with the next
        if version > old_version:
            said.append(f"keep {name}, version {version}: python -m tests.sweeps.plays")
        else:
            said.append(f"raise `results` of {name}: it plays otherwise than before")
    assert not said, "\n".join(said)
    assert kept.keys() == found.keys()
