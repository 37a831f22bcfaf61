"""Record what TensorFlow reads from TFRecord files and writes to event files: `python -m tests.golden.compat.files`.

A case is an expression, evaluated in a folder with the files of `make_files`, or statements that call a FileWriter `w`,
of which the events and the type of an error are recorded.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.compat.helpers import evaluate
from tfmodel.files.tfrecords.records import write_records
from tfmodel.files.tfrecords.sources import record_bytes

FILE = Path(__file__).with_suffix(".jsonl")

DATASETS = ["D('a')", "D('b').take(2)", "D(['b', 'a'])", "D(['b', 'a']).enumerate(3)", "D('empty')", "D([])"]
OF_DATASET = [
    "list(d)",
    "repr(d)",
    "list(d.as_numpy_iterator())",
    "[list(d), list(d)][1]",
    "bool(d)",
    "len(d)",
    "list(d.take(0))",
    "list(d.take(3))",
    "list(d.take(-1))",
    "list(d.take(np.int64(1)))",
    "d.take(1.0)",
    "repr(d.take(1))",
    "list(d.skip(2))",
    "list(d.skip(-1))",
    "list(d.skip(99))",
    "repr(d.skip(1))",
    "[list(d.shard(3, index)) for index in range(3)]",
    "d.shard(2, 2)",
    "d.shard(2, -1)",
    "d.shard(0, 0)",
    "repr(d.shard(2, 0))",
    "list(d.repeat(2))",
    "list(d.repeat(0))",
    "list(d.repeat().take(4))",
    "list(d.repeat(-1).skip(3).take(4))",
    "repr(d.repeat(2))",
    "list(d.concatenate(d))",
    "d.concatenate(D('a'))",
    "d.concatenate(D('a').enumerate())",
    "list(d.enumerate())",
    "list(d.enumerate(5).as_numpy_iterator())",
    "repr(d.enumerate())",
    "list(d.prefetch(1))",
    "repr(d.prefetch(tf.data.AUTOTUNE))",
    "list(d.cache())",
    "repr(d.cache())",
    "list(d.with_options(tf.data.Options()))",
    "repr(d.with_options(tf.data.Options()))",
    "isinstance(d, tf.data.Dataset)",
    "list(D(d))",
]
NAMES = [
    "'a'",
    "b'a'",
    "['a', b'b']",
    "('a',)",
    "[['a', 'b']]",
    "np.array(['a', 'b'])",
    "tf.constant('a')",
    "tf.constant(['b', 'a'])",
    "__import__('pathlib').Path('a')",
    "tf.data.Dataset.list_files('?', shuffle=False)",
    "'missing'",
    "['a', 'missing']",
    "'.'",
    "'cut'",
    "'content'",
    "'length'",
    "'gzip'",
    "'zlib'",
    "3",
    "None",
    "1.5",
]
COMPRESSIONS = ["None", "''", "'GZIP'", "'ZLIB'", "'zip'"]
PATTERNS = ["a", "?", "?*", "*t", "[ab]", "./?", "folder/*", "f*/x", "*/x", "missing", "missing*", "folder", ""]
SCALARS = [
    "0",
    "1.5",
    "True",
    "'a'",
    "b'\\xff'",
    "2**40",
    "[1, 2]",
    "['a', b'b']",
    "[[1.5]]",
    "[]",
    "np.float64(2)",
    "None",
]
OF_TENSOR = [
    "repr(x)",
    "str(x)",
    "x.numpy()",
    "type(x.numpy()).__name__",
    "x.dtype",
    "x.shape",
    "x.get_shape()",
    "x.ndim",
    "len(x)",
    "list(x)",
    "x[0]",
    "bool(x)",
    "int(x)",
    "float(x)",
    "x == x",
    "x != x",
    "np.array(x)",
    "hash(x)",
    "isinstance(x, tf.Tensor)",
    "tf.is_tensor(x)",
    "isinstance(x, type(tf.constant(0)))",
    "tf.make_ndarray(tf.make_tensor_proto(x))",
]
OTHERS = [
    "tf.data.AUTOTUNE",
    "tf.data.experimental.AUTOTUNE",
    "tf.data.INFINITE_CARDINALITY",
    "tf.data.UNKNOWN_CARDINALITY",
    "tf.io.FixedLenFeature([1], tf.int64)",
    "tf.io.FixedLenFeature(shape=(), dtype=tf.string, default_value='')",
    "tf.io.FixedLenSequenceFeature([], tf.float32)",
    "tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True)",
    "tf.io.VarLenFeature(tf.string)",
    "tf.data.experimental.TFRecordWriter('new').write(D('a').skip(1)), list(D('new'))",
    "tf.data.experimental.TFRecordWriter('new', 'GZIP').write(D('a')), list(D('new', 'GZIP'))",
    "tf.data.experimental.TFRecordWriter('new').write([b'a'])",
    "sorted(tf.data.Dataset.list_files(['?', 'a']).as_numpy_iterator())",
    "repr(tf.data.Dataset.list_files('a', shuffle=True))",
    "isinstance(D('a').take(1), tf.data.TFRecordDataset)",
]
WRITES = [
    "",
    "w.flush()",
    "w.add_summary(S(value=[V(tag='a', simple_value=0.5)]), 3)",
    "w.add_summary(S(value=[V(tag='a', simple_value=0.5)]).SerializeToString(), 4.7)",
    "w.add_summary(S()); w.add_summary(S(), '7'); w.add_summary(S(), np.int64(8))",
    "w.add_summary(S(), 'x')",
    "w.add_summary('text')",
    "w.add_summary(S(value=[V(tag='a', metadata=M), V(tag='b')])); w.add_summary(S(value=[V(tag='a', metadata=M), "
    "V(tag='b', metadata=M), V(tag='c', metadata=M)]), 1)",
    "w.add_graph(graph); w.add_graph(None, 5, graph)",
    "w.add_graph(graph, graph_def=graph)",
    "w.add_graph(None)",
    "w.add_graph(S())",
    "w.add_meta_graph(tf.compat.v1.MetaGraphDef(graph_def=graph), 2)",
    "w.add_meta_graph(graph)",
    "w.add_run_metadata(R(), 'run', 1); w.add_run_metadata(R(), 'run', 2)",
    "w.add_session_log(tf.compat.v1.SessionLog(status=1), 9)",
    "w.add_event(tf.compat.v1.Event(step=3))",
    "w.add_summary(S(), 1); w.close(); w.close(); w.add_summary(S(), 2); w.flush()",
    "w.close(); w.reopen(); w.add_summary(S(), 2)",
    "w.reopen(); w.add_summary(S(), 2)",
]


COUNTS = {"a": 3, "b": 1, "c": 4, "d": 2, "e": 3}  # of records, by file


READS = [
    "len(next(r))",
    "next(r)",
    "add('a', 5), next(r)",
    "next(r), add('a', 5), next(r)",
    "list(r), add('a', 1), list(r), list(r)",
    "list(r), add('a', 20), list(r), list(r)",
    "list(r), add('a', 5), list(r), add('a', 99), list(r)",
    "add('a', 17), next(r), error_of(r), error_of(r), add('a', 9), list(r)",
    "r.close(), add('a', 20), r.reopen(), list(r)",
    "list(r), r.close(), add('a', 20), r.reopen(), list(r)",
    "iter(r) is r",
]
"""Uses of an iterator over `growing`, which has one record of `a` and is added to."""


def cases() -> Iterator[str]:
    """Yield all expressions."""
    for dataset in DATASETS:
        yield from (f"(lambda d: {expression})({dataset})" for expression in OF_DATASET)
    yield from (f"list(D({names}))" for names in NAMES)
    yield from (f"list(D({names}).take(1))" for names in NAMES)
    for name in ("a", "gzip", "zlib"):
        yield from (f"list(D({name!r}, {compression}))" for compression in COMPRESSIONS)
        yield from (f"list(tf.compat.v1.io.tf_record_iterator({name!r}, {one}))" for one in COMPRESSIONS[:2])
        for number in (1, 2):
            options = f"tf.io.TFRecordOptions({COMPRESSIONS[number + 1]})"
            yield f"list(tf.compat.v1.io.tf_record_iterator({name!r}, {options}))"
    yield from (f"list(D(list('abcde'), num_parallel_reads={number}))" for number in [*range(6), 9, -1, -2])
    yield from (f"sorted(tf.io.gfile.glob({pattern!r}))" for pattern in PATTERNS)
    yield from (
        f"list(tf.data.Dataset.list_files({pattern!r}, shuffle=False).as_numpy_iterator())" for pattern in PATTERNS
    )
    for value in SCALARS:
        yield from (f"(lambda x: {expression})(tf.constant({value}))" for expression in OF_TENSOR)
    yield from (f"(lambda x: {expression})(next(iter(D('a'))))" for expression in OF_TENSOR)
    yield from OTHERS
    yield from (f"list(tf.compat.v1.io.tf_record_iterator({name!r}))" for name in ("cut", "content", "length", "empty"))
    yield "tf.compat.v1.io.tf_record_iterator('missing')"
    yield "next(tf.compat.v1.io.tf_record_iterator('.'))"
    yield "list(D('part'))"
    for name in ("content", "length"):
        yield f"(lambda r: [error_of(r) for _ in range(3)])(tf.compat.v1.io.tf_record_iterator({name!r}))"
    yield from (f"(lambda r: [{expression}])(growing())" for expression in READS)


def make_files(folder: Path) -> None:
    """Write the files that the expressions read."""
    contents = {name: [f"{name}{index}".encode() for index in range(count)] for name, count in COUNTS.items()}
    for name, content in contents.items():
        write_records(folder / name, content)
    write_records(folder / "empty", [])
    write_records(folder / "gzip", contents["c"], compression="gzip")
    write_records(folder / "zlib", contents["c"], compression="zlib")
    whole = b"".join(part for record in contents["a"] for part in record_bytes(record))
    (folder / "cut").write_bytes(whole[:-3])
    (folder / "part").write_bytes(whole[:-12])  # of a header
    for name, position in (("content", 31), ("length", 19)):
        (folder / name).write_bytes(whole[:position] + b"\xff" + whole[position + 1 :])
    (folder / "folder").mkdir()
    (folder / "folder/x").touch()


def namespace(prefix: str = "") -> dict[str, Any]:
    """Return the names that expressions use. `prefix` is "tfmodel.compat." for the modules of the layer."""
    tf = importlib.import_module(f"{prefix}tensorflow")

    def growing() -> Any:
        Path("growing").write_bytes(Path("a").read_bytes()[:18])
        return tf.compat.v1.io.tf_record_iterator("growing")

    def add(name: str, count: int) -> None:
        """Add the next bytes of a file to `growing`, as far as there are any."""
        start = Path("growing").stat().st_size
        with Path("growing").open("ab") as file:
            file.write(Path(name).read_bytes()[start : start + count])

    def error_of(iterator: Iterator[Any]) -> str:
        try:
            return str(next(iterator))
        except Exception as error:  # the type of any error is an answer
            return type(error).__name__

    helpers = {"growing": growing, "add": add, "error_of": error_of}
    return {"tf": tf, "np": np, "D": tf.data.TFRecordDataset, **helpers}


def written(statements: str, names: dict[str, Any], context: Any) -> Any:
    """Return the events that a FileWriter writes, by file, without their times, and the type of an error."""
    v1 = names["tf"].compat.v1
    error = None
    with tempfile.TemporaryDirectory() as folder, context:
        graph = v1.GraphDef()
        graph.node.add(name="x", op="NoOp")
        writer = v1.summary.FileWriter(os.path.join(folder, "new"))
        values = {"w": writer, "S": v1.Summary, "V": v1.Summary.Value, "R": v1.RunMetadata}
        values["M"] = v1.SummaryMetadata(display_name="d")
        try:
            exec(statements, {**names, **values, "graph": graph})
        except Exception as caught:  # the type of any error is an answer
            error = type(caught).__name__
        writer.close()
        files = []
        for path in sorted(Path(folder, "new").iterdir()):
            events = list(v1.train.summary_iterator(str(path)))
            for event in events:
                event.wall_time = 0
            files.append([event.SerializeToString(deterministic=True).hex() for event in events])
        return {"files": files, "error": error}


def answers(prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each case and its value."""
    names = namespace(prefix)
    with tempfile.TemporaryDirectory() as folder:
        make_files(Path(folder))
        with contextlib.chdir(folder):
            for case in dict.fromkeys(cases()):
                yield case, evaluate(case, names)
    for case in WRITES:
        yield case, written(case, names, contextlib.nullcontext() if prefix else names["tf"].Graph().as_default())


def main() -> None:
    """Write the answers of TensorFlow."""
    lines = (json.dumps({"case": case, "value": value}) for case, value in answers())
    FILE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
