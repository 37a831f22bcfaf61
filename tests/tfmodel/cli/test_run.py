"""`run`, `verify` and `ops` on the command line."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from tests.tfmodel.files.bad_files import BAD_FILES, write_bad_file
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.cli import main

TRAINED = "tests/data/trained/model"

GRAPH = """
    x = Placeholder[dtype=float, shape=(-1, 3)]
    flag = Placeholder[dtype=bool, shape=()]
    w = Const[dtype=float, value=float{1, 2, 3, 4, 5, 6}(3, 2)]
    m = MatMul(x, w)[T=float]
    y = Relu(m)[T=float]
    i = Identity(flag)[T=bool]
"""


@pytest.fixture
def tfmodel(capsys):
    def run(*arguments):
        status = main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        return status, out, err.strip()

    return run


@pytest.fixture
def model(tmp_path):
    def write(text=GRAPH, name="graph.pb"):
        path = tmp_path / name
        path.write_bytes(graph_of(text).to_bytes())
        return path

    return write


NPY = b"\x93NUMPY\x01\x00"
HEADER = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}"


class TestRun:
    def test_feeds_from_the_command_line(self, tfmodel, model):
        assert tfmodel("run", model(), "--feed", "x=[[1, 1, -1]]", "--fetch", "y") == (
            0,
            "y: float32[1,2] = [[0., 0.]]\n",
            "",
        )
        assert tfmodel("run", model(), "--feed=flag=true", "--fetch=i") == (0, "i: bool[] = True\n", "")

    def test_feeds_and_fetches_in_files(self, tfmodel, model, tmp_path):
        np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
        status, out, err = tfmodel(
            "run", model(), "--feed", f"x={tmp_path}/x.npy", "--fetch=y,m", "-o", tmp_path / "out.npz"
        )
        assert (status, out, err) == (0, "", "")
        with np.load(tmp_path / "out.npz") as arrays:
            assert sorted(arrays.files) == ["m", "y"]
            assert arrays["y"].tolist() == [[9, 12], [9, 12]]
        same = f"x={tmp_path}/out.npz:m"
        assert "and [?, 3] is expected" in tfmodel("run", model(), "--feed", same, "--fetch=y")[2]

    def test_values_are_made_up_the_same_each_time(self, tfmodel, model):
        once = tfmodel("run", model(), "--random", "--fetch=y", "--batch-size=2")
        assert once[0] == 0 and once[1].startswith("y: float32[2,2] = ")
        assert tfmodel("run", model(), "--random", "--fetch=y", "--shape", "x=2,3") == once
        assert tfmodel("run", model(), "--random", "--fetch=y", "--batch-size=2", "--seed=1") != once

    def test_trace_and_profile(self, tfmodel, model):
        _, out, _ = tfmodel("run", model(), "--feed", "x=[[1, 1, 1]]", "--fetch=y", "--trace", "--profile")
        assert "m  MatMul" in out and "float32[1,2] = [[ 9., 12.]]" in out
        assert "share" in out and "(MatMul)" in out

    def test_a_profile_and_outputs_as_json(self, tfmodel, model, tmp_path):
        run = ["run", model(), "--feed", "x=[[1, 1, 1]]", "--fetch=y", "--json"]
        assert json.loads(tfmodel(*run)[1]) == {
            "format": 1,
            "outputs": {"y": {"dtype": "float32", "shape": [1, 2]}},
        }
        document = json.loads(tfmodel(*run, "--profile", "-o", tmp_path / "out.npz")[1])
        assert document.keys() == {"format", "profile"} and {row["op"] for row in document["profile"]["ops"]} >= {
            "MatMul",
            "Relu",
        }
        assert "--json is for what is printed" in tfmodel(*run, "-o", tmp_path / "out.npz")[2]
        assert "leave out one of the two" in tfmodel(*run, "--trace")[2]

    def test_a_checkpoint_is_read(self, tfmodel):
        status, out, _ = tfmodel("run", TRAINED, "--feed", "x=[[0, 0, 0, 0]]", "--fetch", "layer/BiasAdd")
        assert (status, out) == (0, "layer/BiasAdd: float32[1,3] = [[ 0.5, 0. , -0.5]]\n")

    def test_a_checkpoint_that_may_not_be_read(self, tfmodel, monkeypatch):
        def denied(prefix):
            raise PermissionError(13, "Permission denied", f"{prefix}.index")

        monkeypatch.setattr("tfmodel.files.checkpoints.checkpoint.Checkpoint", denied)
        problem = f'{TRAINED}: VariableV2 "layer/weights": {TRAINED}.index: Permission denied'
        assert tfmodel("run", TRAINED, "--random", "--fetch=y") == (2, "", problem)

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (["--fetch=yy"], 'graph.pb: there is no tensor "yy"'),
            (["--fetch=^y"], '"^y" is a control input, not a tensor; write "y"'),
            (["--fetch=y", "--feed=^x=1"], '"^x" is a control input, not a tensor; write "x"'),
            (["--fetch=y"], 'Placeholder "x": feed it with --feed NAME=VALUE, or let --random make it up: a tensor'),
            (["--fetch=y:1", "--random"], 'Relu "y" has no output 1: it has 1'),
            (["--fetch=y", "--feed=x=[[1, 2]]"], "is expected"),
            (["--fetch=y", "--feed=x=hello"], "neither a .npy or .npz file nor JSON"),
            (["--fetch=y", '--feed=x="hello"'], 'the feed "x" is not float32'),
            (
                ["--fetch=y", "--feed=x=null"],
                'the feed "x" is not float32: elements that are not numbers cannot become',
            ),
            (
                ["--fetch=y", "--feed=x=[[1,2],[3]]"],
                'the feed "x" is not an array: [0] has 2 elements, and [1] has 1 element; give all lists of one level',
            ),
            (["--fetch=y", f"--feed=x={'[' * 100_000}"], "run: --feed x: its brackets are nested too deeply"),
            (["--fetch=y", "--feed=x=gone.npy"], "gone.npy: no such file"),
            (["--fetch=y", "--feed=z=1"], 'there is no tensor "z"'),
            (["--fetch=y", "--random", "--shape=y=1"], 'a shape is given for "y", but the random inputs are "x"'),
            (["--fetch=y", "--random", "--shape=x=2,4"], 'the shape [2, 4] is given for "x", and [?, 3] is expected'),
            (["--fetch=y", "--random", "--max-steps=1"], "stopped at the limit of"),
            (["--fetch=y", "--random", "--max-bytes=31"], "7 of the allowed bytes are left"),
        ],
    )
    def test_requests_that_cannot_be_met(self, tfmodel, model, arguments, problem):
        status, out, err = tfmodel("run", model(), *arguments)
        assert (status, out) == (2, "")
        assert problem in err and "\n" not in err

    def test_the_default_fetches_of_a_graph_are_the_likely_outputs(self, tfmodel, model):
        said = "outputs: y, guessed: --fetch names others if that is wrong"
        assert tfmodel("run", model(), "--feed", "x=[[1, 1, -1]]") == (0, "y: float32[1,2] = [[0., 0.]]\n", said)

    def test_without_a_likely_output_the_candidates_are_listed(self, tfmodel, model):
        path = model("x = Placeholder[dtype=float]\nsize = Shape(x)[T=float]")
        problem = "no output is certain enough: name some with --fetch; candidates, the likeliest first"
        status, out, err = tfmodel("run", path, "--random")
        assert (status, out) == (2, "")
        assert err.startswith(f'{path}: {problem}: "size" (20%: ')

    def test_inputs_that_only_training_sets_are_bound_and_not_random(self, tfmodel, model):
        path = model("""
            x = Placeholder[dtype=float, shape=(2)]
            flag = Placeholder[dtype=bool, shape=()]
            y = Select(flag, x, half)[T=float]
            half = Const[dtype=float, value=float{0.5, 0.5}(2)]
        """)
        status, out, err = tfmodel("run", path, "--random", "--fetch=y")
        assert (status, out) == (0, "y: float32[2] = [0.5, 0.5]\n")
        assert err.startswith("bound: flag=false, it chooses between training and inference")
        assert tfmodel("run", path, "--feed=x=[1, 2]", "--feed=flag=true", "--random", "--fetch=y") == (
            0,
            "y: float32[2] = [1., 2.]\n",
            "",
        )

    def test_a_bound_tensor_needs_no_feed(self, tfmodel, model):
        assert tfmodel("run", model(), "--bind=x=[[1, 2, 3]]", "--fetch=y") == (
            0,
            "y: float32[1,2] = [[22., 28.]]\n",
            "",
        )

    def test_inputs_that_only_a_feed_needs_are_not_generated(self, tfmodel, model):
        assert tfmodel("run", model(), "--random", "--shape=x=2,3", "--fetch=y")[0] == 0
        assert tfmodel("run", model(), "--random", "--feed=m=[[1, 2]]", "--fetch=y") == (
            0,
            "y: float32[1,2] = [[1., 2.]]\n",
            "",
        )
        problem = 'a shape is given for "x", but there are no random inputs'
        assert problem in tfmodel("run", model(), "--random", "--feed=m=[[1, 2]]", "--fetch=y", "--shape=x=2,3")[2]

    def test_an_array_that_an_archive_does_not_have(self, tfmodel, model, tmp_path):
        np.savez(tmp_path / "x.npz", **{f"weights{number}": np.ones(3) for number in range(12)})
        call = ["run", model(), "--fetch=y", f"--feed=x={tmp_path}/x.npz"]
        assert tfmodel(*call)[2].endswith("weights8, weights9, ...")
        call[-1] += ":wieghts3"
        assert tfmodel(*call)[2].endswith('there is no array "wieghts3" in it; did you mean "weights3"?')

    @pytest.mark.parametrize(
        ("offset", "damage", "words"),
        [
            (10, b"\x0c", "Invalid data stream"),  # it says that it is compressed by bzip2
            (10, b"\x63", "That compression method is not supported"),
            (42, b"\xff\xff\xff\x7f", "Truncated file header"),
            (8, b"\x01", "is encrypted"),
        ],
    )
    def test_a_damaged_archive(self, tfmodel, model, tmp_path, offset, damage, words):
        np.savez(tmp_path / "x.npz", x=np.ones((1, 3), np.float32))
        data = bytearray((tmp_path / "x.npz").read_bytes())
        entry = data.index(b"PK\1\2") + offset
        data[entry : entry + len(damage)] = damage
        if len(damage) == 1:
            data[offset - 2] = damage[0]
        (tmp_path / "x.npz").write_bytes(data)
        status, _, err = tfmodel("run", model(), "--fetch=y", f"--feed=x={tmp_path}/x.npz:x")
        assert status == 2
        assert err.startswith(f"{tmp_path}/x.npz: the array cannot be read: ")
        assert words in err

    def test_an_archive_whose_directory_is_elsewhere(self, tfmodel, model, tmp_path):
        np.savez(tmp_path / "x.npz", x=np.ones((1, 3), np.float32))
        data = bytearray((tmp_path / "x.npz").read_bytes())
        end = data.index(b"PK\5\6")
        data[end + 16 : end + 20] = b"\xff\xff\xff\xff"
        (tmp_path / "x.npz").write_bytes(data)
        err = tfmodel("run", model(), "--fetch=y", f"--feed=x={tmp_path}/x.npz:x")[2]
        assert err.startswith(f"{tmp_path}/x.npz: the array cannot be read: ")

    def test_a_header_of_thousands_of_digits(self, tfmodel, model, tmp_path):
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({'9' * 4_000},)}}\n".encode()
        data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
        (tmp_path / "x.npy").write_bytes(data + bytes(8))
        err = tfmodel("run", model(), "--fetch=y", f"--feed=x={tmp_path}/x.npy")[2]
        assert err.startswith(f"{tmp_path}/x.npy: the array cannot be read: ")
        assert len(err) < 500 + len(str(tmp_path))

    @pytest.mark.skipif(os.name != "posix", reason="there are no such files here")
    @pytest.mark.parametrize("name", ["x.npy", "x.npz:x"])
    def test_an_array_that_has_no_end(self, tfmodel, model, tmp_path, name):
        (tmp_path / name[:5]).symlink_to("/dev/zero")
        problem = f"{tmp_path}/{name[:5]}: this is not a file but a device"
        assert tfmodel("run", model(), "--fetch=y", f"--feed=x={tmp_path}/{name}") == (2, "", problem)

    def test_a_missing_folder_of_files(self, tfmodel, model):
        problem = "missing: --files: this is not a folder"
        assert tfmodel("run", model(), "--fetch=y", "--random", "--files=missing") == (2, "", problem)

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--feed=x"],
            ["--shape=x=a"],
            ["--shape=x=1,,3"],
            ["--feed=x=1", "--feed=x=2"],
            ["-o", "y.npy"],
            ["-o", "y.JSON"],
            ["--no-random", "--shape=x=1,3"],
        ],
    )
    def test_usage(self, tfmodel, model, arguments):
        assert tfmodel("run", model(), "--fetch=y", "--random", *arguments)[0] == 2

    def test_a_folder_that_is_not_empty_is_noticed_before_anything_is_read(self, tfmodel, tmp_path):
        (tmp_path / "there").touch()
        problem = f"{tmp_path}: this folder is there already, and not empty"
        assert tfmodel("run", "gone.pb", "--fetch=y", "-o", tmp_path) == (2, "", problem)

    def test_an_unreadable_array_file_is_an_error(self, tfmodel, model, tmp_path):
        (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': ()}")
        status, _, err = tfmodel("run", model(), "--fetch=y", f"--feed=x={tmp_path}/x.npy")
        assert status == 2 and "the array cannot be read" in err

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (NPY + b"v\x00" + HEADER.ljust(118), "its shape is [1099511627776], and it has 128 bytes"),
            (NPY.replace(b"\1", b"\2") + b"\xff\xff\xff\x7f", "its header is cut off"),
            (NPY + b"\x04\x00[[[\n", "the array cannot be read"),
            (b"PK\x05\x06" + bytes(18), "choose an array"),
        ],
    )
    def test_an_array_file_with_a_wrong_header(self, tfmodel, model, tmp_path, content, problem):
        (tmp_path / "x.npy").write_bytes(content)
        status, _, err = tfmodel("run", model(), "--fetch=y", f"--feed=x={tmp_path}/x.npy")
        assert status == 2 and problem in err

    @pytest.mark.parametrize("name", BAD_FILES)
    def test_bad_files(self, tfmodel, tmp_path, name):
        path = write_bad_file(name, tmp_path)
        assert tfmodel("run", path, "--fetch=y")[0] == 2
        assert tfmodel("ops", path)[0] == 2
        assert tfmodel("verify", path, path, "--outputs=y")[0] == 2


class TestVerify:
    def test_the_same(self, tfmodel, model):
        zero = "    zero = Const[dtype=float, value=float{0}()]"
        other = model(GRAPH.replace("y = Relu(m)", "y = Maximum(m, zero)") + zero, "other.pb")
        matched = "input x: same name\noutput y: same name\n"
        expected = (0, f"{matched}y: float32[1,2]: equal on random inputs\n", "")
        assert tfmodel("verify", model(), other, "--outputs=y", "--runs=3") == expected

    def test_different_and_where(self, tfmodel, model):
        other = model(GRAPH.replace("4, 5, 6", "4, 5, 7"), "other.pb")
        status, out, _ = tfmodel("verify", model(), other, "--outputs=m", "--bisect", "--feed=x=[[1, 1, 1]]")
        assert status == 1
        assert out == (
            "input x: same name\noutput m: same name\n"
            "m: float32[1,2]: differs by 1 at most, 0.0833 of the largest, top-1 agrees in 100.00%, "
            "which is too much\nthe first node that differs is w\n"
        )
        assert tfmodel("verify", model(), other, "--outputs=m", "--rtol=0.5", "--feed=x=[[1, 1, 1]]")[0] == 0

    def test_json(self, tfmodel, model):
        status, out, _ = tfmodel("verify", model(), model(), "--outputs=y", "--json")
        assert status == 0
        assert json.loads(out)["outputs"][0]["absolute"] == 0

    def test_models_that_cannot_be_compared_are_errors(self, tfmodel, model):
        assert tfmodel("verify", model(), "gone.pb", "--outputs=y")[0] == 2
        constant = model("c = Const[dtype=float, value=float{1}()]", "c.pb")
        status, _, err = tfmodel("verify", constant, constant)
        assert (status, err.endswith("there is nothing that looks like an output: name some with --outputs")) == (
            2,
            True,
        )
        other = model(GRAPH.replace("Relu", "Mystery"), "o.pb")
        status, _, err = tfmodel("verify", model(), other, "--outputs=y")
        assert status == 2
        assert err == f'{other}: Mystery "y": there is no kernel for this op, and 1 node needs it'

    def test_other_names(self, tfmodel, model):
        other = model("q = Placeholder[dtype=float, shape=(-1, 3)]\nr = Identity(q)[T=float]", "other.pb")
        one = model("x = Placeholder[dtype=float, shape=(-1, 3)]\ny = Identity(x)[T=float]")
        status, out, _ = tfmodel("verify", one, other)
        matched = "input x -> q: same place in the graph\noutput y -> r: the only one of its type and shape\n"
        assert (status, out) == (0, f"{matched}y: float32[1,3]: equal on random inputs\n")
        pairs = json.loads(tfmodel("verify", one, other, "--json")[1])["pairs"]
        assert [(pair["kind"], pair["first"], pair["second"], pair["reason"]) for pair in pairs] == [
            ("input", "x", "q", "same place in the graph"),
            ("output", "y", "r", "the only one of its type and shape"),
        ]

    @pytest.mark.parametrize(
        ("options", "problem"),
        [
            ((), "name pairs with --outputs FIRST=SECOND"),
            (("--outputs=m=r",), ""),
            (("--outputs=m=nope",), 'there is no tensor "nope"'),
            (("--outputs==r",), '--outputs takes names and FIRST=SECOND, not "=r"'),
            (("--outputs=m=r,m=q",), '--outputs names "m" twice'),
        ],
    )
    def test_pairs_are_named_by_options(self, tfmodel, model, options, problem):
        one = model("x = Placeholder[dtype=float, shape=(3)]\nm = Abs(x)[T=float]\nn = Neg(x)[T=float]")
        other = model("q = Placeholder[dtype=float, shape=(3)]\nr = Abs(q)[T=float]", "other.pb")
        status, _, err = tfmodel("verify", one, other, *options)
        assert (status == 2, problem in err) == (bool(problem), True)

    def test_bound_inputs(self, tfmodel, model):
        rated = "x = Placeholder[dtype=float, shape=(3)]\nrate = Placeholder[dtype=float, shape=()]\n"
        one = model(f"{rated}y = Mul(x, rate)[T=float]")
        two = model("x = Placeholder[dtype=float, shape=(3)]\ny = Identity(x)[T=float]", "two.pb")
        status, out, _ = tfmodel("verify", one, two, "--bind=rate=1")
        assert (status, out.splitlines()[0]) == (0, "bound rate: given")
        assert tfmodel("verify", one, two, "--bind=rate=2")[0] == 1
        problem = 'tfmodel verify: neither model has a tensor "nope" that could be bound'
        assert tfmodel("verify", one, two, "--bind=nope=2")[::2] == (2, problem)

    def test_both_from_standard_input(self, tfmodel):
        status, _, err = tfmodel("verify", "-", "-", "--outputs=y")
        assert (status, "only one of the two can come from standard input" in err) == (2, True)


class TestWhatIsNotKnown:
    """It is named by the options that give it."""

    GRAPH = """
        x = Placeholder[dtype=float]
        p = Placeholder[dtype=float, shape=(-1, -1)]
        s = Placeholder[dtype=string, shape=()]
        y = Relu(x)[T=float]
        z = Relu(p)[T=float]
        i = Identity(s)[T=string]
    """
    CALLS = pytest.mark.parametrize(
        "call",
        [
            ["run", "FILE", "--random", "--fetch"],
            ["verify", "FILE", "FILE", "--outputs"],
            ["transform", "FILE", "--dry-run", "--verify", "--transforms=remove_device", "--outputs"],
            ["optimize", "FILE", "-o", "OUT", "--outputs"],
        ],
        ids=lambda call: call[0],
    )
    GIVE = "give it with --shape NAME=SIZES, or a value with --feed NAME=VALUE"

    @CALLS
    @pytest.mark.parametrize(
        ("fetch", "problem"),
        [
            ("y", f"is not known: {GIVE}"),
            ("z", f"is only known to be [?,?]: {GIVE}"),
            (
                "i",
                'Placeholder "s" takes strings, for which there are no random values: give some with --feed NAME=VALUE',
            ),
        ],
    )
    def test_of_what_is_made_up(self, tfmodel, model, tmp_path, call, fetch, problem):
        words = {"FILE": str(model(self.GRAPH)), "OUT": str(tmp_path / "out.pb")}
        inputs = [f"--inputs={node}" for node in {"y": "x", "z": "p", "i": "s"}[fetch] if call[0] == "optimize"]
        _, _, err = tfmodel(*(words.get(word, word) for word in call), fetch, *inputs)
        fits = call[0] != "run" and fetch != "i"  # verification feeds the first shape that fits the graph
        if call[0] == "verify" and fits:
            shape = "[]" if fetch == "y" else "[1,8]"
            assert f"{problem.replace('[?,?]', '[1,?]')}; {shape} is used" in err
        else:
            assert ("equal on random inputs" if fits else problem) in err
        assert "feeds=" not in err

    def test_of_what_is_not(self, tfmodel, model):
        path = model(self.GRAPH)
        _, _, err = tfmodel("verify", path, path, "--inputs=", "--outputs=y")
        assert err == f'{path}: Placeholder "x": feed it with --feed NAME=VALUE: a tensor of type float32'


class TestOps:
    def test_all(self, tfmodel):
        _, out, _ = tfmodel("ops")
        assert {"Conv2D", "MatMul", "While"} <= set(out.split())
        assert len(out.split()) >= 300

    def test_of_a_model(self, tfmodel, model):
        status, out, _ = tfmodel("ops", model())
        assert status == 0 and out.endswith("the model can be run: all of its ops have a kernel\n")
        status, out, _ = tfmodel("ops", model(GRAPH.replace("Relu", "Mystery")), "--missing")
        verdict = "the model cannot be run: its outputs need 1 op without a kernel"
        assert (status, out) == (1, f"Mystery       1  no kernel\n{verdict}\n")


def test_a_transform_that_changes_what_a_graph_computes_is_named(tfmodel, model):
    steps = "remove_device rename_op(old_op_name=Relu, new_op_name=Tanh)"
    path = model()
    status, _, err = tfmodel("transform", path, "--dry-run", "--outputs=y", "--verify", "--transforms", steps)
    assert status == 2
    assert err.startswith(f"{path}: rename_op: refused, it would change what the graph computes: y: float32[1,2]")
    status, _, err = tfmodel("transform", model(), "--dry-run", "--outputs=y", "--verify", "--transforms=remove_device")
    assert status == 0 and "outputs equal" in err


class TestFeedsInWords:
    """Expressions and pictures as feeds: tests/tfmodel/interpreter/test_feed_sources.py has all of them."""

    def test_expressions(self, tfmodel, model):
        expected = (0, "m: float32[1,2] = [[ 9., 12.]]\n", "")
        assert tfmodel("run", model(), "--feed", "x=ones(1,3)", "--fetch", "m") == expected
        status, _, err = tfmodel("run", model(), "--feed", "x=eye(3)", "--fetch", "m")
        assert status == 2
        assert err.startswith('tfmodel run: --feed x: there is no function "eye"; the functions are arange(6)')

    def test_random_numbers_follow_the_seed(self, tfmodel, model):
        outputs = {tfmodel("run", model(), "--feed=x=random(1,3)", "--fetch=m", f"--seed={seed}") for seed in (1, 2, 1)}
        assert len(outputs) == 2
        assert {status for status, _, _ in outputs} == {0}

    def test_pictures(self, tfmodel, model, tmp_path):
        path = model("x = Placeholder[dtype=string, shape=()]\ny = Identity(x)[T=string]")
        (tmp_path / "a.png").write_bytes(b"\x89PNG")
        assert tfmodel("run", path, f"--feed=x={tmp_path}/a.png", "--fetch=y") == (
            0,
            "y: string[] = b'\\x89PNG'\n",
            f'"x": fed the 4 bytes of {tmp_path}/a.png, not decoded',
        )
        status, _, err = tfmodel("verify", path, path, "--outputs=y", f"--feed=x={tmp_path}/a.png")
        assert (status, err.count("not decoded")) == (0, 1)
        assert tfmodel("run", path, "--feed=x=none.png", "--fetch=y") == (
            2,
            "",
            "none.png: --feed x: there is no such file",
        )
