"""Graphs that are broken or unsafe, each with the finding that `check` must make.

A row is the level and kind of the finding, words of its message, and the graph in the notation of
tests/tfmodel/transforms/graph_notation.py. `x` is a float, `s` a string, `b` a bool, `path` the constant "/etc/passwd".
"""

from __future__ import annotations

from typing import NamedTuple

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.messages import GraphDef

__all__ = ["BROKEN", "CLEAN", "UNSAFE", "Row"]

_NODES = """
x = Placeholder[dtype=float, shape=(2, 3)]
s = Placeholder[dtype=string, shape=()]
b = Placeholder[dtype=bool, shape=()]
i = Const[dtype=int32, value=int32{3}()]
l = Const[dtype=int64, value=int64{1}()]
path = Const[dtype=string, value=string{"/etc/passwd"}()]
"""
_DATASET = "d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]\n"


class Row(NamedTuple):
    kind: str
    words: str
    text: str

    @property
    def graph(self) -> GraphDef:
        return graph(_NODES + self.text)


BROKEN: dict[str, Row] = {
    "an unknown op": Row("op", "unknown to TensorFlow", "y = MyOp(x)"),
    "a misspelt op": Row("op", 'did you mean "Relu"?', "y = Relo(x)[T=float]"),
    "an unknown op in a function": Row(
        "op",
        "unknown",
        "f: (a: float) -> (r: float = n:y:0)\nf: n = MyOp(a)\ny = PartitionedCall(x)[Tin=[float], Tout=[float], f=@f]",
    ),
    "a missing input": Row("missing", "nowhere", "y = Relu(nowhere)[T=float]"),
    "a missing control input": Row("missing", "nowhere", "y = Relu(x, ^nowhere)[T=float]"),
    "a missing output": Row("port", "1 output", "y = Relu(x:1)[T=float]"),
    "two nodes of one name": Row("duplicate", "another node", "y = Relu(x)[T=float]\ny = Abs(x)[T=float]"),
    "a name that ends with >": Row("name", "a name that nodes cannot have", "y> = Relu(x)[T=float]"),
    "a cycle": Row("cycle", "", "y = Relu(z)[T=float]\nz = Relu(y)[T=float]"),
    "a tensor after a control input": Row("order", "after a control input", "y = Add(x, ^b, x)[T=float]"),
    "a wrong type": Row("type", 'its input "b" is bool, not float32', "y = Add(x, b)[T=float]"),
    "too few inputs": Row("inputs", "it has 1 input, and its op has 2", "y = Add(x)[T=float]"),
    "too many inputs": Row("inputs", "it has 2 inputs, and its op has 1", "y = Relu(x, x)[T=float]"),
    "a type that the op refuses": Row("attribute", 'its attribute "T" is string, not one of', "y = Relu(s)[T=string]"),
    "a missing attribute": Row("attribute", 'it has no attribute "T"', "y = Relu(x)"),
    "an attribute of another type": Row("attribute", "is a string, not a type", 'y = Relu(x)[T="float"]'),
    "a colocation that is a number": Row("attribute", "is not a list of strings", "y = Relu(x)[T=float, _class=1]"),
    "a list for one value": Row("attribute", "is a list, not a type", "y = Relu(x)[T=[float]]"),
    "one value for a list": Row("attribute", "is an int, not a list", "y = Squeeze(x)[T=float, squeeze_dims=1]"),
    "a list of another type": Row(
        "attribute", "is a list with a float, not list(int)", "y = Squeeze(x)[T=float, squeeze_dims=[1.5]]"
    ),
    "a value that is not allowed": Row(
        "attribute",
        'is "MAYBE", not one of "SAME", "VALID"',
        "f4 = Const[dtype=float, value=float{1}(1, 1, 1, 1)]\n"
        'y = MaxPool(f4)[T=float, ksize=[1, 1, 1, 1], strides=[1, 1, 1, 1], padding="MAYBE"]',
    ),
    "a value below the minimum": Row("attribute", "is 0, less than 1", "y = AddN()[T=float, N=0]"),
    "a list that is too short": Row(
        "attribute",
        "has 2 elements, less than 4",
        "f4 = Const[dtype=float, value=float{1}(1, 1, 1, 1)]\n"
        'y = MaxPool(f4)[T=float, ksize=[1, 1], strides=[1, 1, 1, 1], padding="SAME"]',
    ),
    "a constant of another type": Row("constant", "is declared as int32", "y = Const[dtype=int32, value=float{1, 2}]"),
    "a call of no function": Row(
        "function", 'calls a function "f"', "y = PartitionedCall(x)[Tin=[float], Tout=[float], f=@f]"
    ),
    "a function without its result": Row(
        "missing", "", "f: (a: float) -> (r: float = gone:y:0)\nf: n = Relu(a)[T=float]"
    ),
    "a function with a wrong type": Row(
        "type", "", "f: (a: float) -> (r: int32 = n:activations:0)\nf: n = Relu(a)[T=float]"
    ),
    "contradicting shapes": Row("shape", "cannot be multiplied", "y = MatMul(x, x)[T=float]"),
    "a loop that cannot start": Row(
        "cycle", "no input from outside", "m = Merge(n, n)[T=float, N=2]\nn = NextIteration(m)[T=float]"
    ),
    "a colocation with nothing": Row("colocation", "", 'y = Relu(x)[T=float, _class=["loc:@gone"]]'),
}

UNSAFE: dict[str, Row] = {
    "Python": Row("python", "calls a Python function", 'y = PyFunc(x)[token="0", Tin=[float], Tout=[float]]'),
    "Python without state": Row(
        "python", "calls a Python function", 'y = PyFuncStateless(x)[token="0", Tin=[float], Tout=[float]]'
    ),
    "eager Python": Row(
        "python", "calls a Python function", 'y = EagerPyFunc(x)[token="0", Tin=[float], Tout=[float]]'
    ),
    "Python in a function": Row(
        "python",
        "calls a Python function",
        'f: (a: float) -> (r: float = n:output:0)\nf: n = PyFunc(a)[token="0", Tin=[float], Tout=[float]]\n'
        "y = PartitionedCall(x)[Tin=[float], Tout=[float], f=@f]",
    ),
    "Python in a function that nothing calls": Row(
        "python",
        "calls a Python function",
        'f: (a: float) -> (r: float = n:output:0)\nf: n = PyFunc(a)[token="0", Tin=[float], Tout=[float]]',
    ),
    "Python in a dataset": Row(
        "python",
        "calls a Python function",
        'f: (a: float) -> (r: float = n:output:0)\nf: n = PyFunc(a)[token="0", Tin=[float], Tout=[float]]\n'
        f"{_DATASET}y = MapDataset(d)[f=@f, Targuments=[], output_types=[float], output_shapes=[(2, 3)]]",
    ),
    "native code": Row(
        "library",
        '"system"',
        'y = XlaCustomCall(x)[target_name="system", backend_config="", T=[float], dtype=float, shape=()]',
    ),
    "native code, version 2": Row(
        "library",
        '"system"',
        'y = XlaCustomCallV2(x)[call_target_name="system", backend_config="", has_side_effect=true'
        ", operand_dtypes=[float], result_dtypes=[float], result_shapes=[()]]",
    ),
    "a file that is written": Row("write", 'writes "/etc/passwd"', "y = WriteFile(path, s)"),
    "a file that is written where the caller says": Row("write", 'that the input "s" names', "y = WriteFile(s, s)"),
    "a file whose name is joined": Row(
        "write",
        'whose names are made of the constants "/etc/passwd" and the input "s"',
        "j = StringJoin(path, s)[N=2]\ny = WriteFile(j, s)",
    ),
    "a file that a function writes": Row(
        "write",
        'writes "/etc/passwd"',
        "f: (a: string, b: string) -> (r: string = b)\nf: n = WriteFile(a, b)\n"
        "y = StatefulPartitionedCall(path, s)[Tin=[string, string], Tout=[string], f=@f]",
    ),
    "a checkpoint at a fixed place": Row("write", 'writes "/etc/passwd"', "y = SaveV2(path, s, s, x)[dtypes=[float]]"),
    "a checkpoint of a fixed place": Row("read", 'reads "/etc/passwd"', "y = RestoreV2(path, s, s)[dtypes=[float]]"),
    "an old checkpoint": Row("read", 'reads "/etc/passwd"', "y = Restore(path, s)[dt=float]"),
    "a written dataset": Row("write", "", f"{_DATASET}y = DatasetToTFRecord(d, path, s)"),
    "a saved dataset": Row(
        "write",
        "/etc/passwd",
        "f: (a: float) -> (r: int64 = n:output:0)\nf: n = Const[dtype=int64, value=int64{0}()]\n"
        f"{_DATASET}y = SaveDataset(d, path)[shard_func=@f, Tshard_func_args=[]]",
    ),
    "a cache in a file": Row(
        "write", "/etc/passwd", f"{_DATASET}y = CacheDataset(d, path)[output_types=[float], output_shapes=[(2, 3)]]"
    ),
    "a snapshot": Row(
        "write",
        "/etc/passwd",
        f"{_DATASET}y = SnapshotDataset(d, path)[output_types=[float], output_shapes=[(2, 3)]]",
    ),
    "summaries": Row(
        "write",
        "/etc/passwd",
        "w = SummaryWriter[]\ny = CreateSummaryFileWriter(w, path, i, i, s)",
    ),
    "a database of summaries": Row(
        "write", "/etc/passwd", "w = SummaryWriter[]\ny = CreateSummaryDbWriter(w, path, s, s, s)"
    ),
    "printing to a file": Row("write", "file:///tmp/log", 'y = PrintV2(s)[output_stream="file:///tmp/log"]'),
    "a debugger that writes": Row("write", "file:///tmp", 'y = DebugIdentity(x)[T=float, debug_urls=["file:///tmp"]]'),
    "a debugger that connects": Row(
        "network", "grpc://evil", 'y = DebugIdentity(x)[T=float, debug_urls=["grpc://evil:1"]]'
    ),
    "a file that is read": Row("read", 'reads "/etc/passwd"', "y = ReadFile(path)"),
    "a file that is read where the caller says": Row("read", 'files that the input "s" names', "y = ReadFile(s)"),
    "a file in a dataset": Row("read", "/etc/passwd", "y = TextLineDataset(path, s, l)"),
    "records of a dataset": Row("read", "/etc/passwd", "y = TFRecordDataset(path, s, l)"),
    "a table from a file": Row(
        "read",
        "/etc/passwd",
        "t = HashTableV2[key_dtype=string, value_dtype=int64]\n"
        "y = InitializeTableFromTextFileV2(t, path)[key_index=-2, value_index=-1]",
    ),
    "a reader": Row("read", "reads files", "y = WholeFileReaderV2[]"),
    "a pattern of records": Row("read", "/etc/*", 'y = RecordInput[file_pattern="/etc/*"]'),
    "a database": Row(
        "read",
        "/etc/passwd",
        "y = SqlDataset(s, path, s)[output_types=[string], output_shapes=[()]]",
    ),
    "a file of descriptors": Row(
        "read",
        "/etc/passwd",
        'y = DecodeProtoV2(s)[message_type="m", field_names=[], output_types=[], descriptor_source="/etc/passwd"]',
    ),
    "a vocabulary of candidates": Row(
        "read",
        "/etc/passwd",
        "k = Const[dtype=int64, value=int64{1}(1, 1)]\n"
        "y = FixedUnigramCandidateSampler(k)[num_true=1, num_sampled=1, unique=true, range_max=2, "
        'vocab_file="/etc/passwd"]',
    ),
    "the files of a folder": Row("list", 'lists the files that match "/etc/passwd"', "y = MatchingFiles(path)"),
    "the files of a folder as dataset": Row("list", "/etc/passwd", "y = MatchingFilesDataset(path)"),
    "a debugger with an address after others": Row(
        "network",
        "grpc://evil",
        'y = DebugIdentity(x)[T=float, debug_urls=["", "memcbk:///a", "memcbk:///b", "memcbk:///c", "grpc://evil:1"]]',
    ),
    "a checkpoint at a place that is chosen": Row(
        "write", "/etc/passwd", "p = Select(b, s, path)[T=string]\ny = SaveV2(p, s, s, x)[dtypes=[float]]"
    ),
    "a checkpoint at a place that is rewritten": Row(
        "write",
        "/etc/passwd",
        'p = StaticRegexReplace(s)[pattern=".*", rewrite="/etc/passwd"]\ny = SaveV2(p, s, s, x)[dtypes=[float]]',
    ),
    "a graph in a string": Row("graph", "gets as a string", "y = DatasetFromGraph(s)"),
    "a connection": Row("network", "connects to", "y = RpcClient(s, l)"),
    "a data service": Row(
        "network",
        "/etc/passwd",
        "r = DummyIterationCounter[]\n"
        "y = DataServiceDataset(l, s, path, s, s, l, r)[output_types=[float], output_shapes=[()]]",
    ),
    "the end of the process": Row("exit", "ends the process", "y = Abort[]"),
    "settings of the file system": Row("settings", "changes settings", "y = FileSystemSetConfiguration(s, s, s)"),
    "an endless loop": Row(
        "endless",
        "always true",
        "f: (a: float) -> (r: bool = n:output:0)\nf: n = Const[dtype=bool, value=bool{true}()]\n"
        "g: (a: float) -> (r: float = a)\ny = While(x)[T=[float], cond=@f, body=@g]",
    ),
    "an endless loop of TensorFlow 1": Row(
        "endless",
        "always true",
        'e = Enter(x)[T=float, frame_name="f"]\nm = Merge(e, n)[T=float, N=2]\n'
        "t = Const(^m)[dtype=bool, value=bool{true}()]\nu = Identity(t)[T=bool]\nc = LoopCond(u)\n"
        "w = Switch(m, c)[T=float]\nn = NextIteration(w:1)[T=float]\n"
        "y = Exit(w)[T=float]",
    ),
}

CLEAN: dict[str, str] = {
    "nothing": "",
    "a layer": "y = Relu(x)[T=float]",
    "a checkpoint that the caller names": "y = SaveV2(s, s, s, x)[dtypes=[float]]\n"
    "z = RestoreV2(s, s, s)[dtypes=[float]]",
    "the default checkpoint of TensorFlow 1": 'm = Const[dtype=string, value=string{"model"}()]\n'
    "y = SaveV2(m, s, s, x)[dtypes=[float]]",
    "the checkpoint of a TensorFlow 2 saver": 'w = StaticRegexFullMatch(s)[pattern="^s3://.*"]\n'
    'd = Const[dtype=string, value=string{".part"}()]\nt = Const[dtype=string, value=string{"_temp_0f/part"}()]\n'
    "c = Select(w, d, t)[T=string]\nj = StringJoin(s, c)[N=2]\nn = ShardedFilename(j, i, i)\n"
    "y = SaveV2(n, s, s, x)[dtypes=[float]]",
    "a cache in memory": 'e = Const[dtype=string, value=string{""}()]\n'
    f"{_DATASET}y = CacheDataset(d, e)[output_types=[float], output_shapes=[(2, 3)]]",
    "no vocabulary": "k = Const[dtype=int64, value=int64{1}(1, 1)]\n"
    "y = FixedUnigramCandidateSampler(k)[num_true=1, num_sampled=1, unique=true, range_max=2, unigrams=[1.0, 1.0]]",
    "descriptors of the program": 'y = DecodeProtoV2(s)[message_type="m", field_names=[], output_types=[]]',
    "a debugger without addresses": "y = DebugIdentity(x)[T=float]",
    "a loop that ends": "f: (a: float, c: bool) -> (r: bool = c)\n"
    "g: (a: float, c: bool) -> (r: float = a, q: bool = c)\ny = While(x, b)[T=[float, bool], cond=@f, body=@g]",
    "an attribute of another program": "y = Relu(x)[T=float, _mine=1]",
    "printing": "y = PrintV2(s)",
}
