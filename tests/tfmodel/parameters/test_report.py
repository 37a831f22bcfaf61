"""The report as text and as JSON."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from tests.tfmodel.parameters.graphs import const, function, graph, node, variable
from tfmodel.errors import TensorError
from tfmodel.messages import AttrValue, DataType
from tfmodel.parameters.listing import weights

list_all = partial(weights, all=True)


@pytest.fixture
def model():
    return graph(
        const("conv/kernel", np.linspace(-1, 1, 54, dtype="f4").reshape(3, 3, 3, 2)),
        const("conv/bias", np.float32([0, 0.25])),
        const("axis", np.int32(3)),
        const("names", [b"a", b"bcd"]),
        "c = Conv2D(x, conv/kernel)",
        "b = BiasAdd(c, conv/bias)",
        "y = ConcatV2(b, b, axis)",
        "z = Mean(y, axis)",
    )


QUANTIZED = graph(
    const("w_quantized_const", np.zeros((2, 3), "u1"), DataType.DT_QUINT8),
    const("w_quantized_min", np.float32(-1)),
    const("w_quantized_max", np.float32(4.1)),
    "y = QuantizedMatMul(x, w_quantized_const, xl, xh, w_quantized_min, w_quantized_max)",
    const("v_codes", np.zeros((1, 4), "i1"), DataType.DT_QINT8),
    const("low", np.zeros(4, "f4")),
    const("high", np.float32([1, 2, 3, 4])),
    node("v = Dequantize(v_codes, low, high)"),
    "z = MatMul(v, v)",
    const("u", np.zeros(3, "u1"), DataType.DT_QUINT8),
)
QUANTIZED.node[-3].attr.update(axis=AttrValue(i=1), mode=AttrValue(s=b"SCALED"))


class TestText:
    def test_a_table(self, model):
        assert list_all(model).to_text() == (
            "name         used by   as             dtype    shape      bytes  share\n"
            "conv/kernel  Conv2D    filter         float32  [3,3,3,2]    216  93.1%\n"
            "conv/bias    BiasAdd   bias           float32  [2]            8   3.4%\n"
            "axis         ConcatV2  axis (2 uses)  int32    []             4   1.7%\n"
            "names                  (unused)       string   [2]            4   1.7%\n"
            "\n"
            "4 weights, 232 bytes, 56 parameters\n"
        )

    def test_quantized_weights(self):
        assert list_all(QUANTIZED).to_text() == (
            "name  used by          as        dtype   shape  bytes  share\n"
            "w     QuantizedMatMul  matrix    quint8  [2,3]      6  46.2%  -1 to 4.1 in steps of 0.02\n"
            "v     MatMul           matrix    qint8   [1,4]      4  30.8%  4 ranges along axis 1\n"
            "u                      (unused)  quint8  [3]        3  23.1%\n"
            "\n"
            "3 weights, 13 bytes, 10 parameters\n"
            "2 quantized: 10 bytes instead of 40\n"
        )

    def test_weights_of_few_values(self):
        lines = list_all(graph(const("w", np.float32([1, 2] * 100))), statistics=True).to_text().splitlines()
        assert lines[1].endswith("  2 values, 1.0 bits each")
        assert lines[-1] == "1 with few distinct values: 800 bytes, at least 33 in an archive"

    def test_a_selection_shows_the_totals_of_the_model(self, model):
        assert list_all(model, name="conv/*", layout="OIHW").to_text() == (
            "name         used by  as      dtype    shape           bytes  share\n"
            "conv/kernel  Conv2D   filter  float32  [2,3,3,3] OIHW    216  93.1%\n"
            "conv/bias    BiasAdd  bias    float32  [2]                 8   3.4%\n"
            "\n"
            "2 of 4 weights, 224 of 232 bytes, 56 of 56 parameters\n"
        )

    def test_statistics(self, model):
        model.node += [const("bad", np.float32([np.nan, np.inf, 0, -2])), const("none", np.float32([np.nan]))]
        lines = list_all(model, statistics=True, sort="order").to_text().splitlines()
        assert [line.split("  share")[1].split() for line in lines[:1]] == [["min", "max", "mean", "std", "zeros"]]
        columns = {line.split()[0]: line.partition("%")[2].split() for line in lines[1:-2]}
        assert columns["conv/bias"] == ["0", "0.25", "0.125", "0.125", "50.0%"]
        assert columns["axis"] == ["3", "3", "3", "0"]
        assert columns["names"] == []
        assert columns["bad"] == ["-2", "0", "-1", "1", "25.0%", "1", "NaN,", "1", "infinite"]
        assert columns["none"] == ["1", "NaN"]

    def test_a_histogram(self):
        model = graph(const("w", np.float32([0] * 8 + [1] * 4 + [2])))
        for ascii, (most, half, least) in ((False, "█▄▁"), (True, "@=.")):
            bar = most + " " * 11 + half + " " * 10 + least
            line = list_all(model, histogram=True).to_text(ascii=ascii).splitlines()[1]
            assert line.endswith(f"  0  {bar}  2")
            assert line.isascii() is ascii
        both = list_all(model, histogram=True, statistics=True).to_text().splitlines()
        assert both[0].split()[-6:] == ["min", "distribution", "max", "mean", "std", "zeros"]

    def test_a_use_in_a_loop(self):
        model = graph(const("w", np.ones((2, 2), "f4")), "e = Enter(w)", "y = MatMul(x, e)")
        assert " MatMul   matrix (loop) " in list_all(model).to_text()

    def test_variables_without_values(self):
        model = graph(variable("w", 2, -1), variable("v", 2), "i = AssignVariableOp(v, c)", "y = MatMul(x, w)")
        assert list_all(model, sort="order").to_text() == (
            "name  used by  as            dtype    shape  bytes   share\n"
            "w     MatMul   matrix        float32  [2,?]      ?\n"
            "v              (only saved)  float32  [2]        8  100.0%\n"
            "\n"
            "2 weights, 8 bytes, 0 parameters\n"
            "2 without values: there is no checkpoint\n"
        )
        text = list_all(model, checkpoint={"v": np.zeros(2, "f4")}).to_text()
        assert text.splitlines()[2].split(maxsplit=6)[4:] == ["[2,?]", "?", "not in the checkpoint"]
        assert "without values" not in text

    def test_no_weights(self):
        assert list_all(graph("x = Placeholder()")).to_text() == "no weights: there are no constants and no variables\n"

    def test_names_are_escaped(self):
        name = "\x1b[31mw\n"
        model = graph(const(name, np.ones(3, "f4")), node("y = \x1b[32mOp(w)"))
        model.node[1].input = [name]
        text = list_all(model).to_text()
        assert "\x1b" not in text
        assert "\\x1b[31mw\\n" in text
        assert len(text.splitlines()) == 4

    def test_totals_of_one(self):
        assert list_all(graph(const("w"))).to_text().endswith("\n1 weight, 12 bytes, 0 parameters\n")


class TestJson:
    def test_all_members(self, model):
        document = json.loads(list_all(model, name="conv/*", layout="torch", statistics=True, histogram=True).to_json())
        kernel, bias = document.pop("weights")
        totals = {"format": 1, "name": "", "count": 4, "bytes": 232, "parameters": 56, "layout": "torch"}
        assert document == totals | {"outputs": None, "not_listed": {"count": 0}}
        assert sum(kernel.pop("histogram")["counts"]) == 54
        assert kernel.pop("statistics").keys() == {"min", "max", "mean", "std", "zeros", "nan", "inf"}
        assert kernel == {
            "name": "conv/kernel",
            "kind": "constant",
            "op": "Conv2D",
            "role": "filter",
            "dtype": "float32",
            "shape": [2, 3, 3, 3],
            "bytes": 216,
            "share": 0.931034,
            "is_parameter": True,
            "axes": "OIHW",
            "uses": [{"node": "c", "op": "Conv2D", "role": "filter"}],
        }
        assert bias["statistics"] == {
            "min": 0.0,
            "max": 0.25,
            "mean": 0.125,
            "std": 0.125,
            "zeros": 1,
            "nan": 0,
            "inf": 0,
        }
        assert bias["histogram"]["from"] == 0.0

    def test_unknown_values_are_null(self):
        model = graph(variable("w", 2, -1), variable("v", op="Variable"))
        rows = json.loads(list_all(model).to_json())["weights"]
        assert [(row["shape"], row["bytes"], row["op"], row["missing"]) for row in rows] == [
            ([2, None], None, None, "there is no checkpoint"),
            (None, None, None, "there is no checkpoint"),
        ]

    def test_infinite_numbers_are_valid_json(self):
        model = graph(const("w", np.float32([np.nan, np.inf])))
        (row,) = json.loads(list_all(model, statistics=True, histogram=True).to_json())["weights"]
        assert row["statistics"] == {
            "min": None,
            "max": None,
            "mean": None,
            "std": None,
            "zeros": 0,
            "nan": 1,
            "inf": 1,
        }
        assert "histogram" not in row

    def test_uses_inside_of_functions_and_loops(self):
        body = function("f", "w x", {"y": "m:product:0"}, "r = Reshape(w, s)", "m = MatMul(x, r:output:0)")
        model = graph(const("w", np.ones((2, 2), "f4")), node("c = While(w, x)", cond="f", body="f"), functions=(body,))
        (row,) = json.loads(list_all(model).to_json())["weights"]
        assert row["uses"][0] == {
            "node": "m",
            "op": "MatMul",
            "role": "matrix",
            "function": "f",
            "in_loop": True,
            "through": ["Reshape"],
        }


class TestRows:
    def test_a_row_by_name(self, model):
        report = list_all(model)
        assert len(report) == 4
        assert report["conv/bias"].elements == 2
        with pytest.raises(KeyError):
            report["conv"]

    def test_equal_rows_are_equal(self, model):
        assert list(list_all(model)) == list(list_all(model))
        assert "0x" not in repr(list_all(model)["axis"])

    @pytest.mark.parametrize(
        ("weight", "is_parameter"),
        [
            (const("w", np.ones((2, 2), "f4")), True),
            (variable("w", 2, 2), True),
            (variable("w", 2, 2, dtype=DataType.DT_INT32), False),
            (variable("w", 2, 2, dtype=DataType.DT_QINT8), True),
        ],
    )
    def test_parameters(self, weight, is_parameter):
        assert list_all(graph(weight, "y = MatMul(x, w)"))["w"].is_parameter is is_parameter

    @pytest.mark.parametrize(
        ("line", "is_parameter"),
        [
            ("y = Relu(w)", True),
            ("y = ResourceApplyAdam(w, m, v)", True),
            ("y = ResourceApplyAdam(v, w, m)", False),
            ("y = AssignSubVariableOp(w, d)", False),
            ("y = SaveV2(p, n, s, w)", False),
            ("y = NoOp()", False),
        ],
    )
    def test_variables_that_are_parameters(self, line, is_parameter):
        assert list_all(graph(variable("w", 2), line))["w"].is_parameter is is_parameter

    def test_a_weight_without_a_value(self):
        with pytest.raises(TensorError, match="w has no value: there is no checkpoint"):
            list_all(graph(variable("w", 2)))["w"].array()


class TestJsonOfSavings:
    def test_quantized_weights(self):
        document = json.loads(list_all(QUANTIZED, sort="order").to_json())
        first, second, third = document["weights"]
        assert first["quantized"] == {
            "codes": "w_quantized_const",
            "mode": "MIN_FIRST",
            "min": -1.0,
            "max": float(np.float32(4.1)),
            "step": (float(np.float32(4.1)) + 1) / 255,
            "bytes_as_float32": 24,
        }
        assert (second["quantized"]["axis"], second["quantized"]["min"], second["quantized"]["max"]) == (
            1,
            [0, 0, 0, 0],
            [1, 2, 3, 4],
        )
        assert "quantized" not in third
        assert document["quantized"] == {"count": 2, "bytes": 10, "bytes_as_float32": 40}
        assert "few_values" not in document

    def test_weights_of_few_values(self):
        document = json.loads(list_all(graph(const("w", np.float32([1, 2] * 100))), statistics=True).to_json())
        assert document["weights"][0]["values"] == {"count": 2, "bits": 1.0, "packed_bytes": 33}
        assert document["few_values"] == {"count": 1, "bytes": 800, "packed_bytes": 33}
