"""Ops of TensorFlow's control_flow_ops.cc, functional_ops.cc, logging_ops.cc and no_op.cc.

    kernels.py  If, Case, While, For, PartitionedCall, NoOp, Print, PrintV2, Assert, Timestamp

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
