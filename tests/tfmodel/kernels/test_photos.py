"""JPEG, GIF and PNG files are decoded as by TensorFlow, by Pillow or without it, and encoded so that they are again."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from tests.golden.kernels.photos import Recorded, photo, recorded
from tests.kernel_cases import Case, i32, strings
from tfmodel.errors import RunError
from tfmodel.kernels.runtime import evaluate
from tfmodel.messages import DataType

needs_pillow = pytest.mark.skipif(find_spec("PIL") is None, reason="needs Pillow")
DTYPES = {"uint16": DataType.DT_UINT16, "float32": DataType.DT_FLOAT}
FAR = {"DecodeJpeg": 1, "DecodeAndCropJpeg": 6}
"""How far pixels may differ with the exact transform: by the version of the library, and at the edges of a crop."""
FAR_WITH_FAST = 12
"""How far they may differ where TensorFlow takes the fast one."""
WITHOUT_PILLOW = ("png", "png of 16 bits", "text", "empty")


def case(row: Recorded) -> Case:
    options = {name: DTYPES[value] if name == "dtype" else value for name, value in row.options.items()}
    window = options.pop("crop_window", None)
    return Case(row.op, [strings(row.data), *([i32(window)] if window else [])], **options)


def result(case: Case):
    [output] = evaluate(case.node, case.arrays)
    return output


@pytest.mark.parametrize("name", sorted({row.name for row in recorded()}))
def test_files_are_decoded_as_by_tensorflow(name):
    if name not in WITHOUT_PILLOW and find_spec("PIL") is None:
        pytest.skip("needs Pillow")
    wrong = []
    for row in recorded():
        if row.name != name:
            continue
        try:
            ours = result(case(row))
        except RunError as error:
            if row.output is not None:
                wrong.append(f"{row.op} {row.options}: {error}")
            continue
        if row.output is None:
            wrong.append(f"{row.op} {row.options}: TensorFlow refuses it")
        elif (ours.shape, ours.dtype) != (row.output.shape, row.output.dtype):
            wrong.append(f"{row.op} {row.options}: {ours.dtype}{ours.shape}, not {row.output.dtype}{row.output.shape}")
        else:
            scale = {"uint16": 257, "float32": 1 / 255}.get(ours.dtype.name, 1)
            far = np.abs(ours.astype(np.float64) - row.output.astype(np.float64)) / scale
            is_jpeg = name.startswith(("rgb", "gray")) and row.op != "ExtractJpegShape"
            is_exact = "dct_method" in row.options
            most = (FAR[row.op] if is_exact else FAR_WITH_FAST) if is_jpeg else 1e-3
            if far.max() > most or far.mean() > (0.3 if is_exact else 3):
                wrong.append(f"{row.op} {row.options}: differs by {far.max()}, {far.mean()} on average")
    assert wrong == []


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_png_files_hold_what_was_encoded(channels, dtype):
    image = photo(7, 5, channels).astype(dtype) * dtype(1 if dtype == np.uint8 else 199)
    number = DataType.DT_UINT8 if dtype == np.uint8 else DataType.DT_UINT16
    file = result(Case("EncodePng", [image], compression=7))
    assert result(Case("DecodePng", [strings(file.item())], dtype=number)).tolist() == image.tolist()


def test_a_batch_of_images_is_a_file_of_each():
    images = np.stack([photo(4, 3, 3), photo(4, 3, 3)[::-1]])
    files = result(Case("EncodePng", [images]))
    assert files.shape == (2,)
    assert result(Case("DecodePng", [strings(files[1])])).tolist() == images[1].tolist()


@needs_pillow
@pytest.mark.parametrize("channels", [1, 3])
def test_jpeg_files_are_near_to_what_was_encoded(channels):
    image = photo(40, 30, channels)
    for file in (
        result(Case("EncodeJpeg", [image], quality=95, chroma_downsampling=False)),
        result(Case("EncodeJpegVariableQuality", [image, i32(95)])),
    ):
        decoded = result(Case("DecodeJpeg", [strings(file.item())]))
        assert decoded.shape == image.shape
        assert np.abs(decoded.astype(int) - image.astype(int)).mean() < 4


@pytest.mark.parametrize(
    "case",
    [
        Case("EncodePng", [photo(3, 3, 3)], compression=10),
        Case("EncodePng", [np.zeros((2, 2, 5), np.uint8)]),
        Case("EncodePng", [np.zeros((0, 2, 3), np.uint8)]),
        Case("EncodeJpeg", [photo(3, 3, 4)]),
        Case("EncodeJpeg", [photo(3, 3, 3)], format="grayscale"),
        Case("EncodeJpeg", [photo(3, 3, 3)], quality=101),
        Case("EncodeJpegVariableQuality", [photo(3, 3, 3), i32(-1)]),
    ],
    ids=str,
)
def test_images_that_cannot_be_encoded_are_refused(case):
    with pytest.raises(RunError):
        result(case)


def test_without_pillow_the_error_says_so(monkeypatch):
    [row] = [row for row in recorded() if (row.op, row.name, row.options) == ("DecodeJpeg", "rgb", {"channels": 3})]
    monkeypatch.setitem(__import__("sys").modules, "PIL.Image", None)
    with pytest.raises(RunError, match="pip install pillow"):
        result(case(row))
