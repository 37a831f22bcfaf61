"""The command line as a whole: overview, usage, exit status, imports."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tfmodel import models
from tests.tfmodel.cli.error_form import form_problems
from tests.tfmodel.files.bad_files import BAD_FILES, WITH_SOURCE, write_bad_file
from tfmodel import __version__, cli
from tfmodel.cli import COMMANDS, main, runner
from tfmodel.cli.messages import RequestError
from tfmodel.cli.parser import Parser
from tfmodel.errors import GraphError
from tfmodel.messages import GraphDef

ROOT = Path(__file__).resolve().parents[3]

# For every command that reads a model, how it is called with one input file; what others say of bad files is tested
# where they are.
CALLS = {
    "convert": ["convert", "FILE", "-", "--to", "json"],
    "dump": ["dump", "FILE"],
    "edit": ["edit", "FILE", "-o", "-", "--remove", "x"],
    "extract": ["extract", "FILE", "-o", "-", "--outputs", "y"],
    "reduce": ["reduce", "FILE", "-o", "OUT", "--fails"],
    "splice": ["splice", "FILE", "FILE", "-o", "-", "--connect", "y=x"],
}
OTHERS = {
    "checkpoint",
    "diff",
    "draw",
    "check",
    "events",
    "records",
    "find",
    "freeze",
    "ops",
    "optimize",
    "run",
    "summarize",
    "transform",
    "completion",
    "vendor",
    "verify",
    "view",
    "weights",
}


def run(*arguments, **options):
    command = [sys.executable, "-m", "tfmodel", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False, **options)


class TestOverview:
    @pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"]])
    def test_it_lists_every_command_with_one_line(self, capsys, arguments):
        assert main(arguments) == 0
        out = capsys.readouterr().out
        lines = {tuple(line.split(maxsplit=1)) for line in out.splitlines() if re.match("  [a-z]", line)}
        assert lines == {(name, line) for name, (_, line) in COMMANDS.items()}

    @pytest.mark.parametrize("arguments", [["help", "ops"], ["--help", "ops"], ["-h", "ops"]])
    def test_help_explains_a_command_that_is_named(self, capsys, arguments):
        assert main(arguments) == 0
        assert capsys.readouterr().out.startswith("usage: tfmodel ops ")
        assert main([arguments[0], "opps"]) == 2
        assert 'there is no command "opps"; did you mean "ops"?' in capsys.readouterr().err
        assert main([arguments[0], "--help"]) == 0
        assert "look at models:" in capsys.readouterr().out

    @pytest.mark.parametrize("columns", [80, 100])
    @pytest.mark.parametrize("command", COMMANDS)
    def test_the_help_of_a_command_fits_the_terminal(self, capsys, monkeypatch, command, columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main([command, "--help"]) == 0
        out = capsys.readouterr().out
        assert max(map(len, out.splitlines())) <= columns
        parts = [out.index(f"\n{part}:\n") for part in ("examples", "options", "details")]
        assert parts == sorted(parts)

    def test_the_overview_fits_a_terminal(self):
        assert max(map(len, cli.overview().splitlines())) <= 80

    def test_without_a_command_it_is_a_usage_error(self, capsys):
        assert main([]) == 2
        assert "look at models:" in capsys.readouterr().out

    def test_version(self, capsys):
        assert main(["--version"]) == 0
        assert capsys.readouterr().out == f"tfmodel {__version__}\n"

    @pytest.mark.parametrize("model", ["linear.pb", "linear", "trained/model"])
    def test_a_model_alone_is_summarized(self, capsys, model):
        path = str(ROOT / "tests" / "data" / model)
        assert main([path]) == main(["summarize", path]) == 0
        out = capsys.readouterr().out
        assert out[: len(out) // 2] == out[len(out) // 2 :]

    def test_a_missing_file_is_not_taken_for_a_command(self, capsys):
        assert main(["model.pb"]) == 2
        assert capsys.readouterr().err == "model.pb: no such file or directory\n"

    def test_an_unknown_command(self, capsys):
        assert main(["dmup"]) == 2
        assert 'there is no command "dmup"; did you mean "dump"?' in capsys.readouterr().err
        assert main(["\x1b[31m"]) == 2
        assert "\x1b" not in capsys.readouterr().err

    def test_python_m_tfmodel(self):
        done = run("--help")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == cli.overview()


class TestImports:
    def modules_after(self, *arguments):
        code = "import sys; from tfmodel.cli import main; status = main(sys.argv[1:]); print('\\n', *sys.modules)"
        code += "; sys.exit(status)"
        command = [sys.executable, "-c", code, *map(str, arguments)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
        return set(done.stdout.splitlines()[-1].split())

    def test_help_imports_no_command_no_pbwire_and_no_table(self):
        modules = self.modules_after("--help")
        assert {name for name in modules if name.startswith("tfmodel")} == {
            "tfmodel",
            "tfmodel.cli",
            "tfmodel.starting",
        }
        assert not {"pbwire", "numpy", "argparse", "dataclasses"} & modules

    @pytest.mark.slow(reason="starts processes")
    def test_vendor_imports_nothing_that_reads_models(self, tmp_path):
        modules = self.modules_after("vendor", tmp_path / "copy", "--dry-run")
        assert "tfmodel.vendoring.writing" in modules
        assert not {"tfmodel.files.detection", "tfmodel.graph", "numpy"} & modules

    @pytest.mark.slow(reason="starts processes")
    @pytest.mark.parametrize("format", ["text", "json", "tree", "raw"])
    def test_dump_of_a_graph_imports_its_tables_and_no_numpy(self, graph_file, format):
        modules = self.modules_after("dump", graph_file, "--format", format)
        tables = {name.rpartition(".")[2] for name in modules if name.startswith("tfmodel._schema.")}
        assert {"graph", "node_def", "attr_value", "tensor"} <= tables
        assert not {"meta_graph", "saved_model", "saved_object_graph", "config", "event"} & tables
        assert "numpy" not in modules

    @pytest.mark.slow(reason="starts processes")
    @pytest.mark.parametrize("file", ["linear.pb", "linear/saved_model.pb", "trained/model.meta"])
    @pytest.mark.parametrize(
        "command",
        [
            ["summarize", "FILE"],
            ["find", "FILE", "op=MatMul"],
            ["check", "FILE"],
            ["draw", "FILE"],
            ["draw", "FILE", "-o", "OUT.dot"],
            ["draw", "FILE", "-o", "OUT.html", "--weights", "none"],
        ],
        ids=" ".join,
    )
    def test_reports_that_need_no_values_import_no_numpy(self, tmp_path, command, file):
        names = {"FILE": f"tests/data/{file}", "OUT.dot": tmp_path / "out.dot", "OUT.html": tmp_path / "out.html"}
        assert "numpy" not in self.modules_after(*(names.get(word, word) for word in command))

    @pytest.mark.slow(reason="starts processes")
    @pytest.mark.parametrize(
        ("to", "needed", "not_needed"),
        [
            ("binary", set(), {"pbwire.text.printer", "pbwire.json"}),
            ("text", {"pbwire.text.printer"}, {"pbwire.json"}),
            ("json", {"pbwire.json"}, {"pbwire.json.parser"}),
        ],
    )
    def test_convert_imports_what_it_writes_and_no_numpy(self, graph_file, tmp_path, to, needed, not_needed):
        modules = self.modules_after("convert", graph_file, tmp_path / "out", "--to", to)
        assert needed <= modules
        assert not ({"numpy", "threading", "pbwire.text.fast_parser", "tfmodel.reports.tree"} | not_needed) & modules


class TestEnd:
    @pytest.mark.slow(reason="starts processes")
    @pytest.mark.parametrize("arguments", [["dump", "FILE"], ["convert", "FILE", "-", "--to=text"]])
    def test_a_closed_pipe_ends_it_quietly(self, tmp_path, arguments):
        graph = models.graph()
        graph.node *= 5000
        (tmp_path / "graph.pb").write_bytes(graph.to_bytes())
        words = [str(tmp_path / "graph.pb") if word == "FILE" else word for word in arguments]
        command = [sys.executable, "-m", "tfmodel", *words]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"node {\n"
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(timeout=60) == runner.CLOSED_PIPE

    @pytest.mark.slow(reason="starts processes")
    @pytest.mark.skipif(os.name != "posix", reason="needs a shell")
    def test_messages_do_not_get_into_the_output_if_standard_error_is_closed(self, graph_file, tmp_path):
        transform = f'"{sys.executable}" -m tfmodel transform "{graph_file}" -o - --transforms remove_device'
        subprocess.run(f'{transform} > "{tmp_path}/out.pb" 2>&-', shell=True, cwd=ROOT, timeout=60, check=True)
        assert GraphDef.from_bytes((tmp_path / "out.pb").read_bytes()).unknown_fields == b""

    @pytest.mark.skipif(os.name != "posix", reason="needs a shell")
    def test_a_pipe_that_is_closed_before_anything_is_written(self, graph_file):
        command = f'"{sys.executable}" -m tfmodel dump "{graph_file}" | true'
        done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, timeout=60, check=False)
        assert done.stderr == b""

    @pytest.mark.slow(reason="starts processes")
    @pytest.mark.skipif(os.name != "posix", reason="elsewhere it is another error")
    @pytest.mark.parametrize(
        "program",
        [
            ["fuzz", "--list"],
            ["fuzz", "--list", "--json"],
            ["tests.hostile"],
            ["tests.golden.recipes.answers", "--table", "convnet"],
        ],
        ids=" ".join,
    )
    def test_other_programs_end_quietly_too(self, program):
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-m", *program]
        try:
            done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False)
        finally:
            os.close(writer)
        assert (done.stderr, done.returncode) == (b"", runner.CLOSED_PIPE)

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    def test_output_that_cannot_be_written_is_an_error(self, graph_file):
        with open("/dev/full", "w") as full:
            command = [sys.executable, "-m", "tfmodel", "dump", str(graph_file)]
            done = subprocess.run(
                command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
            )
        assert done.returncode == 2
        assert done.stderr == "tfmodel dump: no space left on device\n"

    @pytest.mark.parametrize(
        ("error", "status", "words"),
        [
            (KeyboardInterrupt(), runner.INTERRUPTED, ""),
            (BrokenPipeError(), runner.CLOSED_PIPE, ""),
            (GraphError("two nodes are called x"), 2, "tfmodel dump: two nodes are called x\n"),
            (GraphError("\x1b[31mred"), 2, "tfmodel dump: \\x1b[31mred\n"),
            (RequestError("--field: no"), 2, "tfmodel dump: --field: no\n"),
            (RequestError("no such node", file="m.pb"), 2, "m.pb: no such node\n"),
            (FileNotFoundError(2, "No such file or directory", "m.pb"), 2, "m.pb: no such file or directory\n"),
            (FileNotFoundError(2, "No such file or directory", ""), 2, '"": no such file or directory\n'),
            (MemoryError(), 2, "tfmodel dump: out of memory\n"),
            (
                ModuleNotFoundError(name="numpy"),
                2,
                f"tfmodel dump: this needs numpy, which {sys.executable} does not have\n",
            ),
        ],
    )
    def test_errors_are_one_line_with_an_exit_status(self, capsys, monkeypatch, error, status, words):
        from tfmodel.cli import dump

        def fail(args):
            raise error

        monkeypatch.setattr(dump, "run", fail)
        assert main(["dump", "m.pb"]) == status
        assert capsys.readouterr().err == words

    @pytest.mark.parametrize(
        "arguments",
        [
            ["dump", "m.pb", "--tags=serve"],
            ["convert", "m.pb", "m.pbtxt", "--tags", "serve"],
            ["convert", "m.pb", "m.txt"],
            ["convert", "m.pb", "-"],
            ["convert", "m.pb", "m.pb.gz"],
            ["convert", "m.pb"],
            ["convert", "m.pb", "m.pbtxt", "--preserving-proto-field-name"],
            ["convert", "m.pb", "m.pbtxt", "--to=yaml"],
        ],
    )
    def test_arguments_that_make_no_sense_together_are_usage_errors(self, capsys, arguments):
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        problem, help_line = err.splitlines()
        assert problem.startswith(f"tfmodel {arguments[0]}: ")
        assert help_line == f'try "tfmodel {arguments[0]} --help"'

    def test_a_bug_of_tfmodel_is_not_hidden(self, monkeypatch):
        from tfmodel.cli import dump

        monkeypatch.setattr(dump, "run", lambda args: {}["oops"])
        with pytest.raises(KeyError):
            main(["dump", "m.pb"])

    def test_names_that_the_terminal_cannot_show_are_escaped(self, tmp_path):
        path = tmp_path / "graph.pb"
        path.write_bytes(models.GraphDef(node=[models.NodeDef(name="größe", op="NoOp")]).to_bytes())
        environment = os.environ | {"PYTHONIOENCODING": "ascii"}
        done = run("dump", "--format=tree", path, env=environment)
        assert (done.returncode, done.stderr) == (0, "")
        assert r"gr\xf6\xdfe" in done.stdout


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - OTHERS))
@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_one_line_on_stderr_and_status_2(command, name, tmp_path, capsys):
    path = write_bad_file(name, tmp_path)
    words = {"FILE": str(path), "OUT": str(tmp_path / "out.pb")}
    call = [words.get(word, word) for word in CALLS[command]]
    assert main(call) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert form_problems(call, err) == []
    assert err.startswith(str(path))
    assert BAD_FILES[name] in err
    lines = err.splitlines()
    assert len(lines) == (3 if name in WITH_SOURCE else 1)
    if name in WITH_SOURCE:
        assert lines[1].strip() in path.read_text()
        assert set(lines[2].strip()) == {"^"}


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (
            "convert a.pb b.pb --to foo",
            '--to: there is no "foo": choose from binary, text, json, saved_model, tfjs, onnx, opencv',
        ),
        ("convert a.pb b.pb --to jsn", '--to: there is no "jsn"; did you mean "json"?'),
        ("convert", "the following arguments are required: IN"),
        ("dump a.pb --full=maybe", '--full: "maybe" is neither true nor false'),
        ("weights a.pb --jobs -1", "--jobs: at least 0, not -1"),
        ("weights a.pb --min-size 7z", '--min-size: "7z" is not a size: give bytes, or 10k, 1.5M, 2Gi'),
        ("verify a.pb b.pb --rtol x", '--rtol: "x" is not a tolerance: give a number such as 1e-4, or 0'),
        ("dump a.pb --type", "--type: expected one argument"),
        ("dump a.pb --ful", 'unrecognized arguments: --ful; did you mean "--full"?'),
    ],
)
def test_usage_errors_are_one_line_and_where_help_is(call, problem, capsys):
    assert main(call.split()) == 2
    command = call.split()[0]
    err = capsys.readouterr().err
    assert err == f'tfmodel {command}: {problem}\ntry "tfmodel {command} --help"\n'
    assert form_problems(call.split(), err) == []


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize(
    "call",
    [["dump", "tests/data/truncated.pb"], ["convert", "a", "b", "--to", "foo"], ["dump", "tests/data/pointer.pb"]],
)
def test_errors_are_wrapped_on_a_terminal_and_one_line_elsewhere(call, columns, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")
    plain, terminal = io.StringIO(), Terminal()
    monkeypatch.setenv("COLUMNS", str(columns))
    for stream in (plain, terminal):
        monkeypatch.setattr(sys, "stderr", stream)
        assert main(call) == 2
    one, *advice = plain.getvalue().splitlines()
    assert len(advice) == (call[0] == "convert")
    lines = terminal.getvalue().splitlines()
    wrapped = [line for line in lines if not line.startswith('try "')]
    assert all(len(line) <= columns or " " not in line.strip() for line in lines)
    assert " ".join(line.removeprefix("  ") for line in wrapped) == one
    assert all(line.startswith("  ") for line in wrapped[1:])


def test_an_excerpt_of_a_file_is_not_wrapped(tmp_path, monkeypatch):
    (tmp_path / "g.pbtxt").write_text('node { name: "a b c d e f g h i j k l m n o p q r s t u v w x y z" opp: 3 }')
    terminal = Terminal()
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["dump", str(tmp_path / "g.pbtxt")]) == 2
    *_, source, carets = terminal.getvalue().splitlines()
    assert source[carets.index("^") :].startswith("opp")


def test_a_bad_file_leaves_no_traceback_in_a_real_process(tmp_path):
    done = run("dump", write_bad_file("noise.pb", tmp_path))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


class TestParser:
    def parser(self):
        parser = Parser(prog="tfmodel x")
        parser.add_argument("file")
        parser.add_argument("--in-graph")
        parser.add_flag("--full-size", help="x")
        return parser

    @pytest.mark.parametrize(
        "spelling",
        [
            ["--in_graph", "a_b"],
            ["--in-graph", "a_b"],
            ["--in_graph=a_b"],
            ["--in-graph=a_b"],
        ],
    )
    def test_underscores_are_hyphens(self, spelling):
        assert self.parser().parse_args(["f_g", *spelling]).in_graph == "a_b"

    @pytest.mark.parametrize(
        ("spelling", "value"),
        [
            ([], False),
            (["--full-size"], True),
            (["--full_size"], True),
            (["--full_size=true"], True),
            (["--full-size=True"], True),
            (["--full-size=1"], True),
            (["--full-size=false"], False),
            (["--full-size", "--full-size=false"], False),
        ],
    )
    def test_flags(self, spelling, value):
        args = self.parser().parse_args([*spelling, "file"])
        assert (args.full_size, args.file) == (value, "file")

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["a", "b"],
            ["a", "--full-size=maybe"],
            ["a", "--in"],
            ["a", "--\x1b[31m"],
        ],
    )
    def test_usage_errors(self, capsys, arguments):
        with pytest.raises(SystemExit) as caught:
            self.parser().parse_args(arguments)
        assert caught.value.code == 2
        assert "\x1b" not in capsys.readouterr().err

    def test_a_flag_is_on_or_off(self, capsys):
        with pytest.raises(SystemExit, match="2"):
            self.parser().parse_args(["file", "--full_size=maybe"])
        assert '--full-size: "maybe" is neither true nor false' in capsys.readouterr().err

    def test_behind_two_hyphens_nothing_is_changed(self):
        assert self.parser().parse_args(["--", "--a_b"]).file == "--a_b"
