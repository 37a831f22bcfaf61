"""Random numbers. They differ from TensorFlow's, and from run to run; onnxruntime makes float32 and float64 alone."""

from __future__ import annotations

from ....messages import DataType
from ..conversion import operators
from ..conversion.call import FLOAT, Call
from ..conversion.model import Attribute, Value
from ..conversion.registry import converter
from ..conversion.types import ONNX_TYPES

DOUBLE = DataType.DT_DOUBLE


def drawn(call: Call, op: str, sizes: Value, dtype: DataType, **attributes: Attribute) -> Value:
    """Return random numbers by "RandomUniform" or "RandomNormal", for a vector of sizes of int64."""
    call.note(f"the random numbers of {call.node.op} are other ones than TensorFlow's")
    kind = DOUBLE if dtype == DOUBLE else FLOAT
    more = {"dtype": ONNX_TYPES[kind], **attributes}
    if sizes.data is not None and sizes.data.size:
        result = call.add(op, dtype=kind, more={**more, "shape": sizes.data.tolist()})
    else:
        like = operators.filled(call, sizes, 0, kind)
        result = call.add(f"{op}Like", like, dtype=kind, more=more)
    return call.cast(result, dtype)


@converter("RandomUniform")
def _uniform(call: Call) -> Value:
    return drawn(call, "RandomUniform", call.int64(0), call.output_dtype())


@converter("StatelessRandomUniform", "StatelessRandomUniformV2")
def _stateless_uniform(call: Call) -> Value:
    return drawn(call, "RandomUniform", call.int64(0), call.output_dtype())


@converter("RandomStandardNormal", "StatelessRandomNormal", "StatelessRandomNormalV2")
def _normal(call: Call) -> Value:
    return drawn(call, "RandomNormal", call.int64(0), call.output_dtype())


_INTEGERS = {"RandomUniformInt": 1, "StatelessRandomUniformInt": 2, "StatelessRandomUniformIntV2": 4}
"""Ops that draw integers from a range, with the place of its start among the inputs; its end is the next one."""


@converter(*_INTEGERS)
def _integers(call: Call) -> Value:
    """Integers of a range: random numbers from 0 to 1 times its length, rounded down."""
    place = _INTEGERS[call.node.op]
    low, high = (call.cast(call.input(place + index), DOUBLE) for index in range(2))
    unit = drawn(call, "RandomUniform", call.int64(0), DOUBLE)
    scaled = call.add("Add", call.add("Mul", unit, call.add("Sub", high, low)), low)
    return call.cast(call.add("Floor", scaled), call.output_dtype())


@converter("Multinomial")
def _multinomial(call: Call) -> Value:
    """Numbers of classes, drawn by unnormalized log-probabilities."""
    count = int(call.required(1, "the number of samples").ravel()[0])
    if count < 1 or 0 in (call.shape(0) or ()):
        call.refuse("it draws nothing, which onnxruntime refuses")
    call.note("the random numbers of Multinomial are other ones than TensorFlow's")
    logits = call.cast(call.input(0), FLOAT)
    dtype = call.output_dtype()
    return call.add("Multinomial", logits, dtype=dtype, sample_size=count, more={"dtype": ONNX_TYPES[dtype]})


@converter("TruncatedNormal", "StatelessTruncatedNormal", "StatelessTruncatedNormalV2", "ParameterizedTruncatedNormal")
def _truncated(call: Call) -> Value:
    call.refuse("ONNX has no truncated normal distribution")
