"""Golden files are valid on every machine: the names of cases do not depend on the CPU or on NumPy."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.golden import catalogue
from tests.golden.graph_digests import is_recorded, written
from tfmodel.errors import Error
from tfmodel.messages import AttrValue, GraphDef, NodeDef
from tfmodel.values.tensors import from_ndarray

FILES = catalogue.files()
ROOT = Path(__file__).parents[1]
MAX_GOLDEN_BYTES = 20 << 20


@pytest.mark.slow(reason="repeats thousands of cases in another way")
@pytest.mark.parametrize("file", FILES)
def test_every_case_has_a_unique_readable_name(file: str) -> None:
    counts = Counter(catalogue.recorded(file))
    assert counts
    assert [name for name, count in counts.items() if count > 1] == []
    assert [name for name in counts if re.fullmatch(r"\d{5,}|[0-9a-f]{8,}", name)] == []  # checksums


def test_every_golden_file_is_in_the_catalogue() -> None:
    unlisted = [file for file in FILES if not catalogue.is_kernel_archive(file) and file not in catalogue._RECORDED]
    assert not unlisted, "add these files to _RECORDED in tests/golden/catalogue.py"


FAMILIES = sorted(path.name for path in catalogue.FOLDER.iterdir() if (path / "__init__.py").exists())


def test_every_family_is_a_package() -> None:
    folders = {path.parent.name for path in catalogue.FOLDER.glob("*/*") if path.is_file() and path.suffix != ".pyc"}
    difference = sorted(folders ^ {*FAMILIES})
    assert not difference, "these folders of tests/golden lack a file __init__.py"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_readme_of_a_family_names_its_files_and_commands(family: str) -> None:
    folder = catalogue.FOLDER / family
    assert (folder / "README.md").exists(), f"tests/golden/{family} lacks a README.md with the command"
    text = (folder / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^python -m (tests\.golden\.[\w.]+)", text, re.MULTILINE)
    assert commands, f"tests/golden/{family}/README.md lacks the command: python -m tests.golden.{family}.SCRIPT"
    assert [command for command in commands if not find_spec(command)] == []
    rows = [line for line in text.splitlines() if line.startswith("|")]
    names = {name for cell in re.findall(r"`([^`]+)`", "\n".join(rows)) for name in (cell, cell.replace("FAMILY", "*"))}
    data = [file.partition("/")[2] for file in FILES if file.startswith(f"{family}/")]
    unnamed = [name for name in data if not any(fnmatch(name, pattern) for pattern in names)]
    assert not unnamed, f"the table in tests/golden/{family}/README.md lacks rows for these files"
    link = f"[{family}]({family}/README.md)"
    is_listed = link in (catalogue.FOLDER / "README.md").read_text(encoding="utf-8")
    assert is_listed, f"the table in tests/golden/README.md lacks a row for {link}"


def test_goldens_stay_small() -> None:
    assert sum((catalogue.FOLDER / file).stat().st_size for file in FILES) < MAX_GOLDEN_BYTES


COMPUTING = ("matmul", "dot", "einsum", "linspace", "exp", "log", "sin", "cos", "sqrt", "sum", "mean", "power", "tanh")
OTHERWISE = """
import sys
import numpy as np

def moved(compute):
    def function(*given, **more):
        result = compute(*given, **more)
        if isinstance(result, (np.ndarray, np.generic)) and result.dtype.kind in "fc":
            result = result * result.dtype.type(1 + np.finfo(result.dtype).eps)
        return result
    return function

computing, *files = sys.argv[1:]
for name in computing.split():
    setattr(np, name, moved(getattr(np, name)))
np.random.default_rng = lambda seed=None: np.random.Generator(np.random.MT19937(seed))

from tests.golden import catalogue

for file in files:
    names = catalogue.asked(file)
    if names != catalogue.recorded(file):
        print(file, sorted({*names} ^ {*catalogue.recorded(file)})[:3])
"""


def _computed() -> list[str]:
    """Return the files whose cases are made without TensorFlow; of kernels, those whose cases NumPy computes."""
    words = re.compile(rf"np\.({'|'.join(COMPUTING)})\(")
    kernels = [
        f"kernels/{path.stem}.xz"
        for path in (ROOT / "tests" / "kernel_cases").glob("*.py")
        if words.search(path.read_text())
    ]
    return [
        *kernels,
        *(file for file in FILES if not catalogue.is_kernel_archive(file) and catalogue.asked(file) is not None),
    ]


@pytest.mark.slow(reason="repeats thousands of cases in another way")
def test_cases_keep_their_names_where_numpy_computes_otherwise() -> None:
    """On a machine that rounds and draws random numbers differently, every case still has its answer."""
    files = _computed()
    assert {"kernels/linear_algebra.xz", "batch_norms/answers.jsonl.xz", "kernels/stateful.jsonl.xz"} <= {*files}
    command = [sys.executable, "-c", OTHERWISE, " ".join(COMPUTING), *files]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert not result.stdout, "recorded cases differ from those in the code: run the command in the family's README"


# --- results ---------------------------------------------------------------------------------------------------------


def _graph(**constants: np.ndarray) -> GraphDef:
    nodes = [
        NodeDef(name=name, op="Const", attr={"value": AttrValue(tensor=from_ndarray(array))})
        for name, array in constants.items()
    ]
    return GraphDef(node=nodes)


WEIGHTS, CODES = np.float32([1.1, -2.5, 0]), np.int32([1, 2])
BEFORE = _graph(w=WEIGHTS)
ROW = written(_graph(w=WEIGHTS, folded=WEIGHTS * np.float32(3), codes=CODES), BEFORE)


def test_a_result_may_differ_in_the_last_digit_of_what_was_computed() -> None:
    near = WEIGHTS * np.float32(3) * np.float32(1 + 3e-7)
    assert is_recorded(_graph(w=WEIGHTS, folded=near, codes=CODES), BEFORE, ROW)


@pytest.mark.parametrize(
    "other",
    [
        _graph(w=WEIGHTS, folded=WEIGHTS * np.float32(3.001), codes=CODES),
        _graph(w=WEIGHTS, folded=WEIGHTS.astype(float) * 3, codes=CODES),
        _graph(w=WEIGHTS, folded=WEIGHTS[:2] * np.float32(3), codes=CODES),
        _graph(w=WEIGHTS, folded=WEIGHTS * np.float32(np.nan), codes=CODES),
        _graph(w=WEIGHTS, folded=WEIGHTS * np.float32(3), codes=CODES + 1),
        _graph(w=WEIGHTS * np.float32(1 + 3e-7), folded=WEIGHTS * np.float32(3), codes=CODES),
        _graph(w=WEIGHTS, renamed=WEIGHTS * np.float32(3), codes=CODES),
        Error("it is refused"),
    ],
)
def test_a_result_may_differ_in_nothing_else(other: GraphDef | Error) -> None:
    assert not is_recorded(other, BEFORE, ROW)


def test_errors_are_recorded() -> None:
    row = written(Error("it is refused"), BEFORE)
    assert is_recorded(Error("in other words"), BEFORE, row)
    assert not is_recorded(BEFORE, BEFORE, row)
