"""Policies and their losses: what serves training is not an output, and a taken action is not an input."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.data.endpoints.cases import case, dense, weights


def normal_log_prob(tf: Any, x: Any, mu: Any, sd: Any) -> Any:
    return tf.reduce_sum(-0.5 * (((x - mu) / (sd + 1e-08)) ** 2 + 2 * tf.log(sd) + 1.8378), 1)


@case(
    "state",
    "sample_action/Squeeze",
    "pi/mu_out pi/sigma_out",
    "sample_action/Squeeze critic_v",
    also="pi/mu_out pi/sigma_out critic_v",
)
def policy_with_an_old_network(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 3], "state")
    with tf.variable_scope("critic"):
        l1 = tf.layers.dense(state, 10, tf.nn.relu)
        value = tf.layers.dense(l1, 1)
    value = tf.identity(value, "critic_v")
    rewards = tf.placeholder(tf.float32, [None, 1], "discounted_r")
    advantage = rewards - value
    closs = tf.reduce_mean(tf.square(advantage))
    tf.train.AdamOptimizer(0.01).minimize(closs, name="ctrain")

    def net(name: Any, trainable: Any) -> Any:
        with tf.variable_scope(name):
            layer = tf.layers.dense(state, 10, tf.nn.relu, trainable=trainable)
            mean = tf.multiply(2.0, tf.layers.dense(layer, 1, tf.nn.tanh, trainable=trainable), name="mu_out")
            sigma = tf.layers.dense(layer, 1, tf.nn.softplus, trainable=trainable)
            sigma = tf.identity(sigma, "sigma_out")
            return (
                tf.distributions.Normal(loc=mean, scale=sigma),
                tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=name),
            )

    pi, pp = net("pi", True)
    old, op = net("oldpi", False)
    with tf.variable_scope("sample_action"):
        tf.squeeze(pi.sample(1), axis=0)
    with tf.variable_scope("update_oldpi"):
        [output.assign(policy) for policy, output in zip(pp, op, strict=True)]
    taken = tf.placeholder(tf.float32, [None, 1], "action")
    tadv = tf.placeholder(tf.float32, [None, 1], "advantage")
    with tf.variable_scope("loss"):
        with tf.variable_scope("surrogate"):
            ratio = pi.prob(taken) / (old.prob(taken) + 1e-05)
            surr = ratio * tadv
        aloss = -tf.reduce_mean(tf.minimum(surr, tf.clip_by_value(ratio, 0.8, 1.2) * tadv))
    with tf.variable_scope("atrain"):
        tf.train.AdamOptimizer(0.001).minimize(aloss)


@case(
    "Ob",
    "probabilities value",
    "model/pi value",
    "action value",
    "action value neglogp",
    "action",
    "probabilities",
    also="value neglogp",
)
def policy_with_fed_old_likelihoods(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 4], "Ob")
    hidden = dense(tf, dense(tf, state, 8, "fc1", tf.tanh), 8, "fc2", tf.tanh)
    with tf.name_scope("model"):
        logits = dense(tf, hidden, 3, "pi", name="pi")
    value = dense(tf, hidden, 1, "vf")[:, 0]
    value = tf.identity(value, "value")
    u = tf.random_uniform(tf.shape(logits))
    action = tf.argmax(logits - tf.log(-tf.log(u)), axis=-1, name="action")
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=action, logits=logits, name="neglogp")
    taken = tf.placeholder(tf.int32, [None], "A")
    advantage = tf.placeholder(tf.float32, [None], "ADV")
    returns = tf.placeholder(tf.float32, [None], "R")
    old_likelihood = tf.placeholder(tf.float32, [None], "OLDNEGLOGPAC")
    old_value = tf.placeholder(tf.float32, [None], "OLDVPRED")
    rate = tf.placeholder(tf.float32, [], "LR")
    limit = tf.placeholder(tf.float32, [], "CLIPRANGE")
    likelihood = tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.one_hot(taken, 3), logits=logits)
    a0 = logits - tf.reduce_max(logits, -1, keepdims=True)
    ea = tf.exp(a0)
    result = tf.reduce_sum(ea, -1, keepdims=True)
    policy = ea / result
    entropy = tf.reduce_mean(tf.reduce_sum(policy * (tf.log(result) - a0), -1))
    vclip = old_value + tf.clip_by_value(value - old_value, -limit, limit)
    value_loss = 0.5 * tf.reduce_mean(tf.maximum(tf.square(value - returns), tf.square(vclip - returns)))
    ratio = tf.exp(old_likelihood - likelihood)
    surrogate = tf.reduce_mean(
        tf.maximum(-advantage * ratio, -advantage * tf.clip_by_value(ratio, 1.0 - limit, 1.0 + limit))
    )
    tf.multiply(0.5, tf.reduce_mean(tf.square(likelihood - old_likelihood)), name="approxkl")
    tf.reduce_mean(tf.to_float(tf.greater(tf.abs(ratio - 1.0), limit)), name="clipfrac")
    loss = surrogate - entropy * 0.01 + value_loss * 0.5
    optimizer = tf.train.AdamOptimizer(rate, epsilon=1e-05)
    gradients, vs = zip(*optimizer.compute_gradients(loss, tf.trainable_variables()), strict=True)
    gradients, _ = tf.clip_by_global_norm(gradients, 0.5)
    optimizer.apply_gradients(list(zip(gradients, vs, strict=True)))


@case(
    "obs",
    "mu",
    "mu v",
    "action",
    "action v",
    "mu std",
    "mu std v",
    "action mu v",
    "action mu",
    also="v logp_pi std action",
)
def gaussian_policy_with_fed_old_likelihoods(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 4], "obs")
    taken = tf.placeholder(tf.float32, [None, 2], "act_ph")
    advantage = tf.placeholder(tf.float32, [None], "adv_ph")
    returns = tf.placeholder(tf.float32, [None], "ret_ph")
    lold = tf.placeholder(tf.float32, [None], "logp_old_ph")
    hidden = dense(tf, state, 6, "pi1", tf.tanh)
    mean = dense(tf, hidden, 2, "pi2", name="mu")
    log_std = tf.get_variable("log_std", initializer=-0.5 * __import__("numpy").ones(2, dtype="float32"))
    std = tf.exp(log_std, name="std")
    pi = tf.add(mean, tf.random_normal(tf.shape(mean)) * std, name="action")
    logp = normal_log_prob(tf, taken, mean, tf.exp(log_std))
    tf.identity(normal_log_prob(tf, pi, mean, tf.exp(log_std)), "logp_pi")
    value = tf.squeeze(dense(tf, dense(tf, state, 6, "v1", tf.tanh), 1, "v2"), 1, name="v")
    ratio = tf.exp(logp - lold)
    clipped = tf.clip_by_value(ratio, 0.8, 1.2)
    policy_loss = -tf.reduce_mean(tf.minimum(ratio * advantage, clipped * advantage))
    value_loss = tf.reduce_mean(tf.square(returns - value))
    tf.train.AdamOptimizer(0.0003).minimize(policy_loss + 0.5 * value_loss)


@case(
    "vector_observation",
    "action_probs value_estimate",
    "action_probs",
    "action value_estimate",
    "action",
    also="value_estimate action",
)
def policy_with_fed_old_probabilities(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 5], "vector_observation")
    hidden = tf.layers.dense(state, 7, tf.nn.elu)
    pol = tf.layers.dense(hidden, 3, use_bias=False)
    probs = tf.nn.softmax(pol, name="action_probs")
    tf.identity(tf.multinomial(pol, 1), name="action")
    value = tf.identity(tf.layers.dense(hidden, 1), name="value_estimate")
    hold = tf.placeholder(tf.int32, [None], "action_holder")
    sel = tf.one_hot(hold, 3)
    allold = tf.placeholder(tf.float32, [None, 3], "old_probabilities")
    policy = tf.reduce_sum(probs * sel, 1)
    po = tf.reduce_sum(allold * sel, 1)
    entropy = -tf.reduce_sum(probs * tf.log(probs + 1e-10), 1)
    returns = tf.placeholder(tf.float32, [None], "discounted_rewards")
    advantage = tf.placeholder(tf.float32, [None, 1], "advantages")
    ratio = policy / (po + 1e-10)
    r_ = tf.expand_dims(ratio, -1)
    surr = tf.minimum(r_ * advantage, tf.clip_by_value(r_, 0.8, 1.2) * advantage)
    policy_loss = -tf.reduce_mean(surr)
    value_loss = tf.reduce_mean(tf.squared_difference(returns, tf.reduce_sum(value, 1)))
    step = tf.Variable(0, trainable=False, name="global_step")
    rate = tf.train.polynomial_decay(0.001, step, 1000, 1e-10)
    tf.train.AdamOptimizer(rate).minimize(
        policy_loss + 0.5 * value_loss - 0.01 * tf.reduce_mean(entropy), global_step=step
    )


@case("obs", "mean", "action", "mean std", "mean action", also="std action value")
def policy_trained_by_flat_vectors(tf: Any) -> None:
    obs = tf.placeholder(tf.float32, [None, 4], "obs")
    action = tf.placeholder(tf.float32, [None, 2], "act")
    advantage = tf.placeholder(tf.float32, [None], "advantages")
    old_mean = tf.placeholder(tf.float32, [None, 2], "old_mean")
    old_log_variance = tf.placeholder(tf.float32, [2], "old_log_vars")
    hidden = dense(tf, obs, 8, "h", tf.tanh)
    mean = dense(tf, hidden, 2, "m", name="mean")
    log_variance = tf.get_variable("logvars", [2], initializer=tf.zeros_initializer())
    tf.add(mean, tf.exp(log_variance / 2.0) * tf.random_normal([2]), name="action")
    log_prob = -0.5 * tf.reduce_sum(log_variance) - 0.5 * tf.reduce_sum(
        tf.square(action - mean) / tf.exp(log_variance), axis=1
    )
    old_log_prob = -0.5 * tf.reduce_sum(old_log_variance) - 0.5 * tf.reduce_sum(
        tf.square(action - old_mean) / tf.exp(old_log_variance), axis=1
    )
    surr = -tf.reduce_mean(advantage * tf.exp(log_prob - old_log_prob), name="surrogate")
    kl = 0.5 * tf.reduce_mean(
        tf.reduce_sum(log_variance - old_log_variance)
        + tf.reduce_sum(tf.exp(old_log_variance - log_variance))
        + tf.reduce_sum(tf.square(mean - old_mean) / tf.exp(log_variance), 1)
        - 2.0
    )
    tf.identity(kl, "kl")
    tf.multiply(0.5, 2 * 2.8 + tf.reduce_sum(log_variance), name="entropy")
    vs = tf.trainable_variables()
    tf.concat([tf.reshape(gradient, [-1]) for gradient in tf.gradients(surr, vs)], 0, name="policy_gradient")
    policy = tf.placeholder(tf.float32, [None], "flat_tangent")
    gradient = tf.concat([tf.reshape(state, [-1]) for state in tf.gradients(kl, vs)], 0)
    pairs = tf.reduce_sum(gradient * policy)
    tf.concat([tf.reshape(state, [-1]) for state in tf.gradients(pairs, vs) if state is not None], 0, name="hvp")
    theta = tf.placeholder(tf.float32, [None], "flat_theta")
    i = 0
    for value in vs:
        count = int(value.shape.num_elements())
        value.assign(tf.reshape(theta[i : i + count], value.shape))
        i += count


@case("S", "policy q", "policy", "policy q action", "policy action", "action", also="q action")
def policy_with_truncated_importance_weights(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 4], "S")
    taken = tf.placeholder(tf.int32, [None], "A")
    behaviour = tf.placeholder(tf.float32, [None, 3], "MU")
    q_target = tf.placeholder(tf.float32, [None], "QRET")
    hidden = dense(tf, state, 8, "h", tf.nn.relu)
    f = dense(tf, hidden, 3, "pi", tf.nn.softmax, "policy")
    q = dense(tf, hidden, 3, "q", name="q")
    value = tf.reduce_sum(f * q, 1)
    one_hot = tf.one_hot(taken, 3)
    f_i, q_i = (tf.reduce_sum(f * one_hot, 1), tf.reduce_sum(q * one_hot, 1))
    rho = f / (behaviour + 1e-06)
    rho_i = tf.reduce_sum(rho * one_hot, 1)
    gain = tf.log(f_i + 1e-06) * tf.stop_gradient((q_target - value) * tf.minimum(10.0, rho_i))
    bc = tf.reduce_sum(
        tf.log(f + 1e-06) * tf.stop_gradient((q - value[:, None]) * tf.nn.relu(1.0 - 10.0 / (rho + 1e-06)) * f), 1
    )
    entropy = -tf.reduce_sum(f * tf.log(f + 1e-06), 1)
    ql = 0.5 * tf.reduce_mean(tf.square(tf.stop_gradient(q_target) - q_i))
    tf.argmax(f, 1, name="action")
    loss = -tf.reduce_mean(gain) - tf.reduce_mean(bc) - 0.01 * tf.reduce_mean(entropy) + 0.5 * ql
    optimizer = tf.train.RMSPropOptimizer(0.001)
    pairs = optimizer.compute_gradients(loss)
    optimizer.apply_gradients([(tf.clip_by_norm(gradient, 10.0), value) for gradient, value in pairs])


@case(
    "states",
    "policy_logits baseline",
    "policy baseline",
    "sampled baseline",
    "policy_logits",
    "policy",
    "sampled",
    "policy sampled",
    "policy sampled baseline",
    also="baseline sampled",
)
def policy_with_fed_behaviour_logits(tf: Any) -> None:
    st = tf.placeholder(tf.float32, [None, 6], "states")
    acts = tf.placeholder(tf.int32, [None], "actions")
    beh = tf.placeholder(tf.float32, [None, 4], "behaviour_logits")
    reward = tf.placeholder(tf.float32, [None], "rewards")
    disc = tf.placeholder(tf.float32, [None], "discounts")
    boot = tf.placeholder(tf.float32, [], "bootstrap")
    hidden = dense(tf, st, 9, "torso", tf.nn.relu)
    logits = dense(tf, hidden, 4, "p", name="policy_logits")
    tf.nn.softmax(logits, name="policy")
    tf.squeeze(tf.multinomial(logits, 1), 1, name="sampled")
    board = tf.squeeze(dense(tf, hidden, 1, "b"), 1, name="baseline")
    tl = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=acts, logits=logits)
    bl = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=acts, logits=beh)
    rho = tf.exp(tl - bl)
    cr = tf.minimum(1.0, rho)
    nxt = tf.concat([board[1:], tf.reshape(boot, [1])], 0)
    delta = cr * (reward + disc * nxt - board)

    def scan(accuracy: Any, state: Any) -> Any:
        distribution, c, de = state
        return de + distribution * c * accuracy

    accuracy = tf.scan(scan, (disc, cr, delta), initializer=tf.zeros([]), reverse=True, back_prop=False)
    vs = tf.stop_gradient(accuracy + board)
    surrogate = tf.stop_gradient(cr * (reward + disc * tf.concat([vs[1:], tf.reshape(boot, [1])], 0) - board))
    loss = (
        tf.reduce_sum(-tl * surrogate)
        + 0.25 * tf.reduce_sum(tf.square(vs - board))
        + 0.01 * tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits))
    )
    tf.train.RMSPropOptimizer(0.0001, 0.99).minimize(loss)


@case("act/X")
def policy_for_one_state_and_for_a_batch(tf: Any) -> None:

    def model(name: Any, count: Any, reuse: Any) -> Any:
        with tf.name_scope(name + "/"):
            state = tf.placeholder(tf.float32, [count, 6], "X")
            with tf.variable_scope("model", reuse=reuse, auxiliary_name_scope=False):
                hidden = tf.tanh(tf.layers.dense(state, 8, name="fc1"))
                hidden = tf.tanh(tf.layers.dense(hidden, 8, name="fc2"))
                pi = tf.layers.dense(hidden, 3, name="pi")
                vf = tf.layers.dense(hidden, 1, name="v")[:, 0]
            pi = tf.identity(pi, name="pi")
            vf = tf.identity(vf, name="v")
            u = tf.random_uniform(tf.shape(pi))
            a = tf.argmax(pi - tf.log(-tf.log(u)), axis=-1)
            a = tf.identity(a, name="a")
            likelihood = tf.nn.softmax_cross_entropy_with_logits(labels=tf.one_hot(a, 3), logits=pi)
            tf.identity(likelihood, name="neglogp")
        return (state, pi, vf)

    model("act", 1, False)
    _state, pi, vpred = model("train", 32, True)
    taken = tf.placeholder(tf.int32, [32])
    advantage = tf.placeholder(tf.float32, [None])
    returns = tf.placeholder(tf.float32, [None])
    old_likelihood = tf.placeholder(tf.float32, [None])
    old_value = tf.placeholder(tf.float32, [None])
    rate = tf.placeholder(tf.float32, [])
    limit = tf.placeholder(tf.float32, [])
    likelihood = tf.nn.softmax_cross_entropy_with_logits(labels=tf.one_hot(taken, 3), logits=pi)
    a0 = pi - tf.reduce_max(pi, -1, keepdims=True)
    ea0 = tf.exp(a0)
    z0 = tf.reduce_sum(ea0, -1, keepdims=True)
    p0 = ea0 / z0
    entropy = tf.reduce_mean(tf.reduce_sum(p0 * (tf.log(z0) - a0), -1))
    vc = old_value + tf.clip_by_value(vpred - old_value, -limit, limit)
    value_loss = 0.5 * tf.reduce_mean(tf.maximum(tf.square(vpred - returns), tf.square(vc - returns)))
    ratio = tf.exp(old_likelihood - likelihood)
    surrogate = tf.reduce_mean(
        tf.maximum(-advantage * ratio, -advantage * tf.clip_by_value(ratio, 1.0 - limit, 1.0 + limit))
    )
    loss = surrogate - entropy * 0.01 + value_loss * 0.5
    ps = tf.trainable_variables("model")
    gradient = tf.gradients(loss, ps)
    gradient, _ = tf.clip_by_global_norm(gradient, 0.5)
    tf.train.AdamOptimizer(rate, epsilon=1e-05).apply_gradients(list(zip(gradient, ps, strict=True)))


@case("obs")
def policy_with_a_model_of_the_next_state(tf: Any) -> None:
    output = tf.placeholder(tf.float32, [None, 5], "obs")
    o2 = tf.placeholder(tf.float32, [None, 5], "next_obs")
    taken = tf.placeholder(tf.int32, [None], "taken")
    oldp = tf.placeholder(tf.float32, [None, 3], "old_probs")
    advantage = tf.placeholder(tf.float32, [None], "adv")
    returns = tf.placeholder(tf.float32, [None], "ret")
    hidden = dense(tf, output, 8, "h", tf.nn.relu)
    logits = dense(tf, hidden, 3, "pi")
    policy = tf.nn.softmax(logits, name="policy")
    value = tf.squeeze(dense(tf, hidden, 1, "v"), 1, name="value")
    tf.multinomial(logits, 1, name="action")
    one_hot = tf.one_hot(taken, 3)
    f1, f2 = (dense(tf, output, 6, "phi", tf.nn.elu), dense(tf, o2, 6, "phi", tf.nn.elu))
    pred = dense(tf, tf.concat([f1, one_hot], 1), 6, "fwd")
    inv = dense(tf, tf.concat([f1, f2], 1), 3, "inv")
    fl = tf.reduce_mean(tf.squared_difference(pred, f2))
    il = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=one_hot, logits=inv))
    log_prob = tf.log(tf.reduce_sum(policy * one_hot, 1) + 1e-08)
    old_log_prob = tf.log(tf.reduce_sum(oldp * one_hot, 1) + 1e-08)
    ratio = tf.exp(log_prob - old_log_prob)
    policy_loss = -tf.reduce_mean(tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage))
    loss = policy_loss + 0.5 * tf.reduce_mean(tf.square(returns - value)) + 0.2 * fl + 0.8 * il
    tf.train.AdamOptimizer(0.001).minimize(loss)


@case("state", "probs", "action", "probs action")
def policy_with_the_logarithm_of_a_fed_value(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 4], "state")
    pold = tf.placeholder(tf.float32, [None, 3], "p_old")
    advantage = tf.placeholder(tf.float32, [None, 1], "adv")
    taken = tf.placeholder(tf.float32, [None, 3], "a_one_hot")
    policy = tf.nn.softmax(dense(tf, dense(tf, state, 6, "h", tf.nn.relu), 3, "o"), name="probs")
    kl = tf.reduce_mean(tf.reduce_sum(pold * (tf.log(pold) - tf.log(policy)), 1))
    ratio = tf.reduce_sum(policy * taken, 1, keepdims=True) / tf.reduce_sum(pold * taken, 1, keepdims=True)
    loss = -tf.reduce_mean(ratio * advantage) + 0.5 * kl
    tf.train.AdamOptimizer(0.001).minimize(loss)


@case(
    "obs", "dist_mu dist_sigma", "dist_mu", "scaled_action", "dist_mu dist_sigma scaled_action", also="scaled_action v"
)
def gaussian_policy_of_distributions(tf: Any) -> None:
    output = tf.placeholder(tf.float32, [None, 3], "obs")
    taken = tf.placeholder(tf.float32, [None, 1], "a")
    advantage = tf.placeholder(tf.float32, [None, 1], "adv")
    old_log_prob = tf.placeholder(tf.float32, [None, 1], "logp_old")

    def net(sc: Any, tr: Any = True) -> Any:
        with tf.variable_scope(sc):
            hidden = tf.layers.dense(output, 8, tf.nn.relu, trainable=tr)
            mean = tf.layers.dense(hidden, 1, tf.tanh, trainable=tr) * 2.0
            log_deviation = tf.get_variable("log_sigma", [1], initializer=tf.zeros_initializer(), trainable=tr)
            return (mean, tf.exp(log_deviation))

    mean, deviation = net("pi")
    mean = tf.identity(mean, "dist_mu")
    deviation = tf.identity(deviation, "dist_sigma")
    distribution = tf.distributions.Normal(mean, deviation)
    tf.clip_by_value(distribution.sample(), -2, 2, name="scaled_action")
    ratio = tf.exp(distribution.log_prob(taken) - old_log_prob)
    entropy = tf.reduce_mean(distribution.entropy())
    loss = (
        -tf.reduce_mean(tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage)) - 0.01 * entropy
    )
    tf.train.AdamOptimizer(0.001).minimize(loss)


@case("vector_observation")
def policy_with_fed_noise(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 5], "vector_observation")
    hidden = tf.layers.dense(state, 8, tf.nn.elu)
    mean = tf.layers.dense(hidden, 2)
    mean = tf.identity(mean, "mu")
    log_deviation = tf.get_variable("log_sigma_squared", [2], initializer=tf.zeros_initializer())
    sq = tf.exp(log_deviation)
    eps = tf.placeholder(tf.float32, [None, 2], "epsilon")
    out_pre = mean + tf.sqrt(sq) * eps
    out = tf.clip_by_value(out_pre, -3, 3) / 3
    tf.identity(out, "action")
    sel = tf.stop_gradient(out_pre)
    log_prob = -0.5 * tf.square(sel - mean) / sq - 0.5 * tf.log(2.0 * np.pi) - 0.5 * log_deviation
    tf.identity(log_prob, "action_probs")
    entropy = 0.5 * tf.reduce_mean(tf.log(2 * np.pi * np.e) + log_deviation)
    value = tf.identity(tf.layers.dense(hidden, 1), "value_estimate")
    old = tf.placeholder(tf.float32, [None, 2], "old_probabilities")
    advantage = tf.placeholder(tf.float32, [None, 1], "advantages")
    returns = tf.placeholder(tf.float32, [None], "discounted_rewards")
    ratio = tf.exp(tf.reduce_sum(log_prob, 1, keepdims=True) - tf.reduce_sum(old, 1, keepdims=True))
    policy_loss = -tf.reduce_mean(tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage))
    value_loss = tf.reduce_mean(tf.squared_difference(returns, tf.reduce_sum(value, 1)))
    tf.train.AdamOptimizer(0.001).minimize(policy_loss + 0.5 * value_loss - 0.01 * entropy)


@case("s")
def policy_beside_a_discriminator(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 4], "s")

    def net(count: Any) -> Any:
        with tf.variable_scope(count):
            layer = tf.layers.dense(state, 8, tf.tanh)
            policy = tf.layers.dense(layer, 3, tf.nn.softmax)
            value = tf.layers.dense(tf.layers.dense(state, 8, tf.tanh), 1)
            return (policy, value, tf.trainable_variables(count))

    policy, value, pv = net("policy")
    po, _, ov = net("old_policy")
    tf.identity(policy, "act_probs")
    tf.identity(value, "v_preds")
    tf.reshape(tf.multinomial(tf.log(policy), 1), [-1], name="act_stochastic")
    tf.argmax(policy, 1, name="act_deterministic")
    [tf.assign(output, count) for count, output in zip(pv, ov, strict=True)]
    taken = tf.placeholder(tf.int32, [None], "actions")
    rw = tf.placeholder(tf.float32, [None], "rewards")
    vn = tf.placeholder(tf.float32, [None], "v_next")
    gae = tf.placeholder(tf.float32, [None], "gaes")
    pa, poa = (tf.reduce_sum(policy * tf.one_hot(taken, 3), 1), tf.reduce_sum(po * tf.one_hot(taken, 3), 1))
    ratio = tf.exp(tf.log(tf.clip_by_value(pa, 1e-10, 1.0)) - tf.log(tf.clip_by_value(poa, 1e-10, 1.0)))
    lc = tf.reduce_mean(tf.minimum(gae * ratio, gae * tf.clip_by_value(ratio, 0.8, 1.2)))
    entropy = tf.reduce_mean(-tf.reduce_sum(policy * tf.log(tf.clip_by_value(policy, 1e-10, 1.0)), 1))
    log_variance = tf.reduce_mean(tf.squared_difference(rw + 0.95 * vn, value[:, 0]))
    tf.train.AdamOptimizer(0.0001).minimize(-(lc - log_variance + 0.01 * entropy), var_list=pv)
    es = tf.placeholder(tf.float32, [None, 4], "expert_s")
    ea = tf.placeholder(tf.int32, [None], "expert_a")
    gradients = tf.placeholder(tf.float32, [None, 4], "agent_s")
    ga = tf.placeholder(tf.int32, [None], "agent_a")

    def disc(x: Any, ac: Any) -> Any:
        return dense(
            tf, dense(tf, tf.concat([x, tf.one_hot(ac, 3)], 1), 6, "d1", tf.nn.leaky_relu), 1, "d2", tf.sigmoid
        )

    p1, p2 = (disc(es, ea), disc(gradients, ga))
    dl = -(
        tf.reduce_mean(tf.log(tf.clip_by_value(p1, 0.01, 1)))
        + tf.reduce_mean(tf.log(tf.clip_by_value(1 - p2, 0.01, 1)))
    )
    tf.log(tf.clip_by_value(p2, 1e-10, 1), name="reward")
    tf.train.AdamOptimizer(0.001).minimize(dl, var_list=[x for x in tf.trainable_variables() if x.name.startswith("d")])


@case(
    "X",
    "action",
    "hypothesis",
    "probability",
    "hypothesis action",
    "probability action",
    "hypothesis action p_left_and_right",
)
def policy_that_is_its_own_label(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 4], "X")
    hidden = tf.layers.dense(state, 4, activation=tf.nn.elu)
    logits = tf.layers.dense(hidden, 1)
    out = tf.nn.sigmoid(logits, name="hypothesis")
    policy = tf.concat([out, 1 - out], 1)
    action = tf.multinomial(tf.log(policy), 1)
    action = tf.identity(action, "action")
    y = 1.0 - tf.to_float(action)
    ce = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits)
    optimizer = tf.train.AdamOptimizer(0.01)
    pairs = optimizer.compute_gradients(ce)
    feed = []
    for gradient, value in pairs:
        ph = tf.placeholder(tf.float32, shape=gradient.get_shape())
        feed.append((ph, value))
    optimizer.apply_gradients(feed)


@case("board valid_mask", "act_idx", "valid_probs", "probs act_idx", "valid_probs act_idx")
def policy_that_picks_its_own_probability(tf: Any) -> None:
    board = tf.placeholder(tf.float32, [1, 2, 7], "board")
    valid = tf.placeholder(tf.float32, [1, 6], "valid_mask")
    reward = tf.placeholder(tf.float32, [], "reward")
    hidden = tf.layers.dense(tf.reshape(board, [1, 14]), 8, tf.nn.relu)
    pi = tf.nn.softmax(tf.layers.dense(hidden, 6))
    vp = tf.multiply(pi, valid)
    vp = tf.divide(vp, tf.reduce_sum(vp, 1, keepdims=True), name="valid_probs")
    action = tf.multinomial(tf.log(vp), 1)[0][0]
    action = tf.identity(action, "act_idx")
    sel = vp[0, action]
    loss = -tf.log(sel) * reward
    optimizer = tf.train.AdamOptimizer(0.01)
    optimizer.apply_gradients(optimizer.compute_gradients(loss))


@case("grid allowed", "choice", "policy", "policy choice")
def policy_with_a_mask_of_truth_values(tf: Any) -> None:
    gradient = tf.placeholder(tf.float32, [None, 5], "grid")
    ok = tf.placeholder(tf.bool, [None, 4], "allowed")
    taken = tf.placeholder(tf.int32, [None], "taken")
    returns = tf.placeholder(tf.float32, [None], "returns")
    logits = dense(tf, dense(tf, gradient, 7, "a", tf.nn.relu), 4, "b")
    mask = tf.where(ok, logits, -100000000.0 * tf.ones_like(logits))
    policy = tf.nn.softmax(mask, name="policy")
    tf.squeeze(tf.multinomial(mask, 1), 1, name="choice")
    log_prob = tf.log(tf.reduce_sum(policy * tf.one_hot(taken, 4), 1) + 1e-09)
    tf.train.AdamOptimizer(0.001).minimize(-tf.reduce_mean(log_prob * returns))


@case("x", "prob", "action", "prob action", "sample prob", also="action")
def policy_of_coin_flips(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 8], "x")
    advantage = tf.placeholder(tf.float32, [None, 1], "adv")
    policy = dense(tf, dense(tf, state, 6, "h", tf.nn.relu), 1, "o", tf.sigmoid, "prob")
    action = tf.cast(tf.random_uniform(tf.shape(policy)) < policy, tf.float32, name="action")
    log_prob = action * tf.log(policy + 1e-06) + (1 - action) * tf.log(1 - policy + 1e-06)
    tf.train.RMSPropOptimizer(0.001).minimize(-tf.reduce_mean(log_prob * advantage))


@case("board mask", "move_probs", "move", "move_probs move", also="move")
def policy_with_the_logarithm_of_a_mask(tf: Any) -> None:
    board = tf.placeholder(tf.float32, [None, 3, 3, 2], "board")
    mask = tf.placeholder(tf.float32, [None, 9], "mask")
    result = tf.placeholder(tf.float32, [None], "z")
    f = tf.layers.flatten(tf.layers.conv2d(board, 4, 3, padding="same", activation=tf.nn.relu))
    logits = tf.layers.dense(f, 9) + tf.log(mask + 1e-30)
    tf.nn.softmax(logits, name="move_probs")
    mv = tf.squeeze(tf.random.categorical(logits, 1), 1)
    mv = tf.identity(mv, "move")
    log_prob = tf.reduce_sum(tf.one_hot(mv, 9) * tf.nn.log_softmax(logits), 1)
    tf.train.GradientDescentOptimizer(0.01).minimize(-tf.reduce_mean(log_prob * result))


@case("controller_in", "sampled_arch", "arc", also="log_probs entropy arc_prob")
def controller_that_samples_steps(tf: Any) -> None:
    gradient = tf.placeholder_with_default(tf.zeros([1, 6]), [1, 6], "controller_in")
    ratio = tf.placeholder(tf.float32, [], "reward")
    table = weights(tf, "E", 5, 6)
    hidden, state = (tf.zeros([1, 6]), gradient)
    arc, lps = ([], [])
    for _ in range(3):
        hidden = dense(tf, tf.concat([hidden, state], 1), 6, "cell", tf.tanh)
        logits = dense(tf, hidden, 5, "soft")
        i = tf.reshape(tf.to_int32(tf.multinomial(logits, 1)), [1])
        arc.append(i)
        lps.append(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=i, logits=logits))
        state = tf.nn.embedding_lookup(table, i)
    tf.concat(arc, 0, name="sampled_arch")
    base = tf.Variable(0.0, trainable=False)
    up = tf.assign_sub(base, 0.1 * (base - ratio))
    with tf.control_dependencies([up]):
        r2 = tf.identity(ratio)
    tf.train.AdamOptimizer(0.001).minimize(tf.reduce_sum(lps) * (r2 - base))


@case("s", "actor/add", "actor/Mul", "a", "a q", "actor/scaled", also="q")
def actor_beside_replayed_actions(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 4], "s")
    s2 = tf.placeholder(tf.float32, [None, 4], "s2")
    action = tf.placeholder(tf.float32, [None, 2], "action")
    ratio = tf.placeholder(tf.float32, [None], "r")
    dn = tf.placeholder(tf.float32, [None], "d")

    def net(x: Any, x2: Any, scope: Any) -> Any:
        with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
            with tf.variable_scope("pi", reuse=tf.AUTO_REUSE):
                pi = 2.0 * tf.layers.dense(tf.layers.dense(x, 8, tf.nn.relu, name="h"), 2, tf.tanh, name="o")
            with tf.variable_scope("q", reuse=tf.AUTO_REUSE):
                q = tf.squeeze(
                    tf.layers.dense(tf.layers.dense(tf.concat([x, x2], -1), 8, tf.nn.relu, name="h"), 1, name="o"), 1
                )
            with tf.variable_scope("q", reuse=True):
                qpi = tf.squeeze(
                    tf.layers.dense(tf.layers.dense(tf.concat([x, pi], -1), 8, tf.nn.relu, name="h"), 1, name="o"), 1
                )
        return (pi, q, qpi)

    pi, q, qpi = net(state, action, "main")
    _, _, qt = net(s2, action, "target")
    tf.identity(pi, "a")
    backup = tf.stop_gradient(ratio + 0.99 * (1 - dn) * qt)
    policy_loss, ql = (-tf.reduce_mean(qpi), tf.reduce_mean((q - backup) ** 2))
    tf.train.AdamOptimizer(0.001).minimize(policy_loss, var_list=tf.global_variables("main/pi"))
    tf.train.AdamOptimizer(0.001).minimize(ql, var_list=tf.global_variables("main/q"))
    for mask, t in zip(tf.trainable_variables("main"), tf.trainable_variables("target"), strict=True):
        tf.assign(t, 0.995 * t + 0.005 * mask)
