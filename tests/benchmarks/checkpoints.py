"""Reading checkpoints, beside TensorFlow where TFMODEL_TENSORFLOW_PYTHON names a Python that has it.

`python -m tests.benchmarks.checkpoints NAME FOLDER` is one contender, "ours" or "TensorFlow", in a process of its own:
it prints a JSON object with the best time of each task, in seconds.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["checkpoint"]

ROUNDS = 3
ROOT = Path(__file__).parents[2]
LARGE, MANY = "large", "many"
TASKS = ["open 10,000", "list 10,000", "read 10,000", "read 100 MB"]


def write(folder: Path) -> None:
    """Ten tensors of 10 MB, and ten thousand small ones of 200 shapes."""
    import numpy as np

    from tfmodel.files.checkpoints.writing import write_checkpoint

    rng = np.random.default_rng(1)
    large = {f"layer_{n}/kernel": rng.random((2560, 1024), dtype="f4") for n in range(10)}
    write_checkpoint(folder / LARGE, large)
    shapes = [tuple(rng.integers(1, 4, size=n % 4)) for n in range(200)]
    many = {
        f"model/block_{n // 100}/layer_{n % 100}/{'kernel' if n % 2 else 'bias'}": np.full(shapes[n % 200], n, "f4")
        for n in range(10_000)
    }
    write_checkpoint(folder / MANY, many)


def our_tasks(folder: Path) -> dict[str, Callable[[], Any]]:
    from tfmodel.files.checkpoints.checkpoint import Checkpoint

    def listed() -> list[Any]:
        with Checkpoint(folder / MANY) as checkpoint:
            return list(checkpoint.entries.items())

    return {
        "open 10,000": lambda: Checkpoint(folder / MANY),
        "list 10,000": listed,
        "read 10,000": lambda: dict(Checkpoint(folder / MANY)),
        "read 100 MB": lambda: dict(Checkpoint(folder / LARGE)),
    } | our_checksums(folder)


def our_checksums(folder: Path) -> dict[str, Callable[[], Any]]:
    import numpy as np

    from tfmodel.files.access.crc32c import crc32c

    data = (folder / f"{LARGE}.data-00000-of-00001").read_bytes()
    assert np.__name__ in sys.modules

    def without_numpy() -> int:
        saved = sys.modules.pop("numpy")
        try:
            return crc32c(data)
        finally:
            sys.modules["numpy"] = saved

    return {"CRC of 100 MB": lambda: crc32c(data), "CRC without NumPy": without_numpy}


def their_tasks(folder: Path) -> dict[str, Callable[[], Any]]:
    import tensorflow as tf

    def opened(name: str) -> Any:
        return tf.train.load_checkpoint(str(folder / name))

    def listed() -> Any:
        reader = opened(MANY)
        return reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()

    def read(name: str) -> dict[str, Any]:
        reader = opened(name)
        return {key: reader.get_tensor(key) for key in reader.get_variable_to_shape_map()}

    return {
        "open 10,000": lambda: opened(MANY),
        "list 10,000": listed,
        "read 10,000": lambda: read(MANY),
        "read 100 MB": lambda: read(LARGE),
    }


def best(task: Callable[[], Any], runs: int = 7) -> float:
    times = []
    for _ in range(runs):
        gc.collect()
        start = time.perf_counter()
        result = task()
        times.append(time.perf_counter() - start)
        del result
    return min(times)


def measured(name: str, folder: str) -> dict[str, float]:
    python = sys.executable if name == "ours" else os.environ["TFMODEL_TENSORFLOW_PYTHON"]
    done = subprocess.run(
        [python, "-m", "tests.benchmarks.checkpoints", name, folder],
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
        env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    times: dict[str, float] = json.loads(done.stdout)
    return times


def checkpoint() -> None:
    """Run both contenders by turns; the best time of each task counts."""
    names = ["ours", "TensorFlow"] if "TFMODEL_TENSORFLOW_PYTHON" in os.environ else ["ours"]
    results: dict[str, dict[str, float]] = {name: {} for name in names}
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        for _ in range(ROUNDS):
            for name in names:
                for task, value in measured(name, folder).items():
                    results[name][task] = min(value, results[name].get(task, value))
    print("".join(f"{cell:>14}" for cell in ["", *names, *["ratio"] * (len(names) - 1)]), "  (ms)")
    for task in TASKS:
        times = [results[name][task] for name in names]
        ratios = [f"{time / times[0]:.2f}" for time in times[1:]]
        print("".join(f"{cell:>14}" for cell in [task, *(f"{time * 1e3:.1f}" for time in times), *ratios]))
    for task in ("CRC of 100 MB", "CRC without NumPy"):
        print(f"{task}: {104.8576 / results['ours'][task]:,.0f} MB/s")
    if len(names) == 1:
        print("TFMODEL_TENSORFLOW_PYTHON is not set: no TensorFlow beside it")


if __name__ == "__main__":
    contender, where = sys.argv[1:]
    tasks = (our_tasks if contender == "ours" else their_tasks)(Path(where))
    print(json.dumps({task: best(function) for task, function in tasks.items()}))
