import os

import pytest

from holdfast.errors import InvalidInput
from holdfast.files.text_files import open_regular_file, read_text_file

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices have names on POSIX only")


def test_a_text_is_returned_without_its_byte_order_mark(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_bytes(b"\xef\xbb\xbfrelease = 'exact'\r\n")
    assert read_text_file(path, 100) == "release = 'exact'\r\n"


def test_a_file_longer_than_the_limit_is_refused(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_bytes(b"x" * 11)
    assert read_text_file(path, 11) == "x" * 11
    with pytest.raises(InvalidInput, match=r"policy\.toml must have at most 10 bytes, got more\.$"):
        read_text_file(path, 10)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\xff\n", "must be UTF-8 text, got other bytes at line 2."),
        (b"a\n\nb\0\n", "must be text, got a NUL byte at line 3."),
    ],
)
def test_other_bytes_are_refused_with_their_line(tmp_path, content, message):
    path = tmp_path / "policy.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as caught:
        read_text_file(path, 100, name="policy")
    assert str(caught.value) == f"policy {message}"


def test_a_directory_a_missing_file_and_an_impossible_name_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"must be a file, got a directory\.$"):
        read_text_file(tmp_path, 100)
    with pytest.raises(InvalidInput, match=r"must be a file, but there is none\.$"):
        read_text_file(tmp_path / "none", 100)
    with pytest.raises(InvalidInput, match="NUL character"):
        read_text_file("a\0b", 100)
    with pytest.raises(InvalidInput, match="must be readable, got: File name too long"):
        read_text_file("a" * 5000, 100)


@posix
def test_a_device_and_a_pipe_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe"):
        with pytest.raises(InvalidInput, match="must be a regular file, got a pipe or a device"):
            open_regular_file(path)


@posix
def test_no_link_leads_out_of_a_folder_whenever_it_is_put_there(tmp_path):
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    for each in (folder / "inner", outside):
        each.mkdir(parents=True)
        (each / "file").write_text("text")
    with open_regular_file("inner/file", below=folder) as file:
        assert file.read() == b"text"
    (folder / "link").symlink_to(outside / "file")
    (folder / "way").symlink_to(outside)
    for path in ("link", "way/file"):
        with pytest.raises(InvalidInput, match="must be a file below its folder, got a link"):
            open_regular_file(path, below=folder)
    for path in ("../outside/file", str(outside / "file"), "."):
        with pytest.raises(InvalidInput, match="must be a path below its folder"):
            open_regular_file(path, below=folder)
    with pytest.raises(InvalidInput, match="there is none"):
        open_regular_file("none", below=folder)
    with pytest.raises(InvalidInput, match="got a directory"):
        open_regular_file("inner", below=folder)
