"""Put preprocessing in front of an input, so that a model takes pictures as they come.

    append_preprocessing(model, "image", "uint8 divide=255 mean=0.485,0.456,0.406 std=0.229,0.224,0.225")

The steps are applied in this order to what is fed. The input keeps its name, and its new type and shape follow from the
steps:

    uint8            the input is uint8 (or another type), cast to the type of the model
    divide=255       divide by a number, or by one for each channel (the last axis); multiply=, subtract=, add= likewise
    mean=a,b,c       the same as subtract=; std= is the same as divide=
    bgr              reverse the channels, the last axis
    nchw             the model takes channels first: transpose pictures of [batch, height, width, channels]
    resize=224x224   resize pictures to this height and width, bilinear with half-pixel centers
    decode=3         the input is one encoded picture (JPEG, PNG, BMP, the first of a GIF), as a scalar string; the
                     number of channels is 1, 3 or 4. This step comes first
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..analysis.choice import choose, tensor_of
from ..analysis.facts import Facts
from ..errors import GraphError
from ..graph.error_text import guess, quote
from ..messages import DataType, NodeDef
from ..ops.traits import PLACEHOLDERS
from ..source.model_source import Given, ModelSource
from ..values.dtypes import dtype_name
from ..values.names import TensorName, check_names
from .attribute_values import to_type
from .editor import Editor, edited_source

if TYPE_CHECKING:
    from ..values.shape import Shape


def append_preprocessing(model: Given, input: str, steps: str | Iterable[str]) -> ModelSource:
    """Return the model with preprocessing in front of an input: see `tfmodel.append_preprocessing`."""
    model = ModelSource.of(model)
    words = [word for step in ([steps] if isinstance(steps, str) else check_names(steps)) for word in step.split()]
    if not words:
        raise GraphError("there is nothing to do: name some steps")
    with model.naming():
        name = tensor_of(model, input, "inputs").node
        editor = Editor(model)
        node = editor[name]
        if node.op not in PLACEHOLDERS:
            raise GraphError(f"{quote(name)} is a {node.op}: preprocessing goes in front of a Placeholder")
        _Steps(editor, node, model).add(words)
    return edited_source(editor)


class _Steps:
    """Adds the nodes of the steps between a new Placeholder and what took the old one."""

    def __init__(self, editor: Editor, node: NodeDef, model: ModelSource) -> None:
        self.editor = editor
        self.name = node.name
        self.wanted = _type_of(editor, node)
        facts = Facts.of(model)
        inputs, _ = choose(model, inputs=[node.name], outputs=[]).describe(facts)
        endpoint = next((end for end in inputs if TensorName.parse(end.tensor).node == node.name), None)
        self.shape: Shape | None = endpoint.shape if endpoint is not None else None
        self.tensor = ""
        self.dtype = self.wanted

    def add(self, words: list[str]) -> None:
        parsed = [self._parse(word) for word in words]
        old = self.editor.fresh_name(f"{self.name}/model_input")
        self.editor.rename(self.name, old)
        self.dtype, shape = self._fed(parsed)
        self.tensor = self.editor.placeholder(self.name, self.dtype, shape)
        for step, value in parsed:
            step(self, value)
        if self.dtype != self.wanted:
            self._node("Cast", [self.tensor], DstT=self.wanted)
        self.editor.replace_tensor(old, self.tensor, consumers=self.editor.consumers(old))
        self.editor.name_input(old, self.name)
        self.editor.remove(old)

    def _parse(self, word: str) -> tuple[Callable[[_Steps, str], None], str]:
        name, equals, value = word.partition("=")
        name = name.lower()
        if name in _STEPS:
            step, takes_value = _STEPS[name]
            if bool(equals and value) != takes_value:
                problem = f"needs a value, as in {name}=..." if takes_value else "takes no value"
                raise GraphError(f"the step {quote(word)} {problem}")
            return step, value
        if not equals:
            try:
                to_type(name)
            except ValueError:
                raise GraphError(f"there is no step {quote(word)}{guess(name, _STEPS)}") from None
            return _Steps.cast, name
        raise GraphError(f"there is no step {quote(name)}{guess(name, _STEPS)}")

    def _fed(self, parsed: list[tuple[Callable[[_Steps, str], None], str]]) -> tuple[DataType, Shape | None]:
        """Return the type and the shape of what is fed."""
        shape = self.shape
        for place, (step, _) in enumerate(parsed):
            if step is _Steps.decode and place:
                raise GraphError("decode is the first step: the input is the encoded picture")
        for step, _ in reversed(parsed):
            if step is _Steps.resize and shape is not None and len(shape) == 4:
                shape = (shape[0], None, None, shape[3])
            elif step is _Steps.nchw and shape is not None and len(shape) == 4:
                shape = (shape[0], shape[2], shape[3], shape[1])
            elif step is _Steps.decode:
                return DataType.DT_STRING, ()
        first, value = parsed[0]
        return (to_type(value) if first is _Steps.cast else self.wanted), shape

    def _node(self, op: str, inputs: list[str], **attributes: Any) -> None:
        name = self.editor.fresh_name(f"{self.name}/{op}")
        self.tensor = self.editor.node(name, op, inputs, **attributes)
        self.dtype = self.editor.dtype(self.tensor) or self.dtype

    # --- the steps ---------------------------------------------------------------------------------------------------

    def cast(self, value: str) -> None:
        """Cast what is fed to the type of the model; as a later step, to the type `value`."""
        target = to_type(value) if self.tensor != self.name else self.wanted
        if self.dtype != target:
            self._node("Cast", [self.tensor], DstT=target)

    def _arithmetic(self, op: str, value: str) -> None:
        try:
            numbers = [_number(part) for part in value.split(",")]
        except ValueError:
            raise GraphError(f"{quote(value)} is not a number, or several with commas") from None
        if self.dtype != self.wanted:
            self._node("Cast", [self.tensor], DstT=self.wanted)
        channels = self.shape[-1] if self.shape else None
        if len(numbers) > 1 and channels is not None and channels != len(numbers):
            raise GraphError(f"{len(numbers)} numbers, and {quote(self.name)} has {channels} channels: {value}")
        base = self.editor.fresh_name(f"{self.name}/{op}/y")
        constant = self.editor.const(base, numbers if len(numbers) > 1 else numbers[0], dtype=self.wanted)
        self._node(op, [self.tensor, constant])

    def divide(self, value: str) -> None:
        self._arithmetic("RealDiv", value)

    def multiply(self, value: str) -> None:
        self._arithmetic("Mul", value)

    def subtract(self, value: str) -> None:
        self._arithmetic("Sub", value)

    def plus(self, value: str) -> None:
        self._arithmetic("AddV2", value)

    def bgr(self, value: str) -> None:
        axis = self.editor.const(self.editor.fresh_name(f"{self.name}/ReverseV2/axis"), [-1])
        self._node("ReverseV2", [self.tensor, axis])

    def nchw(self, value: str) -> None:
        order = self.editor.const(self.editor.fresh_name(f"{self.name}/Transpose/perm"), [0, 3, 1, 2])
        self._node("Transpose", [self.tensor, order])

    def resize(self, value: str) -> None:
        height, times, width = value.partition("x")
        if not (times and height.isdecimal() and width.isdecimal() and int(height) and int(width)):
            raise GraphError(f"resize takes HEIGHTxWIDTH, such as resize=224x224, not {quote(value)}")
        name = self.editor.fresh_name(f"{self.name}/ResizeBilinear/size")
        size = self.editor.const(name, [int(height), int(width)])
        self._node("ResizeBilinear", [self.tensor, size], half_pixel_centers=True)

    def decode(self, value: str) -> None:
        if value not in ("1", "3", "4"):
            raise GraphError(f"decode takes the number of channels, 1, 3 or 4, not {quote(value)}")
        self._node("DecodeImage", [self.tensor], channels=int(value), expand_animations=False)
        axis = self.editor.const(self.editor.fresh_name(f"{self.name}/ExpandDims/dim"), 0)
        self._node("ExpandDims", [self.tensor, axis])


_STEPS: dict[str, tuple[Callable[[_Steps, str], None], bool]] = {
    "add": (_Steps.plus, True),
    "bgr": (_Steps.bgr, False),
    "decode": (_Steps.decode, True),
    "divide": (_Steps.divide, True),
    "mean": (_Steps.subtract, True),
    "multiply": (_Steps.multiply, True),
    "nchw": (_Steps.nchw, False),
    "resize": (_Steps.resize, True),
    "std": (_Steps.divide, True),
    "subtract": (_Steps.subtract, True),
}


def _number(text: str) -> float:
    numerator, slash, denominator = text.partition("/")
    try:
        return float(numerator) / float(denominator) if slash else float(text)
    except ZeroDivisionError:
        raise ValueError from None


def _type_of(editor: Editor, node: NodeDef) -> DataType:
    dtype = editor.dtype(node.name)
    if dtype is None or dtype_name(dtype) == "string":
        raise GraphError(f"{quote(node.name)} is not an input of numbers: there is nothing to preprocess")
    return dtype
