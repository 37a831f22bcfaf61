"""The page of `draw`: time and size of writing it; in Chromium, the times of the first picture, of zooming and search.

Writing is timed in processes of their own, with the compiled modules of an installation: the best of three.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.tfmodel.drawing.page.chromium import Chromium, chromium
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef

__all__ = ["page"]

ROOT = Path(__file__).parents[2]
RUNS = 3
SIZES = (1_000, 10_000, 100_000)
CODE = """
import sys, time
from tfmodel.cli import runner
status = runner.run("draw", ".draw", "", sys.argv[1:])
print(time.process_time())
sys.exit(status)
"""
ZOOM = """(async () => {
    const canvas = document.getElementById("canvas"), times = [];
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let step = 0; step < 40; step++) {
        const start = performance.now();
        const place = { clientX: left + width / 2, clientY: top + height / 2, deltaY: step % 20 < 10 ? 60 : -60 };
        canvas.dispatchEvent(new WheelEvent("wheel", { ...place, bubbles: true, cancelable: true }));
        await frame();
        await frame();
        times.push((performance.now() - start) / 2);
    }
    return times;
})()"""


SEARCH = """(async () => {
    const field = document.getElementById("query"), times = [];
    for (let round = 0; round < 3; round++) {
        for (const text of ["r", "re", "rel", "relu", "op=", "op=A", "op=Ad", "a", "ad", "add"]) {
            const start = performance.now();
            field.value = text;
            field.dispatchEvent(new Event("input"));
            times.push(performance.now() - start);
            await new Promise((done) => setTimeout(done, 60));
        }
    }
    return times;
})()"""


def blocks(count: int) -> GraphDef:
    """Return a network of many blocks, each a scope with four nodes in a scope of 25 blocks."""
    nodes = [NodeDef(name="x", op="Placeholder", attr={"dtype": AttrValue(type=DataType.DT_FLOAT)})]
    attr = {"T": AttrValue(type=DataType.DT_FLOAT)}
    for number in range(count // 4):
        last = nodes[-1].name
        scope = f"stage_{number // 250}/group_{number // 25 % 10}/block_{number % 25}"
        for name, op in (("norm", "Rsqrt"), ("relu", "Relu"), ("tanh", "Tanh"), ("add", "AddV2")):
            inputs = [nodes[-1].name] if op != "AddV2" else [nodes[-1].name, last]
            nodes.append(NodeDef(name=f"{scope}/{name}", op=op, input=inputs, attr=dict(attr)))
    return GraphDef(node=nodes)


def page(file: Path | None = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [file] if file is not None else []
        for size in SIZES if file is None else ():
            files.append(Path(folder) / f"{size:,} nodes.pb")
            files[-1].write_bytes(blocks(size).to_bytes())
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "compiled")
        written = [
            written_page(file, Path(folder) / f"page{place}.html", environment) for place, file in enumerate(files)
        ]
        if chromium() is None:
            print("opening and zooming are not measured: Chromium is not installed")
            return
        for file, path in zip(files, written, strict=True):
            opened(file.stem, path)


def written_page(file: Path, path: Path, environment: dict[str, str]) -> Path:
    for out in (path, path.with_suffix(".dot")):
        command = [sys.executable, "-c", CODE, str(file), "-o", str(out)]
        times = []
        for _ in range(RUNS):
            begin = time.perf_counter()
            done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True)
            times.append((float(done.stdout), time.perf_counter() - begin))
        cpu, wall = min(times)
        print(f"{file.stem:20} {out.suffix[1:]:4}  {cpu:6.2f} s CPU  {wall:6.2f} s  {out.stat().st_size:11,} bytes")
    return path


def opened(name: str, path: Path) -> None:
    with Chromium() as browser:
        begin = time.perf_counter()
        tab = browser.open(path)
        tab.screenshot()
        seconds = time.perf_counter() - begin
        frames, keys = sorted(tab.evaluate(ZOOM)), sorted(tab.evaluate(SEARCH))
    median, slow = statistics.median(frames), frames[int(len(frames) * 0.95)]
    key, slow_key = statistics.median(keys), keys[int(len(keys) * 0.95)]
    print(
        f"{name:20} first picture {seconds:5.2f} s, zoom frame {median:5.1f} ms, p95 {slow:5.1f} ms, "
        f"key of search {key:4.1f} ms, p95 {slow_key:4.1f} ms"
    )
