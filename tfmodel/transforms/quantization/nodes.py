"""New nodes with few attributes, and those that convert between floats and quantized values.

new_node("y", "Dequantize", ["values", "min", "max"], T=DataType.DT_QUINT8, mode=b"MIN_FIRST")
dequantize("y", ["values", "min", "max"])        # the same
"""

from __future__ import annotations

from ...messages import AttrValue, DataType, NodeDef

__all__ = ["MODE", "dequantize", "new_node", "ports", "quantize", "requantize"]

MODE = b"MIN_FIRST"


def new_node(name: str, op: str, inputs: list[str], **attributes: DataType | bool | bytes) -> NodeDef:
    """Return a node with attributes that are types, bools and strings."""
    return NodeDef(name=name, op=op, input=inputs, attr={key: _value(each) for key, each in attributes.items()})


def _value(value: DataType | bool | bytes) -> AttrValue:
    if isinstance(value, bool):
        return AttrValue(b=value)
    return AttrValue(s=value) if isinstance(value, bytes) else AttrValue(type=value)


def ports(name: str) -> list[str]:
    """Return the three outputs of a quantized node: values, minimum and maximum."""
    return [f"{name}:{port}" for port in range(3)]


def quantize(name: str, inputs: list[str], dtype: DataType) -> NodeDef:
    """Return a node that quantizes floats, given with a minimum and a maximum, to that type."""
    return new_node(name, "QuantizeV2", inputs, T=dtype, mode=MODE)


def requantize(name: str, source: str, low: str, high: str) -> NodeDef:
    """Return a node that converts the 32-bit output of a node to 8 bits, with another range."""
    types = {"Tinput": DataType.DT_QINT32, "out_type": DataType.DT_QUINT8}
    return new_node(name, "Requantize", [*ports(source), low, high], **types)


def dequantize(name: str, inputs: list[str]) -> NodeDef:
    """Return a node that converts 8-bit values, given with a minimum and a maximum, to floats."""
    return new_node(name, "Dequantize", inputs, T=DataType.DT_QUINT8, mode=MODE)
