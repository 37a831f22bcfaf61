"""The modules of the tree have the names of protobuf's and TensorFlow's."""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import subprocess
import sys

import pytest

import tfmodel.compat
from pbwire.compat import Message
from tests.support import schema_facts
from tfmodel import messages
from tfmodel.compat import proto_modules, tree
from tfmodel.compat.refusals import MissingModule, MissingName

TREE = "tfmodel.compat"


def module(name: str):
    return importlib.import_module(f"{TREE}.{name}")


def test_the_files_are_those_of_the_facts():
    files = {file for file in schema_facts.load().files() if not file.startswith("google/")}
    assert {f"{path}.proto" for path in proto_modules.FILES} == files


@pytest.mark.parametrize(("path", "table_module"), proto_modules.FILES.items())
def test_a_module_has_the_messages_and_enums_of_its_file(path, table_module):
    tables = importlib.import_module(f"{messages._schema.__name__}.{table_module}")
    assert (tables.__doc__ or "").startswith(f"{path}.proto")
    made = module(f"{path.replace('/', '.')}_pb2")
    for name in tables.__all__:
        value = getattr(made, name)
        if hasattr(value, "Name"):
            assert all(getattr(made, member) == number for member, number in value.items())
        else:
            assert issubclass(value, Message)
            assert value.__table__.full_name == getattr(tables, name).__table__.full_name
    assert set(tables.__all__) <= set(dir(made))


@pytest.mark.parametrize(
    "statement",
    [
        "from tfmodel.compat.tensorflow.core.framework import graph_pb2, node_def_pb2, types_pb2",
        "from tfmodel.compat.tensorflow.core.framework.graph_pb2 import GraphDef",
        "from tfmodel.compat.tensorflow.core.framework.types_pb2 import *; DT_FLOAT, DataType.Name(1)",
        "from tfmodel.compat.tensorflow.core.protobuf import error_codes_pb2; error_codes_pb2.NOT_FOUND",
        "from tfmodel.compat.tensorflow.core.lib.core import error_codes_pb2",
        "from tfmodel.compat.tensorflow.tsl.protobuf import histogram_pb2",
        "from tfmodel.compat.tensorflow.core.framework import api_def_pb2 as a; a.ApiDef.SKIP, a.ApiDefs().op.add()",
        "from tfmodel.compat.tensorflow.python.framework import cpp_shape_inference_pb2; cpp_shape_inference_pb2",
        "from tfmodel.compat.tensorflow.core.framework.device_attributes_pb2 import DeviceAttributes",
        "from tfmodel.compat.tensorflow.core.protobuf.device_properties_pb2 import NamedDevice",
        "from tfmodel.compat.tensorflow.core.profiler.protobuf.xplane_pb2 import XSpace",
        "from tfmodel.compat.tsl.profiler.protobuf import xplane_pb2; xplane_pb2.XSpace().planes.add(id=1)",
        "from tfmodel.compat.tensorboard.compat.proto import api_def_pb2, cpp_shape_inference_pb2",
        "import tfmodel.compat.tensorflow.core.framework.graph_pb2 as g; g.GraphDef",
        "import tfmodel.compat.tensorflow.compat.v1 as tf; tf.GraphDef, tf.gfile.GFile, tf.train.Example, tf.float32",
        "import tfmodel.compat.tensorflow as tf; tf.io.gfile.exists, tf.compat.v1.NodeDef, tf.compat.as_bytes",
        "import tfmodel.compat.tensorflow as tf; tf.dtypes.as_dtype, tf.errors.NotFoundError, tf.TensorShape",
        "import tfmodel.compat.tensorflow as tf; tf.saved_model.tag_constants.SERVING, tf.io.TFRecordWriter",
        "from tfmodel.compat.tensorflow.python.framework import tensor_util, dtypes, graph_util, graph_util_impl",
        "from tfmodel.compat.tensorflow.python.platform import gfile, tf_logging, app",
        "from tfmodel.compat.tensorflow.python.lib.io import file_io, tf_record; file_io.FileIO",
        "from tfmodel.compat.tensorflow.python.tools import strip_unused_lib, saved_model_utils",
        "from tfmodel.compat.tensorflow.python.util import compat, deprecation; compat.as_str_any",
        "from tfmodel.compat.tensorflow.python.util import deprecation as d\nwith d.silence(), d.silence(): pass",
        "from tfmodel.compat.tensorflow.python import pywrap_tensorflow; pywrap_tensorflow.NewCheckpointReader",
        "import tfmodel.compat.tensorflow as tf; tf.pywrap_tensorflow.NewCheckpointReader, tf.GIT_VERSION",
        "import tfmodel.compat.tensorflow.compat.v1 as tf; tf.reset_default_graph(); tf.get_logger().setLevel('ERROR')",
        "import tfmodel.compat.tensorflow.compat.v1 as tf; tf.summary.Summary.Value, tf.summary.Event, tf.RunMetadata",
        "import tfmodel.compat.tensorflow as tf; tf.saved_model.ASSETS_DIRECTORY, tf.GRAPH_DEF_VERSION_MIN_CONSUMER",
        "import tfmodel.compat.tensorflow as tf; tf.compat.dimension_value, tf.compat.dimension_at_index",
        "from tfmodel.compat.tensorflow.python.util.tf_export import tf_export",
        "from tfmodel.compat.tensorflow.python.training import checkpoint_utils; checkpoint_utils.list_variables",
        "from tfmodel.compat.tensorboard.compat.proto import summary_pb2, event_pb2, config_pb2",
        "from tfmodel.compat.tensorboard.proto.graph_pb2 import GraphDef",
        "from tfmodel.compat.tensorboardX.proto.event_pb2 import Event",
        "from tfmodel.compat.google.protobuf import any_pb2, struct_pb2, timestamp_pb2, duration_pb2, wrappers_pb2",
        "from tfmodel.compat.google.protobuf.message import Message, DecodeError, EncodeError",
        "from tfmodel.compat.google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper",
        "from tfmodel.compat.google.protobuf.internal.containers import RepeatedCompositeFieldContainer",
        "from tfmodel.compat.google.protobuf.internal.well_known_types import WKTBASES; WKTBASES",
        "import tfmodel.compat.google.protobuf as p; p.message.Message, p.internal.decoder, p.compiler.plugin_pb2",
    ],
)
def test_imports_of_existing_code_work(statement):
    logger = logging.getLogger("tensorflow")
    level = logger.level
    try:
        exec(statement, {})
    finally:
        logger.setLevel(level)  # a statement changes it


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tensorflow", "tensorflow.compat.v1"),
        ("tensorflow", "tensorflow.compat.v2"),
        ("tensorflow.gfile", "tensorflow.compat.v1.io.gfile"),
        ("tensorflow.gfile", "tensorflow.python.platform.gfile"),
        ("xla.tsl.protobuf.error_codes_pb2", "tensorflow.core.protobuf.error_codes_pb2"),
        ("tensorboard.compat.proto.graph_pb2", "tensorboard.proto.graph_pb2"),
    ],
)
def test_a_module_with_several_names_is_one_object(one, other):
    assert module(one) is module(other)


def test_copies_of_messages_have_names_of_their_own():
    made = module("tensorboard.compat.proto.graph_pb2").GraphDef
    graph = made()
    graph.node.add(name="x").attr["T"].type = 1
    assert made is not module("tensorflow.core.framework.graph_pb2").GraphDef
    assert made.__table__.full_name == "tensorboard.GraphDef"
    assert type(graph.node[0]).__table__.full_name == "tensorboard.NodeDef"
    assert type(pickle.loads(pickle.dumps(graph))) is made
    assert tfmodel.compat.unwrap(graph) == messages.GraphDef(
        node=[messages.NodeDef(name="x", attr={"T": messages.AttrValue(type=messages.DataType.DT_FLOAT)})]
    )


def test_a_missing_module_is_a_module_not_found_error_that_says_what_to_do():
    with pytest.raises(
        ModuleNotFoundError, match=r"test_tree\.py:\d+: tensorflow\.core\.debug .*in no table"
    ) as caught:
        module("tensorflow.core.debug.debug_service_pb2")
    assert isinstance(caught.value, MissingModule)
    assert caught.value.name == "tensorflow.core.debug"


@pytest.mark.parametrize(
    ("name", "hint"),
    [("Session", r"tfmodel\.run"), ("compat.v1.Session", r"tfmodel\.run"), ("saved_model.load", r"tfmodel\.Model")],
)
def test_a_missing_name_is_an_attribute_error_that_says_what_to_do(name, hint):
    *path, last = name.split(".")
    owner = module(".".join(("tensorflow", *path)))
    assert not hasattr(owner, last)
    with pytest.raises(MissingName, match=rf"test_tree\.py:\d+: tensorflow.*{last} .*{hint}"):
        getattr(owner, last)


def test_an_import_that_may_fail_can_be_caught():
    with pytest.raises(ImportError):
        exec("from tfmodel.compat.tensorflow.core.framework.graph_pb2 import Missing", {})
    with pytest.raises(ImportError, match="since version 6"):
        exec("from tfmodel.compat.google.protobuf import service", {})


def test_every_module_of_the_tree_can_be_imported():
    for name in tree.module_names():
        made = module(name)
        for public in tree._lazy_names(name):
            assert getattr(made, public) is not None


def test_nothing_of_the_layer_is_imported_without_being_used():
    code = (
        "import sys, tfmodel; from tfmodel.messages import GraphDef, NodeDef; before = len(sys.meta_path)\n"
        "tfmodel.summarize(GraphDef(node=[NodeDef(name='x', op='NoOp')]))\n"
        "print([name for name in sys.modules if 'compat' in name and name.startswith(('tfmodel', 'pbwire'))])"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "[]\n"
