"""Time and memory of comparing two checkpoints of 1 GB, as whole processes, beside NumPy for the same numbers.

NumPy reads both data files whole, without checksums, which is what a script for this would do. The files are in the
cache of the system.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

__all__ = ["value_diff"]

ROUNDS = 3
SHAPE, COUNT = (2560, 2560), 40  # 1,048,576,000 bytes of float32
ROOT = Path(__file__).parents[2]

_PEAK = """
import json, sys
try:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
except ImportError:
    peak = 0
print(json.dumps([status, peak]))
"""
OURS = f"""
import sys
from tfmodel import compare_values
status = compare_values(*sys.argv[1:]).to_text()
{_PEAK}
"""
NUMPY = f"""
import sys
import numpy as np
a, b = (np.fromfile(path + ".data-00000-of-00001", "f4") for path in sys.argv[1:])
different = int(np.count_nonzero(a.view("u4") != b.view("u4")))
x, y = a.astype("f8"), b.astype("f8")
gaps = np.abs(x - y)
status = [different, float(gaps.max()), int(gaps.argmax()), float(np.linalg.norm(x)), float(np.linalg.norm(y))]
status += [float(x @ y), float((gaps / np.maximum(np.abs(x), np.abs(y))).max())]
{_PEAK}
"""


def write(folder: Path) -> None:
    """Write a checkpoint and others of the same size: one with other values, and one with other names."""
    import numpy as np

    from tfmodel.files.checkpoints.writing import write_checkpoint

    rng = np.random.default_rng(1)
    arrays = {f"layer_{n}/kernel": rng.standard_normal(SHAPE, dtype="f4") for n in range(COUNT)}
    for name in ("before", "copy"):
        write_checkpoint(folder / name, arrays)
    write_checkpoint(folder / "renamed", {f"block_{name}": array for name, array in arrays.items()})
    for array in arrays.values():
        array += np.float32(1e-3)
    write_checkpoint(folder / "trained", arrays)


def value_diff() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: on Linux, a process begins with the peak of the process that starts it.
        subprocess.run([sys.executable, "-m", __name__, folder], cwd=ROOT, check=True)
        size = Path(folder, "before.data-00000-of-00001").stat().st_size
        print(f"two checkpoints of {size:,} bytes; whole process, best of {ROUNDS}")
        tasks = {
            "the same": (OURS, "copy"),
            "all elements changed": (OURS, "trained"),
            "all tensors renamed": (OURS, "renamed"),
            "all elements changed, NumPy": (NUMPY, "trained"),
        }
        for name, (code, other) in tasks.items():
            seconds, peak = measured(code, f"{folder}/before", f"{folder}/{other}")
            print(f"{seconds:7.2f} s  {2 * size / seconds / 1e9:5.2f} GB/s  peak memory {peak / 1e6:7,.0f} MB  {name}")


def measured(code: str, *arguments: str) -> tuple[float, int]:
    """Return the seconds of the fastest run, and the smallest peak of memory."""
    times, peaks = [], []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True
        )
        times.append(time.perf_counter() - begin)
        peaks.append(json.loads(done.stdout.splitlines()[-1])[1])
    return min(times), min(peaks)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
