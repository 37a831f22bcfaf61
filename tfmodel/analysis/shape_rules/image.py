"""Shape rules of ops that decode, resize, crop and adjust images, and of non-maximum suppression."""

from __future__ import annotations

from ...errors import GraphError
from ...values.shape import SCALAR, Dim, Shape, merge_dims, rows_shape, shape_to_text, with_rank
from .table import Call, Result, Rule, scalar, share_rule


def resize_shape(shape: Shape | None, sizes: tuple[Dim, ...] | None) -> Shape:
    """Return the shape of images with another height and width."""
    batch, _, _, channels = with_rank(shape, 4)
    height, width = with_rank(sizes, 2)
    return batch, height, width, channels


def _resize(call: Call) -> Result:
    with_rank(call.shape(1), 1)
    return resize_shape(call.shape(0), call.sizes(1))


def _resize_grad(call: Call) -> Result:
    """Return the shape of the original image: the second input is that image, or for nearest neighbor its size."""
    shape, second = with_rank(call.shape(0), 4), call.shape(1)
    if call.node.op == "ResizeNearestNeighborGrad":
        return resize_shape(shape, call.sizes(1))
    return with_rank(second, 4)


def _crop_and_resize(call: Call) -> Result:
    boxes, indices = with_rank(call.shape(1), 2), with_rank(call.shape(2), 1)
    if boxes[1] not in (4, None):
        raise GraphError(f"boxes must be of shape [n,4], not {shape_to_text(boxes)}")
    _, height, width, channels = resize_shape(call.shape(0), call.sizes(3))
    return merge_dims(boxes[0], indices[0]), height, width, channels


def _crop_grad_image(call: Call) -> Result:
    return with_rank(call.sizes(3), 4)


def _crop_grad_boxes(call: Call) -> Result:
    return with_rank(call.shape(2), 2)


def _project(call: Call) -> Result:
    return resize_shape(call.shape(0), call.sizes(2))


def _glimpse(call: Call) -> Result:
    shape = resize_shape(call.shape(0), call.sizes(1))
    return merge_dims(shape[0], with_rank(call.shape(2), 2)[0]), *shape[1:]


def _suppression(call: Call) -> Result:
    return (None,)


def _suppression_v4(call: Call) -> Result:
    size = call.number(2) if call.attr("pad_to_max_output_size", bool, False) else None
    return [(size,), SCALAR]


def _suppression_v5(call: Call) -> Result:
    size = call.number(2) if call.attr("pad_to_max_output_size", bool, False) else None
    return [(size,), (size,), SCALAR]


def _combined_suppression(call: Call) -> Result:
    """Return the shapes of boxes, scores and classes, (batch, size, ...), and of the number of valid boxes."""
    boxes, scores = with_rank(call.shape(0), 4), with_rank(call.shape(1), 3)
    batch, classes = merge_dims(boxes[0], scores[0]), scores[2]
    merge_dims(boxes[1], scores[1])
    per_class, total = call.number(2), call.number(3)
    if total is not None and total <= 0:
        raise GraphError(f"max_total_size must be positive, got {total}")
    size = total
    if call.attr("pad_per_class", bool, False):
        all_classes = None if per_class is None or classes is None else per_class * classes
        size = None if all_classes is None or total is None else min(all_classes, total)
    return [(batch, size, 4), (batch, size), (batch, size), (batch,)]


def _sample_box(call: Call) -> Result:
    return [(3,), (3,), (1, 1, 4)]


def _draw_boxes(call: Call) -> Result:
    return rows_shape(call.shape(0), 3)


def _convert_colors(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 1)
    if shape is None:
        return None
    return (*shape[:-1], merge_dims(shape[-1], 3))


def _adjust(call: Call) -> Result:
    return rows_shape(call.shape(0), 3)


def _decode(call: Call) -> Result:
    channels = call.attr("channels", int, 0)
    if channels < 0:
        raise GraphError(f"channels must not be negative, got {channels}")
    return None, None, channels or None


def _decode_part(call: Call) -> Result:
    """Return the shape of a decoded window; the second input is its y, x, height and width."""
    window = call.numbers(1)
    height, width = (None, None) if window is None else with_rank(window, 4)[2:]
    return height, width, call.attr("channels", int, 0) or None


def _decode_movie(call: Call) -> Result:
    return None, None, None, 3


def _encode(call: Call) -> Result:
    """Return a scalar for an image, or the outer dimensions of a batch of images."""
    shape = rows_shape(call.shape(0), 3)
    return None if shape is None else shape[:-3]


RULES: dict[str, Rule] = {
    "AdjustContrastv2": _adjust,
    "AdjustHue": _adjust,
    "AdjustSaturation": _adjust,
    "CombinedNonMaxSuppression": _combined_suppression,
    "CropAndResize": _crop_and_resize,
    "CropAndResizeGradBoxes": _crop_grad_boxes,
    "CropAndResizeGradImage": _crop_grad_image,
    "DecodeAndCropJpeg": _decode_part,
    "DecodeBmp": _decode,
    "DecodeGif": _decode_movie,
    "DecodeImage": lambda call: None,
    "DecodeJpeg": _decode,
    "DecodePng": _decode,
    "DrawBoundingBoxes": _draw_boxes,
    "DrawBoundingBoxesV2": _draw_boxes,
    "EncodeJpeg": scalar,
    "EncodeJpegVariableQuality": scalar,
    "EncodePng": _encode,
    "ExtractGlimpse": _glimpse,
    "ExtractGlimpseV2": _glimpse,
    "ExtractJpegShape": lambda call: (3,),
    "HSVToRGB": _convert_colors,
    "ImageProjectiveTransformV2": _project,
    "ImageProjectiveTransformV3": _project,
    "NonMaxSuppressionV4": _suppression_v4,
    "NonMaxSuppressionV5": _suppression_v5,
    "RGBToHSV": _convert_colors,
    "ResizeBicubicGrad": _resize_grad,
    "ResizeBilinearGrad": _resize_grad,
    "ResizeNearestNeighborGrad": _resize_grad,
    "SampleDistortedBoundingBox": _sample_box,
    "SampleDistortedBoundingBoxV2": _sample_box,
    **share_rule(
        """
        NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionWithOverlaps
        """,
        _suppression,
    ),
    **share_rule("ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor ScaleAndTranslate", _resize),
}
