"""tensorflow/core/framework/graph_debug_info.proto: the lines of source code that made the nodes."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["GraphDebugInfo"]


@pb.message("tensorflow.GraphDebugInfo", syntax="proto2")
class GraphDebugInfo(pb.Message):
    """Stack traces of graph nodes.

    SavedModels keep it in `debug/saved_model_debug_info.pb`, newer GraphDefs in `debug_info`. Keys of nodes are
    "node@function", or "node" (also "node@") at the top level. Today every frame and every trace is stored once, under
    an id. Older versions wrote `traces`.
    """

    @pb.message("tensorflow.GraphDebugInfo.FileLineCol", syntax="proto2")
    class FileLineCol(pb.Message):
        """One stack frame: a place in a source file."""

        file_index: int | None = pb.int32(1)  # into `GraphDebugInfo.files`
        line: int | None = pb.int32(2)  # counted from 1
        col: int | None = pb.int32(3)
        func: str | None = pb.string(4)  # the function that contains the line
        code: str | None = pb.string(5)  # the text of the line

    @pb.message("tensorflow.GraphDebugInfo.StackTrace", syntax="proto2")
    class StackTrace(pb.Message):
        """A stack trace as a list of frames."""

        # deprecated: the frames in place
        file_line_cols: list[GraphDebugInfo.FileLineCol] = pb.repeated("GraphDebugInfo.FileLineCol", 1)
        frame_id: list[int] = pb.repeated(pb.fixed64, 2, packed=True)  # keys of `GraphDebugInfo.frames_by_id`

    files: list[str] = pb.repeated(pb.string, 1)  # indexed by `file_index`
    frames_by_id: dict[int, FileLineCol] = pb.map(pb.fixed64, FileLineCol, 4)
    traces_by_id: dict[int, StackTrace] = pb.map(pb.fixed64, StackTrace, 6)
    traces: dict[str, StackTrace] = pb.map(pb.string, StackTrace, 2)  # deprecated; by node key
    name_to_trace_id: dict[str, int] = pb.map(pb.string, pb.fixed64, 5)  # from node key to a key of `traces_by_id`
