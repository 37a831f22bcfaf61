"""The colours of families: text on them can be read, and colour-blind people can tell them apart."""

from __future__ import annotations

import itertools
import math

import pytest

from tfmodel.drawing.families import FAMILIES

BLACK, WHITE = "#111111", "#ffffff"  # the colours of text on a colour

VISION = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}
"""Matrices from linear RGB to the linear RGB that is seen: Machado, Oliveira and Fernandes (2009), severity 1."""

XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
D65 = (0.95047, 1, 1.08883)

MIN_CONTRAST = 4.5  # WCAG 2.2 AA for text
MIN_DISTANCE = 15  # in CIELAB; about 2.3 can just be told apart


def linear(colour):
    values = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def contrast(a, b):
    dark, light = sorted(times(XYZ, linear(colour))[1] for colour in (a, b))
    return (light + 0.05) / (dark + 0.05)


def cielab(rgb):
    ratios = [
        value / white for value, white in zip(times(XYZ, [min(1, max(0, part)) for part in rgb]), D65, strict=True)
    ]
    x, y, z = (math.cbrt(ratio) if ratio > (6 / 29) ** 3 else ratio * (29 / 6) ** 2 / 3 + 4 / 29 for ratio in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_black_or_white_text_can_be_read_on_a_colour(family):
    assert max(contrast(family.colour, ink) for ink in (BLACK, WHITE)) >= MIN_CONTRAST


@pytest.mark.parametrize("vision", VISION)
def test_colours_of_families_can_be_told_apart(vision):
    seen = {family.name: cielab(times(VISION[vision], linear(family.colour))) for family in FAMILIES}
    close = [(a, b) for a, b in itertools.combinations(seen, 2) if math.dist(seen[a], seen[b]) < MIN_DISTANCE]
    assert close == []
