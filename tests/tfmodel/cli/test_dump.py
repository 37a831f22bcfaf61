"""`tfmodel dump`."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import sys
import textwrap

import numpy as np
import pytest

import tfmodel
from pbwire import json as pb_json
from pbwire import text
from pbwire.wellknown import Any
from tests.support.corpus import model_files
from tests.support.protobuf_twin import twin
from tests.tfmodel import models
from tfmodel.cli import dump as module
from tfmodel.cli import main
from tfmodel.cli.input_options import message_type
from tfmodel.cli.messages import RequestError
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.files.detection import detect
from tfmodel.files.model_file import ModelFile
from tfmodel.messages import (
    TYPES,
    AttrValue,
    CollectionDef,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpDef,
)
from tfmodel.reports.collections import collection_lines, collection_tables


@pytest.fixture
def dump(capsys):
    """Runs the command, and gives what it prints; it must succeed."""

    def dump(*arguments):
        status = main(["dump", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert (status, err) == (0, "")
        return out

    return dump


@pytest.fixture
def fails(capsys):
    """Runs the command, which must fail, and gives its one line on stderr."""

    def fails(*arguments):
        status = main(["dump", *map(str, arguments)])
        err = capsys.readouterr().err
        assert (status, err.count("\n")) == (2, 1)
        return err.rstrip("\n")

    return fails


@pytest.fixture
def graph_file(tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(models.graph(weights=100).to_bytes())
    return path


@pytest.fixture
def saved_model(tmp_path):
    return models.write_saved_model(tmp_path / "saved", ("serve",), ("train",))


class TestText:
    def test_full_is_exactly_what_message_to_string_prints(self, dump, graph_file):
        assert dump("--full", graph_file) == text.dumps(models.graph(weights=100), types=TYPES)

    def test_by_default_long_values_are_cut_and_say_so(self, dump, graph_file):
        out = dump(graph_file)
        assert '" # 400 bytes in all\n' in out
        assert max(map(len, out.splitlines())) < 1000

    def test_it_still_is_text_format(self, dump, graph_file):
        from google.protobuf import text_format

        parsed = text_format.Parse(dump(graph_file), twin(GraphDef)())
        assert [node.name for node in parsed.node] == ["x", "weights", "layer/MatMul", "y"]

    def test_from_standard_input_and_gzip(self, dump, graph_file, monkeypatch):
        class Input:
            buffer = io.BytesIO(gzip.compress(graph_file.read_bytes()))

        expected = dump(graph_file)
        monkeypatch.setattr(sys, "stdin", Input)
        assert dump("-") == expected

    def test_damage_behind_the_beginning(self, capsys, tmp_path):
        data = GraphDef(node=[NodeDef(name="n" * 50, op="NoOp")] * 5000 + [NodeDef(op="bad")]).to_bytes()
        (tmp_path / "bad.pb").write_bytes(data.replace(b"bad", b"b\xffd"))
        assert main(["dump", str(tmp_path / "bad.pb")]) == 2
        out, err = capsys.readouterr()
        assert err == f"{tmp_path}/bad.pb: not UTF-8 at byte {len(data) - 2:,}: node[5000].op\n"
        assert out.count("node {") > 1000

    def test_an_empty_message(self, dump, tmp_path):
        (tmp_path / "empty").write_bytes(b"")
        assert dump("--type", "GraphDef", tmp_path / "empty") == ""

    @pytest.mark.parametrize("path", model_files(".pb", ".meta"))
    def test_every_model_file_is_printed(self, dump, path):
        from tfmodel import load

        assert dump("--full", path) == text.dumps(load(path), types=TYPES)
        assert dump(path)


class TestJson:
    def test_it_is_the_whole_message_and_never_cut(self, dump, graph_file):
        expected = pb_json.dumps(models.graph(weights=100), types=TYPES) + "\n"
        assert dump("--format=json", graph_file) == dump("--format=json", "--full", graph_file) == expected

    def test_chosen_nodes_are_those_of_a_graph(self, dump, saved_model):
        document = json.loads(dump("--format=json", "--op=Relu", "--op=AddV2", saved_model))
        assert [node["name"] for node in document["node"]] == ["y", "sum"] * 2
        assert set(document) == {"node"}

    @pytest.mark.parametrize(
        ("path", "document"),
        [
            ("node[0].name", "x"),
            ("node[1].attr[dtype].type", "DT_FLOAT"),
            ("node[2].attr[transpose_a].b", False),
            ("versions", {"producer": 1482}),
            ("versions.min_consumer", 0),
            ("versions.bad_consumers", []),
            ("node[3].input", ["layer/MatMul", "^x"]),
            ("node[3].input[1]", "^x"),
            ("node[3].attr", {"T": {"type": "DT_FLOAT"}}),
            ("library.function[0].ret", {"y": "sum:z:0"}),
            ("library.function[0].ret[y]", "sum:z:0"),
            ("node[0].attr[shape].shape.dim", [{"size": "-1"}, {"size": "100"}]),
            ("node[0].attr[shape].shape.dim[0].size", "-1"),
            ("node[*].op", {f"node[{k}].op": op for k, op in enumerate(["Placeholder", "Const", "MatMul", "Relu"])}),
            ("node[3].attr[*]", {'node[3].attr["T"]': {"type": "DT_FLOAT"}}),
            ("library.gradient[*]", {}),
        ],
    )
    def test_one_field(self, dump, graph_file, path, document):
        assert json.loads(dump("--format=json", graph_file, "--field", path)) == document

    def test_a_field_of_chosen_nodes(self, dump, graph_file):
        assert json.loads(dump("--format=json", graph_file, "--node=*", "--field=attr[T].type")) == {
            'node["layer/MatMul"].attr["T"].type': "DT_FLOAT",
            'node["y"].attr["T"].type': "DT_FLOAT",
            'library.function[0].node_def["sum"].attr["T"].type': "DT_FLOAT",
        }

    def test_two_nodes_of_one_name_have_two_paths(self, dump, tmp_path):
        (tmp_path / "g").write_bytes(GraphDef(node=[NodeDef(name="n", op=op) for op in "abc"]).to_bytes())
        out = dump("--format=json", tmp_path / "g", "--node=n", "--field=op")
        assert json.loads(out) == {'node["n"].op': "a", "node[1].op": "b", "node[2].op": "c"}

    def test_an_error_comes_before_any_output(self, capsys, graph_file):
        assert main(["dump", "--format=json", str(graph_file), "--field=node[*].x"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "NodeDef has no field x" in err

    def test_values_that_json_cannot_hold_are_named(self, capsys, tmp_path):
        meta = models.meta_graph()
        meta.meta_info_def.any_info = Any(type_url="type.googleapis.com/example.Unknown", value=b"x")
        (tmp_path / "m").write_bytes(meta.to_bytes())
        assert main(["dump", "--format=json", str(tmp_path / "m")]) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"{tmp_path}/m: cannot be written as JSON, only as text or binary: ")
        assert "example.Unknown" in err

    def test_a_checkpoint_has_none(self, fails, tmp_path):
        path = tmp_path / "x.index"
        path.write_bytes(bytes(40) + bytes.fromhex("57fb808b247547db"))
        problem = "this is a checkpoint, which has no JSON form; checkpoint --json lists it"
        assert fails("--format=json", path) == f"{path}: {problem}"


class TestOtherForms:
    """Text format and JSON are read too."""

    @pytest.fixture(params=["text", "json"])
    def written(self, request, tmp_path):
        path = tmp_path / "graph.txt"
        tfmodel.save(models.graph(weights=100), path, format=request.param)
        return path

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["--full"],
            ["--format=tree"],
            ["--format=json"],
            ["--op=MatMul"],
            ["--field=node[1].attr[value].tensor.tensor_content"],
        ],
    )
    def test_the_same_is_printed(self, dump, graph_file, written, arguments):
        assert dump(written, *arguments) == dump(graph_file, *arguments)

    def test_they_have_no_raw_view(self, fails, written):
        assert "it has no wire data" in fails(written, "--format=raw")

    def test_unknown_fields_are_left_out_if_that_is_asked_for(self, capsys, dump, tmp_path):
        (tmp_path / "g.pbtxt").write_text('node { name: "x" op: "NoOp" quantum: 3 }')
        assert main(["dump", str(tmp_path / "g.pbtxt")]) == 2
        assert "--allow-unknown-field" in capsys.readouterr().err
        assert dump(tmp_path / "g.pbtxt", "--allow_unknown_field", "--field=node[0].op") == "NoOp\n"


class TestTree:
    def test_a_saved_model_folder(self, dump, saved_model):
        out = dump("--format", "tree", saved_model)
        assert out.startswith("SavedModel: 2 MetaGraphs, schema version 1\n")
        assert out.count("tags: ") == 2

    def test_messages_without_a_tree_view_are_printed_as_text(self, dump, tmp_path):
        (tmp_path / "a").write_bytes(AttrValue(i=3).to_bytes())
        assert dump("--format=tree", "--type=AttrValue", tmp_path / "a") == "i: 3\n"

    def test_full_cuts_nothing(self, dump, tmp_path):
        node = NodeDef(name="n", op="NoOp", input=[f"^node{k}" for k in range(100)])
        (tmp_path / "g").write_bytes(GraphDef(node=[node]).to_bytes())
        assert "^node99" not in dump("--format=tree", tmp_path / "g")
        assert "^node99" in dump("--format=tree", "--full", tmp_path / "g")


class TestRaw:
    def test_names_where_they_are_known(self, dump, saved_model):
        out = dump("--format", "raw", saved_model)
        assert "saved_model_schema_version" in out
        assert "        1 name " in out

    def test_a_damaged_file_is_shown_up_to_the_damage(self, capsys, graph_file):
        data = graph_file.read_bytes()
        graph_file.write_bytes(data[:300])
        assert main(["dump", "--format=raw", str(graph_file)]) == 2
        out, err = capsys.readouterr()
        assert out.count("\n") > 10
        assert "truncated at byte" in err

    def test_data_of_an_unknown_message(self, dump, tmp_path):
        (tmp_path / "x").write_bytes(b"\x78\x05\x82\x01\x02hi\xf8\x01\x01")
        assert [line.split()[1] for line in dump("--format=raw", tmp_path / "x").splitlines()[1:]] == ["15", "16", "31"]

    def test_type_gives_names(self, dump, graph_file):
        assert " version " in dump("--format=raw", "--type=GraphDef", graph_file).replace("versions", "version")

    def test_it_cannot_be_narrowed(self, fails, graph_file):
        assert "--node does not apply" in fails("--format=raw", "--node=x", graph_file)

    def test_text_has_no_raw_view(self, fails, tmp_path):
        (tmp_path / "g.pbtxt").write_text('node { name: "x" }')
        assert "in text form" in fails("--format=raw", tmp_path / "g.pbtxt")


class TestNodes:
    def test_globs(self, dump, graph_file):
        out = dump("--node", "layer/*", "--node", "y", graph_file)
        names = [line for line in out.splitlines() if line.startswith("  name:")]
        assert names == ['  name: "layer/MatMul"', '  name: "y"']

    def test_text_is_that_of_a_graph(self, dump, graph_file):
        graph = models.graph(weights=100)
        assert dump("--full", "--op=Relu", graph_file) == text.dumps(GraphDef(node=[graph.node[3]]))

    def test_both_must_match(self, dump, fails, graph_file):
        assert '"weights"' in dump("--node=w*", "--op=Const", graph_file)
        assert fails("--node=w*", "--op=Relu", graph_file) == (
            f"{graph_file}: none of 5 nodes matches --node w* and --op Relu"
        )

    def test_functions_are_searched_too(self, dump, graph_file):
        out = dump("--op", "AddV2", graph_file)
        assert out.startswith("# function double\nnode {\n")
        assert dump("--op=AddV2", "--format=tree", graph_file) == textwrap.dedent("""\
            function double
              name  op     type     inputs  attributes
              sum   AddV2  float32  x, x
        """)

    def test_in_every_metagraph(self, dump, saved_model):
        assert dump("--op=Relu", saved_model).count('op: "Relu"') == 2

    def test_a_message_without_nodes(self, fails, tmp_path):
        (tmp_path / "ops.pb").write_bytes(models.op_list().to_bytes())
        assert "this is an OpList, which has no nodes" in fails("--node=x", tmp_path / "ops.pb")


class TestField:
    @pytest.mark.parametrize(
        ("path", "out"),
        [
            ("node[0].name", "x\n"),
            ("node[1].attr[dtype].type", "DT_FLOAT\n"),
            ("node[2].attr[transpose_b].b", "true\n"),
            ("versions", "producer: 1482\n"),
            ("versions.producer", "1482\n"),
            ("versions.min_consumer", "0\n"),
            ("node[3].input", "layer/MatMul\n^x\n"),
            ("node[3].attr", 'attr {\n  key: "T"\n  value {\n    type: DT_FLOAT\n  }\n}\n'),
            ("library.function[0].ret", 'ret {\n  key: "y"\n  value: "sum:z:0"\n}\n'),
            (
                "node[*].op",
                'node[0].op: "Placeholder"\nnode[1].op: "Const"\nnode[2].op: "MatMul"\nnode[3].op: "Relu"\n',
            ),
            (
                "library.function[*].node_def[*].input",
                "".join(f'library.function[0].node_def[0].input[{index}]: "x"\n' for index in (0, 1)),
            ),
            ("node[0].attr[*].type", 'node[0].attr["dtype"].type: DT_FLOAT\n'),
            ("node[0].attr[dtype].*", 'node[0].attr["dtype"].type: DT_FLOAT\n'),
            ("node[3].attr[*]", '# node[3].attr["T"]\ntype: DT_FLOAT\n'),
        ],
    )
    def test_one_field(self, dump, graph_file, path, out):
        assert dump(graph_file, "--field", path) == out

    def test_a_long_value_is_cut_unless_full(self, dump, graph_file):
        path = "node[1].attr[value].tensor.tensor_content"
        assert dump(graph_file, "--field", path).endswith(" # 400 bytes in all\n")
        assert dump(graph_file, "--field", path, "--full") == r"\000\000\000?" * 100 + "\n"

    def test_a_long_list_is_cut_unless_full(self, dump, tmp_path):
        (tmp_path / "g").write_bytes(GraphDef(node=[NodeDef(name="n", op="x", input=["i"] * 100)]).to_bytes())
        assert dump(tmp_path / "g", "--field=node[0].input") == "i\n" * 20 + "# 100 in all\n"
        assert dump(tmp_path / "g", "--field=node[0].input", "--full") == "i\n" * 100

    def test_of_chosen_nodes(self, dump, graph_file):
        assert dump(graph_file, "--node=*", "--field=attr[T].type") == textwrap.dedent("""\
            node["layer/MatMul"].attr["T"].type: DT_FLOAT
            node["y"].attr["T"].type: DT_FLOAT
            library.function[0].node_def["sum"].attr["T"].type: DT_FLOAT
        """)

    def test_a_printed_path_can_be_given_back(self, dump, saved_model):
        for line in dump(saved_model, "--op=Relu", "--field=input[0]").splitlines():
            path, _, value = line.partition(": ")
            assert dump(saved_model, "--field", path) == value.strip('"') + "\n"

    def test_of_a_part_as_a_tree(self, dump, saved_model):
        out = dump(saved_model, "--field", "meta_graphs[1].graph_def", "--format=tree")
        assert out.startswith("GraphDef: 4 nodes")

    def test_missing_fields_are_errors(self, fails, graph_file):
        assert fails(graph_file, "--field=nodes") == (
            f'{graph_file}: --field: GraphDef has no field nodes; did you mean "node"?'
        )
        assert "node has 4 elements" in fails(graph_file, "--field=node[4]")
        assert "is not a field path" in fails(graph_file, "--field=node[")
        assert "the keys are" in fails(graph_file, "--op=Const", "--field=attr[T]")

    def test_control_characters_stay_out(self, dump, tmp_path):
        name = "\x1b[31m\x9b\n"
        (tmp_path / "g").write_bytes(GraphDef(node=[NodeDef(name=name, op="NoOp")] * 2).to_bytes())
        fields = (["--field=node[0].name"], ["--field=node[*].name"], ["--op=*", "--field=op"])
        for arguments in (*fields, ["--format=tree"], ["--format=raw"], []):
            out = dump(tmp_path / "g", *arguments)
            assert all(line.isprintable() for line in out.splitlines())


class TestCollections:
    @pytest.fixture
    def meta_file(self, tmp_path):
        path = tmp_path / "model.meta"
        path.write_bytes(MetaGraphDef(collection_def=models.collections()).to_bytes())
        return path

    def test_as_text(self, dump, meta_file):
        lines = collection_lines(tfmodel.load(meta_file), longest=200)
        assert dump("--collections", meta_file).splitlines() == list(lines)

    def test_as_tables(self, dump, meta_file):
        lines = collection_tables(tfmodel.load(meta_file))
        assert dump("--collections", "--format=tree", meta_file).splitlines() == list(lines)

    def test_as_json(self, dump, meta_file):
        document = json.loads(dump("--collections", "--format=json", meta_file))
        assert document["collections"]["losses"] == ["loss:0"]

    def test_of_every_metagraph_or_of_one(self, dump, saved_model):
        both = dump("--collections", saved_model)
        assert both == "# MetaGraph 0, tags: serve: no collections\n\n# MetaGraph 1, tags: train: no collections\n"
        assert dump("--collections", "--type=MetaGraphDef", "--tags=train", saved_model) == "# no collections\n"

    def test_long_lists_and_values_are_cut_unless_full(self, dump, tmp_path):
        names = CollectionDef.NodeList(value=["n" * 300, *map(str, range(99))])
        meta = MetaGraphDef(collection_def={"a": CollectionDef(node_list=names)})
        (tmp_path / "meta").write_bytes(meta.to_bytes())
        out = dump("--collections", tmp_path / "meta").splitlines()
        assert out[:2] == ["# a: 100 names", "n" * 200 + " # 300 characters in all"]
        assert out[-2:] == ["18", "# 100 in all"]
        assert dump("--collections", "--full", tmp_path / "meta").splitlines()[1:] == names.value

    def test_messages_without_collections_are_refused(self, fails, graph_file):
        assert fails("--collections", graph_file) == f"{graph_file}: this is a GraphDef, which has no collections"

    @pytest.mark.parametrize("option", ["--node=x", "--op=x", "--field=graph_def"])
    def test_they_cannot_be_narrowed(self, capsys, meta_file, option):
        assert main(["dump", "--collections", option, str(meta_file)]) == 2
        assert f"nothing else: {option.partition('=')[0]} does not apply" in capsys.readouterr().err

    def test_they_have_no_wire_data(self, fails, meta_file):
        assert "--collections does not apply" in fails("--collections", "--format=raw", meta_file)

    @pytest.mark.parametrize("path", model_files(".meta", "saved_model.pb"))
    def test_they_are_those_of_every_model_file(self, dump, path):
        assert dump("--collections", path)
        assert dump("--collections", "--format=tree", path)
        assert json.loads(dump("--collections", "--format=json", path))


class TestOpDefs:
    @pytest.fixture
    def mine(self, tmp_path):
        """A graph with an op that TensorFlow does not have, and a function that uses it."""
        function = FunctionDef(signature=OpDef(name="f"), node_def=[NodeDef(name="inside", op="Mine")])
        graph = GraphDef(node=[NodeDef(name="n", op="Mine")], library=FunctionDefLibrary(function=[function]))
        (tmp_path / "graph.pb").write_bytes(graph.to_bytes())
        (tmp_path / "f.pb").write_bytes(function.to_bytes())
        (tmp_path / "ops.pbtxt").write_text('op { name: "Mine" output_arg { name: "y" type: DT_HALF } }')
        return tmp_path

    @pytest.mark.parametrize(
        "arguments",
        [
            ["graph.pb"],
            ["graph.pb", "--node=*"],
            ["f.pb", "--type=FunctionDef"],
            ["f.pb", "--type=FunctionDef", "--op=Mine"],
        ],
    )
    def test_types_of_ops_of_ones_own(self, dump, mine, arguments):
        file, *options = arguments
        command = ["--format=tree", mine / file, *options]
        assert "float16" not in dump(*command)
        assert all(
            "float16" in line for line in dump(*command, "--op-defs", mine / "ops.pbtxt").splitlines() if "Mine" in line
        )

    def test_the_first_of_several_files_counts(self, dump, mine):
        (mine / "more.pbtxt").write_text('op { name: "Mine" output_arg { name: "y" type: DT_INT8 } }')
        files = mine / "more.pbtxt", mine / "ops.pbtxt"
        out = dump("--format=tree", mine / "graph.pb", "--op-defs", files[0], "--op-defs", files[1])
        assert "int8" in out
        assert "float16" not in out

    def test_other_formats_show_no_types(self, capsys, mine):
        assert main(["dump", str(mine / "graph.pb"), "--op-defs", str(mine / "ops.pbtxt")]) == 2
        assert "--op-defs is for the types that --format tree shows: add --format tree" in capsys.readouterr().err

    def test_a_file_without_an_op_list_is_refused(self, fails, mine):
        graph = mine / "graph.pb"
        assert fails("--format=tree", graph, "--op-defs", graph) == f"{graph}: this is a GraphDef, not an OpList"


class TestType:
    def test_names_of_messages(self):
        assert message_type("GraphDef") is message_type("tensorflow.GraphDef") is message_type("graphdef") is GraphDef
        assert message_type("AttrValue.ListValue") is AttrValue.ListValue
        assert message_type("Any") is TYPES["google.protobuf.Any"]
        with pytest.raises(RequestError, match='no message "GrphDef"; did you mean "GraphDef'):
            message_type("GrphDef")

    def test_it_overrides_the_detected_type(self, dump, tmp_path):
        (tmp_path / "x").write_bytes(NodeDef(name="x", op="y").to_bytes())
        assert dump(tmp_path / "x", "--type", "VersionDef", "--format", "text") == ""
        assert dump(tmp_path / "x", "--type", "NodeDef") == 'name: "x"\nop: "y"\n'

    def test_the_graph_inside(self, dump, tmp_path):
        folder = models.write_saved_model(tmp_path)
        assert dump(folder, "--type=GraphDef") == dump(folder, "--field=meta_graphs[0].graph_def")

    def test_tags_choose_it(self, dump, fails, saved_model):
        assert 'tags: "train"' in dump(saved_model, "--type=MetaGraphDef", "--tags=train")
        assert "choose one by its tags: serve; train" in fails(saved_model, "--type=GraphDef")


class TestCheckpoints:
    @pytest.fixture
    def counter(self, tmp_path):
        """The folder of a checkpoint in a SavedModel, whose files are all called variables."""
        (tmp_path / "variables").mkdir()
        write_checkpoint(tmp_path / "variables" / "variables", {"counter": np.zeros((), "f4")})
        return tmp_path / "variables"

    @pytest.mark.parametrize("relative_path", ["variables.index", "variables", ""])
    def test_an_index_by_its_name_its_prefix_and_its_folder(self, dump, counter, relative_path):
        out = dump(counter / relative_path)
        assert out.startswith("checkpoint index (V2): 1 tensor in 1 data file, little-endian, version 1\n\nname ")
        assert out.splitlines()[-1].split() == ["counter", "float32[]", "0", "0", "4"]

    def test_options_that_do_not_apply(self, fails, counter):
        assert "--op does not apply" in fails(counter / "variables.index", "--op=x")
        assert "holds no graph" in fails(counter / "variables.index", "--type=GraphDef")

    def test_a_damaged_index(self, fails, counter, tmp_path):
        data = bytearray((counter / "variables.index").read_bytes())
        data[10] ^= 1
        (tmp_path / "x.index").write_bytes(data)
        assert fails(tmp_path / "x.index").startswith(f"{tmp_path}/x.index: damaged table at byte")


class TestStreaming:
    """Text comes before the last node has been looked at."""

    @pytest.mark.slow(reason="starts processes")
    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["--format=tree"],
            ["--format=json"],
            ["--op=*"],
            ["--field=node[*].op"],
            ["--format=json", "--field=node[*].op"],
        ],
    )
    def test_output_begins_while_most_is_unread(self, monkeypatch, tmp_path, arguments):
        read = []

        class Node:
            """Stands for the last node: anything asked of it says that it has been reached."""

            def __getattribute__(self, name):
                read.append(name)
                raise ReachedTheEnd

        class ReachedTheEnd(Exception):
            pass

        graph = GraphDef(node=[*models.graph().node * 1000, Node()])
        monkeypatch.setattr(module, "open_file", lambda *_, **options: ModelFile("graph", b"", detect(b"")))
        monkeypatch.setattr(module, "decode_file", lambda *_, **options: graph)
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        with contextlib.suppress(ReachedTheEnd):
            assert main(["dump", "graph", *arguments]) == 1  # or an error: the value is not a node
        assert len(sys.stdout.getvalue()) > 10_000
        assert read
