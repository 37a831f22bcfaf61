"""Convert TensorFlow's recorded answers to ONNX: each case of tests/kernel_cases as a graph of one node.

    python -m tests.tfmodel.export.onnx.sweep [FAMILY | OP ...] [--fed] [--constant] [--open] [--turned]

Each case whose op has a converter becomes a graph of placeholders and the node. Some inputs must be constants in ONNX,
others may be, so a case is tried in several forms: see FORMS. onnxruntime runs each model in this process, and the
outputs must be TensorFlow's.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.golden.kernels.answers import answers
from tests.golden.kernels.archives import Recorded
from tests.kernel_cases import Case, attribute, families, named_cases
from tfmodel.export.onnx.conversion.registry import converters
from tfmodel.export.onnx.conversion.report import OnnxExportError
from tfmodel.export.onnx.export import DEFAULT_OPSET, Exported, convert
from tfmodel.export.onnx.passes.uses import random_values
from tfmodel.export.onnx.writer import model_proto
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, VersionDef
from tfmodel.ops import OPS, output_types
from tfmodel.values.tensors import from_ndarray

__all__ = ["BY_DESIGN", "FORMS", "Outcome", "Swept", "outcome", "session", "sweep"]

FORMS = ("fed", "constant", "open", "turned")
"""Everything is fed; integer vectors behind the first input are constants; the shapes of what is fed are open; and what
is fed has its axes in another order, as behind a convolution, which a Transpose turns."""

_FLOAT_SPECIALS = "FloorMod Atan2 Xlog1py"
_DIVISIONS = "Div TruncateDiv FloorDiv FloorMod Mod TruncateMod"
_GRADIENTS = "SigmoidGrad TanhGrad"

BY_DESIGN: tuple[tuple[str, str, Callable[[Case, Sequence[Any]], bool]], ...] = (
    ("NaN among others", "Max Min ArgMax ArgMin Unique UniqueV2 UniqueWithCounts",
     lambda case, x: bool(np.isnan(x[0]).any())),
    ("infinities, negative zero, the smallest numbers", _FLOAT_SPECIALS, lambda case, x: x[0].shape == (11, 1)),
    ("NaN among scores", "NonMaxSuppression NonMaxSuppressionV2", lambda case, x: bool(np.isnan(x[1]).any())),
    ("infinities", "EluGrad SeluGrad", lambda case, x: "special" in str(case)),
    ("infinities", "AudioSpectrogram", lambda case, x: not np.isfinite(x[0]).all()),
    ("the mean of nothing", "Mean FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3", lambda case, x: 0 in x[0].shape),
    ("integers that are divided by zero", _DIVISIONS, lambda case, x: x[1].dtype.kind in "iu" and not x[1].all()),
    ("the smallest integers", "FloorDiv", lambda case, x: x[0].shape == (12, 1)),
    ("overflow", "Prod", lambda case, x: x[0].shape == (6, 5)),
    ("numbers out of range", "Cast", lambda case, x: case.attributes["DstT"] == DataType.DT_UINT32),
    ("a fed size of 0, which copies one", "Reshape", lambda case, x: 0 in x[1]),
    ("other shapes, known when it runs", "Equal NotEqual", lambda case, x: "incompatible" in str(case)),
    ("other shapes, known when it runs", _GRADIENTS, lambda case, x: x[0].shape != x[1].shape),
    ("an empty batch", "Multinomial", lambda case, x: 0 in x[0].shape),
    ("equal scores", "CombinedNonMaxSuppression", lambda case, x: len(np.unique(x[1])) < x[1].size),
    ("parts without elements", "Complex", lambda case, x: 0 in x[0].shape),
    ("bounds that cross", "ClipByValue", lambda case, x: bool((x[1] > x[2]).any())),
)  # fmt: skip
"""Known differences: why, the ops, and which of their cases. Such cases load; they need not be equal."""

_LARGEST_CONSTANT = 64
"""Elements of an integer input that is a constant in the form "constant"."""

RTOL = {"float16": 4e-3, "float32": 1e-4, "float64": 1e-4}
"""The largest difference of an element, relative to the largest of its tensor."""

_STANDS_FOR = {
    DataType.DT_QINT8: DataType.DT_INT8,
    DataType.DT_QUINT8: DataType.DT_UINT8,
    DataType.DT_QINT16: DataType.DT_INT16,
    DataType.DT_QUINT16: DataType.DT_UINT16,
    DataType.DT_QINT32: DataType.DT_INT32,
    DataType.DT_BFLOAT16: DataType.DT_FLOAT,
}
"""Types that NumPy does not have, and what is fed and fetched in their place."""


@dataclass(frozen=True)
class Outcome:
    """How a case went: kind is "equal", "refused", "excused", "differs" or "fails", text the reason."""

    kind: str
    text: str = ""


@dataclass
class Swept:
    """The outcomes of many cases, in each form."""

    outcomes: dict[tuple[str, str], Outcome] = field(default_factory=dict)

    @property
    def wrong(self) -> list[str]:
        """Lines about cases that were neither equal nor refused, each with its forms."""
        forms: dict[tuple[str, str], list[str]] = {}
        for (name, form), found in self.outcomes.items():
            if found.kind in ("differs", "fails"):
                forms.setdefault((name, f"{found.kind}: {found.text}"), []).append(form)
        return [f"{name} [{' '.join(each)}]: {text}" for (name, text), each in forms.items()]

    def cases(self) -> Counter[str]:
        """How many cases are equal in some form, refused in all, or wrong in one, or excused by BY_DESIGN."""
        kinds: dict[str, set[str]] = {}
        for (name, _), found in self.outcomes.items():
            kinds.setdefault(name, set()).add(found.kind)
        order = ("fails", "differs", "excused", "equal", "refused")
        return Counter(next(kind for kind in order if kind in each) for each in kinds.values())

    def refused(self) -> dict[str, Counter[str]]:
        """For each reason of cases that are refused in all forms, how many of each op; types of numbers are one."""
        texts: dict[str, list[str]] = {}
        for (name, _), found in self.outcomes.items():
            texts.setdefault(name, []).append(found.text if found.kind == "refused" else "")
        reasons: dict[str, Counter[str]] = {}
        for name, each in texts.items():
            if all(each):
                reason = re.sub(r'complex(64|128)|"[^"]*"', "...", each[-1])
                reasons.setdefault(reason, Counter())[name.split()[0]] += 1
        return reasons


def sweep(names: Iterable[str] = (), forms: Iterable[str] = FORMS, each: int = 0) -> Swept:
    """Try the cases of some families or ops, all if none is named; of each op, at most `each` if it is not 0."""
    swept, wanted, chosen = Swept(), set(names), Counter[str]()
    for name, case, recorded in _cases(wanted):
        chosen[case.op] += 1
        if each and chosen[case.op] > each:
            continue
        for form in forms:
            swept.outcomes[name, form] = outcome(case, recorded, form)
    return swept


def _cases(wanted: set[str]) -> Iterator[tuple[str, Case, Recorded]]:
    """Yield the cases that have a converter and an answer with outputs."""
    known = converters()
    for family in families():
        cases = named_cases(family)
        chosen = {
            name: case
            for name, case in cases.items()
            if case.op in known and (not wanted or family in wanted or case.op in wanted)
        }
        recorded = answers(family) if chosen else {}
        for name, case in chosen.items():
            if recorded[name].outputs:
                yield name, case, recorded[name]


def outcome(case: Case, recorded: Recorded, form: str) -> Outcome:
    """Convert a case, run it, and compare."""
    found = _outcome(case, recorded, form)
    if found.kind in ("differs", "fails"):
        for reason, ops, applies in BY_DESIGN:
            if case.op in ops.split() and applies(case, recorded.inputs):
                return Outcome("excused", reason)
    return found


def _outcome(case: Case, recorded: Recorded, form: str) -> Outcome:
    try:
        graph, fed, outputs = graph_of(case, recorded, form)
    except UnicodeDecodeError:
        return Outcome("refused", "bytes other than UTF-8")
    opset = DEFAULT_OPSET
    while True:
        try:
            exported = convert(graph, list(fed), outputs, opset)
        except OnnxExportError as error:
            asked = _asked_opset(error)
            if asked > opset:
                opset = asked
                continue
            return Outcome("refused", error.refused[0].reason if error.refused else str(error))
        except Exception as error:
            return Outcome("fails", f"{type(error).__name__}: {error}")
        return _run(exported, case, fed, recorded, opset)


def _asked_opset(error: OnnxExportError) -> int:
    """Return the opset that a refusal asks for, 0 for none."""
    return max((int(each.hint[8:]) for each in error.refused if each.hint.startswith("--opset ")), default=0)


def _run(exported: Exported, case: Case, fed: dict[str, Any], recorded: Recorded, opset: int) -> Outcome:
    content = model_proto(exported.graph, opset, {}).to_bytes()
    try:
        if all(value.shape is not None for value in exported.graph.outputs):  # without, onnx.checker refuses it
            _check(content)
        names = [value.name for value in exported.graph.outputs]
        actual = session(content).run(names, fed)
    except Exception as error:
        return Outcome("fails", f"{type(error).__name__}: {error}".replace("\n", " "))
    assert recorded.outputs is not None
    values = exported.graph.outputs
    if len(actual) > len(recorded.outputs):
        actual, values = joined(actual, recorded.outputs), values[: len(recorded.outputs)]
    if case.op == "CombinedNonMaxSuppression":
        actual, expected = ranked(actual), ranked(recorded.outputs)
    else:
        expected = recorded.outputs
    random = random_values(exported.graph)
    for port, (one, other) in enumerate(zip(actual, expected, strict=True)):
        if case.only and port not in case.only:
            continue
        is_random = values[port] in random
        if problem := difference(one, other, case, is_random=is_random):
            return Outcome("differs", f"output {port}: {problem}")
    return Outcome("equal")


def _check(content: bytes) -> None:
    """Check a model by onnx, if it is installed."""
    try:
        import onnx
    except ImportError:
        return
    onnx.checker.check_model(content, full_check=True)


def session(content: bytes) -> Any:
    """Return a session of onnxruntime with a model, on one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _sent(array: Any) -> Any:
    """Return an array as onnxruntime takes it: strings as str."""
    if array.dtype != object:
        return array
    texts = [text.decode("utf-8") for text in array.ravel().tolist()]
    return np.array(texts, object).reshape(array.shape)


# --- graphs ----------------------------------------------------------------------------------------------------------


def graph_of(case: Case, recorded: Recorded, form: str) -> tuple[GraphDef, dict[str, Any], list[str]]:
    """Return a graph around the node, its feeds, and what to fetch.

    Raises UnicodeDecodeError for strings that cannot be fed.
    """
    node = recorded.node
    nodes: list[NodeDef] = []
    fed: dict[str, Any] = {}
    for number, (dtype, array) in enumerate(zip(case.types, recorded.inputs, strict=True)):
        name = node.input[number]
        if form != "fed" and _may_be_constant(case, number, array):
            value = AttrValue(tensor=from_ndarray(array, dtype))
            nodes.append(NodeDef(name=name, op="Const", attr={"dtype": AttrValue(type=dtype), "value": value}))
            continue
        if dtype in _PARTS:
            nodes += _complex(name, array, dtype, form)
            fed |= {f"{name}_real": array.real.copy(), f"{name}_imag": array.imag.copy()}
            continue
        outside = _STANDS_FOR.get(dtype, dtype)
        feed = name if outside == dtype else f"{name}_fed"
        if form == "turned" and array.ndim > 1 and outside == dtype:
            array, turning = _turned(name, array, dtype)
            nodes += turning
            feed = f"{name}_fed"
        shape: Any = [None] * array.ndim if form == "open" else array.shape
        attributes = {"dtype": AttrValue(type=outside), "shape": attribute(shape, "shape")}
        nodes.append(NodeDef(name=feed, op="Placeholder", attr=attributes))
        fed[feed] = _sent(array)
        if outside != dtype:
            nodes.append(_converted(name, feed, outside, dtype))
    nodes.append(node)
    outputs = []
    for port, declared in enumerate(output_types(node, OPS[case.op])):
        assert declared is not None
        outside = _STANDS_FOR.get(declared, declared)
        fetch = f"it:{port}"
        if declared in _PARTS:
            for op in ("Real", "Imag"):
                types = {"T": AttrValue(type=declared), "Tout": AttrValue(type=_PARTS[declared])}
                nodes.append(NodeDef(name=f"{op}{port}", op=op, input=[fetch], attr=types))
                outputs.append(f"{op}{port}:0")
            continue
        if outside != declared:
            nodes.append(_converted(f"o{port}", fetch, declared, outside))
            fetch = f"o{port}:0"
        outputs.append(fetch)
    return GraphDef(node=nodes, versions=VersionDef(producer=1286)), fed, outputs


_CONSTANTS = {
    "NonMaxSuppressionV5": (5,), "Dequantize": (1, 2),
    "FakeQuantWithMinMaxVars": (1, 2), "FakeQuantWithMinMaxVarsPerChannel": (1, 2),
}  # fmt: skip
"""Inputs of floats and strings that are constants in models."""


def _turned(name: str, array: Any, dtype: DataType) -> tuple[Any, list[NodeDef]]:
    """Return an array with the last axis in second place (the first one, of matrices), and nodes that turn it back."""
    rank = array.ndim
    order = [0, rank - 1, *range(1, rank - 1)] if rank > 2 else [1, 0]
    back = np.array([order.index(axis) for axis in range(rank)], np.int32)
    value = AttrValue(tensor=from_ndarray(back, DataType.DT_INT32))
    types = {"T": AttrValue(type=dtype), "Tperm": AttrValue(type=DataType.DT_INT32)}
    constant = {"dtype": AttrValue(type=DataType.DT_INT32), "value": value}
    nodes = [
        NodeDef(name=f"{name}_order", op="Const", attr=constant),
        NodeDef(name=name, op="Transpose", input=[f"{name}_fed", f"{name}_order"], attr=types),
    ]
    return np.ascontiguousarray(array.transpose(order)), nodes


_PARTS = {DataType.DT_COMPLEX64: DataType.DT_FLOAT, DataType.DT_COMPLEX128: DataType.DT_DOUBLE}
"""Complex types, and the type of their parts."""


def _complex(name: str, array: Any, dtype: DataType, form: str) -> list[NodeDef]:
    """Return a complex tensor that is made of two real ones, which are fed."""
    shape: Any = [None] * array.ndim if form == "open" else array.shape
    attributes = {"dtype": AttrValue(type=_PARTS[dtype]), "shape": attribute(shape, "shape")}
    parts = [f"{name}_real", f"{name}_imag"]
    types = {"T": AttrValue(type=_PARTS[dtype]), "Tout": AttrValue(type=dtype)}
    return [
        *(NodeDef(name=part, op="Placeholder", attr=attributes) for part in parts),
        NodeDef(name=name, op="Complex", input=parts, attr=types),
    ]


def joined(outputs: Sequence[Any], expected: Sequence[Any]) -> list[Any]:
    """Return outputs with the two parts of complex ones as one."""
    parts = iter(outputs)
    return [
        np.asarray(next(parts) + 1j * next(parts), each.dtype) if np.asarray(each).dtype.kind == "c" else next(parts)
        for each in expected
    ]


def _may_be_constant(case: Case, number: int, array: Any) -> bool:
    if number in _CONSTANTS.get(case.op, ()):
        return True
    if array.dtype.kind not in "iub" or array.size > _LARGEST_CONSTANT or array.ndim > 2:
        return False
    return number > 0 or case.op in ("Concat", "Split", "Conv2DBackpropInput", "Conv3DBackpropInputV2")


def _converted(name: str, source: str, old: DataType, new: DataType) -> NodeDef:
    if DataType.DT_BFLOAT16 in (old, new):
        attributes = {"SrcT": AttrValue(type=old), "DstT": AttrValue(type=new)}
        return NodeDef(name=name, op="Cast", input=[source], attr=attributes)
    attributes = {"T": AttrValue(type=old), "type": AttrValue(type=new)}
    return NodeDef(name=name, op="Bitcast", input=[source], attr=attributes)


# --- comparison ------------------------------------------------------------------------------------------------------


def difference(actual: Any, expected: Any, case: Case, *, is_random: bool = False) -> str:
    """Describe how an output differs from TensorFlow's; "" if it is equal. Of random ones the shape must be equal."""
    expected = np.asarray(expected)
    actual = np.asarray(actual)
    if actual.dtype.kind in "OUT" and expected.dtype == object:
        actual = np.array([_bytes(text) for text in actual.ravel().tolist()], object).reshape(actual.shape)
    if actual.dtype != expected.dtype:
        return f"{actual.dtype}, not {expected.dtype}"
    if actual.shape != expected.shape:
        return f"{actual.shape}, not {expected.shape}"
    if is_random or not expected.size:
        return ""
    same = _same(actual, expected, case)
    if "Quant" in case.op:
        same |= _next_step(actual, expected, same)
    if same.all():
        return ""
    index = tuple(int(positions[0]) for positions in np.nonzero(~same)) if same.shape else ()
    return f"{actual[index]!r}, not {expected[index]!r} at {list(index)}, {int((~same).sum())} of {same.size} differ"


def ranked(outputs: Sequence[Any]) -> list[Any]:
    """Return the boxes of each image in an order that does not depend on ties: by score, class and corners."""
    boxes, scores, classes, count = (np.asarray(each) for each in outputs)
    corners = np.moveaxis(boxes, -1, 0)
    order = np.lexsort((*corners, classes, -scores))
    boxes = np.take_along_axis(boxes, order[..., None], 1)
    return [boxes, *(np.take_along_axis(each, order, 1) for each in (scores, classes)), count]


def _same(actual: Any, expected: Any, case: Case, whole: Any = None) -> Any:
    """Return which elements are equal, in relation to the largest of the whole tensor."""
    if expected.dtype.kind == "c":
        return _same(actual.real, expected.real, case, expected) & _same(actual.imag, expected.imag, case, expected)
    if expected.dtype.kind != "f":
        return np.asarray(actual == expected)
    with np.errstate(all="ignore"):
        whole = expected if whole is None else whole
        finite = np.abs(np.where(np.isfinite(whole), whole, 0))
        relative = max(RTOL[expected.dtype.name], case.rtol, 2.0**-7 if DataType.DT_BFLOAT16 in case.types else 0)
        room = relative * max(float(finite.max()), np.finfo(expected.dtype).tiny)
        near = np.isfinite(actual) & (np.abs(actual.astype(np.float64) - expected) <= room)
        return np.asarray((actual == expected) | (np.isnan(actual) & np.isnan(expected)) | near)


_HALVES = 0.02
"""The part of the elements that may lie between two steps of quantization: ONNX rounds halves to even ones."""


def _next_step(actual: Any, expected: Any, same: Any) -> Any:
    """Return which elements are one step away from TensorFlow's, if these are few."""
    steps = np.unique(expected)
    if expected.dtype.kind != "f" or len(steps) < 2 or (~same).mean() > _HALVES:
        return np.zeros(expected.shape, bool)
    return np.abs(actual - expected) <= 1.01 * np.diff(steps).max()


def _bytes(text: Any) -> bytes:
    return text if isinstance(text, bytes) else str(text).encode()


def main(arguments: list[str]) -> int:
    forms = [form for form in FORMS if f"--{form}" in arguments] or FORMS
    swept = sweep([each for each in arguments if not each.startswith("--")], forms)
    for line in swept.wrong:
        print(line)
    for reason, ops in sorted(swept.refused().items(), key=lambda row: -row[1].total()):
        print(f"{ops.total():5} refused: {reason}: {', '.join(f'{op} {count}' for op, count in ops.most_common(12))}")
    kinds = swept.cases()
    print(f"{sum(kinds.values())} cases: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}")
    return int(bool(swept.wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
