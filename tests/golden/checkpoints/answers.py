"""Record checkpoints that TensorFlow wrote and the tensors that it reads in them: answers.tar.xz.

    python -m tests.golden.checkpoints.answers        # with a Python that has TensorFlow 2.12

Each checkpoint has a folder and, beside the folder, a JSON file:

    prefix    the prefix of its files, or its folder, relative to the top folder
    tensors   by name: dtype, shape and values, which are the bytes of the array (bfloat16 as float32) or a list of
              strings, in hexadecimal
    plain     true if the file holds whole tensors in the order of their names: tfmodel then writes the same bytes
"""

from __future__ import annotations

import io
import itertools
import json
import lzma
import os
import tarfile
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf

ARCHIVE = Path(__file__).with_name("answers.tar.xz")
tf1 = tf.compat.v1
MADE = {}
PLAIN_FLOATS = ["float16", "float32", "float64"]
PLAIN_INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
CUT = {}  # how the tensors of the checkpoint at hand are cut into parts, where that is not up to TensorFlow


def makes(function):
    MADE[function.__name__] = function
    return function


def numbers(*shape, dtype=np.float32):
    count = int(np.prod(shape))
    return (np.arange(count) * 7 % 101 - 50).astype(dtype).reshape(shape)


def part_of_numbers(shape, dtype, partition_info):
    """Initialize one part of a variable of TF1."""
    where = tuple(slice(start, start + size) for start, size in zip(partition_info.var_offset, shape, strict=True))
    return tf.constant(numbers(*partition_info.full_shape)[where])


def every_type():
    """A tensor of each type that TensorFlow 2.12 can save."""
    values = np.array([0, 1, 2, 3, 100, 127])
    tensors = {name: tf.constant(values.astype(name)) for name in [*PLAIN_FLOATS, *PLAIN_INTEGERS]}
    for name in ("int8", "int16", "int32", "int64"):
        tensors[f"negative_{name}"] = tf.constant(np.array([-1, np.iinfo(name).min, np.iinfo(name).max], name))
    tensors["floats"] = tf.constant([np.inf, -np.inf, np.nan, -0.0, 1e-45, 3.4e38], tf.float32)
    tensors["halves"] = tf.constant([np.inf, -0.0, 6e-8, 65504, 1 / 3], tf.float16)
    tensors["bfloat16"] = tf.cast(tf.constant([1.0, -2.5, 3e38, 1 / 3, np.inf]), tf.bfloat16)
    tensors["complex64"] = tf.constant(np.array([1 + 2j, -3.5j], "complex64"))
    tensors["complex128"] = tf.constant(np.array([[1e300 + 2j], [-3.5j]], "complex128"))
    tensors["bool"] = tf.constant([True, False, True])
    tensors["string"] = tf.constant([b"", b"one", b"\x00\xff" * 100])
    tensors["qint8"] = tf.bitcast(tf.constant([-128, 5], tf.int8), tf.qint8)
    tensors["quint8"] = tf.bitcast(tf.constant([255, 5], tf.uint8), tf.quint8)
    tensors["qint16"] = tf.bitcast(tf.constant([-32768, 5], tf.int16), tf.qint16)
    tensors["quint16"] = tf.bitcast(tf.constant([65535, 5], tf.uint16), tf.quint16)
    tensors["qint32"] = tf.bitcast(tf.constant([-(2**31), 5], tf.int32), tf.qint32)
    return tensors


def save_v2(prefix, tensors):
    names = sorted(tensors)
    save_parts_v2(prefix, [(name, "", tensors[name]) for name in names])


def save_parts_v2(prefix, parts):
    """Parts of tensors: (name, slice, values), where a name may come several times."""
    names, slices, values = zip(*parts, strict=True)
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=values)


def grid(shape, *cuts):
    """Every part that cuts along each axis leave, as the spelling of a slice and as an index."""
    for spans in itertools.product(*map(itertools.pairwise, cuts)):
        words = [
            "-" if stop - start == size else f"{start},{stop - start}"
            for (start, stop), size in zip(spans, shape, strict=True)
        ]
        yield " ".join(map(str, shape)) + " " + ":".join(words), tuple(slice(*span) for span in spans)


def parts_of(name, whole, *cuts):
    CUT[name] = whole.shape, list(grid(whole.shape, *cuts))
    return [(name, words, tf.constant(whole[index])) for words, index in grid(whole.shape, *cuts)]


@makes
def types_v2(folder):
    save_v2(f"{folder}/model", every_type())
    return "model", True


@makes
def shapes_v2(folder):
    shapes = [(), (0,), (1,), (3, 0, 2), (2, 3), (2, 3, 4, 5, 1), (1,) * 8, (130,), (1, 300)]
    tensors = {f"shape_{'x'.join(map(str, shape))}": tf.constant(numbers(*shape)) for shape in shapes}
    tensors |= {"zero": tf.constant(0.0), "text": tf.constant("scalar"), "no_text": tf.zeros([0], tf.string)}
    save_v2(f"{folder}/model", tensors)
    return "model", True


@makes
def strings_v2(folder):
    lengths = [0, 1, 127, 128, 300, 16384]
    tensors = {
        "lengths": tf.constant([b"x" * length for length in lengths]),
        "square": tf.constant([["a", "bc"], ["", "\u00e9\u4e2d"]]),
        "\u00fcmlaut/\u4e2d": tf.constant(["name in UTF-8"]),
        "empty": tf.zeros([2, 0, 3], tf.string),
        "bytes": tf.constant(bytes(range(256))),
    }
    save_v2(f"{folder}/model", tensors)
    return "model", True


@makes
def many_v2(folder):
    """An index of two blocks: long names that have little in common with the one before."""
    tensors = {f"{n * 7919 % 100000:05d}/{'x' * 170}/{n % 10}": tf.constant(float(n)) for n in range(1500)}
    save_v2(f"{folder}/model", tensors)
    return "model", True


@makes
def variants_v2(folder):
    lists = [tf.raw_ops.TensorListFromTensor(tensor=numbers(3, 2), element_shape=[2])]
    save_v2(f"{folder}/model", {"list": lists[0], "number": tf.constant(1.5)})
    return "model", False


@makes
def sharded_v2(folder):
    with tf.Graph().as_default(), tf1.Session(config=tf1.ConfigProto(device_count={"CPU": 3})) as session:
        for device in range(3):
            with tf.device(f"/cpu:{device}"):
                for n in range(2):
                    tf1.get_variable(f"layer_{device}/v{n}", initializer=numbers(device + 2, n + 1))
        session.run(tf1.global_variables_initializer())
        tf1.train.Saver(sharded=True).save(session, f"{folder}/model.ckpt", write_meta_graph=False)
    return "model.ckpt", False


@makes
def partitioned_v2(folder):
    """Variables in three and more parts along each axis, as TF1 makes them, one on several devices."""
    with tf.Graph().as_default(), tf1.Session(config=tf1.ConfigProto(device_count={"CPU": 2})) as session:
        for axis in range(3):
            with tf1.variable_scope(f"axis{axis}", partitioner=tf1.fixed_size_partitioner(3 + axis, axis=axis)):
                tf1.get_variable("weights", [7, 8, 6], initializer=part_of_numbers)
        tf1.get_variable("whole", initializer=numbers(3))
        session.run(tf1.global_variables_initializer())
        tf1.train.Saver(sharded=True).save(session, f"{folder}/model.ckpt", write_meta_graph=False)
    return "model.ckpt", False


@makes
def grid_v2(folder):
    """Tensors cut along several axes, and of types that need more than copying."""
    whole = numbers(6, 5)
    parts = parts_of("grid", whole, [0, 1, 4, 6], [0, 2, 3, 5])
    parts += parts_of("rows", whole.astype("int64"), [0, 2, 6], [0, 5])
    parts += parts_of("columns", whole.astype("complex64"), [0, 6], [0, 1, 2, 5])
    halves = parts_of("halves", whole, [0, 2, 6], [0, 5])
    parts += [(name, words, tf.cast(part, tf.bfloat16)) for name, words, part in halves]
    parts += parts_of("float16", whole.astype("float16"), [0, 6], [0, 1, 3, 5])
    words = np.array([f"word {n}" * n for n in range(8)])
    parts += parts_of("words", words, [0, 3, 4, 8])
    parts += [("all", "2 2 0,2:0,2", tf.constant(numbers(2, 2)))]
    save_parts_v2(f"{folder}/model", parts)
    return "model", False


@makes
def merged_v2(folder):
    """Two checkpoints joined to one, with parts of one tensor in both."""
    rows = parts_of("rows", numbers(4, 2), [0, 1, 2, 4], [0, 2])
    save_parts_v2(f"{folder}/a", [*rows[:1], ("only/a", "", tf.constant(1))])
    save_parts_v2(f"{folder}/b", [*rows[1:], ("only/b", "", tf.constant("b"))])
    prefixes = [f"{folder}/a", f"{folder}/b"]
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=f"{folder}/model")
    return "model", False


@makes
def slots_v2(folder):
    """A TF1 training graph: Adam and momentum beside the variables."""
    with tf.Graph().as_default(), tf1.Session() as session:
        w = tf1.get_variable("dense/kernel", initializer=numbers(3, 2))
        b = tf1.get_variable("dense/bias", initializer=numbers(2))
        step = tf1.train.get_or_create_global_step()
        loss = tf.reduce_sum((tf.ones([1, 3]) @ w + b) ** 2)
        optimizers = [tf1.train.AdamOptimizer(0.1), tf1.train.MomentumOptimizer(0.1, 0.9)]
        updates = [optimizer.minimize(loss, step) for optimizer in optimizers]
        session.run(tf1.global_variables_initializer())
        session.run(updates)
        tf1.train.Saver().save(session, f"{folder}/model.ckpt", step, write_meta_graph=False)
    return "", True


def odd_objects():
    """Objects with names that have to be escaped, in lists and dicts."""
    root = tf.train.Checkpoint(step=tf.Variable(3, dtype=tf.int64), layers=[tf.Variable(numbers(2)), tf.Variable("s")])
    root.table = {"a/b": tf.Variable(1.0), "c.d": tf.Variable(2.0), ".S": tf.Variable(3.0), "e": [tf.Variable(4.0)]}
    return root


@makes
def objects_v2(folder):
    odd_objects().write(f"{folder}/odd")
    return "odd", False


@makes
def keras_v2(folder):
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(2,), name="first"), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.legacy.Adam()
    model.compile(optimizer, "mse")
    model.fit(numbers(4, 2), numbers(4, 1), verbose=0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model, optimizer=optimizer), folder, max_to_keep=2)
    for _ in range(3):
        manager.save()
    return "", False


@makes
def new_optimizer_v2(folder):
    tf.keras.utils.set_random_seed(2)
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(2,))])
    model.compile(tf.keras.optimizers.Adam(), "mse")
    model.fit(numbers(4, 2), numbers(4, 2), verbose=0)
    model.save_weights(f"{folder}/weights")
    return "weights", False


@makes
def saved_model(folder):
    module = tf.Module()
    module.kernel = tf.Variable(numbers(2, 3), name="kernel")
    module.table = tf.Variable(["x", "y"], name="table")
    tf.saved_model.save(module, folder)
    return "", False


def save_v1(path, parts):
    names, slices, values = zip(*parts, strict=True)
    tf.raw_ops.SaveSlices(filename=path, tensor_names=names, shapes_and_slices=slices, data=values)


@makes
def types_v1(folder):
    unsupported = ("bfloat16", "uint32", "uint64", "qint16", "quint16")
    save_v1(f"{folder}/model", [(name, "", value) for name, value in every_type().items() if name not in unsupported])
    return "model", False


@makes
def shapes_v1(folder):
    shapes = [(), (0,), (1,), (3, 0, 2), (2, 3), (2, 3, 4, 5, 1), (130,)]
    parts = [(f"shape_{'x'.join(map(str, shape))}", "", tf.constant(numbers(*shape))) for shape in shapes]
    save_v1(f"{folder}/model", [*parts, ("text", "", tf.constant("scalar")), ("none", "", tf.zeros([0], tf.string))])
    return "model", False


@makes
def large_v1(folder):
    """Several blocks; some have one tensor, some many."""
    parts = [(f"large_{n}", "", tf.constant(numbers(200, 200))) for n in range(3)]
    parts += [(f"small_{n:03d}", "", tf.constant(numbers(n, dtype=np.int64))) for n in range(150)]
    save_v1(f"{folder}/model", parts)
    return "model", False


@makes
def sliced_v1(folder):
    parts = parts_of("grid", numbers(6, 5), [0, 1, 4, 6], [0, 2, 3, 5])
    parts += parts_of("rows", numbers(6, 5, dtype=np.int32), [0, 2, 5, 6], [0, 5])
    parts += parts_of("words", np.array([b"word" * n for n in range(5)]), [0, 2, 3, 5])
    parts += parts_of("whole", numbers(2, 2), [0, 2], [0, 2])
    save_v1(f"{folder}/model", parts)
    return "model", False


@makes
def sharded_v1(folder):
    with tf.Graph().as_default(), tf1.Session(config=tf1.ConfigProto(device_count={"CPU": 3})) as session:
        for device in range(3):
            with tf.device(f"/cpu:{device}"):
                tf1.get_variable(f"layer_{device}", initializer=numbers(device + 2, 2))
        with tf1.variable_scope("cut", partitioner=tf1.fixed_size_partitioner(3)), tf.device("/cpu:1"):
            tf1.get_variable("weights", [7, 2], initializer=part_of_numbers)
        session.run(tf1.global_variables_initializer())
        saver = tf1.train.Saver(sharded=True, write_version=tf1.train.SaverDef.V1)
        saver.save(session, f"{folder}/model.ckpt", write_meta_graph=False)
    return "model.ckpt", False


@makes
def cut_and_sharded_v1(folder):
    """Parts of one tensor in different files."""
    rows = parts_of("rows", numbers(6, 2), [0, 1, 3, 6], [0, 2])
    for number, part in enumerate(rows):
        save_v1(f"{folder}/model-{number:05d}-of-00003", [part, (f"own_{number}", "", tf.constant(number))])
    return "model", False


# --- what TensorFlow reads -------------------------------------------------------------------------------------------


def read_all(folder, prefix):
    """Name, type and values of all tensors, as TensorFlow's own reader and its restoring ops have them."""
    path = str(folder / prefix) if prefix else None
    if path is None:
        saved = folder / "variables" / "variables"
        path = str(saved) if saved.parent.is_dir() else tf.train.latest_checkpoint(str(folder))
    shards = sorted(Path(path).parent.glob(Path(path).name + "-?????-of-?????"))
    pattern = f"{path}-?????-of-{shards[0].name[-5:]}" if shards else path
    reader = tf.train.load_checkpoint(pattern)
    for name, dtype in sorted(reader.get_variable_to_dtype_map().items()):
        if dtype == tf.variant:
            continue
        try:
            value = restored(path, pattern, name, dtype)
        except tf.errors.InvalidArgumentError:  # it puts parts together for some types only
            shape, parts = CUT[name]
            whole = np.empty(shape, dtype.as_numpy_dtype)
            for words, index in parts:
                whole[index] = restored(path, pattern, name, dtype, words).numpy()
            value = tf.constant(whole)
        if dtype == tf.bfloat16:
            value = tf.cast(value, tf.float32)
        elif dtype.is_quantized:
            value = tf.bitcast(value, tf.as_dtype(dtype.name.removeprefix("q").replace("qu", "u")))
        yield name, dtype, value.numpy()


def restored(path, pattern, name, dtype, words=""):
    """A tensor, or the part of it that the words of a slice say."""
    if os.path.exists(path + ".index"):
        return tf.raw_ops.RestoreV2(prefix=path, tensor_names=[name], shape_and_slices=[words], dtypes=[dtype])[0]
    return tf.raw_ops.RestoreSlice(file_pattern=pattern, tensor_name=name, shape_and_slice=words, dt=dtype)


def described(dtype, array):
    array = np.asarray(array, object if dtype == tf.string else None)  # NumPy's own strings lose zeros at their end
    facts = {"dtype": dtype.name, "shape": list(array.shape)}
    if dtype == tf.string:
        return facts | {"strings": [value.hex() for value in array.reshape(-1)]}
    return facts | {"numpy": array.dtype.str, "bytes": array.tobytes().hex()}


def main():
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        for name, make in MADE.items():
            folder = root / name
            folder.mkdir()
            CUT.clear()
            prefix, plain = make(str(folder))
            tensors = {key: described(dtype, array) for key, dtype, array in read_all(folder, prefix)}
            facts = {"prefix": prefix, "plain": plain, "tensors": tensors}
            (root / f"{name}.json").write_text(json.dumps(facts, sort_keys=True))
        write_archive(root)


def write_archive(root):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(root.rglob("*")):
            if path.is_file() and wanted(path):
                info = tarfile.TarInfo(str(path.relative_to(root)))
                info.size = path.stat().st_size
                with path.open("rb") as file:
                    tar.addfile(info, file)
    ARCHIVE.write_bytes(lzma.compress(out.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{ARCHIVE.name}: {len(MADE)} checkpoints, {ARCHIVE.stat().st_size:,} bytes")


def wanted(path):
    """Checkpoints, what belongs to them, and the facts; of a SavedModel that it is one."""
    return "assets" not in path.parts and path.name not in ("fingerprint.pb", "keras_metadata.pb")


if __name__ == "__main__":
    main()
