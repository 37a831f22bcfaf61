"""Hundreds of generated messages, the same in every run, for one process of the newest protobuf."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from pbwire import wellknown as wk
from pbwire.table import Message, table_of
from tests.pbwire.json.kinds import Named, Special
from tests.support.sample_classes import CLASSES
from tests.support.samples import Leaf
from tests.support.strategies import messages
from tfmodel import messages as schema

__all__ = ["SAMPLES", "TYPES", "generated", "sound"]

SAMPLES = [cls for cls in CLASSES.values() if issubclass(cls, Message)]

TYPES: Mapping[str, type[Message]] = ChainMap(
    {table_of(cls).full_name: cls for cls in [*SAMPLES, Special, Named]},
    {f"google.protobuf.{name}": getattr(wk, name) for name in wk.__all__ if name != "NullValue"},
    schema.TYPES,
)
"""The classes of ours for all that is in the pool of the newest protobuf."""


def generated(cls: type[Message], count: int, max_depth: int = 3) -> list[Any]:
    """Return `count` messages of a class, all of which JSON can express."""
    result: list[Any] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(messages(cls, max_depth=max_depth))
    def collect(message: Any) -> None:
        result.append(sound(message))

    collect()
    return result


def sound(message: Any) -> Any:
    """Return the message with replacements for the values that JSON cannot express."""
    match message:
        case wk.Timestamp():
            message.seconds = message.seconds % 315_537_897_600 - 62_135_596_800
            message.nanos = message.nanos % 1000 * 10 ** (message.nanos % 7)
        case wk.Duration():
            sign = -1 if message.seconds < 0 else 1
            message.seconds = sign * (abs(message.seconds) % 315_576_000_000)
            message.nanos = sign * (abs(message.nanos) % 1000 * 10 ** (abs(message.nanos) % 7))
        case wk.FieldMask():
            message.paths = ["a.b_c" if len(path) % 2 else "abc" for path in message.paths]
        case wk.Value():
            if message.which_oneof("kind") is None or message.null_value is not None:
                message.null_value = wk.NullValue.NULL_VALUE
            if message.number_value is not None and not math.isfinite(message.number_value):
                message.number_value = -0.0
        case wk.Any():
            packed = [Leaf(number=3, text="é"), wk.Duration(seconds=-3), wk.StringValue(value="x"), Leaf(), wk.Empty()]
            chosen = packed[len(message.value) % len(packed)]
            message.type_url = f"a.b/{table_of(type(chosen)).full_name}"
            message.value = chosen.to_bytes()
        case Special():  # a NullValue with any number is printed as null
            zero = wk.NullValue.NULL_VALUE
            message.null, message.nulls = zero, [zero for _ in message.nulls]
            message.null_by_flag = dict.fromkeys(message.null_by_flag, zero)
            message.maybe_null = None if message.maybe_null is None else zero
            message.one_null = None if message.one_null is None else zero
    for field, value in message.ListFields():
        if (field.value or field).kind in ("message", "group"):
            parts = value.values() if field.label == "map" else value if field.label == "repeated" else [value]
            for part in parts:
                sound(part)
    return message
