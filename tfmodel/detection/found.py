"""`detect`: one question after another, the surest first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from . import signatures

__all__ = ["HEAD", "TAIL", "Form", "Found", "called", "detect"]

HEAD = 1 << 18  # so many bytes from the front of a file are enough
TAIL = 48  # and so many from its end, where table files have their mark

Form: TypeAlias = Literal["binary", "text", "json", "table", "gzip", "wire", "unknown", "empty", "other"]

_SHARD = re.compile(r"(.*)\.data-\d{5}-of-\d{5}")


@dataclass(frozen=True, slots=True)
class Found:
    """What a file is.

    form     "binary", "text" or "json": a message in that form; `cls` is its class
             "table": a checkpoint, or its index
             "gzip": to be unpacked and looked at again
             "wire": protobuf data of a message that is not recognised
             "unknown": not even that
             "empty", or "other": something else, and known to be
    what     the same in words, to follow "this is"
    advice   what to do about it, if that is known
    """

    form: Form
    what: str
    cls: Any = None
    advice: str = ""


def detect(head: bytes, *, tail: bytes | None = None, size: int | None = None, name: str = "") -> Found:
    """What a file is that begins with `head` and ends with `tail` (`HEAD` and `TAIL` bytes, if it has as many).

    Without `tail` and `size`, `head` is the whole file.
    """
    size = len(head) if size is None else size
    tail = head[-TAIL:] if tail is None else tail
    if size == 0:
        return Found("empty", "an empty file (0 bytes)", advice="the program that should have written it did not")
    if signatures.is_table(tail):
        return Found("table", "a table file that holds a checkpoint or its index")
    if signatures.is_gzip(head):
        return Found("gzip", "gzip-compressed data")
    if foreign := signatures.foreign(head, size):
        return Found("other", *foreign)
    found = _message(head[:HEAD], size)
    if found.form in ("wire", "unknown", "other") and (shard := _SHARD.fullmatch(name)):
        advice = f"the names of its tensors are in {shard[1]}.index; give that"
        return Found("other", "a data file of a checkpoint", advice=advice)
    return found


def _message(head: bytes, size: int) -> Found:
    from . import binary, textual

    if (text := textual.text_of(head)) is not None:
        if (written := textual.written(text)) is not None:
            cls, form = written
            words = "JSON" if form == "json" else "text"
            return Found(form, f"{called(cls)} in {words} form", cls)
        return Found("other", textual.describe(text))
    if (cls := binary.best(head)) is not None:
        return Found("binary", called(cls), cls)
    if fields := binary.first_fields(head, size):
        advice = "name the message type if you know it (--type, or cls=)"
        return Found("wire", f"protobuf data of no message that is recognised ({fields})", advice=advice)
    return Found("unknown", "no model file: neither protobuf data nor a checkpoint nor text")


def called(cls: Any) -> str:
    """A message class in words: "a GraphDef", "an OpList"."""
    name = cls.__table__.full_name.removeprefix("tensorflow.")
    return f"{'an' if name[0] in 'AEIO' else 'a'} {name}"
