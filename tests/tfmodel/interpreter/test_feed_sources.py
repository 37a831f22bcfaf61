"""Feeds that depend on their tensor: expressions and pictures."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from tests.kernel_cases.pictures import _bmp, _png
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import FeedError, GraphError, RunError
from tfmodel.interpreter import Session
from tfmodel.interpreter.feed_sources import Expression, MediaFile

GRAPH = """
    floats = Placeholder[dtype=float, shape=(-1, 2)]
    integers = Placeholder[dtype=int32, shape=(-1)]
    flags = Placeholder[dtype=bool, shape=(-1)]
    text = Placeholder[dtype=string, shape=()]
    texts = Placeholder[dtype=string, shape=(-1)]
    bytes = Placeholder[dtype=uint8, shape=(-1, -1, 3)]
    small = Placeholder[dtype=float, shape=(-1, 2, 3, 3)]
    gray = Placeholder[dtype=float, shape=(1, -1, -1, 1)]
    clear = Placeholder[dtype=int64, shape=(-1, -1, 4)]
    unknown = Placeholder[dtype=float, shape=()]
    narrow = Placeholder[dtype=int8, shape=(-1, -1, 3)]
    pairs = Placeholder[dtype=float, shape=(2, -1, -1, 3)]
    depths = Placeholder[dtype=float, shape=(-1, 3, -1, -1)]
"""
RGB = _png(2, 8, 4, 3)


def fed(name, source, log=None, **limits):
    """Return the value of a tensor of GRAPH for a feed."""
    return Session(graph_of(GRAPH), log=log or (lambda text: None)).run({name: source}, name, **limits)[name]


@pytest.fixture
def picture(tmp_path):
    def write(data=RGB, name="picture.png"):
        (tmp_path / name).write_bytes(data)
        return MediaFile(str(tmp_path / name))

    return write


@pytest.fixture(autouse=True)
def without_pillow(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)


class TestExpression:
    @pytest.mark.parametrize(
        ("name", "text", "expected"),
        [
            ("floats", "ones(1,2)", [[1.0, 1.0]]),
            ("floats", "zeros( (2, 2) )", [[0.0, 0.0], [0.0, 0.0]]),
            ("integers", "ones(2)", [1, 1]),
            ("flags", "ones(2)", [True, True]),
            ("integers", "arange(3)", [0, 1, 2]),
            ("integers", "arange(5, 0, -2)", [5, 3, 1]),
            ("unknown", "ones()", 1.0),
            ("unknown", "arange(3)", [0.0, 1.0, 2.0]),
        ],
    )
    def test_an_expression_has_the_type_of_its_tensor(self, name, text, expected):
        value = fed(name, Expression.parse(text))
        assert value.tolist() == expected

    def test_random_numbers_follow_the_seed(self):
        first, same, other = (fed("floats", Expression.parse("random(3,2)", seed)) for seed in (1, 1, 2))
        assert first.dtype == np.float32
        assert (first == same).all()
        assert (first != other).any()

    @pytest.mark.parametrize("text", ["0.5", "[1, 2]", "x", "ones", '"ones(2)" ', "(1)", ""])
    def test_other_text_is_not_an_expression(self, text):
        assert Expression.parse(text) is None

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("one(1)", 'there is no function "one"; the functions are arange(6) '),
            ("__import__('os')", 'there is no function "__import__"'),
            ("ones(1.5)", "is not a call with integers"),
            ("ones(True)", "is not a call with integers"),
            ("ones(x)", "is not a call with integers"),
            ("ones(shape=3)", "is not a call with integers"),
            ("ones(1)(2)", "is not a call with integers"),
            ("ones(1) + ones(1)", "is not a call with integers"),
            ("ones(" + "(" * 5000 + ")" * 5000 + ")", "is longer than 1,000 characters"),
            ("ones(" + "9" * 5000 + ")", "is longer than 1,000 characters"),
            ("ones(" + "9" * 500 + ")", "is not a call with integers"),
            ("ones(" + "(" * 400 + ")" * 400 + ")", "is not a call with integers"),
            ("ones(99999999999999999999)", "is not a call with integers"),
            ("ones(-1)", "takes up to 32 sizes, each >= 0"),
            ("ones(" + "1," * 40 + ")", "takes up to 32 sizes"),
            ("arange()", "arange takes (end), "),
            ("arange(1,2,0)", "with a step that is not 0"),
        ],
    )
    def test_a_wrong_expression_names_the_functions(self, text, message):
        with pytest.raises(ValueError) as caught:
            Expression.parse(text)
        assert message in str(caught.value)

    def test_a_large_expression_is_refused_by_the_limit(self):
        with pytest.raises(RunError, match=r"ones\(1000000,2\) has too many elements for 1,000 bytes"):
            fed("floats", Expression.parse("ones(1000000,2)"), max_bytes=1000)
        with pytest.raises(FeedError, match="is too large"):
            fed("floats", Expression.parse("ones(1000000000000,2)"))

    def test_an_expression_is_not_a_text(self):
        with pytest.raises(FeedError, match=r'"text" takes strings, and ones\(1\) is an array of numbers'):
            fed("text", Expression.parse("ones(1)"))


class TestPicture:
    def test_pixels_of_open_sizes_are_fed_as_they_are(self, picture):
        value = fed("bytes", picture())
        assert (value.shape, value.dtype) == ((3, 4, 3), np.uint8)

    def test_a_float_input_gets_values_up_to_255_in_its_size(self, picture):
        value = fed("small", picture())
        assert (value.shape, value.dtype) == ((1, 2, 3, 3), np.float32)
        assert value.max() > 1

    @pytest.mark.parametrize(
        ("name", "shape"), [("gray", (1, 3, 4, 1)), ("clear", (3, 4, 4)), ("unknown", (1, 3, 4, 3))]
    )
    def test_channels_are_those_of_the_shape(self, picture, name, shape):
        assert fed(name, picture()).shape == shape

    @pytest.mark.parametrize(("name", "channels"), [("bytes", 3), ("gray", 1), ("clear", 4)])
    @pytest.mark.parametrize("bits", [8, 24, 32])
    def test_bitmaps_are_converted_too(self, picture, name, channels, bits):
        assert fed(name, picture(_bmp(bits, 5, 4), "x.bmp")).shape[-1] == channels

    def test_strings_get_the_bytes_of_the_file(self, picture):
        assert fed("text", picture(b"\xff\xd8\xff", "x.jpg")) == RGB[:0] + b"\xff\xd8\xff"
        assert fed("texts", picture()).tolist() == [RGB]

    def test_sound_is_for_strings(self, picture):
        assert fed("text", picture(b"RIFF", "x.wav")) == b"RIFF"
        with pytest.raises(
            FeedError, match=r'x\.wav is a sound file, which only a tensor of strings takes, .*; "floats" is a tensor'
        ):
            fed("floats", picture(b"RIFF", "x.wav"))

    def test_a_line_says_what_was_fed(self, picture):
        lines = []
        fed("small", source := picture(), lines.append)
        text = (
            f"{source.file}, 4 x 3 pixels, resized to 3 x 2 (bilinear), as float32[1,2,3,3] with values from 0 to 255"
        )
        assert lines == [f'"small": fed {text}']

    @pytest.mark.parametrize(
        ("name", "problem"),
        [
            ("floats", r"the shape is \[\?,2\]; a picture is fed to"),
            ("flags", "the type is bool; a picture is fed to"),
            ("narrow", "int8 does not hold the numbers from 0 to 255"),
            ("pairs", r"the shape is \[2,\?,\?,3\]"),
        ],
    )
    def test_a_picture_fits_pictures_only(self, picture, name, problem):
        with pytest.raises(FeedError, match=rf'picture.png does not fit "{name}": {problem}'):
            fed(name, picture())

    def test_other_formats_need_pillow(self, picture):
        with pytest.raises(FeedError, match=r"x.jpg: this format is decoded by Pillow, .*: pip install pillow"):
            fed("bytes", picture(b"\xff\xd8\xff", "x.jpg"))

    def test_pillow_decodes_if_it_is_there(self, picture, monkeypatch):
        monkeypatch.setitem(sys.modules, "PIL.Image", FakePillow)
        monkeypatch.setitem(sys.modules, "PIL", types.SimpleNamespace(Image=FakePillow))
        assert fed("bytes", picture(b"\xff\xd8\xff", "x.jpg")).tolist() == [[[1, 2, 3]]]

    @pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", RGB[:60], b"BM"])
    def test_a_broken_file_is_refused(self, picture, data):
        with pytest.raises(FeedError, match=r"picture\.png: "):
            fed("bytes", picture(data))

    def test_a_missing_file_is_refused(self, tmp_path):
        with pytest.raises(FeedError, match="No such file"):
            fed("bytes", MediaFile(str(tmp_path / "none.png")))

    def test_the_size_is_checked_before_the_pixels_are_decoded(self, picture):
        bomb = RGB[:16] + (1 << 16).to_bytes(4, "big") * 2 + RGB[24:]
        with pytest.raises(FeedError, match="65,536 x 65,536 pixels, and the limit is"):
            fed("bytes", picture(bomb))

    def test_the_limit_of_the_run_counts(self, picture):
        with pytest.raises(FeedError, match="bytes"):
            fed("bytes", picture(_png(2, 8, 60, 60)), max_bytes=1000)


class FakePillow:
    """Pillow, for one picture of a pixel."""

    size = (1, 1)

    @classmethod
    def open(cls, file):
        return cls()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def convert(self, mode):
        assert mode == "RGB"
        return np.array([[[1, 2, 3]]], np.uint8)


class TestQueues:
    GRAPH = """
        q = FIFOQueueV2[component_types=[float,int32]]
        next = QueueDequeueV2(q)[component_types=[float,int32]]
        relu = Relu(next)[T=float]
        minus = Neg(next:1)[T=int32]
    """

    def run(self, feeds, fetches):
        return {name: value.tolist() for name, value in Session(graph_of(self.GRAPH)).run(feeds, fetches).items()}

    def test_any_output_of_a_queue_is_fed(self):
        assert self.run({"next:1": [1, 2]}, "minus") == {"minus": [-1, -2]}
        assert self.run({"next:0": [1, -2]}, "relu") == {"relu": [1.0, 0.0]}
        assert self.run({"next": [-1], "next:1": [3]}, ["relu", "minus"]) == {"relu": [0.0], "minus": [-3]}

    def test_an_output_that_does_not_exist_is_not_fed(self):
        with pytest.raises(GraphError, match="next"):
            self.run({"next:2": [1, 2]}, "minus")

    def test_an_error_names_the_outputs_to_feed(self):
        with pytest.raises(RunError, match='feed the data of queues and iterators: "next:0"'):
            self.run({"next:1": [1, 2]}, "relu")
