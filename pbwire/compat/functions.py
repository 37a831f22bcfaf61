"""The functions of google.protobuf's modules `proto`, `any`, `timestamp` and `duration`: methods in another form."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .. import wellknown
from .classes import Message, compat_class
from .delimited import DecodeVarint, VarintBytes

# --- google.protobuf.proto --------------------------------------------------------------------------------------------


def serialize(message: Message, deterministic: bool | None = None) -> bytes:
    """Return the encoded message."""
    return message.SerializeToString(deterministic=bool(deterministic))


def parse(message_class: type[Message], payload: bytes) -> Any:
    """Return the message that `payload` encodes. Raises DecodeError."""
    message = message_class()
    message.ParseFromString(payload)
    return message


def serialize_length_prefixed(message: Message, output: Any) -> None:
    """Write the size of a message as a varint, and the message. Raises TypeError if not all of it can be written."""
    data = message.SerializeToString()
    output.write(VarintBytes(len(data)))
    written = output.write(data)
    if written is not None and written != len(data):
        raise TypeError(f"Failed to write complete message (wrote: {written}, expected: {len(data)})")


def parse_length_prefixed(message_class: type[Message], input_bytes: Any) -> Any:
    """Read one message that is after its size; None at the end of the stream. Raises ValueError if it is cut off."""
    size = DecodeVarint(input_bytes)
    if size is None:
        return None
    data = input_bytes.read(size) if size else b""
    if len(data) < size:
        raise ValueError(f"Failed to read complete message (read: {len(data)}, expected: {size})")
    return parse(message_class, data)


def byte_size(message: Message) -> int:
    """Return the size of the encoded message."""
    return message.ByteSize()


def clear_message(message: Message) -> None:
    """Make all fields absent."""
    message.Clear()


def clear_field(message: Message, field_name: str) -> None:
    """Make a field absent."""
    message.ClearField(field_name)


# --- google.protobuf.any ----------------------------------------------------------------------------------------------


def pack(msg: Message, type_url_prefix: str = "type.googleapis.com/", deterministic: bool | None = None) -> Any:
    """Return an Any with the message."""
    any_message = compat_class(wellknown.Any)()
    any_message.Pack(msg=msg, type_url_prefix=type_url_prefix, deterministic=deterministic)
    return any_message


def unpack(any_msg: Any, msg: Message) -> bool:
    """Replace `msg` by the content of an Any; return False if that is of another type."""
    return bool(any_msg.Unpack(msg=msg))


def unpack_as(any_msg: Any, message_type: type[Message]) -> Any:
    """Return the content of an Any. Raises TypeError if it is of another type."""
    message = message_type()
    if not any_msg.Unpack(msg=message):
        wanted = message.DESCRIPTOR.full_name
        raise TypeError(f"Attempted to unpack {type_name(any_msg)} as {wanted}")
    return message


def type_name(any_msg: Any) -> str:
    """Return the full name of the type of an Any's content."""
    return str(any_msg.TypeName())


def is_type(any_msg: Any, des: Any) -> bool:
    """Return whether the content of an Any is of the type of a descriptor."""
    return bool(any_msg.Is(des))


# --- google.protobuf.timestamp and duration ---------------------------------------------------------------------------

_UNITS = {name: name.capitalize() for name in ("microseconds", "milliseconds", "nanoseconds", "seconds")}


def _conversions(cls: Any, names: dict[str, str], makers: dict[str, str]) -> SimpleNamespace:
    """Return functions for methods: from_X for FromX, makers such as from_current_time, and to_X for ToX."""

    def from_function(method: str) -> Any:
        def convert(*arguments: Any) -> Any:
            message = compat_class(cls)()
            getattr(message, method)(*arguments)
            return message

        return convert

    def to_function(method: str) -> Any:
        return lambda message, *arguments, **keywords: getattr(message, method)(*arguments, **keywords)

    functions = {f"from_{name}": from_function(f"From{method}") for name, method in names.items()}
    functions |= {name: from_function(method) for name, method in makers.items()}
    functions |= {f"to_{name}": to_function(f"To{method}") for name, method in names.items()}
    return SimpleNamespace(**functions, __all__=sorted(functions))


timestamp = _conversions(
    wellknown.Timestamp,
    {"json_string": "JsonString", "datetime": "Datetime", **_UNITS},
    {"from_current_time": "GetCurrentTime"},
)
duration = _conversions(wellknown.Duration, {"json_string": "JsonString", "timedelta": "Timedelta", **_UNITS}, {})
