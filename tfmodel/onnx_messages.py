"""All messages and enums of ONNX.

    from tfmodel.onnx_messages import ModelProto, TensorProto

They are apart from TensorFlow's, which are in `tfmodel.messages`, because the same names mean other things: both have
a TensorProto and a TensorShapeProto, with different fields, and `TensorProto.DataType` has other numbers than
TensorFlow's DataType. Neither `tfmodel.messages` nor its `TYPES` has these messages, and no message of TensorFlow
refers to one of them.

Importing this module makes all classes at once: most of them refer to each other.
"""

from __future__ import annotations

from . import messages as _tensorflow  # noqa: F401  it makes `_schema` importable where a checkout lost its link
from ._schema.onnx import onnx_ml as _tables
from ._schema.onnx.onnx_ml import *  # noqa: F403  every message

__all__ = _tables.__all__
