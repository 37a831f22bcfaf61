"""Colors of images: contrast, hue, saturation, and the spaces RGB and HSV."""

from __future__ import annotations

from ..conversion import operators
from ..conversion.call import BOOL, FLOAT, Call
from ..conversion.model import Value
from ..conversion.registry import converter


@converter("RGBToHSV")
def _to_hsv(call: Call) -> Value:
    return call.laid_out(call.add("Concat", *_hsv(call, call.input(0)), axis=-1))


@converter("HSVToRGB")
def _to_rgb(call: Call) -> Value:
    value = call.input(0)
    return call.laid_out(_rgb(call, *_channels(call, value)))


def _channels(call: Call, value: Value) -> list[Value]:
    return call.several("Split", value, call.const([1, 1, 1]), types=[value.dtype] * 3, axis=-1)


def _hsv(call: Call, value: Value) -> list[Value]:
    """Return hue, saturation and value of red, green and blue, all from 0 to 1."""
    red, green, blue = _channels(call, value)
    zero, one = call.like(0, value), call.like(1, value)
    top = operators.reduce(call, "ReduceMax", value, [-1], keepdims=True)
    extent = call.add("Sub", top, operators.reduce(call, "ReduceMin", value, [-1], keepdims=True))
    is_positive = call.add("Greater", top, zero, dtype=BOOL)
    saturation = operators.where(call, is_positive, call.add("Div", extent, top), zero)
    unit = call.add("Div", one, call.add("Mul", extent, call.like(6, value)))
    hues = [
        call.add("Add", call.add("Mul", unit, call.add("Sub", a, b)), call.like(start / 6, value))
        for a, b, start in ((green, blue, 0), (blue, red, 2), (red, green, 4))
    ]
    is_red, is_green = (call.add("Equal", top, channel, dtype=BOOL) for channel in (red, green))
    hue = operators.where(call, is_red, hues[0], operators.where(call, is_green, hues[1], hues[2]))
    hue = operators.where(call, call.add("Greater", extent, zero, dtype=BOOL), hue, zero)
    hue = operators.where(call, call.add("Less", hue, zero, dtype=BOOL), call.add("Add", hue, one), hue)
    return [hue, saturation, top]


def _rgb(call: Call, hue: Value, saturation: Value, value: Value) -> Value:
    """Return red, green and blue: each is a trapezoid over the hue."""
    six, one = call.like(6, hue), call.like(1, hue)
    angle = call.add("Mul", hue, six)
    parts = []
    for center, sign, start in ((3, 1, -1), (2, -1, 2), (4, -1, 2)):
        distance = call.add("Abs", call.add("Sub", angle, call.like(center, hue)))
        slope = distance if sign > 0 else call.add("Neg", distance)
        part = operators.clip(call, call.add("Add", slope, call.like(start, hue)), 0, 1)
        mixed = call.add("Add", call.add("Sub", one, saturation), call.add("Mul", saturation, part))
        parts.append(call.add("Mul", mixed, value))
    return call.add("Concat", *parts, axis=-1)


@converter("AdjustSaturation")
def _saturation(call: Call) -> Value:
    """Multiply the saturation."""
    image = call.input(0)
    hue, saturation, value = _hsv(call, call.cast(image, FLOAT))
    scaled = operators.clip(call, call.add("Mul", saturation, call.input(1, dtype=FLOAT)), 0, 1)
    return call.laid_out(call.cast(_rgb(call, hue, scaled, value), image.dtype))


@converter("AdjustHue")
def _hue(call: Call) -> Value:
    """Turn the hue; 1 is a whole turn."""
    image = call.input(0)
    hue, saturation, value = _hsv(call, call.cast(image, FLOAT))
    turned = call.add("Add", hue, call.input(1, dtype=FLOAT))
    turned = call.add("Sub", turned, call.add("Floor", turned))
    return call.laid_out(call.cast(_rgb(call, turned, saturation, value), image.dtype))


@converter("AdjustContrastv2")
def _contrast(call: Call) -> Value:
    """Multiply the distance from the mean of each channel."""
    image = call.input(0)
    x = call.cast(image, FLOAT)
    mean = operators.reduce(call, "ReduceMean", x, [-3, -2], keepdims=True)
    scaled = call.add("Mul", call.add("Sub", x, mean), call.input(1, dtype=FLOAT))
    return call.laid_out(call.cast(call.add("Add", scaled, mean), image.dtype))
