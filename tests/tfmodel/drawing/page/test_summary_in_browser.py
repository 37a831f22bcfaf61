"""The tabs of the page in Chromium: the summary with its tables, and the values of weights."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from tests.tfmodel.drawing.page.chromium import chromium
from tests.tfmodel.drawing.test_hierarchy import graph_of
from tfmodel import Model, from_ndarray
from tfmodel.messages import AttrValue, GraphDef, NodeDef

pytestmark = [
    pytest.mark.slow(reason="starts a browser"),
    pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium"),
]

CONVNET = "tests/data/convnet.pb"
TITLES = "[...document.querySelectorAll('#table h2')].map((title) => title.textContent)"


def rows_below(tab, title):
    """Return the texts of the rows of the table below a heading."""
    return tab.evaluate(
        f"""(() => {{ const titles = [...document.querySelectorAll('#table h2')];
        const title = titles.find((one) => one.textContent === {title!r});
        return [...title.nextElementSibling.querySelectorAll('tbody tr')]
          .map((row) => [...row.cells].map((cell) => cell.textContent)); }})()"""
    )


def test_the_summary_has_facts_ends_layers_ops_findings_and_commands(show):
    tab = show(CONVNET, tab="summary")
    sections = ["Inputs", "Outputs", "Layers", "Ops", "Findings of tfmodel check", "Commands"]
    assert tab.evaluate(TITLES) == ["convnet.pb", *sections]
    assert [row[0] for row in rows_below(tab, "Inputs")] == ["image"]
    summary = Model(CONVNET).summary()
    assert f"{summary.parameters:,}" in tab.evaluate("document.querySelector('#table dl').textContent")
    assert rows_below(tab, "Ops")[0][0] == summary.ops[0].op == "Conv2D"


def test_layers_are_bars_that_sort_and_lead_into_the_picture(show):
    tab = show(CONVNET, tab="summary")
    layers = rows_below(tab, "Layers")
    assert layers[0][1] == "Conv2D" and layers[0][4].endswith("%")
    widths = "[...document.querySelectorAll('td:last-child .length')].map((bar) => parseFloat(bar.style.width))"
    assert tab.evaluate(widths)[0] == 100
    tab.evaluate("[...document.querySelectorAll('th button')].find((one) => one.textContent === 'Parameters').click()")
    parameters = [weight.elements for weight in Model(CONVNET).weights()]
    assert rows_below(tab, "Layers")[0][3] == tab.evaluate(f"{max(parameters) / 1000} + 'k'")[:4].rstrip(".") + "k"
    assert tab.evaluate("document.activeElement.textContent") == "Parameters \N{BLACK DOWN-POINTING SMALL TRIANGLE}"
    name = rows_below(tab, "Layers")[0][0]
    tab.evaluate("[...document.querySelectorAll('#table h2')][3].nextElementSibling.querySelector('tbody tr').click()")
    assert tab.evaluate("[tfmodelPage.state.tab, document.querySelector('#right h2').textContent]") == ["graph", name]


def test_a_row_of_an_op_shows_its_nodes(show):
    tab = show(CONVNET, tab="summary")
    tab.evaluate("[...document.querySelectorAll('tr')].find((row) => row.cells[0].textContent === 'MatMul').click()")
    assert tab.evaluate("[tfmodelPage.state.tab, tfmodelPage.state.query]") == ["graph", 'op="MatMul"']


def test_findings_lead_to_their_nodes(show):
    tab = show(graph_of("a = Relu(gone)"), tab="summary")
    assert "broken" in tab.evaluate("document.querySelector('.finding').textContent")
    tab.evaluate("document.querySelector('.finding button').click()")
    assert tab.evaluate("document.querySelector('#right h2').textContent") == "a"


# --- values ---


def matrix_model(array: np.ndarray) -> GraphDef:
    value = AttrValue(tensor=from_ndarray(array))
    op = "Conv2D" if array.ndim == 4 else "MatMul"
    return GraphDef(
        node=[
            NodeDef(name="x", op="Placeholder", attr={"dtype": AttrValue(type=1)}),
            NodeDef(name="w", op="Const", attr={"dtype": AttrValue(type=1), "value": value}),
            NodeDef(name="y", op=op, input=["x", "w"], attr={"T": AttrValue(type=1)}),
        ]
    )


def npy(tab):
    return np.load(io.BytesIO(bytes(tab.evaluate("[...tfmodelPage.npyBytes(tfmodelPage.model.weights[0])]"))))


def test_values_are_shown_a_slice_at_a_time(show):
    array = np.arange(2 * 2 * 3 * 5, dtype=np.float32).reshape(2, 2, 3, 5) / 8
    tab = show(matrix_model(array), tab="weights")
    tab.evaluate("document.querySelector('#table td button').click()")
    cells = """[...document.querySelectorAll('.slice tbody tr')]
        .map((row) => [...row.cells].slice(1).map((cell) => Number(cell.textContent)))"""
    assert tab.evaluate("document.getElementById('values').open")
    assert tab.evaluate(cells) == np.round(array[0, 0], 4).tolist()
    tab.evaluate(
        "((field) => { field.value = 2; field.dispatchEvent(new Event('input')); })"
        "(document.querySelector('#values input'))"
    )
    assert "[1, 0, :, :]" in tab.evaluate("document.getElementById('values').textContent")
    assert tab.evaluate(cells) == [[float(f"{value:.4g}") for value in row] for row in array[1, 0].tolist()]
    tab.press("Escape")
    assert not tab.evaluate("document.getElementById('values').open")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_a_saved_file_has_the_values_in_their_shape(show, dtype):
    array = np.random.default_rng(0).normal(size=(7, 9)).astype(dtype)
    assert np.array_equal(npy(show(matrix_model(array))), array)


def test_of_a_large_weight_the_first_values_are_carried_and_saved(show):
    array = np.random.default_rng(0).normal(size=(400, 100)).astype(np.float32)
    tab = show(matrix_model(array))
    first = npy(tab)
    assert 10_000 < len(first) < array.size and np.array_equal(first, array.ravel()[: len(first)])
    tab.evaluate("tfmodelPage.showValues(tfmodelPage.model.weights[0])")
    assert "the first" in tab.evaluate("document.getElementById('values').textContent")
    assert np.array_equal(npy(show(matrix_model(array), values="all")), array)


def test_a_page_without_values_shows_none(show):
    tab = show(CONVNET, values="none", tab="weights")
    assert tab.evaluate("document.querySelectorAll('#table td button').length") == 0


def test_hostile_names_of_weights_stay_text(show):
    graph = matrix_model(np.ones((3, 3), np.float32))
    name = "<img src=x onerror=canary=1>"
    graph.node[1].name = graph.node[2].input[1] = name
    tab = show(graph)
    tab.evaluate("tfmodelPage.showValues(tfmodelPage.model.weights[0])")
    assert tab.evaluate("document.querySelector('#values h2').textContent") == name
    assert tab.evaluate("typeof canary") == "undefined"
    assert json.dumps(name)[1:-1] in tab.evaluate("document.getElementById('values').textContent")
