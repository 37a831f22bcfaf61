"""Commands started in a folder full of files with the names of modules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.names import calls, make_files
from tfmodel.cli import COMMANDS
from tfmodel.starting import runs_module

ROOT = Path(__file__).resolve().parents[2]
MARK = "executed"
OTHERS = ("numpy", "pbwire", "schema", "sitecustomize", "usercustomize", "ml_dtypes", "pytest", "google", "evil_plugin")
_PLANT = f"import os; open(os.path.join(os.path.dirname(__file__), '{MARK}'), 'a').write(__name__ + ' ')\n"


@pytest.fixture(scope="module")
def before(tmp_path_factory) -> frozenset[str]:
    """The modules that Python itself imports before `-m` runs a module: tfmodel cannot prevent these imports."""
    folder = tmp_path_factory.mktemp("before")
    (folder / "bare").mkdir()
    (folder / "bare" / "__init__.py").write_text("import sys; print(*sys.modules)")
    (folder / "bare" / "__main__.py").write_text("")
    return frozenset(_run(["-m", "bare"], folder).stdout.split())


@pytest.fixture(scope="module")
def hostile(tmp_path_factory, before) -> Path:
    """A folder with models, and with a module for every name."""
    folder = tmp_path_factory.mktemp("hostile")
    make_files(folder)
    _plant(folder, before)
    return folder


def _plant(folder: Path, before: frozenset[str]) -> None:
    """Put a module beside every name of the standard library, and of others, and plugins."""
    planted = 0
    for name in (*sorted(sys.stdlib_module_names), *OTHERS):
        if name not in before and name not in sys.builtin_module_names:
            planted += 1
            if planted % 2:
                (folder / f"{name}.py").write_text(_PLANT)
            else:
                (folder / name).mkdir(exist_ok=True)
                (folder / name / "__init__.py").write_text(_PLANT.replace("dirname(__file__)", "dirname(__path__[0])"))
    assert planted > 150
    info = folder / "evil-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tfmodel.transforms]\nevil = evil_plugin\n")
    (folder / "evil.pth").write_text(_PLANT.replace("__name__", "'pth'"))


def _run(words, folder, **environment):
    path = {"PYTHONPATH": str(ROOT)} | environment
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**clean, **path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=100,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_in_a_hostile_folder(command, hostile, tmp_path):
    """Attack: json.py, numpy.py, every other name of the standard library, and a *.dist-info with a plugin, beside the
    model and in the current folder.

    Naive: imports from the current folder, which `python -m` searches first.
    Stopped by: tfmodel.starting.leave_starting_folder
    """
    done = _run(["-m", "tfmodel", *calls()[command][0]], hostile, BROWSER="true", TMPDIR=str(tmp_path))
    assert not (hostile / MARK).exists(), (hostile / MARK).read_text()
    assert "Traceback" not in done.stderr
    if command == "transform":
        done = _run(["-m", "tfmodel", "transform", "--list"], hostile)
        assert "evil" not in done.stdout + done.stderr
        assert not (hostile / MARK).exists()


@pytest.mark.parametrize("command", ["check", "summarize", "weights"])
def test_processes_of_a_command_in_a_hostile_folder(command, hostile):
    """Attack: the same, for the processes that --jobs starts.

    Naive: starts Python with -c, which searches the current folder first.
    Stopped by: tfmodel.cli.worker_pool
    """
    model = str(ROOT / "tests/data/linear.pb")
    done = _run(["-m", "tfmodel", command, model, model, "--jobs", "2"], hostile)
    assert not (hostile / MARK).exists(), (hostile / MARK).read_text()
    assert (done.returncode, done.stderr) == (0, "2 models\n")


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (["-P"], {}),
        ([], {"PYTHONSAFEPATH": "1"}),
        (["-X", "utf8"], {}),
        (["-W", "ignore", "-B"], {}),
        (["-Bs"], {}),
    ],
)
def test_options_of_python(options, environment, hostile):
    """Attack: the same, with options of Python before -m.

    Naive: removes the first entry of sys.path unconditionally.
    Stopped by: tfmodel.starting.leave_starting_folder
    """
    done = _run(
        [*options, "-m", "tfmodel", "convert", str(ROOT / "tests/data/linear.pb"), "-", "--to", "json"],
        hostile,
        **environment,
    )
    assert done.returncode == 0, done.stderr
    assert not (hostile / MARK).exists()


def test_sound_programs_keep_their_folder(tmp_path):
    """A program that imports tfmodel, even while Python looks for it, finds its own modules."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("import tfmodel\n")
    (tmp_path / "app" / "__main__.py").write_text("import beside, sys; print(beside.here, sys.argv[1:])\n")
    (tmp_path / "beside.py").write_text("here = 'beside'\n")
    assert _run(["-m", "app", "tfmodel"], tmp_path).stdout == "beside ['tfmodel']\n"
    assert _run(["-c", "import tfmodel, beside; print(beside.here)", "-m", "tfmodel"], tmp_path).stdout == "beside\n"


def test_a_checkout_and_a_copy_run_from_their_folder(tmp_path):
    """Attack: json.py beside a checkout, or beside a project that has a copy of tfmodel.

    Naive: keeps the folder at the front of sys.path, since it is needed.
    Stopped by: tfmodel.starting.leave_starting_folder
    """
    assert _run(["-m", "tfmodel", "vendor", str(tmp_path / "app" / "_vendor")], tmp_path).returncode == 0
    (tmp_path / "app" / "__init__.py").write_text("")
    (tmp_path / "checkout").mkdir()
    for name in ("tfmodel", "pbwire", "schema"):
        (tmp_path / "checkout" / name).symlink_to(ROOT / name, target_is_directory=True)
    model = str(ROOT / "tests/data/linear.pb")
    for folder, name in ((tmp_path, "app._vendor.tfmodel"), (tmp_path / "checkout", "tfmodel")):
        (folder / "json.py").write_text(_PLANT)
        done = _run(["-m", name, "convert", model, "-", "--to", "json"], folder, PYTHONPATH="")
        assert not (folder / MARK).exists()
        assert done.returncode == 0, (name, done.stderr)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("python -m tfmodel dump", True),
        ("python -mtfmodel", True),
        ("python -Bm tfmodel", True),
        ("python -X dev -W error -m tfmodel", True),
        ("python -Xdev -Werror -mtfmodel", True),
        ("python -Im tfmodel", True),
        ("python -m app tfmodel", False),
        ("python -c import -m tfmodel", False),
        ("python app.py -m tfmodel", False),
        ("python - -m tfmodel", False),
        ("python -W -m tfmodel", False),
        ("python --check-hash-based-pycs always -m tfmodel", True),
        ("python", False),
        ("python -m tfmodels", False),
        ("python -m", False),
    ],
)
def test_sound_lines(line, answer):
    """Return the module that a command line runs with -m."""
    assert runs_module(line.split(), "tfmodel") == answer
