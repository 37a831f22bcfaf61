"""Networks that give the parameters of distributions, and results before and after a selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.data.endpoints.cases import case, dense, weights


def backbone(tf: Any, im: Any) -> Any:
    f = tf.layers.conv2d(im, 4, 3, 2, "same", activation=tf.nn.relu)
    return tf.layers.conv2d(f, 6, 3, 2, "same", activation=tf.nn.relu)


@case("S")
def deviation_with_a_constant(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 3], "S")
    taken = tf.placeholder(tf.float32, [None, 1], "act")
    value_target = tf.placeholder(tf.float32, [None, 1], "Vtarget")
    layer = tf.layers.dense(state, 10, tf.nn.relu6)
    mean = tf.layers.dense(layer, 1, tf.nn.tanh)
    deviation = tf.layers.dense(layer, 1, tf.nn.softplus)
    value = tf.layers.dense(tf.layers.dense(state, 6, tf.nn.relu6), 1)
    value = tf.identity(value, "v")
    error = value_target - value
    closs = tf.reduce_mean(tf.square(error))
    mean = tf.multiply(mean, 2.0, name="mu")
    deviation = tf.add(deviation, 0.0001, name="sigma")
    distribution = tf.distributions.Normal(mean, deviation)
    aloss = tf.reduce_mean(-(0.01 * distribution.entropy() + distribution.log_prob(taken) * tf.stop_gradient(error)))
    tf.clip_by_value(tf.squeeze(distribution.sample(1), axis=0), -2.0, 2.0, name="A")
    tf.train.RMSPropOptimizer(0.001).minimize(aloss)
    tf.train.RMSPropOptimizer(0.001).minimize(closs)


@case("x")
def variance_by_hand(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 1], "x")
    target = tf.placeholder(tf.float32, [None, 1], "y")
    hidden = tf.layers.dense(x, 8, tf.nn.relu)
    output = tf.layers.dense(hidden, 2)
    mask, raw = tf.split(output, 2, axis=1)
    mask = tf.identity(mask, "mean")
    value = tf.log(1 + tf.exp(raw)) + 1e-06
    nll = tf.reduce_mean(0.5 * tf.log(value) + 0.5 * tf.div(tf.square(target - mask), value)) + 10
    optimizer = tf.train.AdamOptimizer(0.1)
    pairs = optimizer.compute_gradients(nll)
    optimizer.apply_gradients([(tf.clip_by_value(gradient, -5, 5), v_) for gradient, v_ in pairs])


@case("state")
def deviation_of_limited_logarithm(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 4], "state")
    taken = tf.placeholder(tf.float32, [None, 2], "taken")
    advantage = tf.placeholder(tf.float32, [None], "adv")
    layer = dense(tf, state, 6, "l", tf.nn.relu)
    mean = dense(tf, layer, 2, "mu", tf.tanh, "mu")
    log_deviation = tf.clip_by_value(dense(tf, layer, 2, "ls"), -20, 2)
    deviation = tf.exp(log_deviation, name="logstd_std")
    tf.add(mean, deviation * tf.random_normal(tf.shape(mean)), name="action")
    log_prob = tf.reduce_sum(-0.5 * tf.square((taken - mean) / deviation) - log_deviation - 0.919, 1)
    tf.train.AdamOptimizer(0.001).minimize(-tf.reduce_mean(log_prob * advantage))


@case("state")
def deviation_of_a_sigmoid(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 3], "state")
    taken = tf.placeholder(tf.float32, [None, 1], "a")
    advantage = tf.placeholder(tf.float32, [None, 1], "adv")
    layer = tf.layers.dense(state, 6, tf.nn.relu)
    mean = tf.multiply(tf.layers.dense(layer, 1, tf.tanh), 2.0, name="pi_mu")
    deviation = tf.add(tf.layers.dense(layer, 1, tf.nn.sigmoid) * 0.5, 0.1, name="pi_sigma")
    distribution = tf.distributions.Normal(mean, deviation)
    tf.identity(distribution.sample(), "action")
    tf.train.AdamOptimizer(0.001).minimize(
        -tf.reduce_mean(distribution.log_prob(taken) * advantage + 0.01 * distribution.entropy())
    )


@case("x")
def mixture_of_one_layer(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 1], "x")
    target = tf.placeholder(tf.float32, [None, 1], "y")
    hidden = tf.tanh(tf.matmul(x, weights(tf, "Wh", 1, 8)) + weights(tf, "bh", 1, 8))
    output = tf.matmul(hidden, weights(tf, "Wo", 8, 12)) + weights(tf, "bo", 1, 12)
    share, deviation, mean = tf.split(output, 3, 1)
    largest = tf.reduce_max(share, 1, keepdims=True)
    share = tf.exp(tf.subtract(share, largest))
    share = tf.multiply(tf.reciprocal(tf.reduce_sum(share, 1, keepdims=True)), share, name="pi")
    deviation = tf.exp(deviation, name="sigma")
    mean = tf.identity(mean, "mu")
    distance = tf.multiply(tf.subtract(target, mean), tf.reciprocal(deviation))
    distance = -tf.square(distance) / 2
    density = tf.multiply(tf.exp(distance), tf.reciprocal(deviation)) * 0.3989
    loss = tf.reduce_mean(-tf.log(tf.reduce_sum(density * share, 1, keepdims=True)))
    tf.train.AdamOptimizer().minimize(loss)


@case("X")
def mixture_of_three_layers(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 1], "X")
    target = tf.placeholder(tf.float32, [None, 1], "Y")
    hidden = tf.layers.dense(x, 8, tf.tanh)
    share = tf.layers.dense(hidden, 4, tf.nn.softmax)
    share = tf.identity(share, "pi")
    mean = tf.identity(tf.layers.dense(hidden, 4), "mu")
    deviation = tf.exp(tf.layers.dense(hidden, 4), name="sigma")
    count = tf.exp(-tf.square(target - mean) / (2 * tf.square(deviation))) / (deviation * 2.5066)
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(tf.log(tf.reduce_sum(share * count, 1))))


@case("inp")
def mixture_of_logarithms(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 5, 3], "inp")
    target = tf.placeholder(tf.float32, [None, 5, 1], "out")
    output, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(6), x, dtype=tf.float32)
    output = tf.reshape(tf.layers.dense(output, 9), [-1, 9])
    log_prob, mean, log_deviation = tf.split(output, 3, 1)
    log_prob = log_prob - tf.reduce_logsumexp(log_prob, 1, keepdims=True)
    tf.exp(log_prob, name="pi")
    tf.identity(mean, "mu")
    tf.exp(log_deviation, name="sigma")
    fy = tf.reshape(target, [-1, 1])
    value = log_prob - 0.5 * ((fy - mean) / tf.exp(log_deviation)) ** 2 - log_deviation - 0.9189
    tf.train.AdamOptimizer(0.001).minimize(-tf.reduce_mean(tf.reduce_logsumexp(value, 1, keepdims=True)))


@case("strokes")
def mixture_of_two_dimensions(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 5, 3], "strokes")
    target = tf.placeholder(tf.float32, [None, 5, 3], "target")
    output, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(6), x, dtype=tf.float32)
    output = tf.nn.xw_plus_b(tf.reshape(output, [-1, 6]), weights(tf, "W", 6, 13), weights(tf, "b", 13))
    eos = tf.sigmoid(output[:, :1], name="eos")
    scores, m1, m2, s1, s2, rh = tf.split(output[:, 1:], 6, 1)
    share = tf.nn.softmax(scores, name="pi")
    m1 = tf.identity(m1, "mu1")
    m2 = tf.identity(m2, "mu2")
    s1 = tf.exp(s1, name="sigma1")
    s2 = tf.exp(s2, name="sigma2")
    rho = tf.tanh(rh, name="rho")
    y1, y2, ye = tf.split(tf.reshape(target, [-1, 3]), 3, 1)
    taken, boxes = ((y1 - m1) / s1, (y2 - m2) / s2)
    latent = tf.square(taken) + tf.square(boxes) - 2 * rho * taken * boxes
    count = tf.exp(-latent / (2 * (1 - tf.square(rho)))) / (2 * np.pi * s1 * s2 * tf.sqrt(1 - tf.square(rho)))
    l1 = -tf.log(tf.maximum(tf.reduce_sum(share * count, 1, keepdims=True), 1e-20))
    l2 = -tf.log(ye * eos + (1 - ye) * (1 - eos))
    tf.train.AdamOptimizer(0.001).minimize(tf.reduce_mean(l1 + l2))


@case("features")
def beta_distribution(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 3], "features")
    taken = tf.placeholder(tf.float32, [None, 1], "a")
    advantage = tf.placeholder(tf.float32, [None, 1], "adv")
    hidden = dense(tf, x, 6, "h", tf.nn.relu)
    alpha = tf.add(dense(tf, hidden, 1, "al", tf.nn.softplus), 1.0, name="alpha")
    beta = tf.add(dense(tf, hidden, 1, "be", tf.nn.softplus), 1.0, name="beta")
    log_prob = (
        (alpha - 1) * tf.log(taken)
        + (beta - 1) * tf.log(1 - taken)
        - (tf.lgamma(alpha) + tf.lgamma(beta) - tf.lgamma(alpha + beta))
    )
    tf.train.AdamOptimizer(0.001).minimize(-tf.reduce_mean(log_prob * advantage))


@case("x")
def scale_of_a_likelihood(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 7, 2], "x")
    target = tf.placeholder(tf.float32, [None], "y")
    _, last = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(5), x, dtype=tf.float32)
    loc = tf.squeeze(tf.layers.dense(last.h, 1), 1, name="loc")
    scale = tf.add(tf.squeeze(tf.nn.softplus(tf.layers.dense(last.h, 1)), 1), 1e-06, name="scale")
    latent = (target - loc) / scale
    nll = tf.reduce_mean(tf.log(scale) + 2.0 * tf.log1p(tf.square(latent) / 3.0))
    tf.train.AdamOptimizer(0.001).minimize(nll)


@case("x", "output")
def logarithm_of_one_more(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 4], "x")
    target = tf.placeholder(tf.float32, [None, 1], "y")
    scores = tf.nn.relu(tf.layers.dense(x, 1), name="output")
    tf.train.AdamOptimizer(0.001).minimize(tf.reduce_mean(tf.square(tf.log(scores + 1.0) - tf.log(target + 1.0))))


@case("z", "decoded_x", "decoder/Sigmoid", "x_hat", also="mu sigma")
def autoencoder_with_a_deviation(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 6], "z")
    hidden = dense(tf, x, 6, "e", tf.nn.relu)
    mean = dense(tf, hidden, 2, "mu", name="mu")
    deviation = tf.add(1e-06, dense(tf, hidden, 2, "sg", tf.nn.softplus), name="sigma")
    latent = mean + deviation * tf.random_normal(tf.shape(mean))
    output = dense(tf, dense(tf, latent, 6, "d", tf.nn.relu), 6, "o", tf.sigmoid, "x_hat")
    rec = tf.reduce_sum(x * tf.log(output + 1e-08) + (1 - x) * tf.log(1 - output + 1e-08), 1)
    kl = 0.5 * tf.reduce_sum(tf.square(mean) + tf.square(deviation) - tf.log(1e-08 + tf.square(deviation)) - 1, 1)
    tf.train.AdamOptimizer(0.001).minimize(-tf.reduce_mean(rec - kl))


@case("input", "boxes scores classes", "concat_boxes concat_scores concat_classes")
def detections_of_each_class(tf: Any) -> None:
    image = tf.placeholder(tf.float32, [1, 32, 32, 3], "input")
    features = backbone(tf, image)
    output = tf.reshape(tf.layers.conv2d(features, 8, 1), [-1, 8])
    xy = tf.sigmoid(output[:, :2])
    wh = tf.exp(output[:, 2:4])
    conf = tf.sigmoid(output[:, 4:5])
    scores = tf.sigmoid(output[:, 5:])
    box = tf.concat([xy - wh / 2, xy + wh / 2], 1)
    scale = tf.multiply(conf, scores)
    tf.reshape(scale, [1, -1, 3], name="all_scores")
    mask = scale >= 0.3
    boxes_of_classes, scores_of_classes, classes = ([], [], [])
    for c in range(3):
        boxes, state = (tf.boolean_mask(box, mask[:, c]), tf.boolean_mask(scale[:, c], mask[:, c]))
        i = tf.image.non_max_suppression(boxes, state, 20, 0.45)
        boxes_of_classes.append(tf.gather(boxes, i))
        scores_of_classes.append(tf.gather(state, i))
        classes.append(tf.ones_like(tf.gather(state, i), tf.int32) * c)
    tf.concat(boxes_of_classes, 0, name="boxes")
    tf.concat(scores_of_classes, 0, name="scores")
    tf.concat(classes, 0, name="classes")


@case("image", "final_scores final_boxes")
def detections_of_one_op(tf: Any) -> None:
    image = tf.placeholder(tf.float32, [1, 32, 32, 3], "image")
    features = backbone(tf, image)
    box = tf.reshape(tf.layers.conv2d(features, 4, 1), [1, -1, 1, 4])
    scale = tf.reshape(tf.nn.softmax(tf.layers.conv2d(features, 3, 1)), [1, -1, 3])
    tf.identity(scale, "per_class_scores")
    raw = tf.image.combined_non_max_suppression(box, scale, 5, 10)
    tf.identity(raw[0], "final_boxes")
    tf.identity(raw[1], "final_scores")


@case("image", "boxes labels scores", "boxes scores labels keep")
def detections_above_a_threshold(tf: Any) -> None:
    image = tf.placeholder(tf.float32, [1, 16, 16, 3], "image")
    features = tf.layers.conv2d(image, 8, 3, 4, "same", activation=tf.nn.relu)
    box = tf.reshape(tf.layers.conv2d(features, 4, 1), [-1, 4])
    scores = tf.nn.softmax(tf.reshape(tf.layers.conv2d(features, 3, 1), [-1, 3]))
    tf.identity(scores, "class_scores_all")
    best = tf.reduce_max(scores, 1)
    lab = tf.argmax(scores, 1)
    keep = best > 0.5
    tf.boolean_mask(box, keep)
    tf.identity(tf.boolean_mask(box, keep), "boxes")
    tf.identity(tf.boolean_mask(best, keep), "scores")
    tf.identity(tf.boolean_mask(lab, keep), "labels")


@case("x")
def numbers_without_their_axis(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 7, 2], "x")
    target = tf.placeholder(tf.float32, [None, 7], "y")
    output, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(4), x, dtype=tf.float32)
    output = tf.layers.dense(output, 1)
    output = tf.identity(output, "output")
    scores = tf.squeeze(output, -1) if False else output[..., 0]
    tf.train.AdamOptimizer(0.001).minimize(tf.losses.mean_squared_error(target, scores))
