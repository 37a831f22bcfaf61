"""Is this text, and which message does it spell, in text format or in JSON?

Nothing is parsed: the names that stand on the outermost level are compared with those of each candidate's fields.
"""

from __future__ import annotations

import codecs
import re
from typing import Any, Literal

from pbwire.fields import table_of

from .candidates import FIRST, OTHERS, classes

__all__ = ["describe", "text_of", "written"]

NAMES = 50  # names on the outermost level that are looked at
SHOWN = 40  # characters of what it is instead

# What is not in strings and comments decides. A string may be cut off by the end of the sample.
_STRING = r"""(?:"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?)"""
_GAP = re.compile(r"(?:[\s,;]|#[^\n]*)*")
_FIELD = re.compile(
    rf"(?P<name>[A-Za-z_]\w*)\s*(?:(?::\s*)?(?P<open>[{{<])|:\s*(?:(?P<list>\[)|(?:{_STRING}\s*)+|[\w.+-]+))"
)
_BRACKET = re.compile(rf"#[^\n]*|{_STRING}|(?P<open>[{{<\[])|(?P<close>[}}>\]])")

_KEY = re.compile(r'"(?P<name>(?:[^"\\]|\\.)*+)"\s*:\s*(?P<value>\[?\s*.)')
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|(?P<open>[{\[])|(?P<close>[}\]])')

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def text_of(head: bytes) -> str | None:
    """The text that a file begins with; None if these bytes are none."""
    try:
        text = codecs.utf_8_decode(head.removeprefix(codecs.BOM_UTF8), "strict", False)[0]
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def written(text: str) -> tuple[Any, Literal["text", "json"]] | None:
    """The class of the message that the text begins to spell, and how."""
    json = text.lstrip().startswith("{")
    names = _json_names(text) if json else _text_names(text)
    cls = _match(names)
    return (cls, "json" if json else "text") if cls else None


def describe(text: str) -> str:
    """Words for a text that is no message."""
    lines = text.split(maxsplit=0)
    if not lines:
        return "white space and nothing else"
    names = _json_names(text) if lines[0].startswith("{") else {}
    if {"model_topology", "weights_manifest"} & names.keys():
        return "a TensorFlow.js model (model.json)"
    if names:
        keys = ", ".join([_shown(name) for name in list(names)[:4]] + ["..."] * (len(names) > 4))
        return f"JSON of no message that is recognised (its keys are {keys})"
    return f'a text file ("{_shown(lines[0].splitlines()[0])}")'


def _shown(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text[:SHOWN]).rstrip()
    return shown + "..." * (len(text) > SHOWN)


def _match(names: dict[str, bool | None]) -> Any:
    """The first candidate whose fields have all these names; of messages if True, of anything else if False."""
    if not names:
        return None
    for cls in classes(FIRST + OTHERS):
        nested = {name: field.kind in ("message", "group") for name, field in table_of(cls).by_name.items()}
        if all(name in nested and is_message in (None, nested[name]) for name, is_message in names.items()):
            return cls
    return None


def _text_names(text: str) -> dict[str, bool | None]:
    """The fields on the outermost level of a message in text format, and whether they are messages themselves."""
    names: dict[str, bool | None] = {}
    pos = _GAP.match(text).end()  # type: ignore[union-attr]  # it may match nothing at all, but it matches
    while pos < len(text) and len(names) < NAMES:
        field = _FIELD.match(text, pos)
        if field is None:
            return {} if "\n" in text[pos:] else names  # the last line may be cut off
        names.setdefault(field["name"], None if field["list"] else bool(field["open"]))
        pos = _behind(text, field.end()) if field["open"] or field["list"] else field.end()
        pos = _GAP.match(text, pos).end()  # type: ignore[union-attr]
    return names


def _behind(text: str, pos: int) -> int:
    """The position behind the bracket that closes the one before `pos`; the end of the text, if that has none."""
    depth = 1
    for token in _BRACKET.finditer(text, pos):
        depth += bool(token["open"]) - bool(token["close"])
        if depth == 0:
            return token.end()
    return len(text)


def _json_names(text: str) -> dict[str, bool | None]:
    """The keys of a JSON object, as tables spell them, and whether they hold objects."""
    names: dict[str, bool | None] = {}
    depth = 0
    for token in _JSON_TOKEN.finditer(text):
        if token["open"] or token["close"]:
            depth += 1 if token["open"] else -1
        elif depth == 1 and len(names) < NAMES and (key := _KEY.match(text, token.start())):
            name = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", key["name"])
            names.setdefault(name, None if key["value"][-1] in "]n" else key["value"][-1] == "{")
    return names
