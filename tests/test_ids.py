import numpy as np
import pytest

from holdfast.files import ids as module
from holdfast.files.ids import IdIndex, as_ids, distinct_keys, id_keys


def some_ids(kind, n, rng):
    numbers = rng.permutation(50 * n)[:n] - 5 * n
    if kind == "integers":
        return numbers.astype(np.int64)
    return np.array([f"row-{number}-é" for number in numbers])


@pytest.mark.parametrize("kind", ["integers", "strings"])
@pytest.mark.parametrize("n", [1, 2, 7, 5000])
def test_every_id_is_found_in_any_order(kind, n):
    rng = np.random.default_rng(n)
    ids = some_ids(kind, n, rng)
    order = rng.permutation(n)
    places = IdIndex(ids).places_in(ids[order])
    assert np.array_equal(order[places], np.arange(n))
    assert np.array_equal(IdIndex(ids).places_in(ids), np.arange(n))


@pytest.mark.parametrize("kind", ["integers", "strings"])
def test_what_is_not_there_is_nowhere(kind):
    rng = np.random.default_rng(3)
    ids = some_ids(kind, 3000, rng)
    half = rng.permutation(3000)[:1000]
    places = IdIndex(ids).places_in(ids[half])
    assert np.array_equal(np.flatnonzero(places >= 0), np.sort(half))
    assert np.array_equal(ids[half][places[places >= 0]], ids[places >= 0])
    strange = np.array([10**12 + i for i in range(10)])
    assert (
        IdIndex(ids).places_in(strange if kind == "integers" else strange.astype(str)) < 0
    ).all()


def test_integers_are_found_among_strings_that_write_them_plainly():
    places = IdIndex(np.array([7, 8, 9])).places_in(np.array(["9", "x", "7"]))
    assert places.tolist() == [2, -1, 0]


def test_strings_of_other_width_have_the_same_key():
    narrow = np.array(["ab", "c"])
    wide = narrow.astype("<U40")
    assert np.array_equal(id_keys(narrow), id_keys(wide))
    assert np.array_equal(id_keys(narrow), id_keys(narrow.astype(">U2")))
    assert IdIndex(narrow).places_in(wide[::-1]).tolist() == [1, 0]


def test_ids_that_share_one_key_are_still_told_apart(monkeypatch):
    monkeypatch.setattr(module, "MULTIPLIERS", np.zeros(256, dtype=np.uint64))
    ids = np.array([f"row{i}" for i in range(500)])
    order = np.random.default_rng(0).permutation(500)
    places = IdIndex(ids).places_in(ids[order])
    assert np.array_equal(order[places], np.arange(500))


def test_a_stranger_with_a_key_of_the_index_is_not_taken_for_its_id(monkeypatch):
    monkeypatch.setattr(
        module, "MULTIPLIERS", np.array([1] + [0] * 255, dtype=np.uint64)
    )  # only the first letter counts
    index = IdIndex(np.array(["a1", "b1"]))
    assert index.places_in(np.array(["b2", "a1"])).tolist() == [1, -1]


@pytest.mark.parametrize("n", [2, 100, 20_000])
def test_one_repeated_key_among_many_is_noticed(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        keys = rng.permutation(np.arange(10 * n, dtype=np.uint64))[:n]
        assert distinct_keys(keys)
        first, second = rng.choice(n, 2, replace=False)
        keys[first] = keys[second]
        assert not distinct_keys(keys)


def test_keys_that_all_share_a_slot_are_told_apart():
    # Multiples of the golden number's inverse fall into neighbouring slots.
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
    keys = np.array([(inverse * i) % 2**64 for i in range(1000)], dtype=np.uint64)
    assert distinct_keys(keys)
    assert not distinct_keys(np.append(keys, keys[:1]))


def test_integers_written_plainly_or_all_with_a_point_zero_are_integers():
    assert as_ids(np.array(["-3", "20"])).tolist() == [-3, 20]
    assert as_ids(np.array(["-3.0", "20.0"])).tolist() == [-3, 20]
    for texts in (["1.0", "2"], ["01.0"], ["1.00"], ["1_0"], ["9" * 30], ["x.0"], [".0"]):
        assert as_ids(np.array(texts)).tolist() == texts
