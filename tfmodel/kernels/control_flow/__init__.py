"""Ops of TensorFlow's control_flow_ops.cc, functional_ops.cc, logging_ops.cc and no_op.cc.

    kernels.py  If, Case, While, For, PartitionedCall, NoOp, Print, PrintV2, Assert, Timestamp

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.analysis.shapes` the shape rules.
"""
