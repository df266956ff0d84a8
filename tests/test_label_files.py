import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.files.label_files import UNLABELLED, label_file_of, read_labels


@pytest.fixture
def write(tmp_path):
    def write(content, name="truth.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def save(tmp_path):
    def save(array):
        path = tmp_path / "truth.npy"
        np.save(path, array)
        return path

    return save


def test_two_columns_are_id_and_label_whatever_their_names(write):
    file = read_labels(write("picture,animal\nx1,dog\nx2,cat\nx3,dog\n"))
    assert file.labels.tolist() == [1, 0, 1]
    assert file.labels.dtype == np.uint8
    assert file.class_names == ("cat", "dog")
    assert file.ids.tolist() == ["x1", "x2", "x3"]
    assert (file.n_examples, file.n_classes) == (3, 2)


def test_one_column_is_the_label(write):
    file = read_labels(write("label\nb\na\n"))
    assert file.labels.tolist() == [1, 0]
    assert file.ids is None


def test_integers_are_ordered_as_numbers(write):
    file = read_labels(write("id,label\n1,10\n2,9\n3,-1\n"))
    assert file.class_names == ("-1", "9", "10")
    assert file.labels.tolist() == [2, 1, 0]


def test_among_many_columns_id_and_label_are_found_in_any_case(write):
    file = read_labels(write("split,Label,ID,note\ntest,a,7,x\ntest,b,8,y\n"))
    assert file.labels.tolist() == [0, 1]
    assert file.ids.tolist() == [7, 8]


def test_a_usage_or_split_column_beside_id_and_label_says_which_part(write):
    kaggle = read_labels(write("Id,Target,Usage\n1,a,Public\n2,b,Private\n3,a,Public\n"))
    assert kaggle.split_names == ("Public", "Private")
    assert kaggle.split.tolist() == [0, 1, 0]
    assert (kaggle.labels.tolist(), kaggle.ids.tolist()) == ([0, 1, 0], [1, 2, 3])
    plain = read_labels(write("split,target\n1,a\n2,b\n"))
    assert plain.split is None
    assert plain.ids.tolist() == [1, 2]


def test_two_columns_that_may_say_which_part_are_refused(write):
    """Taken for something else, they would let the private rows be scored."""
    path = write("id,label,Usage,split\n1,cat,Public,private\n2,dog,Private,public\n")
    with pytest.raises(InvalidInput, match=r"one column .* got 'Usage', 'split'; give the others"):
        read_labels(path)
    file = read_labels(path, id_column="split", label_column="label")
    assert file.split_names == ("Public", "Private")


def test_columns_named_id_and_label_may_stand_in_any_order(write):
    file = read_labels(write("label,id\ncat,7\ncat,5\n"))
    assert (file.class_names, [str(id_) for id_ in file.ids]) == (("cat",), ["7", "5"])


def test_columns_can_be_chosen(write):
    path = write("a,b,c\n1,x,p\n2,y,p\n")
    assert read_labels(path, id_column="a", label_column="b").labels.tolist() == [0, 1]
    assert read_labels(path, label_column="c").ids is None


@pytest.mark.parametrize(
    ("options", "labels", "ids"),
    [
        ({"label_column": "x"}, [0, 1], [5, 6]),
        ({"id_column": "y"}, [0, 1], [5, 6]),
    ],
)
def test_naming_one_of_two_columns_settles_the_other(write, options, labels, ids):
    file = read_labels(write("x,y\na,5\nb,6\n"), **options)
    assert file.labels.tolist() == labels
    assert file.ids.tolist() == ids


def test_a_byte_order_mark_quotes_spaces_and_carriage_returns_are_accepted(write):
    file = read_labels(write(b'\xef\xbb\xbfid, label\r\n1,"a, b"\r\n2, c \r\n\r\n'))
    assert file.class_names == ("a, b", "c")


def test_ids_keep_leading_zeros(write):
    assert read_labels(write("id,label\n007,a\n7,b\n")).ids.tolist() == ["007", "7"]


def test_given_class_names_fix_the_numbers(write):
    path = write("id,label\n1,dog\n2,cat\n")
    assert read_labels(path, class_names=["dog", "emu", "cat"]).labels.tolist() == [0, 2]


def test_many_rows_cross_the_blocks_and_mixed_ids_become_strings(write):
    n = 70_000
    lines = [f"{i},{i % 300}" for i in range(n)] + ["last,5"]
    file = read_labels(write("id,label\n" + "\n".join(lines)))
    assert file.n_examples == n + 1
    assert file.labels.dtype == np.uint16
    assert np.array_equal(file.labels[:n], np.arange(n) % 300)
    assert file.ids[0] == "0"
    assert file.ids[-1] == "last"


def test_class_names_that_look_like_versions_are_names_when_others_are_not_numbers(write):
    assert read_labels(write("id,label\n1,3.11\n2,main\n")).class_names == ("3.11", "main")


BAD_CSV = {
    "empty": (b"", {}, "must hold labels, got an empty file."),
    "header only": (b"id,label\n", {}, "must hold at least one example, got a header only."),
    "no header": (b"0,3\n1,4\n", {}, "must name its columns in the first line, got '0', '3';"),
    "blank header": (b"\n1,4\n", {}, "must name its columns in the first line, got a blank line."),
    "missing label column": (
        b"id,label\n1,a\n",
        {"label_column": "class"},
        "must have the label column 'class'; found 'id', 'label'.",
    ),
    "missing id column": (
        b"id,label\n1,a\n",
        {"id_column": "key"},
        "must have the id column 'key'; found 'id', 'label'.",
    ),
    "no column named label": (
        b"id,x,z\n1,a,b\n",
        {},
        "must have a column named label, or say which one it is; found 'id', 'x', 'z'.",
    ),
    "two columns that may be it": (
        b"id,class,target\n1,a,b\n",
        {},
        "must have a column named label, or say which one it is; 'class', 'target' may all be it.",
    ),
    "no column named id": (
        b"key,x,label\n1,a,b\n",
        {},
        "must have a column named id, or say which one it is; found 'key', 'x', 'label'.",
    ),
    "one column for both": (
        b"id,label\n1,a\n",
        {"id_column": "id", "label_column": "id"},
        "must have ids and labels in two columns, found 'id', 'label'.",
    ),
    "duplicate ids": (
        b'id,label\n1,a\n"2\n",b\n1,a\n',
        {},
        "must have distinct ids, got '1' at lines 2 and 5.",
    ),
    "a label of two lines": (
        b'id,label\n1,a\n2,"b\nb"\n',
        {},
        "must have labels of one line, got a longer one at line 4.",
    ),
    "UTF-16": ("id,label\n1,a\n".encode("utf-16"), {}, "must be UTF-8 text, got UTF-16;"),
    "blank id": (
        b"id,label\n1,a\n,b\n",
        {},
        "must have ids of 1 to 256 characters, got a blank at line 3.",
    ),
    "long id": (
        b"id,label\n" + b"9" * 257 + b",a\n",
        {},
        "must have ids of 1 to 256 characters, got 257 characters at line 2.",
    ),
    "blank label": (
        b"id,label\n1,a\n2,\n",
        {},
        f"must have a label for every example, got a blank at line 3; {UNLABELLED}.",
    ),
    "blank line": (
        b"label\na\n\nb\n",
        {},
        "must have a value for every example, got a blank at line 3.",
    ),
    "NaN label": (
        b"id,label\n1,a\n2,NaN\n",
        {},
        f"must have a label for every example, got NaN at line 3; {UNLABELLED}.",
    ),
    "spaces between columns": (
        b"id label\n1 cat\n2 dog\n3 cat\n",
        {},
        "must separate its columns by commas, semicolons or tabs, got spaces: '1 cat' at line 2; "
        "put commas in their place.",
    ),
    "float labels": (
        b"id,label\n1,1\n2,1.5\n",
        {},
        "must hold class names or whole numbers, got '1.5' at line 3.",
    ),
    "infinite label": (
        b"id,label\n1,1\n2,inf\n",
        {},
        "must hold class names or whole numbers, got 'inf' at line 3.",
    ),
    "float among known classes": (
        b"id,label\n1,1\n2,1.5\n",
        {"class_names": ["0", "1"]},
        "must hold only known classes (0, 1), got '1.5' at line 3.",
    ),
    "a label of 5,000 digits": (
        b"id,label\n1," + b"9" * 5000 + b"\n",
        {},
        "must have labels of at most 256 characters, got 5000 at line 2.",
    ),
    "ids that are floats and the same": (
        b"id,label\n1.0,a\n2.0,b\n1.0,b\n",
        {},
        "must have distinct ids, got '1' at lines 2 and 4.",
    ),
    "unknown class": (
        b"id,label\n1,cat\n2,cow\n",
        {"class_names": ["cat", "dog"]},
        "must hold only known classes (cat, dog), got 'cow' at line 3.",
    ),
    "ragged row": (
        b"id,label\n1,a\n2\n",
        {},
        "must have 2 values in every row, got 1 at line 3.",
    ),
    "not UTF-8": (
        "id,label\n1,a\n2,é\n".encode("latin-1"),
        {},
        "must be UTF-8 text, got other bytes at line 3; save it as CSV UTF-8, or say its encoding "
        "where it is read (--encoding cp1252).",
    ),
    "NUL byte": (b"id,label\n1,a\x00\n", {}, "must be text, got a NUL byte at line 2."),
    "endless line": (
        b"x" * ((1 << 20) + 1),
        {},
        "must have lines of at most 1048576 characters, got a longer one at line 1.",
    ),
    "open quote": (b'id,label\n1,"a\n', {}, "must be CSV, got: unexpected end of data."),
}


@pytest.mark.parametrize("case", BAD_CSV)
def test_each_bad_csv_is_refused_in_one_line(write, case):
    content, options, message = BAD_CSV[case]
    path = write(content)
    with pytest.raises(InvalidInput) as caught:
        read_labels(path, **options)
    assert str(caught.value).startswith(f"{path} {message}")
    assert "\n" not in str(caught.value)


def test_a_directory_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"must be a file, got a directory\.$"):
        read_labels(tmp_path)
    with pytest.raises(InvalidInput, match=r"must be a file, but there is none\.$"):
        read_labels(tmp_path / "none.csv")


def test_repeated_class_names_are_refused(write):
    with pytest.raises(InvalidInput, match=r"^class_names must be distinct, got 'a' twice\.$"):
        read_labels(write("label\na\n"), class_names=["a", "b", "a"])


def test_an_array_of_integers_keeps_its_numbers(save):
    file = read_labels(save(np.array([3, 0, 3], dtype=np.int64)))
    assert file.labels.tolist() == [3, 0, 3]
    assert file.labels.dtype == np.uint8
    assert file.class_names == ("0", "1", "2", "3")
    assert file.ids is None


def test_an_array_of_strings_holds_names(save):
    file = read_labels(save(np.array(["dog", "cat", "dog"])))
    assert file.labels.tolist() == [1, 0, 1]
    assert file.class_names == ("cat", "dog")


BAD_NPY = {
    "float": (np.array([0.0, 1.5]), {}, "must be integers, got 1.5 at position 1."),
    "infinite": (np.array([0.0, np.inf]), {}, "must be integers, got inf at position 1."),
    "complex": (np.array([0j]), {}, "must be integers, got dtype complex128."),
    "time": (np.array(["2020"], dtype="M8[ns]"), {}, "must be integers, got dtype datetime64[ns]."),
    "records": (np.zeros(2, dtype="i4,i4"), {}, "must be a plain NPY array, got: the header "),
    "not UTF-8": (np.array([b"a", b"\xff"]), {}, "must hold names in UTF-8, got other bytes at"),
    "half a letter": (np.array(["a", "\ud800"]), {}, "must hold names in Unicode, got others at"),
    "a name of two lines": (np.array(["a", "b\nc"]), {}, "must have labels of one line, got a"),
    "NaN": (np.array([0.0, np.nan]), {}, "must be integers, got NaN at position 1."),
    "matrix": (np.zeros((2, 3), dtype=int), {}, "must be one-dimensional, got shape (2, 3)."),
    "negative": (np.array([0, -1]), {}, "must hold class numbers from 0 on, got -1 at position 1."),
    "pickled": (np.array([{}], dtype=object), {}, "must be a plain NPY array, got: "),
    "no example": (np.array([], dtype=int), {}, "must not be empty."),
    "blank name": (
        np.array(["a", ""]),
        {},
        f"must have a label for every example, got a blank at position 1; {UNLABELLED}.",
    ),
    "beyond the classes": (
        np.array([0, 2]),
        {"class_names": ["a", "b"]},
        "must lie in 0 .. 1, got 2 at position 1.",
    ),
    "unknown name": (
        np.array(["b", "z", "b"]),
        {"class_names": ["a", "b"]},
        "must hold only known classes (a, b), got 'z' at position 1.",
    ),
}


@pytest.mark.parametrize("case", BAD_NPY)
def test_each_bad_array_is_refused_in_one_line(save, case):
    array, options, message = BAD_NPY[case]
    path = save(array)
    with pytest.raises(InvalidInput) as caught:
        read_labels(path, **options)
    assert str(caught.value).startswith(f"{path} {message}")
    assert "\n" not in str(caught.value)


def test_whole_floats_and_truth_values_are_classes(save):
    assert read_labels(save(np.array([0.0, 2.0, 1.0]))).class_names == ("0", "1", "2")
    file = read_labels(save(np.array([True, False, True])))
    assert file.class_names == ("0", "1")
    assert file.labels.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("truth", "submission"),
    [
        (["0", "1", "10"], ["0.0", "1.0", "10.0"]),
        (["0.0", "1.0", "10.0"], ["0", "1", "10"]),
        (["-1", "1", "3"], ["-1.0", "1.", "3e0"]),
        (["False", "True", "True"], ["0", "1.0", "TRUE"]),
        (["0", "1", "1"], ["False", "True", "true"]),
        (["1.0", "main", "x"], ["1", "main", "x"]),
    ],
)
def test_a_class_is_the_same_however_it_is_spelled(write, truth, submission):
    def table(labels):
        return "id,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels))

    known = read_labels(write(table(truth)))
    guess = read_labels(write(table(submission), "guess.csv"), class_names=known.class_names)
    assert guess.labels.tolist() == known.labels.tolist()


def test_1_and_1_0_are_one_class_in_a_file_of_numbers_only(write):
    file = read_labels(write("id,label\n1,1\n2,1.0\n3,0\n"))
    assert file.class_names == ("0", "1")
    assert file.labels.tolist() == [1, 1, 0]
    mixed = read_labels(write("id,label\n1,1\n2,1.0\n3,cat\n"))
    assert mixed.class_names == ("1", "1.0", "cat")


def test_what_pandas_writes_of_integers_with_a_missing_value_is_read_back(write, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [3, 4, None], "label": [1, 0, None]}).dropna()
    frame.to_csv(tmp_path / "frame.csv", index=False)
    file = read_labels(tmp_path / "frame.csv", class_names=["0", "1"])
    assert file.labels.tolist() == [1, 0]
    assert file.ids.tolist() == [3, 4]


def test_ids_with_a_point_are_integers_only_if_each_ends_in_0(write):
    assert read_labels(write("id,label\n1.0,a\n20.0,b\n")).ids.tolist() == [1, 20]
    assert read_labels(write("v,label\n1.0,a\n1.1,b\n")).ids.tolist() == ["1.0", "1.1"]
    assert read_labels(write("v,label\n1.0,a\n1,b\n")).ids.tolist() == ["1.0", "1"]
    assert read_labels(write("v,label\n01.0,a\n1.0,b\n")).ids.tolist() == ["01.0", "1.0"]


def test_labels_handed_over_as_texts_are_read_like_a_file():
    truth = label_file_of(["1.0", "0.0", "1.0"], name="solution", ids=["5.0", "6.0", "7.0"])
    assert truth.class_names == ("0", "1")
    assert truth.ids.tolist() == [5, 6, 7]
    with pytest.raises(InvalidInput, match=r"^guess must hold only known classes .*'2' at row 2"):
        label_file_of(["0", "2"], name="guess", class_names=truth.class_names)
    with pytest.raises(InvalidInput, match=r"got NaN at row 1; leave such rows out"):
        label_file_of(["nan"], name="guess")


def test_rows_beyond_a_limit_are_not_read(write, save):
    plain, quoted = write("label\na\nb\na\n"), write('label\n"a"\nb\na\n', "quoted.csv")
    array = save(np.array([0, 1, 0]))
    for path in (plain, quoted, array):
        assert read_labels(path, most_rows=3).n_examples == 3
        with pytest.raises(InvalidInput, match=r"must have at most 2 rows, got more\.$"):
            read_labels(path, most_rows=2)


def test_a_truncated_array_is_refused_without_allocating_what_it_promises(save):
    path = save(np.zeros(1000, dtype=np.uint8))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidInput, match="must be a plain NPY array, got: "):
        read_labels(path)
