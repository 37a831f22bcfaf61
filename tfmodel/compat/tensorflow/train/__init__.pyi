"""Written by `python -m tests.stubs`."""

from typing import Any
from ...tensorflow.core.example.feature_pb2 import BytesList as BytesList
from ...facades.checkpoints import CheckpointReader as CheckpointReader
from ...tensorflow.core.protobuf.cluster_pb2 import ClusterDef as ClusterDef
from ...tensorflow.core.example.example_pb2 import Example as Example
from ...tensorflow.core.example.feature_pb2 import Feature as Feature
from ...tensorflow.core.example.feature_pb2 import FeatureList as FeatureList
from ...tensorflow.core.example.feature_pb2 import FeatureLists as FeatureLists
from ...tensorflow.core.example.feature_pb2 import Features as Features
from ...tensorflow.core.example.feature_pb2 import FloatList as FloatList
from ...tensorflow.core.example.feature_pb2 import Int64List as Int64List
from ...tensorflow.core.protobuf.cluster_pb2 import JobDef as JobDef
from ...facades.checkpoints import NewCheckpointReader as NewCheckpointReader
from ...tensorflow.core.protobuf.queue_runner_pb2 import QueueRunnerDef as QueueRunnerDef
from ...tensorflow.core.protobuf.saver_pb2 import SaverDef as SaverDef
from ...tensorflow.core.example.example_pb2 import SequenceExample as SequenceExample
from ...tensorflow.core.protobuf.tensorflow_server_pb2 import ServerDef as ServerDef
from ...facades.checkpoints import checkpoint_exists as checkpoint_exists
from ...facades.checkpoints import checkpoints_iterator as checkpoints_iterator
from ...facades.checkpoints import generate_checkpoint_state_proto as generate_checkpoint_state_proto
from ...facades.checkpoints import get_checkpoint_state as get_checkpoint_state
from ...facades.checkpoints import latest_checkpoint as latest_checkpoint
from ...facades.checkpoints import list_variables as list_variables
from ...facades.checkpoints import load_checkpoint as load_checkpoint
from ...facades.checkpoints import load_variable as load_variable
from ...facades.records import summary_iterator as summary_iterator
from ...facades.checkpoints import update_checkpoint_state as update_checkpoint_state
from ...facades.saved_model import write_graph as write_graph

def __getattr__(name: str) -> Any: ...
