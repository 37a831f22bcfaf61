"""Files that stand for other files: pointers of Git LFS, pages of a web site, empty files."""

from __future__ import annotations

import pytest

from tfmodel.errors import FileFormatError
from tfmodel.files.access.stand_ins import refuse_stand_in, stand_in

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 36\n"


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (POINTER, "a Git LFS pointer, which stands for the file (sha256:4d7a, 36 bytes)"),
        (POINTER.replace(b"\n", b"\r\n"), "a Git LFS pointer, which stands for the file (sha256:4d7a, 36 bytes)"),
        (POINTER[:43], "a Git LFS pointer, which stands for the file"),
        (b"version https://hawser.github.com/spec/v1\noid sha256:1\n", "a Git LFS pointer"),
        (b"<!DOCTYPE html><html><title>GitHub: a\nmodel</title>", 'an HTML page "GitHub: a model"'),
        (b"\xef\xbb\xbf \n<!-- saved --><html>", "an HTML page"),
        (b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>', "an XML document"),
    ],
)
def test_stand_ins(head: bytes, what: str) -> None:
    found = stand_in(head)
    assert found is not None
    assert found.what.startswith(what)


@pytest.mark.parametrize("head", [b"", b"version 1\n", b"\x0a\x05<html", b"<svg>", b"cat\ndog\n", bytes(4096)])
def test_files_that_are_themselves(head: bytes) -> None:
    assert stand_in(head) is None


def test_an_empty_file_is_one_where_its_size_is_given() -> None:
    assert str(stand_in(b"", 0)) == ("this is an empty file (0 bytes): the program that should have written it did not")


def test_a_page_under_the_name_of_a_page_is_not_refused() -> None:
    refuse_stand_in("text.html", b"<html>")
    with pytest.raises(FileFormatError, match=r"^words.txt: this is an HTML page: the link probably led to a page"):
        refuse_stand_in("words.txt", b"<html>")
    with pytest.raises(FileFormatError, match=r"^text.html: this is a Git LFS pointer"):
        refuse_stand_in("text.html", POINTER)
