from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.tfmodel import models
from tests.tfmodel.reports.objects.saved_objects import (
    a_tuple,
    concrete,
    function,
    literal,
    meta,
    parameters,
    spec,
    thing,
)
from tfmodel import FileFormatError, Model, ModelError, SignaturesReport, save, signatures
from tfmodel.messages import DataType, MetaGraphDef, SavedModel, SignatureDef, TensorInfo

DATA = Path(__file__).resolve().parents[2] / "data"


def with_signature(tags: list[str]) -> MetaGraphDef:
    info = TensorInfo(name="x:0", dtype=DataType.DT_FLOAT, tensor_shape=models.shape(-1, 4))
    nothing = TensorInfo(name="init")
    signature = SignatureDef(inputs={"x": info}, defaults={"x": models.tensor([2.0])}, method_name="predict")
    initial = SignatureDef(outputs={"__saved_model_init_op": nothing})
    model = models.meta_graph(*tags)
    model.signature_def = {"a": signature, "__saved_model_init_op": initial}
    return model


def test_a_signature_with_its_tensors() -> None:
    assert signatures(with_signature(["serve", "gpu"])).to_text() == (
        "MetaGraph gpu, serve: 2 signatures\n"
        "\n"
        'signature "__saved_model_init_op"\n'
        "  output  __saved_model_init_op  init  (an operation)\n"
        "\n"
        'signature "a", method predict\n'
        "  input  x  x:0  float32[?,4]  default float32[] 2.0\n"
        "\n"
        "initialized by init\n"
    )


class TestSeveralMetaGraphs:
    MODEL = SavedModel(meta_graphs=[with_signature(["train"]), with_signature(["gpu", "serve"])])

    def tags(self, report: SignaturesReport) -> list[tuple[str, ...]]:
        return [meta_graph.tags for meta_graph in report.meta_graphs]

    def test_all_are_listed(self, tmp_path: Path) -> None:
        save(self.MODEL, tmp_path / "saved_model.pb")
        for model in (self.MODEL, tmp_path, self.MODEL.to_bytes(), Model(self.MODEL)):
            assert self.tags(signatures(model)) == [("train",), ("gpu", "serve")]

    def test_from_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(self.MODEL.to_bytes())))
        assert self.tags(signatures("-")) == [("train",), ("gpu", "serve")]

    def test_tags_choose_one(self) -> None:
        assert self.tags(signatures(self.MODEL, tags="serve,gpu")) == [("gpu", "serve")]
        with pytest.raises(FileFormatError, match='no MetaGraph has the tags "x"'):
            signatures(self.MODEL, tags="x")

    def test_an_opened_model_lists_all_with_its_changes(self, tmp_path: Path) -> None:
        save(
            SavedModel(meta_graphs=[with_signature(["train"]), with_signature(["serve"])]), tmp_path / "saved_model.pb"
        )
        model = Model(tmp_path)
        assert model.meta is not None
        model.meta.signature_def.clear()
        assert [len(meta_graph.signatures) for meta_graph in signatures(model).meta_graphs] == [2, 0]


def test_a_graph_has_no_signatures() -> None:
    with pytest.raises(ModelError, match=r"linear\.pb: this is a GraphDef, which has no signatures"):
        signatures(DATA / "linear.pb")


def test_a_checkpoint_has_no_signatures() -> None:
    with pytest.raises(FileFormatError, match="checkpoint"):
        signatures(DATA / "trained" / "model.index")


class TestFunctions:
    MODEL = meta(
        thing({"f": 1, "again": 1, "layer": 2, "signatures": 4}),
        function("f_1", "f_2", spec=parameters("x", "training", defaults=(False,))),
        thing({"g": 3}),
        function("f_1"),
        thing({"serving_default": 5}, "signature_map"),
        function("f_1"),
        f_1=concrete(a_tuple(spec("x", -1, 4), literal(True)), output=spec("out", -1, 2)),
        f_2=concrete(a_tuple(spec("other", 8, 4), literal(False))),
    )

    def test_the_functions_of_the_root(self) -> None:
        assert signatures(self.MODEL).to_text() == (
            "MetaGraph no tags: no signatures\n"
            "\n"
            'function "again"(x, training=False): 2 concrete functions\n'
            "  f_1\n"
            "    x         float32[?,4]\n"
            "    training  True\n"
            "    returns   float32[?,2]\n"
            "  f_2\n"
            '    x         float32[8,4] "other"\n'
            "    training  False\n"
            "    returns   None\n"
            "\n"
            'function "f"(x, training=False): 2 concrete functions\n'
            '  f_1: see "again"\n'
            '  f_2: see "again"\n'
            "\n"
            "1 function of other objects (--all)\n"
        )

    def test_those_of_all_objects(self) -> None:
        text = signatures(self.MODEL).to_text(all_functions=True)
        assert text.endswith('function "layer/g"(): 1 concrete function\n  f_1: see "again"\n')

    def test_json(self) -> None:
        (document,) = json.loads(signatures(self.MODEL).to_json())["meta_graphs"]
        assert document["root_functions"] == {"again": 1, "f": 1}
        assert [row["path"] for row in document["functions"]] == ["f", "layer/g"]
        assert document["concrete_functions"]["f_2"]["args"]["items"][1] is False

    def test_a_concrete_function_that_is_not_declared(self) -> None:
        text = signatures(meta(thing({"f": 1}), function("g\x1b"))).to_text()
        assert text.endswith('function "f"(): 1 concrete function\n  g\\x1b\n    not declared\n')
