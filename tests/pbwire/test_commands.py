"""`python -m pbwire`: what protoc is mostly used for."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pbwire import commands, proto
from tests.golden.proto.protoc import DESCRIPTORS, FILES, FOLDER

ROOT = Path(__file__).resolve().parents[2]
ORDER = ["--proto", str(FOLDER / "shop/order.proto"), "-I", str(FOLDER), "--type", "shop.Order"]
NEWER = "google/protobuf/descriptor.proto"  # theirs is that of protoc 31; ours has edition 2026
DATA = b"\x0a\x01a\x12\x05\x0a\x01x\x10\x03\x18\x01"
TEXT = 'id: "a"\nitems {\n  key: "x"\n  value: 3\n}\nstate: SENT\n'


@pytest.fixture
def encoded(tmp_path):
    path = tmp_path / "order.bin"
    path.write_bytes(DATA)
    return str(path)


def test_decode_prints_text_format(encoded, capsys):
    assert commands.main(["decode", *ORDER, encoded]) == 0
    assert capsys.readouterr().out == TEXT


def test_decode_takes_a_descriptor_set(encoded, capsys):
    assert commands.main(["decode", "--proto", str(DESCRIPTORS), "--type", "shop.Order", encoded]) == 0
    assert capsys.readouterr().out == TEXT


@pytest.mark.parametrize("name", ["set", "set.fds", "set.bin", "set.DESCRIPTOR", "set.txt", "set.proto"])
def test_a_descriptor_set_is_recognized_by_its_content(name, encoded, tmp_path, capsys):
    (tmp_path / name).write_bytes(DESCRIPTORS.read_bytes())
    assert commands.main(["decode", "--proto", str(tmp_path / name), "--type", "shop.Order", encoded]) == 0
    assert capsys.readouterr().out == TEXT


@pytest.mark.parametrize("name", ["a.pb", "a.desc", "a"])
def test_text_is_a_proto_file_whatever_its_name(name, tmp_path, capsys):
    (tmp_path / name).write_text('\n\nsyntax = "proto3"; message M { int32 x = 1; }')
    (tmp_path / "data").write_bytes(b"\x08\x05")
    arguments = ["--proto", str(tmp_path / name), "-I", str(tmp_path), "--type", "M", str(tmp_path / "data")]
    assert commands.main(["decode", *arguments]) == 0
    assert capsys.readouterr().out == "x: 5\n"


def test_a_descriptor_set_is_given_alone(tmp_path, capsys):
    files = [str(DESCRIPTORS), str(FOLDER / "shop/order.proto")]
    assert commands.main(["compile", *files, "-o", str(tmp_path)]) == 2
    assert f"one descriptor set; {DESCRIPTORS} is one" in capsys.readouterr().err


def test_encode_reads_text_format_and_json(tmp_path, capsys):
    for source, options in ((TEXT, []), ('{"id": "a", "items": {"x": 3}, "state": "SENT"}', ["--json"])):
        path = tmp_path / "source"
        path.write_text(source)
        out = tmp_path / "out"
        assert commands.main(["encode", *ORDER, *options, str(path), "-o", str(out)]) == 0
        assert out.read_bytes() == DATA


def test_json_prints_json(encoded, capsys):
    assert commands.main(["json", *ORDER, encoded]) == 0
    assert capsys.readouterr().out == '{\n  "id": "a",\n  "items": {\n    "x": 3\n  },\n  "state": "SENT"\n}\n'


def test_raw_lists_fields(encoded, capsys):
    assert commands.main(["raw", encoded]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["0", "1", "length", "b'a'"]
    assert lines[-1] == ["10", "3", "varint", "1"]


def test_descriptor_set_writes_what_protoc_writes(tmp_path):
    out = tmp_path / "set.pb"
    files = [str(FOLDER / file) for file in FILES]
    assert commands.main(["descriptor-set", *files, "-I", str(FOLDER), "--include-imports", "-o", str(out)]) == 0
    ours, theirs = (proto.read_set(file.read_bytes()).file for file in (out, DESCRIPTORS))
    assert [file.name for file in ours] == [file.name for file in theirs]
    assert [file.to_bytes() for file in ours if file.name != NEWER] == [
        file.to_bytes() for file in theirs if file.name != NEWER
    ]


@pytest.mark.parametrize("source", ["files", "set"])
def test_compile_writes_modules(source, tmp_path, capsys):
    files = [str(FOLDER / file) for file in FILES] if source == "files" else [str(DESCRIPTORS)]
    assert commands.main(["compile", *files, "-I", str(FOLDER), "-o", str(tmp_path)]) == 0
    written = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.py"))
    assert written == ["__init__.py", "shop/__init__.py", "shop/money.py", "shop/order.py", "shop/stock.py"]
    assert sorted(capsys.readouterr().out.split()) == sorted(
        str(tmp_path / file) for file in written if "__" not in file
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["decode", *ORDER, "/missing"], "pbwire: /missing: No such file or directory\n"),
        (
            ["decode", *ORDER[:-1], "shop.Ordr", "-"],
            'pbwire: --type: shop.Ordr is not defined; did you mean "shop.Order"?\n',
        ),
        (["decode", *ORDER[:-1], "shop.State", "-"], "pbwire: --type: shop.State is an enum, not a message\n"),
        (["compile", "/missing.proto", "-o", "x"], "pbwire: /missing.proto: No such file or directory\n"),
        (
            ["compile", "none.proto", "-o", "x"],
            "pbwire: none.proto: there is no such file, neither here nor in the include folders: .\n",
        ),
        (
            ["compile", "none.proto", "-I", "none", "-o", "x"],
            "pbwire: none.proto: there is no such file, neither here nor in the include folders: none (no such folder)"
            "\n",
        ),
        (["compile", "/", "-o", "x"], "pbwire: /: Is a directory\n"),
        (["compile", ORDER[1], "-I", ORDER[3], "-o", ORDER[1]], f"pbwire: {ORDER[1]}: Not a directory\n"),
        (
            ["decode", *ORDER[:-1], "Order", "-"],
            'pbwire: --type: Order is not defined; did you mean "shop.Order"?\n',
        ),
    ],
)
def test_bad_input_is_one_line_without_a_traceback(arguments, expected, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert commands.main(arguments) == 2
    assert capsys.readouterr().err == expected
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "data", "expected"),
    [
        (["decode", *ORDER], b"\x0a\x05a", "truncated at byte 2: id needs 5 bytes, 1 are left"),
        (["json", *ORDER], b"\x0a\x05a", "truncated at byte 2: id needs 5 bytes, 1 are left"),
        (["raw"], b"\x0a\x05a", "truncated at byte 2: field 1 needs 5 bytes, 1 are left"),
        (["decode", *ORDER], b"note: 1", "is this text? `encode` reads text format and JSON"),
        (["raw"], b"note: 1", "is this text?"),
        (["encode", *ORDER], b"\x0a\xff", "the input is not UTF-8 at byte 1; is it encoded already?"),
        (["encode", *ORDER], b"id: 'a'\nidd: 1", '2:1: shop.Order has no field "idd"; did you mean "id"?'),
        (["encode", *ORDER], b'{"id": "a"}', "1:1: expected the name of a field, found {; is this JSON?"),
        (["encode", *ORDER, "--json"], b"id: 'a'", "1:1: expecting value; without --json, text format is read"),
        (["encode", *ORDER, "--json"], b'{"id": 1}', "id: expected a string, got 1"),
    ],
)
@pytest.mark.parametrize("is_file", [True, False], ids=["file", "standard input"])
def test_an_error_in_the_input_begins_with_its_name(arguments, data, expected, is_file, tmp_path, monkeypatch, capsys):
    file = tmp_path / "input"
    file.write_bytes(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert commands.main([*arguments, str(file)] if is_file else arguments) == 2
    error = capsys.readouterr().err
    name = str(file) if is_file else "standard input"
    assert error.startswith(f"pbwire: {name}:" + ("" if expected[0].isdigit() else " "))
    assert expected in error


def test_a_damaged_descriptor_set_is_named(tmp_path, capsys):
    file = tmp_path / "damaged.pb"
    file.write_bytes(b"\x0a\x05a")
    assert commands.main(["compile", str(file), "-o", str(tmp_path / "out")]) == 2
    assert commands.main(["decode", "--proto", str(file), "--type", "M"]) == 2
    assert capsys.readouterr().err.count(f"pbwire: {file}: these bytes are not a FileDescriptorSet: truncated") == 2


def test_a_wrong_option_names_the_help_of_its_command(capsys):
    with pytest.raises(SystemExit) as caught:
        commands.main(["decode", *ORDER, "--json"])
    assert caught.value.code == 2
    assert "python -m pbwire decode: unrecognized arguments: --json\n" in (err := capsys.readouterr().err)
    assert err.endswith('try "python -m pbwire decode --help"\n')


def test_files_may_be_behind_an_option(tmp_path, capsys):
    for name in ("a", "b"):
        (tmp_path / f"{name}.proto").write_text(f'syntax = "proto3";\nmessage {name.upper()} {{}}\n')
    files = [str(tmp_path / "a.proto"), "-o", str(tmp_path / "set.pb"), str(tmp_path / "b.proto"), "-I", str(tmp_path)]
    assert commands.main(["descriptor-set", *files]) == 0
    assert all(name in (tmp_path / "set.pb").read_bytes() for name in (b"a.proto", b"b.proto"))


def test_an_error_in_a_file_writes_no_module(tmp_path, capsys):
    (tmp_path / "a.proto").write_text('syntax = "proto3";\nmessage M { X x = 1; }\n')
    assert commands.main(["compile", str(tmp_path / "a.proto"), "-I", str(tmp_path), "-o", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()
    assert capsys.readouterr().err.startswith('pbwire: a.proto:2:13: "X" is not defined\n')


def test_the_package_runs_as_a_command():
    result = subprocess.run([sys.executable, "-m", "pbwire", "raw"], input=DATA, capture_output=True, check=True)
    assert result.stdout.splitlines()[0].split() == [b"0", b"1", b"length", b"b'a'"]


def test_a_command_imports_only_what_it_needs():
    code = "import sys; from pbwire import commands; print('pbwire.proto' in sys.modules, 'numpy' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False False\n"


def test_read_set_refuses_other_bytes():
    with pytest.raises(proto.ProtoError, match="not a FileDescriptorSet"):
        proto.read_set(b"\xff\xff")


POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and limits are those of POSIX")


@POSIX
def test_control_c_ends_a_command_quietly():
    command = [sys.executable, "-m", "pbwire", "raw"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None and process.stderr is not None
        os.write(process.stdin.fileno(), b"\n" * 200_000)  # more than a pipe holds, so the command is reading
        for _ in range(60):  # a signal between two calls of read() is handled after the next one, which waits
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=1)
                break
        assert (process.returncode, process.stderr.read()) == (130, b"")


FAILS_TO_WRITE = """
import resource, signal, sys
from pbwire.commands import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
sys.exit(main(sys.argv[1:]))
"""


@POSIX
@pytest.mark.parametrize(
    ("arguments", "target"),
    [("descriptor-set big.proto -o out.pb", "out.pb"), ("compile big.proto -o .", "big.py")],
    ids=["descriptor-set", "compile"],
)
def test_a_file_that_cannot_be_written_keeps_its_content(arguments, target, tmp_path):
    fields = "".join(f"optional int32 field{number} = {number}; " for number in range(1, 99))
    (tmp_path / "big.proto").write_text(f'syntax = "proto2"; message M {{ {fields} }}')
    (tmp_path / target).write_text("before")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", FAILS_TO_WRITE, *arguments.split()]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, f"pbwire: {target}: File too large\n")
    assert (tmp_path / target).read_text() == "before"
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".tmp"]
