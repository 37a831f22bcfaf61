"""The results of protobuf's parser for the tables, as lines of answers.jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor_pool import DescriptorPool

from tests.golden.text import REFUSED, structure, tokens
from tests.golden.text.rows import Text
from tests.support.protobuf_twin import pool, twin

__all__ = ["lines", "verdict"]

_NOTHING = DescriptorPool()


def lines() -> list[str]:
    """Yield a line of JSON for each text of the tables."""
    return [json.dumps(case) for case in _cases()]


def _cases() -> Iterator[dict[str, Any]]:
    for family, rows in (tokens.FAMILIES | structure.FAMILIES).items():
        for row in rows:
            for text in row.texts:
                google, partial = verdict(row.cls, text, row.options)
                case = {"family": family, "class": row.cls}
                case |= {"options": row.options} if row.options else {}
                case |= {"hex": text.hex()} if isinstance(text, bytes) else {"text": text}
                case["google"] = google
                if text in row.means:
                    meant = row.means[text]
                    ours, partial = (REFUSED, False) if meant is None else verdict(row.cls, meant, row.options)
                    if ours == google:
                        raise ValueError(f"{row.cls}: {text!r}: protobuf says the same: {ours}")
                    if ours == REFUSED and meant is not None:
                        raise ValueError(f"{row.cls}: {meant!r}, which {text!r} is to mean, is refused")
                    case |= {"ours": ours, "because": row.because}
                if partial:
                    case["partial"] = True
                yield case


def verdict(cls: str, text: Text, options: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the message that protobuf reads, and whether required fields are missing. Any exception is a refusal."""
    chosen = dict(options)
    merge = chosen.pop("merge", False)
    known = pool() if chosen.pop("types", False) else _NOTHING
    try:
        message = (text_format.Merge if merge else text_format.Parse)(
            text, twin(cls)(), descriptor_pool=known, **chosen
        )
    except Exception:  # not only ParseError: it lets ValueError and EncodeError through
        return REFUSED, False
    return message.SerializePartialToString(deterministic=True).hex(), not message.IsInitialized()
