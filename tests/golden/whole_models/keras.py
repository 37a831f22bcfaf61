"""The large models for --large of answers.py: those of Keras, up to the logits, for two images."""

from __future__ import annotations

import tensorflow as tf

from .small import frozen, randomized, values

__all__ = ["MODELS", "SIZES"]

SIZES = {"InceptionV3": 299, "MobileNetV2": 224, "ResNet50": 224, "EfficientNetB0": 224, "DenseNet121": 224}


def _large(name):
    def build(folder):
        net = getattr(tf.keras.applications, name)(weights=None, classifier_activation=None)
        frozen(folder, randomized(net), [values(2, SIZES[name], SIZES[name], 3)])

    return build


MODELS = {name: _large(name) for name in SIZES}
