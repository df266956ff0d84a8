"""Files in the layout of a sample, read as the general reader reads them."""

import csv
import io

import numpy as np
import pytest

from holdfast.files.sample_layout import SampleLayout
from holdfast.guard import GuardedFile, Policy

IDS = {
    "numbers": lambda rng, n: rng.permutation(10 * n)[:n],
    "names": lambda rng, n: np.array([f"img, {at:04d}" for at in rng.permutation(n)]),
    "lines": lambda rng, n: np.array([f"two\nlines {at}" for at in rng.permutation(n)]),
}


def as_csv(ids, labels):
    text = io.StringIO()
    rows = zip(ids, labels, strict=True)
    csv.writer(text, lineterminator="\n").writerows([("id", "label"), *rows])
    return text.getvalue().encode()


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("classes", ["0123456789", "ba", ["cat", "dog"], ["1", "10"]])
def test_what_it_reads_is_what_the_general_reader_reads(kind, classes, tmp_path):
    rng = np.random.default_rng(7)
    n, classes = 50, list(classes)
    ids = IDS[kind](rng, n)
    labels = tmp_path / "labels.csv"
    labels.write_bytes(as_csv(ids, rng.choice(classes, n)))
    labels.chmod(0o600)
    policy = Policy("exact", classes=tuple(classes))
    host = GuardedFile(labels, policy, str(tmp_path / "ledger.db"), create=True)
    found = host.truth.ids
    layout = SampleLayout(
        as_csv(np.sort(found), [classes[0]] * n), classes, np.argsort(np.argsort(found))
    )
    assert layout.usable is (kind != "lines" and all(len(name) == 1 for name in classes))
    known = 0
    for _ in range(300):
        body = bytearray(as_csv(np.sort(found), rng.choice(classes, n)))
        for _ in range(rng.integers(3)):  # none, one or two bytes that are other ones
            body[rng.integers(len(body))] = rng.choice(list(b'0129ab,\n"x.-'))
        fast = layout.labels(bytes(body))
        if fast is not None:
            slow, reason = host.attempt(io.BytesIO(bytes(body)))
            assert reason == ""
            np.testing.assert_array_equal(fast, slow)
            known += 1
    assert known >= 50 or not layout.usable
