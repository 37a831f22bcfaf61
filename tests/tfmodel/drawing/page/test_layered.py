"""The layered drawing in Python: boxes never overlap, edges join their boxes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tfmodel.drawing.page.layered import draw_layers


@st.composite
def drawings(draw):
    count = draw(st.integers(1, 25))
    sizes = draw(st.lists(st.tuples(st.integers(6, 300), st.integers(1, 200)), min_size=count, max_size=count))
    ends = st.integers(0, count - 1)
    return sizes, draw(st.lists(st.tuples(ends, ends), max_size=60))


@given(drawings())
def test_boxes_never_overlap_and_edges_join_their_boxes(given):
    sizes, edges = given
    drawing = draw_layers(sizes, edges)
    assert drawing == draw_layers(sizes, edges)
    boxes = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(drawing.corners, sizes, strict=True)]
    for place, a in enumerate(boxes):
        assert a[0] >= -0.01 and a[2] <= drawing.width + 0.01 and a[1] >= -0.01 and a[3] <= drawing.height + 0.01
        for b in boxes[:place]:
            assert a[2] <= b[0] + 0.01 or b[2] <= a[0] + 0.01 or a[3] <= b[1] + 0.01 or b[3] <= a[1] + 0.01
    for (source, target), points in zip(edges, drawing.lines, strict=True):
        assert bool(points) == (source != target)
        for (x, y), box in ((points[0], boxes[source]), (points[-1], boxes[target])) if points else ():
            assert box[0] <= x <= box[2] and min(abs(y - box[1]), abs(y - box[3])) < 0.01


def test_a_chain_is_straight_and_a_diamond_has_no_crossing():
    chain = draw_layers([(60, 20), (100, 20), (40, 20)], [(0, 1), (1, 2)])
    assert len({x for points in chain.lines for x, _ in points}) == 1
    diamond = draw_layers([(60, 20)] * 4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    assert diamond.corners[1][1] == diamond.corners[2][1]
    assert (diamond.lines[0][-1][0] < diamond.lines[1][-1][0]) == (diamond.lines[2][0][0] < diamond.lines[3][0][0])


def test_ports_are_above_and_below_everything():
    drawing = draw_layers([(60, 20), (6, 0), (6, 0), (60, 20)], [(1, 0), (3, 2), (0, 3)], first={1}, last={2})
    heights = [y for _, y in drawing.corners]
    assert heights[1] < heights[0] < heights[3] < heights[2]


def test_edges_that_pass_too_many_layers_are_stubs():
    chain = [(i, i + 1) for i in range(120)]
    long = [(0, i) for i in range(2, 120)]
    drawing = draw_layers([(60, 20)] * 121, chain + long)
    assert drawing.stubs
    assert all(len(drawing.lines[number]) == 2 for number in drawing.stubs)
