"""`rewrite_checkpoint`: names, selection, types, object graphs. golden/checkpoints/restoring.py asks TensorFlow."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.files.checkpoints.golden import NAMES, golden
from tfmodel import Checkpoint, CheckpointError, rewrite_checkpoint, write_checkpoint
from tfmodel.files.checkpoints.index import OBJECT_GRAPH_KEY

VALUES = {
    "encoder/kernel": np.arange(6, dtype=np.float32).reshape(2, 3),
    "encoder/kernel/Adam": np.ones((2, 3), np.float32),
    "encoder/kernel/Adam_1": np.full((2, 3), 2, np.float32),
    "encoder/kernel/ExponentialMovingAverage": np.full((2, 3), 3, np.float32),
    "beta1_power": np.float32(0.9),
    "global_step": np.int64(7),
    "words": np.array([b"a", b""], object),
}


@pytest.fixture
def old(tmp_path):
    write_checkpoint(tmp_path / "old", VALUES)
    return tmp_path / "old"


def tensors(prefix):
    with Checkpoint(prefix) as checkpoint:
        return {name: np.asarray(array).tolist() for name, array in checkpoint.items()}


def of(*names):
    return {name: VALUES[name].tolist() for name in names}


@pytest.mark.parametrize("name", NAMES)
def test_without_options_every_tensor_is_the_same(name, tmp_path):
    if name == "variants_v2":
        with pytest.raises(CheckpointError, match="variant"):
            rewrite_checkpoint(golden(name).path, tmp_path / "new")
        assert not [*tmp_path.iterdir()]
        return
    written = rewrite_checkpoint(golden(name).path, tmp_path / "new")
    with Checkpoint(golden(name).path) as old, Checkpoint(tmp_path / "new") as new:
        assert {key: entry[:2] for key, entry in new.entries.items()} == {k: e[:2] for k, e in old.entries.items()}
        for key in old:
            assert old[key].tolist() == new[key].tolist() or old[key].tobytes() == new[key].tobytes()
        assert [tensor.name for tensor in written.tensors] == sorted({*old} - {OBJECT_GRAPH_KEY})
    assert (written.renamed, written.converted, written.left_out) == (0, 0, ())


def test_names_are_changed_by_regular_expressions_one_after_another(old, tmp_path):
    written = rewrite_checkpoint(
        old, tmp_path / "new", rename={"^encoder/": "bert/", r"/(\w+)$": r"/\1/v"}, name="enc*l"
    )
    assert tensors(tmp_path / "new") == {"bert/kernel/v": VALUES["encoder/kernel"].tolist()}
    assert written.to_text().splitlines()[0] == "encoder/kernel -> bert/kernel/v"
    assert written.describe() == "1 tensor, 24 bytes, 1 renamed, 6 left out"


def test_the_state_of_optimizers_is_left_out_and_the_step_is_kept(old, tmp_path):
    rewrite_checkpoint(old, tmp_path / "new", optimizer=False)
    kept = of("encoder/kernel", "encoder/kernel/ExponentialMovingAverage", "global_step", "words")
    assert tensors(tmp_path / "new") == kept


def test_tensors_are_selected_and_left_out_by_pattern(old, tmp_path):
    rewrite_checkpoint(old, tmp_path / "new", name=["encoder/*", "words"], drop=["*Adam*", "*Average"])
    assert tensors(tmp_path / "new") == of("encoder/kernel", "words")


@pytest.mark.parametrize(
    ("cast", "types"),
    [
        ("float16", {"encoder/kernel": "float16", "beta1_power": "float16", "global_step": "int64", "words": "string"}),
        ({"global_step": "int32"}, {"encoder/kernel": "float32", "global_step": "int32"}),
        ({"*kernel": "bfloat16", "enc*": "float64"}, {"encoder/kernel": "bfloat16", "encoder/kernel/Adam": "float64"}),
    ],
)
def test_types_are_changed_for_all_floats_or_by_pattern(old, tmp_path, cast, types):
    written = rewrite_checkpoint(old, tmp_path / "new", cast=cast)
    assert {tensor.name: tensor.dtype for tensor in written.tensors}.items() >= types.items()
    new = tensors(tmp_path / "new")
    assert new["encoder/kernel"] == VALUES["encoder/kernel"].tolist() and new["global_step"] == 7


def test_the_files_of_the_checkpoint_itself_may_be_replaced(old):
    rewrite_checkpoint(old, old, rename={"encoder/": ""}, name="encoder/kernel")
    assert tensors(old) == {"kernel": VALUES["encoder/kernel"].tolist()}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "nothing*"}, 'no tensor matches "nothing*"'),
        ({"drop": ["words", "nothing"]}, 'no tensor matches "nothing"'),
        ({"drop": "*"}, "no tensor is left to write"),
        ({"rename": {"nothing": "x"}}, 'no tensor has a name that "nothing" changes'),
        ({"rename": {"(": "x"}}, "do not rename tensors"),
        ({"rename": {"^.*$": "x"}}, 'would both be called "x"'),
        ({"rename": {"^words$": ""}}, 'cannot be called ""'),
        ({"cast": {"nothing": "float16"}}, 'no tensor matches "nothing" to cast'),
        ({"cast": "float16", "name": ["words", "global_step"]}, "no floating-point tensor to cast"),
        ({"cast": {"words": "float16"}}, 'tensor "words": an array of object cannot be stored as float16'),
        ({"cast": "int8"}, "has no counterpart in int8"),
    ],
)
def test_wrong_requests_are_refused_and_write_nothing(old, tmp_path, options, words):
    with pytest.raises(CheckpointError) as error:
        rewrite_checkpoint(old, tmp_path / "new", **options)
    assert words in str(error.value) and str(error.value).startswith(str(old))
    assert not [*tmp_path.glob("new*")]


def test_an_unknown_type_is_a_wrong_argument(old, tmp_path):
    with pytest.raises(ValueError, match='unknown dtype "float17"'):
        rewrite_checkpoint(old, tmp_path / "new", cast="float17")


class TestObjectGraph:
    KERNEL = "model/layer_with_weights-0/kernel"

    def test_objects_find_their_tensors_under_the_new_keys(self, tmp_path):
        rewrite_checkpoint(golden("keras_v2").path, tmp_path / "new", rename={"^model/": "net/"})
        with Checkpoint(tmp_path / "new") as new, Checkpoint(golden("keras_v2").path) as old:
            assert {tensor.checkpoint_key for node in new.object_graph.message.nodes for tensor in node.attributes} == {
                key for key in new if key != OBJECT_GRAPH_KEY
            }
            paths = [tree.to_text() for tree in (tfmodel.object_tree(old), tfmodel.object_tree(new))]
            assert paths[0].count("\n") == paths[1].count("\n")

    def test_without_optimizer_no_object_has_slots(self, tmp_path):
        written = rewrite_checkpoint(golden("keras_v2").path, tmp_path / "new", optimizer=False)
        with Checkpoint(tmp_path / "new") as new:
            assert not any(node.slot_variables for node in new.object_graph.message.nodes)
            assert not any("optimizer" in key for key in new)
        assert all("optimizer" in key for key in written.left_out)

    def test_patterns_match_readable_names_too(self, tmp_path):
        rewrite_checkpoint(golden("keras_v2").path, tmp_path / "new", name=self.KERNEL)
        with Checkpoint(tmp_path / "new") as new:
            assert {*new} == {OBJECT_GRAPH_KEY, f"{self.KERNEL}/.ATTRIBUTES/VARIABLE_VALUE"}


def test_the_report_as_json(old, tmp_path):
    written = rewrite_checkpoint(old, tmp_path / "new", name=["global_step", "beta1_power"], cast="float64")
    assert json.loads(written.to_json()) == {
        "format": 1,
        "prefix": str(tmp_path / "new"),
        "bytes": 16,
        "tensors": [
            {"name": "beta1_power", "old_name": "beta1_power", "dtype": "float64", "old_dtype": "float32", "shape": []},
            {"name": "global_step", "old_name": "global_step", "dtype": "int64", "old_dtype": "int64", "shape": []},
        ],
        "left_out": [name for name in sorted(VALUES) if name not in ("global_step", "beta1_power")],
    }


def test_one_tensor_is_read_at_a_time_and_named_before(old, tmp_path):
    names = []
    rewrite_checkpoint(old, tmp_path / "new", progress=names.append)
    assert names == sorted(VALUES)
