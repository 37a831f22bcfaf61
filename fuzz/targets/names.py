"""Small languages: names of tensors, and lists of transforms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from hypothesis import strategies as st

from fuzz.target import Case, Files, Target
from tests.tfmodel.transforms.property_cases import ROWS
from tfmodel import GraphError, TransformError, transform
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework import registry
from tfmodel.transforms.framework.parameters import parse, parse_values
from tfmodel.transforms.framework.pipeline import tensor_names
from tfmodel.values.names import CONTROL, TensorName

TENSORS = (b"x", b"x:0", b"x:1", b"^x", b"a/b:output:0", b"a/b:output", b"a,b:1, c", b"", b":", b"^", b"^x:0", b"x:01")
LISTS = (
    b'strip_unused_nodes(type=float, shape="1,299,299,3") remove_nodes(op=Identity, op=CheckNumerics)',
    b"fold_constants(ignore_errors=true) quantize_weights(minimum_size=1024)",
    b'set_device(device="\\"", if_default=true)',
    b"round_weights(num_steps=-1) freeze_requantization_ranges(min_max_log_file=x, min_percentile=1e3)",
    b"a(b=c,d=\"e'f\"' g=h)\n\t i",
)
VALUES = ("1", "-1", "true", "1e400", "nan", "float", "1,2", "99999999999999999999")
ALPHABET = "ab_/:^,0123456789\"\\'()= \n\0é.-"


def name_seeds() -> Iterator[Files]:
    for spelled in TENSORS:
        yield {"name": spelled}


def list_seeds() -> Iterator[Files]:
    for spelled in LISTS:
        yield {"list": spelled}
    for name, row in ROWS.items():
        yield {"list": f"{name}({row.arguments})".encode()}


def names() -> st.SearchStrategy[Files]:
    words = st.text(ALPHABET, max_size=12)
    spelled = st.one_of(words, st.lists(words, min_size=2, max_size=4).map(":".join))
    return spelled.map(lambda name: {"name": name.encode()})


@st.composite
def lists(draw: st.DrawFn) -> Files:
    """Draw existing transforms with existing arguments and arbitrary values."""
    steps = []
    for name in draw(st.lists(st.sampled_from(registry.names()), max_size=4)):
        parameters = (
            [parameter.name for parameter in registry.find(name).parameters.values()] if draw(st.booleans()) else []
        )
        arguments = [
            f'{argument}="{draw(st.text(ALPHABET, max_size=8))}"'
            if draw(st.booleans())
            else f"{argument}={draw(st.sampled_from(VALUES))}"
            for argument in draw(st.lists(st.sampled_from([*parameters, "ignore_errors", "x"]), max_size=3))
        ]
        steps.append(f"{name}({', '.join(arguments)})" if arguments else name)
    return {"list": " ".join(steps).encode()}


def check_name(files: Files, case: Case) -> object:
    """Assert that the canonical form of a valid name has the same meaning."""
    spelled = files.get("name", b"").decode(errors="surrogateescape")
    expected = _plain_name(spelled)
    try:
        assert TensorName.parse(spelled) == expected
    except GraphError:
        assert expected is None
    for name in tensor_names(spelled):
        assert TensorName.parse(str(name)) == name
    name = TensorName.parse(spelled)
    assert TensorName.parse(str(name)) == name
    return name


def _plain_name(spelled: str) -> TensorName | None:
    """Return the meaning of a name; None if it is invalid."""
    if match := re.fullmatch(r"\^([^:]+)", spelled):
        return TensorName(match[1], CONTROL)
    match = re.fullmatch(r"([^:^][^:]*)(?::([a-zA-Z_]\w*))?(?::(\d{1,9}))?", spelled, re.ASCII)
    return TensorName(match[1], int(match[3] or 0), match[2] or "") if match else None


def check_list(files: Files, case: Case) -> object:
    """Assert that a valid list can be written and parsed again, and run it on an empty graph."""
    spelled = files.get("list", b"").decode(errors="surrogateescape")
    steps = parse(spelled)
    values = [argument.value for step in steps for argument in step.arguments]
    assert all(value in spelled for value in values), "a value is not what is written"
    assert [step.name for step in steps] == re.findall(r"\w+", re.sub(r"\([^()]*\)", " ", spelled), re.ASCII) or any(
        sign in value for sign in "()" for value in values
    )
    again = ""
    for step in steps:
        arguments = [f'{name}="{value}"' for name, value in step.arguments]
        again += f"{step.name}({', '.join(arguments)}) "
    assert parse(again) == steps
    refused = None
    for step in steps:
        try:
            definition = registry.find(step.name)
            parse_values(
                step.name,
                definition.parameters,
                [argument for argument in step.arguments if argument.name != "ignore_errors"],
            )
        except TransformError as error:
            refused = error
            break
    result = transform(GraphDef(), "", "", spelled)
    assert refused is None, f"it is run, and should be refused: {refused}"
    return result


_target = partial(Target, seconds=0.2, seconds_per_byte=100e-6)

TARGETS = (
    _target("names", "names of tensors", name_seeds, names, check_name),
    _target("transform-lists", "lists of transforms", list_seeds, lists, check_list, refusals=(OSError,)),
)
