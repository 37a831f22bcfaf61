"""Loops that do not end, or end only after years, and loops like them that end.

The notation is that of attacks.py. Confirmed with TensorFlow 2.12.1, where y alone is fetched: the loops of LOOPS were
stopped after 12 seconds or more, and those of HARMLESS_LOOPS ended, "a loop of a million" after 18 seconds.
"""

from __future__ import annotations

__all__ = ["HARMLESS_LOOPS", "LOOPS"]

LOOPS: dict[str, str] = {
    "a counter that is at most the greatest number": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{2147483647}()]
c: q = LessEqual(n, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a counter below the greatest number": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{2147483647}()]
c: q = Less(n, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a counter that wraps around": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: q = GreaterEqual(n, one:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a counter that has passed its end": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{2}()]
c: q = NotEqual(n, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a counter of odd numbers with an even end": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{8}()]
c: q = NotEqual(n, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: two = Const[dtype=int32, value=int32{2}()]
g: m = AddV2(n, two:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a counter that returns to its values": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{5}()]
c: q = NotEqual(n, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: two = Const[dtype=int32, value=int32{1073741824}()]
g: m = AddV2(n, two:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "the opposite of a counter": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{-1000000000}()]
c: p = Neg(n)[T=int32]
c: q = Greater(p:y:0, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a counter with a number added": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{2000000000}()]
c: p = AddV2(n, one:output:0)[T=int32]
c: q = Less(p:z:0, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a counter that is cut": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{7}()]
c: p = Minimum(n, one:output:0)[T=int32]
c: q = Less(p:z:0, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "the rest of a counter": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{7}()]
c: p = FloorMod(n, k:output:0)[T=int32]
c: q = LessEqual(p:z:0, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a counter in another type": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int64, value=int64{7000000000}()]
c: p = Cast(n)[SrcT=int32, DstT=int64]
c: q = Less(p:y:0, k:output:0)[T=int64]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a random number that is not negative": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: sh = Const[dtype=int32, value=int32{}(0)]
c: z = Const[dtype=float, value=float{0}()]
c: p = RandomUniform(sh:output:0)[T=int32, dtype=float]
c: q = GreaterEqual(p:output:0, z:output:0)[T=float]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a random number below two": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: sh = Const[dtype=int32, value=int32{}(0)]
c: z = Const[dtype=float, value=float{2}()]
c: p = RandomUniform(sh:output:0)[T=int32, dtype=float]
c: q = Less(p:output:0, z:output:0)[T=float]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a counter that is divided by one": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: z = Const[dtype=int32, value=int32{-5}()]
c: q = Greater(n, z:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = FloorDiv(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a loop of TensorFlow 1 for years": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
k = Enter(i)[T=int32, frame_name="f", is_constant=true]
z = Const[dtype=int32, value=int32{2147483647}()]
zz = Enter(z)[T=int32, frame_name="f", is_constant=true]
q = Less(m, zz)[T=int32]
c = LoopCond(q)
w = Switch(m, c)[T=int32]
a = AddV2(w:1, k)[T=int32]
n = NextIteration(a)[T=int32]
y = Exit(w)[T=int32]
""",
    "a loop of TensorFlow 1 that never reaches its end": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
k = Enter(i)[T=int32, frame_name="f", is_constant=true]
z = Const[dtype=int32, value=int32{4}()]
zz = Enter(z)[T=int32, frame_name="f", is_constant=true]
q = NotEqual(m, zz)[T=int32]
c = LoopCond(q)
w = Switch(m, c)[T=int32]
a = AddV2(w:1, k)[T=int32]
n = NextIteration(a)[T=int32]
y = Exit(w)[T=int32]
""",
    "a loop of TensorFlow 1 that counts down": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
k = Enter(i)[T=int32, frame_name="f", is_constant=true]
q = LessEqual(m, k)[T=int32]
c = LoopCond(q)
w = Switch(m, c)[T=int32]
a = Sub(w:1, k)[T=int32]
n = NextIteration(a)[T=int32]
y = Exit(w)[T=int32]
""",
    "a loop of TensorFlow 1 with a float that stops counting": """
f1 = Const[dtype=float, value=float{1}()]
e = Enter(f1)[T=float, frame_name="f"]
m = Merge(e, n)[T=float, N=2]
k = Enter(f1)[T=float, frame_name="f", is_constant=true]
z = Const[dtype=float, value=float{100000000}()]
zz = Enter(z)[T=float, frame_name="f", is_constant=true]
q = Less(m, zz)[T=float]
c = LoopCond(q)
w = Switch(m, c)[T=float]
a = AddV2(w:1, k)[T=float]
n = NextIteration(a)[T=float]
y = Exit(w)[T=float]
""",
    "a loop without a Switch": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
n = NextIteration(m)[T=int32]
y = Exit(m)[T=int32]
""",
    "a loop with a Switch of a constant": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
t = Enter(yes)[T=bool, frame_name="f", is_constant=true]
w = Switch(m, t)[T=int32]
n = NextIteration(w:1)[T=int32]
y = Exit(w)[T=int32]
""",
    "a loop that goes on while its condition is false": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
t = Enter(no)[T=bool, frame_name="f", is_constant=true]
c = LoopCond(t)
w = Switch(m, c)[T=int32]
n = NextIteration(w)[T=int32]
y = Exit(w:1)[T=int32]
""",
    "a loop that goes on beside its Switch": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
t = Enter(b)[T=bool, frame_name="f", is_constant=true]
c = LoopCond(t)
w = Switch(m, c)[T=int32]
n = NextIteration(m, ^c)[T=int32]
y = Exit(w)[T=int32]
""",
    "a loop that goes on whatever its Switch does": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
t = Enter(b)[T=bool, frame_name="f", is_constant=true]
c = LoopCond(t)
w = Switch(m, c)[T=int32]
o = Merge(w, w:1)[T=int32, N=2]
n = NextIteration(o)[T=int32]
y = Exit(w)[T=int32]
""",
    "a condition that reads a variable": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
g: (n: resource) -> (r: resource = n)
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a condition that is the value of a variable": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
q = ReadVariableOp(v)[dtype=bool]
c: (n: bool) -> (r: bool = n)
g: (n: bool) -> (r: bool = n)
y = While(q)[T=[bool], cond=@c, body=@g]
""",
    "a condition that reads a variable of two values": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
a2 = AssignVariableOp(v, no)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
g: (n: resource) -> (r: resource = n)
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a condition that reads a variable beside one that the body writes": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
u = VarHandleOp[dtype=bool, shape=(), shared_name="u"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource, h: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
g: (n: resource, h: resource) -> (r: resource = n, r2: resource = h)
g: f = Const[dtype=bool, value=bool{false}()]
g: w = AssignVariableOp(h, f:output:0)[dtype=bool]
y = While(v, u)[T=[resource, resource], cond=@c, body=@g]
""",
    "a condition that reads a variable whose value the body writes again": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
g: (n: resource) -> (r: resource = n)
g: f = Const[dtype=bool, value=bool{true}()]
g: w = AssignVariableOp(n, f:output:0)[dtype=bool]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a loop of TensorFlow 1 that reads a variable": """
v = VariableV2[dtype=bool, shape=()]
a = Assign(v, yes)[T=bool]
r = Identity(v)[T=bool]
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
t = Enter(r)[T=bool, frame_name="f", is_constant=true]
c = LoopCond(t)
w = Switch(m, c)[T=int32]
n = NextIteration(w:1)[T=int32]
y = Exit(w)[T=int32]
""",
    "a loop of TensorFlow 1 that compares a variable": """
v = VariableV2[dtype=int32, shape=()]
a = Assign(v, i)[T=int32]
r = Identity(v)[T=int32]
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
t = Enter(r)[T=int32, frame_name="f", is_constant=true]
o = Enter(i)[T=int32, frame_name="f", is_constant=true]
q = GreaterEqual(t, o)[T=int32]
c = LoopCond(q)
w = Switch(m, c)[T=int32]
n = NextIteration(w:1)[T=int32]
y = Exit(w)[T=int32]
""",
    "a condition that reads the size of a table": """
t = HashTableV2[key_dtype=string, value_dtype=bool, shared_name="t"]
flags = Const[dtype=bool, value=bool{true}]
z = InitializeTableV2(t, keys, flags)[Tkey=string, Tval=bool]
c: (n: resource) -> (r: bool = q:z:0)
c: one = Const[dtype=int64, value=int64{1}()]
c: s = LookupTableSizeV2(n)
c: q = GreaterEqual(s:size:0, one:output:0)[T=int64]
g: (n: resource) -> (r: resource = n)
y = While(t)[T=[resource], cond=@c, body=@g]
""",
    "a byte that is at most 255": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=uint8, value=uint8{255}()]
c: p = Cast(n)[SrcT=int32, DstT=uint8]
c: q = LessEqual(p:y:0, k:output:0)[T=uint8]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a sigmoid that is at most one": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=float, value=float{1}()]
c: p = Cast(n)[SrcT=int32, DstT=float]
c: o = Sigmoid(p:y:0)[T=float]
c: q = LessEqual(o:y:0, k:output:0)[T=float]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "an index that is not negative": """
c: (n: int32) -> (r: bool = q:z:0)
c: k = Const[dtype=int64, value=int64{-1}()]
c: z = Const[dtype=int32, value=int32{0}()]
c: o = Const[dtype=int32, value=int32{1}]
c: p = ArgMax(o:output:0, z:output:0)[T=int32, Tidx=int32, output_type=int64]
c: q = Greater(p:output:0, k:output:0)[T=int64]
g: (n: int32) -> (r: int32 = n)
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a number that is halved": """
c: (n: float) -> (r: bool = q:z:0)
c: z = Const[dtype=float, value=float{0}()]
c: q = GreaterEqual(n, z:output:0)[T=float]
g: (n: float) -> (r: float = m:z:0)
g: h = Const[dtype=float, value=float{0.5}()]
g: m = Mul(n, h:output:0)[T=float]
f1 = Const[dtype=float, value=float{1}()]
y = While(f1)[T=[float], cond=@c, body=@g]
""",
    "a number that is doubled": """
c: (n: float) -> (r: bool = q:z:0)
c: z = Const[dtype=float, value=float{0}()]
c: q = GreaterEqual(n, z:output:0)[T=float]
g: (n: float) -> (r: float = m:z:0)
g: h = Const[dtype=float, value=float{2}()]
g: m = Mul(n, h:output:0)[T=float]
f1 = Const[dtype=float, value=float{1}()]
y = While(f1)[T=[float], cond=@c, body=@g]
""",
    "a float that stops counting": """
c: (n: float) -> (r: bool = q:z:0)
c: z = Const[dtype=float, value=float{50000000}()]
c: q = Less(n, z:output:0)[T=float]
g: (n: float) -> (r: float = m:z:0)
g: h = Const[dtype=float, value=float{1}()]
g: m = AddV2(n, h:output:0)[T=float]
f1 = Const[dtype=float, value=float{1}()]
y = While(f1)[T=[float], cond=@c, body=@g]
""",
    "two counters that keep their distance": """
c: (n: int32, m: int32) -> (r: bool = q:z:0)
c: q = Less(n, m)[T=int32]
g: (n: int32, m: int32) -> (r: int32 = a:z:0, t: int32 = e:z:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: a = AddV2(n, one:output:0)[T=int32]
g: e = AddV2(m, one:output:0)[T=int32]
big = Const[dtype=int32, value=int32{5}()]
y = While(i, big)[T=[int32, int32], cond=@c, body=@g]
""",
    "a variable that counts": """
v = VarHandleOp[dtype=int32, shape=(), shared_name="v"]
a = AssignVariableOp(v, i)[dtype=int32]
c: (n: resource) -> (r: bool = q:z:0)
c: one = Const[dtype=int32, value=int32{0}()]
c: k = ReadVariableOp(n)[dtype=int32]
c: q = GreaterEqual(k:value:0, one:output:0)[T=int32]
g: (n: resource) -> (r: resource = n)
g: one = Const[dtype=int32, value=int32{1}()]
g: w = AssignAddVariableOp(n, one:output:0)[dtype=int32]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a variable that a call writes whose results do not need it": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
st: (n: resource) -> (r: bool = f:output:0)
st: f = Const[dtype=bool, value=bool{false}()]
st: w = AssignVariableOp(n, f:output:0)[dtype=bool]
g: (n: resource) -> (r: resource = n)
g: d = StatefulPartitionedCall(n)[Tin=[resource], Tout=[bool], f=@st]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a variable that a call by the name of its function writes": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
st: (n: resource) -> (r: bool = k:output:0)
st: f = Const[dtype=bool, value=bool{false}()]
st: w = AssignVariableOp(n, f:output:0)[dtype=bool]
st: k = Identity(f:output:0, ^w)[T=bool]
g: (n: resource) -> (r: resource = n)
g: d = st(n)
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a variable that a call without state writes": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
st: (n: resource) -> (r: bool = k:output:0)
st: f = Const[dtype=bool, value=bool{false}()]
st: w = AssignVariableOp(n, f:output:0)[dtype=bool]
st: k = Identity(f:output:0, ^w)[T=bool]
g: (n: resource) -> (r: resource = n)
g: d = PartitionedCall(n)[Tin=[resource], Tout=[bool], f=@st]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a variable that a call without state writes before the result": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
st: (n: resource) -> (r: bool = k:output:0)
st: f = Const[dtype=bool, value=bool{false}()]
st: w = AssignVariableOp(n, f:output:0)[dtype=bool]
st: k = Identity(f:output:0, ^w)[T=bool]
g: (n: resource) -> (r: resource = m:output:0)
g: m = Identity(n, ^d)[T=resource]
g: d = PartitionedCall(n)[Tin=[resource], Tout=[bool], f=@st]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a variable that a conditional without state writes": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
st: (n: resource) -> (r: bool = f:output:0)
st: f = Const[dtype=bool, value=bool{false}()]
st: w = AssignVariableOp(n, f:output:0)[dtype=bool]
g: (n: resource) -> (r: resource = n)
g: t = Const[dtype=bool, value=bool{true}()]
g: d = StatelessIf(t:output:0, n)[Tcond=bool, Tin=[resource], Tout=[bool], then_branch=@st, else_branch=@st]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a variable that a conditional in a call writes": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
wr: (n: resource) -> (r: bool = f:output:0)
wr: f = Const[dtype=bool, value=bool{false}()]
wr: w = AssignVariableOp(n, f:output:0)[dtype=bool]
st: (n: resource) -> (r: bool = f:output:0)
st: f = Const[dtype=bool, value=bool{false}()]
st: t = Const[dtype=bool, value=bool{true}()]
st: d = If(t:output:0, n)[Tcond=bool, Tin=[resource], Tout=[bool], then_branch=@wr, else_branch=@wr]
g: (n: resource) -> (r: resource = n)
g: d = StatefulPartitionedCall(n)[Tin=[resource], Tout=[bool], f=@st]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a variable that a call in a conditional writes": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
st: (n: resource) -> (r: bool = f:output:0)
st: f = Const[dtype=bool, value=bool{false}()]
st: w = AssignVariableOp(n, f:output:0)[dtype=bool]
o: (n: resource) -> (r: bool = d:output:0)
o: d = StatefulPartitionedCall(n)[Tin=[resource], Tout=[bool], f=@st]
g: (n: resource) -> (r: resource = n)
g: t = Const[dtype=bool, value=bool{true}()]
g: d = If(t:output:0, n)[Tcond=bool, Tin=[resource], Tout=[bool], then_branch=@o, else_branch=@o]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a loop of TensorFlow 1 beside a node that writes the variable": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
h = Enter(v)[T=resource, frame_name="f", is_constant=true]
f = Enter(no)[T=bool, frame_name="f", is_constant=true]
r = ReadVariableOp(h, ^m)[dtype=bool]
c = LoopCond(r)
w = Switch(m, c)[T=int32]
k = Identity(w:1)[T=int32]
z = AssignVariableOp(h, f, ^k)[dtype=bool]
n = NextIteration(k)[T=int32]
y = Exit(w)[T=int32]
""",
}

HARMLESS_LOOPS: dict[str, str] = {
    "a counter with a last number": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{9}()]
c: q = NotEqual(n, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a counter below the greatest number, and a random number": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{2147483647}()]
c: p = Less(n, k:output:0)[T=int32]
c: h = RandomUniform(sh:output:0)[T=int32, dtype=float]
c: sh = Const[dtype=int32, value=int32{}(0)]
c: z = Const[dtype=float, value=float{0.9}()]
c: o = Less(h:output:0, z:output:0)[T=float]
c: q = LogicalAnd(p:z:0, o:z:0)
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a variable that the body writes": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
g: (n: resource) -> (r: resource = n)
g: f = Const[dtype=bool, value=bool{false}()]
g: w = AssignVariableOp(n, f:output:0)[dtype=bool]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a variable that a call in the body writes": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
st: (n: resource) -> (r: bool = k:output:0)
st: f = Const[dtype=bool, value=bool{false}()]
st: w = AssignVariableOp(n, f:output:0)[dtype=bool]
st: k = Identity(f:output:0, ^w)[T=bool]
g: (n: resource) -> (r: resource = n)
g: d = StatefulPartitionedCall(n)[Tin=[resource], Tout=[bool], f=@st]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a variable that is false": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, no)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
g: (n: resource) -> (r: resource = n)
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a loop of TensorFlow 1 up to a variable": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
k = Enter(i)[T=int32, frame_name="f", is_constant=true]
v = VariableV2[dtype=int32, shape=()]
as = Assign(v, i)[T=int32]
r = Identity(v)[T=int32]
zz = Enter(r)[T=int32, frame_name="f", is_constant=true]
q = Less(m, zz)[T=int32]
c = LoopCond(q)
w = Switch(m, c)[T=int32]
a = AddV2(w:1, k)[T=int32]
n = NextIteration(a)[T=int32]
y = Exit(w)[T=int32]
""",
    "a counter down to zero": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: z = Const[dtype=int32, value=int32{0}()]
c: q = Greater(n, z:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = Sub(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a number that is halved to a limit": """
c: (n: float) -> (r: bool = q:z:0)
c: z = Const[dtype=float, value=float{0.001}()]
c: q = GreaterEqual(n, z:output:0)[T=float]
g: (n: float) -> (r: float = m:z:0)
g: h = Const[dtype=float, value=float{0.5}()]
g: m = Mul(n, h:output:0)[T=float]
f1 = Const[dtype=float, value=float{1}()]
y = While(f1)[T=[float], cond=@c, body=@g]
""",
    "a loop of a million": """
c: (n: int32) -> (r: bool = r:output:0)
c: one = Const[dtype=int32, value=int32{1}()]
c: t = Const[dtype=bool, value=bool{true}()]
c: f = Const[dtype=bool, value=bool{false}()]
c: k = Const[dtype=int32, value=int32{1000000}()]
c: q = Less(n, k:output:0)[T=int32]
c: r = Identity(q:z:0)[T=bool]
g: (n: int32) -> (r: int32 = r:output:0)
g: one = Const[dtype=int32, value=int32{1}()]
g: m = AddV2(n, one:output:0)[T=int32]
g: r = Identity(m:z:0)[T=int32]
y = While(i)[T=[int32], cond=@c, body=@g]
""",
    "a loop of TensorFlow 1 in another": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
k = Enter(i)[T=int32, frame_name="f", is_constant=true]
q = Less(m, k)[T=int32]
c = LoopCond(q)
w = Switch(m, c)[T=int32]
e2 = Enter(w:1)[T=int32, frame_name="h"]
m2 = Merge(e2, n2)[T=int32, N=2]
k2 = Enter(k)[T=int32, frame_name="h", is_constant=true]
q2 = Less(m2, k2)[T=int32]
c2 = LoopCond(q2)
w2 = Switch(m2, c2)[T=int32]
a2 = AddV2(w2:1, k2)[T=int32]
n2 = NextIteration(a2)[T=int32]
y2 = Exit(w2)[T=int32]
a = AddV2(y2, k)[T=int32]
n = NextIteration(a)[T=int32]
y = Exit(w)[T=int32]
""",
    "a conditional in a loop of TensorFlow 1": """
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
k = Enter(i)[T=int32, frame_name="f", is_constant=true]
kb = Enter(b)[T=bool, frame_name="f", is_constant=true]
q = Less(m, k)[T=int32]
c = LoopCond(q)
w = Switch(m, c)[T=int32]
s2 = Switch(w:1, kb)[T=int32]
t1 = AddV2(s2:1, k)[T=int32]
t2 = AddV2(s2, k)[T=int32]
o = Merge(t1, t2)[T=int32, N=2]
n = NextIteration(o)[T=int32]
y = Exit(w)[T=int32]
""",
    "a variable that a conditional in the body writes": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
c: (n: resource) -> (r: bool = q:value:0)
c: q = ReadVariableOp(n)[dtype=bool]
st: (n: resource) -> (r: bool = f:output:0)
st: f = Const[dtype=bool, value=bool{false}()]
st: w = AssignVariableOp(n, f:output:0)[dtype=bool]
g: (n: resource) -> (r: resource = n)
g: t = Const[dtype=bool, value=bool{true}()]
g: d = If(t:output:0, n)[Tcond=bool, Tin=[resource], Tout=[bool], then_branch=@st, else_branch=@st]
y = While(v)[T=[resource], cond=@c, body=@g]
""",
    "a loop of TensorFlow 1 that writes the variable": """
v = VarHandleOp[dtype=bool, shape=(), shared_name="v"]
a = AssignVariableOp(v, yes)[dtype=bool]
e = Enter(i)[T=int32, frame_name="f"]
m = Merge(e, n)[T=int32, N=2]
h = Enter(v)[T=resource, frame_name="f", is_constant=true]
f = Enter(no)[T=bool, frame_name="f", is_constant=true]
r = ReadVariableOp(h, ^m)[dtype=bool]
c = LoopCond(r)
w = Switch(m, c)[T=int32]
k = Identity(w:1)[T=int32]
z = AssignVariableOp(h, f, ^k)[dtype=bool]
n = NextIteration(k, ^z)[T=int32]
y = Exit(w)[T=int32]
""",
}
