"""Renames that find the tensors of a checkpoint in another scope."""

from __future__ import annotations

import pytest

from tfmodel.analysis.variables.scopes import find_renames

FOUND = {
    "another scope": (["a/w", "a/b"], ["b/w", "b/b"], {"^b/": "a/"}),
    "one scope more": (["model/a/w"], ["a/w"], {"^a/": "model/a/"}),
    "one scope less": (["a/w"], ["model/a/w"], {"^model/a/": "a/"}),
    "no scope at all": (["a/w"], ["w", "weights"], {"^w$": "a/w"}),
    "no scope, twice": (["a/w", "a/w2"], ["w", "w2"], {"^w$": "a/w", "^w2$": "a/w2"}),
    "numbers of layers": (
        ["Norm/w", "Norm_1/w", "Norm_12/w"],
        ["x/norm/w", "x/norm_1/w", "x/norm_12/w"],
        {"^x/norm/": "Norm/", "^x/norm_": "Norm_"},
    ),
    "letters of expressions": (["a/w"], ["b.c/w", "bxc/w2"], {r"^b\.c/": "a/"}),
    "the nearest of several": (["m/cell_1/w"], ["x/w", "x/cell/w", "x/cell_1/w"], {"^x/": "m/"}),
}


@pytest.mark.parametrize(("wanted", "stored", "rules"), FOUND.values(), ids=FOUND)
def test_tensors_of_another_scope_are_found(wanted, stored, rules):
    found, _ = find_renames([([name], [2, 3]) for name in wanted], dict.fromkeys(stored, (2, 3)))
    assert found == rules


NOT_FOUND = {
    "another last part": (["a/w"], ["b/v"]),
    "two that fit as well": (["a/w"], ["b/w", "c/w"]),
    "only one of two": (["a/w", "a/b"], ["b/w"]),
    "a name that another tensor has": (["a/w"], ["b/w", "b/v", "a/v"]),
    "more scopes than one would name": ([f"a{n}/w{n}" for n in range(6)], [f"b{n}/w{n}" for n in range(6)]),
}


@pytest.mark.parametrize(("wanted", "stored"), NOT_FOUND.values(), ids=NOT_FOUND)
def test_no_renames_for(wanted, stored):
    assert find_renames([([name], [2]) for name in wanted], dict.fromkeys(stored, (2,))) == ({}, [])


def test_shapes_must_fit():
    stored = {"b/w": (2, 3), "c/w": (4,)}
    assert find_renames([(["a/w"], [-1, 3])], stored) == ({"^b/": "a/"}, ["b/w"])
    assert find_renames([(["a/w"], [5])], stored) == ({}, [])
    assert find_renames([(["a/w"], None)], stored) == ({}, [])


def test_keys_are_tried_in_their_order():
    assert find_renames([(["a/kernel", "a/w"], [1])], {"b/w": (1,)}) == ({"^b/": "a/"}, ["b/w"])


def test_the_time_is_linear_in_the_number_of_tensors():
    """All names are compared for a few variables; those of the same scope follow."""
    names = [f"layer_{number}/w" for number in range(20_000)]
    wanted = [([f"model/{name}"], [1]) for name in names]
    stored = dict.fromkeys((f"old/{name}" for name in names), (1,))
    assert find_renames(wanted, stored) == ({"^old/": "model/"}, ["old/layer_0/w"])
    nowhere = dict.fromkeys((f"{number}/w" for number in range(20_000)), (1,))
    assert find_renames(wanted, nowhere) == ({}, [])
