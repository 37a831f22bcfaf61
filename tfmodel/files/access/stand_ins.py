"""Detect files that stand for other files: pointers of Git LFS, pages of a web site, and empty files.

    if found := stand_in(head, size):
        raise CheckpointError(with_name(name, f"{found}"))

    refuse_stand_in("words.txt", data)             # raises FileFormatError
    lfs_pointer("assets/words.txt")                # the description of a pointer, or None

They are found in place of any file that a model consists of: a repository was cloned without Git LFS, a link led to a
page about the file, or a program ended before it wrote anything. `detection` calls them files of other formats; readers
of files that have no format of their own, such as the data of a checkpoint, ask here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...errors import FileFormatError, with_name
from ...values.terminal import escape
from .special_files import open_regular

STAND_IN_HEAD = 4096
"""The bytes at the beginning of a file that are examined."""

PAGE_ADVICE = "the link probably led to a page about the file, not to the file"

_LFS_ADVICE = 'run "git lfs pull" in its repository to get it'
_PAGES = (".html", ".htm", ".xml", ".svg")

_LFS = re.compile(rb"version https://(?:git-lfs|hawser)\.github\.com/spec/v1\r?\n")
_LFS_VALUES = re.compile(rb"^(oid|size) (\S+)\r?$", re.MULTILINE)
_HTML = re.compile(rb"(?is)(?:\xef\xbb\xbf)?\s*+(?:<!--(?>.*?-->)\s*+|(?!))*+<(?:!doctype\s+html|html|head|body)\b")
_TITLE = re.compile(rb"(?i)<title[^<>]{0,100}>([^<>]{1,300})")
_ERROR_PAGE = re.compile(rb"(?s)(?:\xef\xbb\xbf)?\s*+(?:<\?xml\b[^>]{0,200}>\s*+)?<Error>")


class StandIn(NamedTuple):
    """A description that can follow "this is", and advice. As text: both in one sentence."""

    what: str
    advice: str

    def __str__(self) -> str:
        return f"this is {self.what}: {self.advice}"


EMPTY = StandIn("an empty file (0 bytes)", "the program that should have written it did not")


def stand_in(head: bytes, size: int | None = None) -> StandIn | None:
    """Return what a file with this beginning is in place of the file; None if it may be the file itself.

    `size` is the size of the file; without it, an empty file may be the file itself.
    """
    if size == 0:
        return EMPTY
    if _LFS.match(head):
        fields = _LFS_VALUES.findall(head[:1024])
        values = {key.decode(): escape(value.decode("utf-8", "replace")) for key, value in fields}
        facts = [values["oid"]] if "oid" in values else []
        if values.get("size", "").isdecimal():
            facts.append(f"{int(values['size']):,} bytes")
        stands_for = f" ({', '.join(facts)})" if facts else ""
        what = f"a Git LFS pointer, which stands for the file{stands_for}"
        return StandIn(what, _LFS_ADVICE)
    if _HTML.match(head):
        title = _TITLE.search(head)
        words = b" ".join(title[1].split()).decode("utf-8", "replace") if title else ""
        return StandIn(f'an HTML page "{escape(words)}"' if words else "an HTML page", PAGE_ADVICE)
    if _ERROR_PAGE.match(head):
        return StandIn("an XML document", PAGE_ADVICE)
    return None


def refuse_stand_in(path: str, head: bytes, size: int | None = None) -> None:
    """Raise FileFormatError if a file with this beginning stands for another file; arguments as for `stand_in`.

    A page is accepted if the name of the file says that it is one.
    """
    if (found := stand_in(head[:STAND_IN_HEAD], size)) and not (
        found.advice == PAGE_ADVICE and path.lower().endswith(_PAGES)
    ):
        raise FileFormatError(with_name(escape(path), f"{found}"))


def lfs_pointer(path: str) -> StandIn | None:
    """Return what a file is if it is a Git LFS pointer; None for any other file, and for one that cannot be read.

    An asset may well be a page, such as a template, or empty, such as a list of words to ignore. A pointer is certainly
    not the file that the model means.
    """
    try:
        with open_regular(path) as file:
            found = stand_in(file.read(STAND_IN_HEAD))
    except OSError:
        return None
    return found if found is not None and found.advice == _LFS_ADVICE else None
