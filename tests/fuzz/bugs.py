"""Realistic bugs, and the target that must find each: `python -m tests.fuzz.planting` plants them.

Targets that detect crashes only would miss readers that return wrong values.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BUGS", "QUICK", "Bug"]


class Bug(NamedTuple):
    """A text that occurs once in a module, its replacement, and the number of inputs within which it must be found.

    `differential`: only the differential mode finds it, since reader and writer are wrong in the same way.
    """

    target: str
    module: str
    old: str
    new: str
    inputs: int
    seed: int = 7
    differential: bool = False


BUGS = {
    "wire-int32-without-its-sign": Bug(
        "wire",
        "pbwire/varints.py",
        "    return ((value & _32_BITS) ^ 0x80000000) - 0x80000000",
        "    return value & _32_BITS if value == 0x80000000 else ((value & _32_BITS) ^ 0x80000000) - 0x80000000",
        2000,
    ),
    "wire-long-varint": Bug(
        "wire",
        "pbwire/varints.py",
        "return (value + (byte << shift)) & _64_BITS, byte_pos + 1",
        "return (value + (byte << shift)) & _64_BITS >> 1, byte_pos + 1",
        2000,
        differential=True,
    ),
    "wire-zigzag": Bug(
        "wire",
        "pbwire/varints.py",
        "    return (value >> 1) ^ -(value & 1)",
        "    return (value >> 1) ^ -(value & 1) & 0xFFFFFFFF",
        2000,
        differential=True,
    ),
    "raw-number": Bug(
        "raw",
        "pbwire/raw.py",
        'return int.from_bytes(view[pos:stop], "little"), stop',
        'return int.from_bytes(view[pos:stop], "big"), stop',
        500,
    ),
    "text-octal": Bug(
        "text", "pbwire/text/scalars.py", "16 if hexadecimal else 8 if octal else 10", "16 if hexadecimal else 10", 3000
    ),
    "text-escape": Bug(
        "text", "pbwire/text/literals.py", "8 if octal else 16)\n    if value", "8)\n    if value", 3000
    ),
    "json-url-safe": Bug(
        "json",
        "pbwire/json/scalars.py",
        'maketrans(b"-_", b"+/")',
        'maketrans(b"-_", b"/+")',
        12_000,
        differential=True,
    ),
    "json-plain-integers": Bug(
        "json",
        "pbwire/json/scalars.py",
        "        numbers = list(values)\n        if types",
        "        numbers = sorted(values, key=str)\n        if types",
        3000,
    ),
    "json-quoted-float": Bug(
        "json",
        "pbwire/json/scalars.py",
        "            number = float(value)\n    elif number",
        "            number = float(int(float(value)))\n    elif number",
        12_000,
        differential=True,
    ),
    "snappy-offset": Bug(
        "snappy", "tfmodel/files/checkpoints/table_file.py", "(tag >> 5) << 8", "(tag >> 5) << 7", 3000
    ),
    "snappy-repeats": Bug(
        "snappy",
        "tfmodel/files/checkpoints/table_file.py",
        "                piece *= 2",
        "                piece += piece[-1:]",
        3000,
    ),
    "snappy-quadratic": Bug(
        "snappy",
        "tfmodel/files/checkpoints/table_file.py",
        "            source = len(out) - back\n",
        "            source = len(out) - back\n            out = bytearray(bytes(out))\n",
        12_000,
    ),
    "tensors-last-value": Bug("tensors", "tfmodel/values/tensors.py", "else array[-1]\n", "else array[0]\n", 3000),
    "tensors-complex": Bug(
        "tensors",
        "tfmodel/values/tensors.py",
        'f"<f{row.itemsize // 2}", len(values)).view(row.storage)',
        'f"<f{row.itemsize // 2}", len(values)).view(row.storage).conj()',
        3000,
    ),
    "names-port": Bug(
        "names",
        "tfmodel/values/names.py",
        "return cls(node, int(port), output)",
        "return cls(node, int(port[:1]), output)",
        3000,
    ),
    "names-output": Bug(
        "names", "tfmodel/values/names.py", 'output, port = port, "0"', 'output, port = port.lower(), "0"', 3000
    ),
    "transform-lists-escape": Bug(
        "transform-lists",
        "tfmodel/transforms/framework/parameters.py",
        "plain if quoted is None else quoted)",
        "plain if quoted is None else quoted.strip())",
        2000,
    ),
    "table-shared-key": Bug(
        "checkpoint-index-repaired",
        "tfmodel/files/checkpoints/table_file.py",
        "        key = key[:shared] + contents[pos:middle]",
        "        key = (key[:shared] + contents[pos:middle])[:150]",
        2000,
    ),
    "table-crc-not-looked-at": Bug(
        "checkpoint-index",
        "tfmodel/files/checkpoints/table_file.py",
        "            if expected != actual:",
        "            if expected != actual and compression:",
        2000,
    ),
    "bundle-offset": Bug(
        "checkpoint",
        "tfmodel/files/checkpoints/v2.py",
        "data = self._data.bytes_of(place.shard, place.offset, place.size)",
        "data = self._data.bytes_of(place.shard, place.offset // 2, place.size)",
        2000,
    ),
    "bundle-crc-not-looked-at": Bug(
        "checkpoint", "tfmodel/files/checkpoints/v2.py", "        if stored != actual:", "        if False:", 2000
    ),
    "bundle-parts": Bug(
        "checkpoint-repaired",
        "tfmodel/files/checkpoints/slices.py",
        "array[index_of(outside)] = reader.array(name, dtype, part)[index_of(inside)]",
        "array[index_of(outside)] = reader.array(name, dtype, part)[index_of(inside)][::-1]",
        3000,
    ),
    "bundle-strings": Bug(
        "checkpoint",
        "tfmodel/files/checkpoints/strings.py",
        "        strings.append(bytes(data[pos : pos + length]))",
        "        strings.append(bytes(data[pos : pos + length]).lstrip())",
        3000,
    ),
    "entry-long-size": Bug(
        "checkpoint-repaired",
        "tfmodel/files/checkpoints/entries.py",
        "        shift += 7\n",
        "        shift += 8\n",
        3000,
    ),
    "v1-values": Bug(
        "checkpoint-v1",
        "tfmodel/files/checkpoints/v1.py",
        "slice_values(memoryview(record.value), dtype, place.shape)",
        "slice_values(memoryview(record.value), dtype, place.shape)[::-1]",
        2000,
    ),
    "v1-parts": Bug(
        "checkpoint-v1-repaired",
        "tfmodel/files/checkpoints/arrays.py",
        "start = [max(pair) for pair in zip(a[0], b[0], strict=True)]",
        "start = [min(pair) for pair in zip(a[0], b[0], strict=True)]",
        2000,
    ),
    "object-graph-escape": Bug(
        "object-graph", "tfmodel/files/checkpoints/index.py", 'else ".", part)', 'else "", part)', 2000
    ),
    "feeds-order": Bug(
        "feeds",
        "tfmodel/cli/feed_values.py",
        "    return format.read_array(file, allow_pickle=False)",
        "    return format.read_array(file, allow_pickle=False).reshape(shape[::-1]).T",
        2000,
    ),
    "files-gzip-members": Bug(
        "files",
        "tfmodel/files/access/gzip.py",
        "        pos = _zeros(data, pos - len(unpacker.unused_data)).end()",
        "        pos = max(len(data), _zeros(data, pos).end())",
        3000,
    ),
    "merge-without-values": Bug(
        "transforms",
        "tfmodel/transforms/merge_duplicate_nodes.py",
        'key.append((name, b"".join(value) if size < _MAX_COPIED else _LargeValue(value, size)))',
        'key.append((name, b""))',
        12000,
    ),
    "fold-reversed": Bug(
        "transforms",
        "tfmodel/transforms/constant_folding/replacement.py",
        "def _make_tensor(array: Any, dtype: DataType, limit: int) -> tuple[TensorProto | None, str]:\n",
        "def _make_tensor(array: Any, dtype: DataType, limit: int) -> tuple[TensorProto | None, str]:\n"
        "    array = array[::-1] if array.ndim else array\n",
        8000,
    ),
}

QUICK = {
    # bug: maximum size of its minimized input, in 300 tries
    "tensors-complex": 40,
    "names-port": 8,
    "raw-number": 20,
    "bundle-crc-not-looked-at": 400,  # checksums cover the whole index: little can be left out
    "wire-int32-without-its-sign": 20,
}
"""The bugs that the tests look for."""
