"""New nodes, in a few words.

made("y", "Dequantize", ["codes", "min", "max"], T=DataType.DT_QUINT8, mode=b"MIN_FIRST")
dequantize("y", "codes")        # the same of a node that gives codes and their range
"""

from __future__ import annotations

from ...messages import AttrValue, DataType, NodeDef

__all__ = ["MODE", "dequantize", "made", "ports", "quantize", "requantize"]

MODE = b"MIN_FIRST"


def made(name: str, op: str, inputs: list[str], **attributes: DataType | bool | bytes) -> NodeDef:
    """A node with attributes that are types, bools and strings."""
    return NodeDef(name=name, op=op, input=inputs, attr={key: _value(each) for key, each in attributes.items()})


def _value(value: DataType | bool | bytes) -> AttrValue:
    if isinstance(value, bool):
        return AttrValue(b=value)
    return AttrValue(s=value) if isinstance(value, bytes) else AttrValue(type=value)


def ports(name: str) -> list[str]:
    """Codes, minimum and maximum: the outputs of a node that gives these."""
    return [f"{name}:{port}" for port in range(3)]


def quantize(name: str, inputs: list[str], dtype: DataType) -> NodeDef:
    """Floats, a minimum and a maximum become codes of that type."""
    return made(name, "QuantizeV2", inputs, T=dtype, mode=MODE)


def requantize(name: str, source: str, low: str, high: str) -> NodeDef:
    """The codes of 32 bits that a node gives become codes of a byte, of another range."""
    types = {"Tinput": DataType.DT_QINT32, "out_type": DataType.DT_QUINT8}
    return made(name, "Requantize", [*ports(source), low, high], **types)


def dequantize(name: str, inputs: list[str]) -> NodeDef:
    """Codes of a byte, a minimum and a maximum become floats."""
    return made(name, "Dequantize", inputs, T=DataType.DT_QUINT8, mode=MODE)
