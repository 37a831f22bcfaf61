"""Side effects of ops that TensorFlow 2.12 does not have: of later versions, of TensorRT and of TensorFlow 1's contrib.

Any op that TensorFlow 2.12 does not know is a finding; this table only says more about those that are known to read,
write or connect. The kinds are those of `tfmodel.ops.traits.SideEffect`.
"""

from __future__ import annotations

from collections.abc import Mapping

_ROWS = (
    ("SerializeTRTResource", "write"),
    ("InitializeTRTResource TFRecordDatasetV2 ListSnapshotChunksDataset", "read"),
    ("BigQueryReader BigtableClient IgniteDataset KafkaDataset KinesisDataset", "network"),
    ("TRTEngineOp", "program"),
)

FOREIGN_EFFECTS: Mapping[str, str] = {op: kind for ops, kind in _ROWS for op in ops.split()}
"""The kind of effect by op."""
