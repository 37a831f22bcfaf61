"""xla/tsl/protobuf/rpc_options.proto: the connections between the processes of a cluster."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["RPCOptions"]


@pb.message("tensorflow.RPCOptions")
class RPCOptions(pb.Message):
    """Settings of the remote procedure calls between tasks."""

    use_rpc_for_inprocess_master: bool = pb.bool(1)  # even where a direct call would do; for tests
    compression_algorithm: str = pb.string(2)  # "deflate", "gzip", or empty for none
    compression_level: int = pb.int32(3)  # 0 (none) to 3
    cache_rpc_response: bool = pb.bool(4)  # keep answers so that a receiver can ask again after a network error
    disable_session_connection_sharing: bool = pb.bool(5)
    # connections to one task, to fill a fast network; one call uses one of them
    num_channels_per_target: int = pb.int32(6)
