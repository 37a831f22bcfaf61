"""Inputs, constants, and nodes that pass values on."""

from __future__ import annotations

from ....messages import DataType
from ....ops.traits import ENTER, EXIT, LOOP_COND, NEXT_ITERATION, UNCHANGED
from ..conversion.call import Call
from ..conversion.model import Value
from ..conversion.registry import converter
from ..conversion.types import ONNX_TYPES


@converter(*(UNCHANGED - ENTER - EXIT), *LOOP_COND, *NEXT_ITERATION, "Copy", "DeepCopy", "OptimizationBarrier")
def _unchanged(call: Call) -> Value:
    return call.handed(0)


@converter("Placeholder", "PlaceholderV2")
def _not_fed(call: Call) -> Value:
    name = call.node.name
    call.refuse("it has no value", f"name it as an input, or bind it: --bind {name}=VALUE")


@converter("PlaceholderWithDefault")
def _default(call: Call) -> Value:
    call.note("its default is taken: name it as an input to feed it")
    return call.home(0)


@converter("IdentityN")
def _identities(call: Call) -> list[Value]:
    return [call.handed(index) for index in range(call.count)]


@converter("NoOp", "Assert", "Print", "PrintV2")
def _without_results(call: Call) -> list[Value]:
    """Side effects: ONNX has none. Print passes its first input on."""
    call.note(f"{call.node.op} is left out")
    return [call.home(0)] if call.node.op == "Print" else []


@converter("Bitcast")
def _bitcast(call: Call) -> Value:
    """Quantized types are their integers in ONNX; no operator reads bits as another type."""
    if ONNX_TYPES.get(call.dtype(0)) != ONNX_TYPES.get(call.output_dtype()):
        call.refuse("it reads the bits of one type as another one")
    return call.home(0)


@converter("Cast")
def _cast(call: Call) -> Value:
    """Cast; between int32 and int64 of sizes there is no node."""
    target = call.output_dtype()
    for dtype in (call.dtype(0), target):
        if dtype not in ONNX_TYPES:
            call.refuse(f"ONNX has no operators for {dtype.name[3:].lower()}")
    if call.attr("Truncate", bool, False) and target in (DataType.DT_HALF, DataType.DT_BFLOAT16):
        call.refuse("it rounds towards zero")
    value = call.home(0)
    if target == DataType.DT_INT64 and value.dtype == target:
        return value
    return call.scope.cast(call.input(0, order=value.order), target)
