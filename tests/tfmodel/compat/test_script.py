"""`python -m tfmodel.compat script.py`: scripts run unchanged, and what they lack is listed before they start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

import tfmodel
from tfmodel.compat import refusals
from tfmodel.compat.facades import flags
from tfmodel.compat.scan import scan

ROOT = Path(__file__).parents[3]


def run(script: Path, *arguments: str, options: tuple[str, ...] = ("--override",)) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tfmodel.compat", *options, str(script), *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


def write(folder: Path, text: str, name: str = "script.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_script_runs_with_its_arguments_and_its_own_modules(tmp_path):
    write(tmp_path, "NAME = 'x'\n", "own.py")
    script = write(
        tmp_path,
        "import sys\n"
        "import tensorflow.compat.v1 as tf\n"
        "from google.protobuf import message\n"
        "from tensorflow.core.framework import graph_pb2, types_pb2\n"
        "from own import NAME\n"
        "graph = graph_pb2.GraphDef()\n"
        "node = graph.node.add(name=NAME, op='Placeholder')\n"
        "node.attr['dtype'].type = types_pb2.DT_FLOAT\n"
        "assert isinstance(graph, message.Message) and isinstance(graph, tf.GraphDef)\n"
        "tf.io.gfile.GFile(sys.argv[1], 'wb').write(graph.SerializeToString())\n"
        "print(__name__, sys.argv[1:], len(graph.node))\n",
    )
    done = run(script, str(tmp_path / "graph.pb"), "--flag")
    assert done.stdout == f"__main__ {[str(tmp_path / 'graph.pb'), '--flag']} 1\n", done.stderr
    assert b"Placeholder" in (tmp_path / "graph.pb").read_bytes()


def test_an_installed_protobuf_is_not_hidden_without_override(tmp_path):
    pytest.importorskip("google.protobuf")
    done = run(write(tmp_path, "print('ran')\n"), options=())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("google.protobuf can be imported here")
    assert done.stderr.count("\n") == 1


def test_all_names_that_are_missing_are_listed_before_the_script_runs(tmp_path):
    write(tmp_path, "from tensorflow.python.client import session\n", "own.py")
    script = write(
        tmp_path,
        "print('started')\n"
        "import tensorflow as tf, own\n"
        "def main():\n"
        "    with tf.Session() as s:\n"
        "        tf.nn.relu(1)\n"
        "tf.gfile.Exists('x')\n",
    )
    done = run(script)
    assert (done.returncode, done.stdout) == (2, "")
    first, *lines = done.stderr.splitlines()
    assert "needs 3 names" in first
    assert lines == [
        f"  {script}:4: tensorflow.Session: use tfmodel.run(graph, feeds, fetches)",
        f"  {script}:5: tensorflow.nn",
        f"  {tmp_path / 'own.py'}:1: tensorflow.python.client: use tfmodel.run(graph, feeds, fetches)",
    ]


def test_force_runs_a_script_until_it_uses_a_missing_name(tmp_path):
    script = write(tmp_path, "import tensorflow as tf\nprint('started', flush=True)\ntf.Session()\n")
    done = run(script, options=("--override", "--force"))
    assert done.stdout == "started\n"
    assert f"{script}:3: tensorflow.Session is not in tfmodel.compat" in done.stderr


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("import tensorflow as tf\ntf.float32, tf.io.gfile.GFile, tf.compat.v1.GraphDef", []),
        ("import tensorflow as tf\ntf.nn.relu", ["tensorflow.nn"]),
        ("import tensorflow as tf\ntf.nn.relu\ntf.nn.relu", ["tensorflow.nn"]),
        ("import tensorflow.python.eager.context", ["tensorflow.python.eager.context"]),
        ("from tensorflow import keras", ["tensorflow.keras"]),
        (
            "from tensorflow.core.framework import graph_pb2\ngraph_pb2.Nope",
            ["tensorflow.core.framework.graph_pb2.Nope"],
        ),
        ("from tensorflow.core.framework.graph_pb2 import Nope", ["tensorflow.core.framework.graph_pb2.Nope"]),
        ("try:\n  from tensorflow import keras\nexcept ImportError:\n  keras = None", []),
        ("try:\n  from tensorflow import keras\nexcept KeyError:\n  keras = None", ["tensorflow.keras"]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  from tensorflow import keras", []),
        ("import numpy as tf\ntf.nn", []),
        ("from google.protobuf import service", ["google.protobuf.service"]),
        ("import google.auth", []),
        ("from tensorflow.core.framework.types_pb2 import *", []),
    ],
)
def test_the_scan_finds_missing_names(tmp_path, text, needs):
    assert [need.name for need in scan(str(write(tmp_path, text)))] == needs


def test_hints_name_what_there_is():
    named = {name for hint in refusals._HINTS.values() for name in re.findall(r"tfmodel\.(\w+)", hint)}
    assert len(named) > 5
    assert [name for name in named if not hasattr(tfmodel, name)] == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        (
            "tensorflow.compat.v1.summary.merge_all",
            "use tf.compat.v1.summary.FileWriter(folder).add_summary(summary, step)",
        ),
        ("tensorflow.data.Dataset.batch", refusals._HINTS["data.Dataset"]),
        ("tensorflow.compat.v1.train.import_meta_graph", "use tfmodel.Model(path) with the .meta file"),
        ("tensorflow.python.client.session", "use tfmodel.run(graph, feeds, fetches)"),
        ("tensorflow.nn", ""),
    ],
)
def test_a_missing_name_has_a_hint(name, hint):
    assert refusals.hint_for(name) == hint


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"x = (\n", "script.py:1: "), (b"\0\n", "script.py"), (b"\xff\n", "script.py"), (None, "script.py: ")],
)
def test_a_script_that_cannot_be_read_is_one_line(tmp_path, content, problem):
    script = tmp_path / "script.py"
    if content is not None:
        script.write_bytes(content)
    done = run(script)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def test_flags_and_main_work_without_absl(tmp_path):
    script = write(
        tmp_path,
        "import sys\nsys.modules['absl'] = None\n"
        "import tensorflow as tf\n"
        "tf.app.flags.DEFINE_string('name', 'a', '')\n"
        "tf.app.flags.DEFINE_integer('count', 1, '')\n"
        "tf.app.flags.DEFINE_boolean('fast', True, '')\n"
        "FLAGS = tf.app.flags.FLAGS\n"
        "def main(argv):\n"
        "    print(FLAGS.name, FLAGS.count, FLAGS.fast, argv[1:])\n"
        "if __name__ == '__main__':\n"
        "    tf.app.run()\n",
    )
    assert run(script, "--name=b", "--count", "0x10", "--nofast", "rest").stdout == "b 16 False ['rest']\n"
    assert "Unknown command line flag 'nope'" in run(script, "--nope").stderr


def test_flags_without_absl_are_parsed_when_one_is_read(tmp_path):
    script = write(
        tmp_path,
        "import sys\nsys.modules['absl'] = None\n"
        "import tensorflow as tf\n"
        "tf.flags.DEFINE_string(flag_name='name', default_value='a', docstring='')\n"
        "print(tf.flags.FLAGS.name)\n",
    )
    assert run(script, "--name=b").stdout == "b\n"


class FlagsOfAbsl(dict):
    """Those of absl, as far as a script of TensorFlow 1 differs from one of absl."""

    parsed = None

    def is_parsed(self):
        return self.parsed is not None

    def __call__(self, argv):
        self.parsed = argv

    def __getattr__(self, name):
        if not self.is_parsed():
            raise AttributeError("not parsed")
        return self[name]


def test_flags_of_absl_are_parsed_when_one_is_read():
    values = FlagsOfAbsl(name="a")
    shown = flags.absl_name(types.SimpleNamespace(FLAGS=values), "FLAGS")
    assert "name" in shown
    assert not shown.is_parsed()
    assert shown.name == "a"
    assert values.parsed == sys.argv
    assert (list(shown), len(shown), shown["name"]) == (["name"], 1, "a")


@pytest.mark.parametrize("options", [{"name": "x", "default": 1}, {"flag_name": "x", "default_value": 1}])
def test_flags_of_absl_take_the_names_of_version_1(options):
    seen = types.SimpleNamespace(DEFINE_integer=lambda name, default: (name, default), Error=ValueError)
    assert flags.absl_name(seen, "DEFINE_integer")(**options) == ("x", 1)
    assert flags.absl_name(seen, "Error") is ValueError


def test_protobuf_alone_can_be_served(tmp_path):
    text = "import google.protobuf\ntry:\n  import tensorflow.no\nexcept ImportError as error:\n  print(error.name)"
    done = run(write(tmp_path, text), options=("--only-protobuf", "--override"))
    assert done.stdout.startswith("tensorflow"), done.stderr
    assert "tfmodel" not in done.stdout


def test_generated_code_of_an_installed_package_is_run_if_the_tree_lacks_it(tmp_path):
    folder = tmp_path / "tensorboardX" / "proto"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "own_pb2.py").write_text("from tensorboardX.proto import graph_pb2\nName = graph_pb2.GraphDef")
    done = run(write(tmp_path, "from tensorboardX.proto import own_pb2\nprint(own_pb2.Name(version=3))"))
    assert (done.stdout, done.stderr) == ("version: 3\n\n", "")


DEEP = {
    "sums": "x = " + " + ".join(["'a'"] * 900),
    "elif": "x = 7\nif x == 0: pass\n" + "".join(f"elif x == -{n}: pass\n" for n in range(1, 900)),
    "calls": "class Chain:\n    def add(self): return self\nx = Chain()" + ".add()" * 900,
    "attributes": "class Chain: pass\nx = Chain()\nx.a = x\nx" + ".a" * 900,
    "subscripts": "class Chain:\n    def __getitem__(self, n): return self\nx = Chain()" + "[0]" * 900,
    "signs": "x = " + "-" * 900 + "1",
    "conditions": "x = " + "1 if 0 else " * 900 + "2",
    "brackets": "x = " + "[" * 150 + "]" * 150,
    "alternatives": "match 7:\n    case " + " | ".join(map(str, range(900))) + ": x = 7",
    "recursion": "def down(n): return n and down(n - 1)\nx = down(980)",
    "more than Python takes": "x = " + " + ".join(["1"] * 20_000),
}


@pytest.mark.parametrize("kind", DEEP)
def test_deeply_nested_scripts_run_as_in_python(tmp_path, kind):
    script = write(tmp_path, f"{DEEP[kind]}\nprint('ran')\n")
    plain = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    done = run(script)
    assert done.stdout == plain.stdout
    assert plain.stdout == "ran\n" or kind == "more than Python takes"  # which depends on the version of Python
    assert done.returncode == plain.returncode
    assert done.stderr.splitlines()[-1:] == plain.stderr.splitlines()[-1:]


@pytest.mark.parametrize("kind", ["sums", "elif", "calls"])
def test_missing_names_are_found_in_deep_expressions(tmp_path, kind):
    script = write(tmp_path, f"import tensorflow as tf\n{DEEP[kind]}\ntf.Session\n")
    assert [need.name for need in scan(str(script))] == ["tensorflow.Session"]


@pytest.mark.parametrize(
    ("handler", "needs"),
    [
        ("except ImportError:", 0),
        ("except:", 0),
        ("except (KeyError, ModuleNotFoundError):", 0),
        ("except builtins.ImportError:", 0),
        ("except KeyError as ImportError:", 1),
    ],
)
def test_an_import_is_optional_if_its_error_is_handled(tmp_path, handler, needs):
    text = f"import builtins\ntry:\n    from tensorflow import keras\n{handler}\n    raise Exception\n"
    assert len(scan(str(write(tmp_path, text)))) == needs
