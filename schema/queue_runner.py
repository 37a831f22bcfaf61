"""tensorflow/core/protobuf/queue_runner.proto: threads that keep TF1's input queues full."""

from __future__ import annotations

from pbwire import table as pb

from .error_codes import Code

__all__ = ["QueueRunnerDef"]


@pb.message("tensorflow.QueueRunnerDef")
class QueueRunnerDef(pb.Message):
    """The ops to run repeatedly to fill a queue. The collection "queue_runners" holds them."""

    queue_name: str = pb.string(1)
    enqueue_op_name: list[str] = pb.repeated(pb.string, 2)  # one thread each
    close_op_name: str = pb.string(3)
    cancel_op_name: str = pb.string(4)
    # errors that mean the queue was closed in an orderly way; empty: OUT_OF_RANGE
    queue_closed_exception_types: list[Code] = pb.repeated(Code, 5)
