"""Training and inference graphs of kinds whose inputs and outputs are hard to select, with the right selection.

    python tests/data/endpoints/make.py     # writes graphs.tar.xz; needs TensorFlow 2

Each function builds one graph, here and in the modules of MODULES. `GRAPHS` says for each which inputs and outputs
are right; reading it needs no TensorFlow. Half of the graphs of each kind were made before the rules that select their
outputs.
"""

from __future__ import annotations

import io
import lzma
import tarfile
from pathlib import Path
from typing import Any

from tests.data.endpoints import decoders, distributions, oddities, policies
from tests.data.endpoints.cases import GRAPHS, case, dense, token_loss, weights

ARCHIVE = Path(__file__).with_name("graphs.tar.xz")

# --- teacher forcing -------------------------------------------------------------------------------------------------


class Decoder:
    """A recurrent decoder of four steps over a vocabulary of nine words."""

    def __init__(self, tf: Any, attend_to: Any = None) -> None:
        self.tf, self.attend_to = tf, attend_to
        with tf.variable_scope("decoder_weights"):
            self.embedding = weights(tf, "embedding", 9, 5)

    def step(self, state: Any, word: Any) -> tuple[Any, Any]:
        tf = self.tf
        parts = [tf.nn.embedding_lookup(self.embedding, word), state]
        if self.attend_to is not None:
            score = tf.nn.softmax(tf.reduce_sum(self.attend_to * state[:, None, :], axis=2))
            parts.append(tf.reduce_sum(self.attend_to * score[:, :, None], axis=1))
        state = dense(tf, tf.concat(parts, 1), 6, "cell", tf.tanh)
        return state, dense(tf, state, 9, "projection")


def encode(tf: Any, source: Any) -> Any:
    table = weights(tf, "source_embedding", 11, 6)
    return tf.tanh(tf.nn.embedding_lookup(table, source))


@case("source", "predicted")
def seq2seq_unrolled(tf: Any) -> None:
    source = tf.placeholder(tf.int32, [None, 5], "source")
    target = tf.placeholder(tf.int32, [None, 4], "target")
    state = tf.reduce_mean(encode(tf, source), 1)
    decoder = Decoder(tf)
    start = tf.ones_like(source[:, 0])
    hidden, logits = state, []
    for number in range(4):
        hidden, scores = decoder.step(hidden, start if number == 0 else target[:, number - 1])
        logits.append(scores)
    loss = token_loss(tf, tf.stack(logits, 1, name="train_logits"), target)
    hidden, word, words = state, start, []
    for _ in range(4):
        hidden, scores = decoder.step(hidden, word)
        word = tf.argmax(scores, 1, output_type=tf.int32)
        words.append(word)
    tf.stack(words, 1, name="predicted")
    tf.train.AdamOptimizer().minimize(loss)


@case("encoder_inputs", "predicting_ids", "inference_logits predicting_ids")
def seq2seq_attention_shifted(tf: Any) -> None:
    source = tf.placeholder(tf.int32, [None, None], "encoder_inputs")
    shifted = tf.placeholder(tf.int32, [None, 4], "decoder_inputs")
    target = tf.placeholder(tf.int32, [None, 4], "decoder_targets")
    memory = encode(tf, source)
    decoder = Decoder(tf, memory)
    state, logits = tf.reduce_mean(memory, 1), []
    for number in range(4):
        state, scores = decoder.step(state, shifted[:, number])
        logits.append(scores)
    loss = token_loss(tf, tf.stack(logits, 1, name="training_logits"), target)

    def body(step: Any, state: Any, word: Any, words: Any) -> Any:
        state, scores = decoder.step(state, word)
        word = tf.argmax(scores, 1, output_type=tf.int32)
        return step + 1, state, word, words.write(step, word)

    first = (0, tf.reduce_mean(memory, 1), tf.fill([tf.shape(source)[0]], 1), tf.TensorArray(tf.int32, 4))
    _, _, _, words = tf.while_loop(lambda step, *_: step < 4, body, first)
    tf.transpose(words.stack(), [1, 0], name="predicting_ids")
    optimizer = tf.train.AdamOptimizer()
    pairs = [(tf.clip_by_value(grad, -1, 1), variable) for grad, variable in optimizer.compute_gradients(loss)]
    optimizer.apply_gradients(pairs)


@case("", "generated")
def text_generator_without_input(tf: Any) -> None:
    text = tf.placeholder(tf.int32, [2, 5], "text")
    decoder = Decoder(tf)
    hidden, logits = tf.zeros([2, 6]), []
    for number in range(4):
        hidden, scores = decoder.step(hidden, text[:, number])
        logits.append(scores)
    loss = token_loss(tf, tf.stack(logits, 1), text[:, 1:])
    hidden, word, words = tf.zeros([2, 6]), tf.constant([1, 1]), []
    for _ in range(4):
        hidden, scores = decoder.step(hidden, word)
        word = tf.argmax(scores, 1, output_type=tf.int32)
        words.append(word)
    tf.stack(words, 1, name="generated")
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)


@case("inputs lengths", "decode_1/ids", "decode_1/scores decode_1/ids", "decode_1/scores")
def seq2seq_loops_and_lengths(tf: Any) -> None:
    source = tf.placeholder(tf.int32, [None, 6], "inputs")
    lengths = tf.placeholder(tf.int32, [None], "lengths")
    given = tf.placeholder(tf.int32, [None, 4], "given")
    targets = tf.placeholder(tf.int32, [None, 4], "targets")
    mask = tf.placeholder(tf.float32, [None, 4], "target_mask")
    memory = encode(tf, source) * tf.sequence_mask(lengths, 6, tf.float32)[:, :, None]
    decoder = Decoder(tf, memory)
    begin = tf.reduce_sum(memory, 1)

    def decode(words: Any) -> tuple[Any, Any]:
        def body(step: Any, state: Any, word: Any, ids: Any, scores: Any) -> Any:
            state, logits = decoder.step(state, word if words is None else words[:, step])
            word = tf.argmax(logits, 1, output_type=tf.int32)
            return step + 1, state, word, ids.write(step, word), scores.write(step, logits)

        start = tf.zeros_like(lengths)
        arrays = tf.TensorArray(tf.int32, 4), tf.TensorArray(tf.float32, 4)
        result = tf.while_loop(lambda step, *_: step < 4, body, (0, begin, start, *arrays))
        return tf.transpose(result[3].stack(), [1, 0]), tf.transpose(result[4].stack(), [1, 0, 2])

    with tf.name_scope("decode"):
        _, logits = decode(given)
    with tf.name_scope("decode_1"):
        ids, scores = decode(None)
        tf.identity(ids, name="ids")
        tf.nn.softmax(scores, name="scores")
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
    loss = tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)
    tf.train.RMSPropOptimizer(0.01).minimize(loss)


@case("", "sample")
def character_sampler(tf: Any) -> None:
    text = tf.placeholder(tf.int32, [None, 5], "characters")
    following = tf.placeholder(tf.int32, [None, 5], "following")
    decoder = Decoder(tf)
    hidden, logits = tf.zeros([tf.shape(text)[0], 6]), []
    for number in range(5):
        hidden, scores = decoder.step(hidden, text[:, number])
        logits.append(scores)
    loss = token_loss(tf, tf.stack(logits, 1), following)

    def body(step: Any, state: Any, word: Any, words: Any) -> Any:
        state, scores = decoder.step(state, word)
        word = tf.cast(tf.argmax(scores, 1), tf.int32)
        return step + 1, state, word, words.write(step, word)

    first = (0, tf.zeros([1, 6]), tf.constant([2]), tf.TensorArray(tf.int32, 7))
    words = tf.while_loop(lambda step, *_: step < 7, body, first)[3]
    tf.squeeze(words.stack(), [1], name="sample")
    tf.train.AdagradOptimizer(0.1).minimize(loss)


@case("source shifted", "logits", "probabilities")
def seq2seq_trained_decoder_only(tf: Any) -> None:
    source = tf.placeholder(tf.int32, [None, 5], "source")
    shifted = tf.placeholder(tf.int32, [None, 4], "shifted")
    target = tf.placeholder(tf.int32, [None, 4], "target")
    memory = encode(tf, source)
    decoder = Decoder(tf, memory)
    state, logits = tf.reduce_mean(memory, 1), []
    for number in range(4):
        state, scores = decoder.step(state, shifted[:, number])
        logits.append(scores)
    stacked = tf.stack(logits, 1, name="logits")
    tf.nn.softmax(stacked, name="probabilities")
    tf.train.AdamOptimizer().minimize(token_loss(tf, stacked, target))


# --- actors ----------------------------------------------------------------------------------------------------------


def actor(tf: Any, state: Any, scope: str, name: str | None = None) -> Any:
    hidden = dense(tf, state, 7, f"{scope}/first", tf.nn.relu)
    hidden = dense(tf, hidden, 5, f"{scope}/second", tf.nn.relu)
    return tf.multiply(dense(tf, hidden, 2, f"{scope}/out", tf.tanh), 2.0, name=name)


def critic(tf: Any, state: Any, action: Any, scope: str, name: str | None = None) -> Any:
    hidden = dense(tf, tf.concat([state, action], 1), 6, f"{scope}/first", tf.nn.relu)
    return dense(tf, hidden, 1, f"{scope}/out", name=name)


def follow(tf: Any, scope: str, target: str, tau: float = 0.01) -> None:
    for source, copy in zip(tf.trainable_variables(scope + "/"), tf.trainable_variables(target + "/"), strict=True):
        copy.assign(tau * source + (1 - tau) * copy)


@case("state", "action", also="q")
def ddpg_with_target_networks(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 3], "state")
    action = actor(tf, state, "actor", "action")
    target_state = tf.placeholder(tf.float32, [None, 3], "target_state")
    actor(tf, target_state, "actor_target", "target_action")
    follow(tf, "actor", "actor_target")
    gradient = tf.placeholder(tf.float32, [None, 2], "action_gradient")
    variables = tf.trainable_variables("actor/")
    summed = tf.gradients(action, variables, -gradient)
    tf.train.AdamOptimizer(0.001).apply_gradients([(each / 64.0, v) for each, v in zip(summed, variables, strict=True)])
    critic_state = tf.placeholder(tf.float32, [None, 3], "critic_state")
    critic_action = tf.placeholder(tf.float32, [None, 2], "critic_action")
    q = critic(tf, critic_state, critic_action, "critic", "q")
    other_state = tf.placeholder(tf.float32, [None, 3], "critic_target_state")
    other_action = tf.placeholder(tf.float32, [None, 2], "critic_target_action")
    critic(tf, other_state, other_action, "critic_target", "target_q")
    follow(tf, "critic", "critic_target")
    y = tf.placeholder(tf.float32, [None, 1], "y")
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(tf.square(y - q)), var_list=tf.trainable_variables("critic/"))
    tf.gradients(q, critic_action, name="q_gradients")


@case("observation", "policy", "policy value")
def actor_critic_by_policy_gradient(tf: Any) -> None:
    observation = tf.placeholder(tf.float32, [None, 4], "observation")
    chosen = tf.placeholder(tf.int32, [None], "chosen")
    advantage = tf.placeholder(tf.float32, [None], "advantage")
    hidden = dense(tf, observation, 6, "hidden", tf.nn.relu)
    policy = dense(tf, hidden, 3, "policy_layer", tf.nn.softmax, "policy")
    likelihood = tf.log(tf.reduce_sum(policy * tf.one_hot(chosen, 3), 1) + 1e-8)
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(likelihood * advantage))


@case("s", "mu", also="q_value")
def deterministic_policy_through_critic(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 3], "s")
    following = tf.placeholder(tf.float32, [None, 3], "s_next")
    reward = tf.placeholder(tf.float32, [None, 1], "r")
    mu = actor(tf, state, "main/actor", "mu")
    q = critic(tf, state, mu, "main/critic", "q_value")
    next_action = actor(tf, following, "target/actor")
    next_q = critic(tf, following, next_action, "target/critic")
    error = tf.losses.mean_squared_error(reward + 0.9 * next_q, q)
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(q), var_list=tf.trainable_variables("main/actor"))
    tf.train.AdamOptimizer(0.01).minimize(error, var_list=tf.trainable_variables("main/critic"))
    follow(tf, "main", "target")


@case("obs", "act")
def actor_alone_with_fed_gradient(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 4], "obs")
    hidden = dense(tf, state, 7, "one", tf.nn.elu)
    hidden = dense(tf, hidden, 7, "two", tf.nn.elu)
    action = dense(tf, hidden, 1, "three", tf.sigmoid)
    tf.add(3.0 * action, -1.0, name="act")
    given = tf.placeholder(tf.float32, [None, 1], "dq_da")
    size = tf.cast(tf.shape(state)[0], tf.float32)
    gradients = [each / size for each in tf.gradients(action, tf.trainable_variables(), tf.negative(given))]
    optimizer = tf.train.RMSPropOptimizer(0.001)
    optimizer.apply_gradients(zip(gradients, tf.trainable_variables(), strict=True))


@case("state_in", "output", "chosen_action", "output chosen_action")
def reinforce_with_gradient_buffers(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 4], "state_in")
    hidden = dense(tf, state, 8, "hidden", tf.nn.relu)
    output = dense(tf, hidden, 2, "out", tf.nn.softmax, "output")
    tf.argmax(output, 1, name="chosen_action")
    reward = tf.placeholder(tf.float32, [None], "reward_holder")
    action = tf.placeholder(tf.int32, [None], "action_holder")
    indexes = tf.range(0, tf.shape(output)[0]) * tf.shape(output)[1] + action
    responsible = tf.gather(tf.reshape(output, [-1]), indexes)
    loss = -tf.reduce_mean(tf.log(responsible) * reward)
    variables = tf.trainable_variables()
    holders = [tf.placeholder(tf.float32, name=f"{number}_holder") for number, _ in enumerate(variables)]
    tf.gradients(loss, variables)
    tf.train.AdamOptimizer(0.01).apply_gradients(zip(holders, variables, strict=True))


@case("state", "mean", "mean deviation", "action", "action mean", "action mean deviation")
def gaussian_policy(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 3], "state")
    hidden = dense(tf, state, 6, "body", tf.tanh)
    mean = dense(tf, hidden, 1, "mean_layer", name="mean")
    deviation = dense(tf, hidden, 1, "deviation_layer", tf.nn.softplus, "deviation")
    tf.add(mean, deviation * tf.random_normal(tf.shape(mean)), name="action")
    taken = tf.placeholder(tf.float32, [None, 1], "taken")
    advantage = tf.placeholder(tf.float32, [None, 1], "advantage")
    log_prob = -tf.square(taken - mean) / (2 * tf.square(deviation)) - tf.log(deviation)
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(log_prob * advantage))


# --- encoders --------------------------------------------------------------------------------------------------------


def attention_layer(tf: Any, x: Any, scope: str, mask: Any = None) -> Any:
    """A transformer layer with one head on matrices [16, 8] of one sequence."""
    query, key, value = (dense(tf, x, 8, f"{scope}/{part}") for part in ("query", "key", "value"))
    scores = tf.matmul(query, key, transpose_b=True) / 8**0.5
    if mask is not None:
        scores += (1.0 - tf.cast(mask, tf.float32)) * -10000.0
    attended = dense(tf, tf.matmul(tf.nn.softmax(scores), value), 8, f"{scope}/attended") + x
    wide = dense(tf, attended, 16, f"{scope}/intermediate", tf.nn.relu)
    return dense(tf, wide, 8, f"{scope}/output") + attended


@case(
    "ids mask segments", "pooled enc/Reshape_3", "enc/Reshape_3 pooled", also="enc/Reshape enc/Reshape_1 enc/Reshape_2"
)
def encoder_with_attention(tf: Any) -> None:
    ids = tf.placeholder(tf.int32, [1, 16], "ids")
    mask = tf.placeholder(tf.int32, [1, 16], "mask")
    segments = tf.placeholder(tf.int32, [1, 16], "segments")
    x = tf.nn.embedding_lookup(weights(tf, "words", 30, 8), ids)
    x += tf.nn.embedding_lookup(weights(tf, "types", 2, 8), segments)
    x = tf.reshape(x, [16, 8])
    with tf.name_scope("enc"):
        for number in range(4):
            x = attention_layer(tf, x, f"layer_{number}", mask)
            last = tf.reshape(x, [1, 16, 8])
    dense(tf, tf.squeeze(last[:, 0:1, :], 1), 8, "pooler", tf.tanh, "pooled")


def pretraining_heads(tf: Any, sequence: Any, pooled: Any, table: Any) -> None:
    positions = tf.placeholder(tf.int32, [1, 3], "masked_lm_positions")
    ids = tf.placeholder(tf.int32, [1, 3], "masked_lm_ids")
    label_weights = tf.placeholder(tf.float32, [1, 3], "masked_lm_weights")
    labels = tf.placeholder(tf.int32, [1, 1], "next_sentence_labels")
    gathered = tf.gather(tf.reshape(sequence, [16, 8]), tf.reshape(positions, [-1]))
    with tf.name_scope("cls"):
        transformed = dense(tf, gathered, 8, "transform", tf.nn.relu)
        logits = tf.nn.bias_add(tf.matmul(transformed, table, transpose_b=True), weights(tf, "output_bias", 30))
        log_probs = tf.nn.log_softmax(logits, name="masked_log_probs")
        one_hot = tf.one_hot(tf.reshape(ids, [-1]), 30)
        per_example = -tf.reduce_sum(log_probs * one_hot, axis=[-1])
        flat = tf.reshape(label_weights, [-1])
        masked_loss = tf.reduce_sum(flat * per_example) / (tf.reduce_sum(flat) + 1e-5)
    with tf.name_scope("cls_1"):
        next_log_probs = tf.nn.log_softmax(dense(tf, pooled, 2, "relationship"), name="next_log_probs")
        next_loss = tf.reduce_mean(-tf.reduce_sum(tf.one_hot(tf.reshape(labels, [-1]), 2) * next_log_probs, axis=-1))
    tf.add(masked_loss, next_loss, name="total_loss")


@case(
    "input_ids masked_lm_positions",
    "cls/masked_log_probs cls_1/next_log_probs",
    also="bert/pooled bert/Reshape_1 bert/Reshape_2 bert/Reshape_3",
)
def pretraining_without_optimizer(tf: Any) -> None:
    ids = tf.placeholder(tf.int32, [1, 16], "input_ids")
    table = weights(tf, "words", 30, 8)
    with tf.name_scope("bert"):
        x = tf.reshape(tf.nn.embedding_lookup(table, ids), [16, 8])
        for number in range(3):
            x = attention_layer(tf, x, f"layer_{number}")
            last = tf.reshape(x, [1, 16, 8])
        pooled = dense(tf, tf.squeeze(last[:, 0:1, :], 1), 8, "pooler", tf.tanh, "pooled")
    pretraining_heads(tf, last, pooled, table)


@case("tokens", "summary top/block_out", also="block_0/block_out block_1/block_out")
def encoder_with_layers_of_two_kinds(tf: Any) -> None:
    tokens = tf.placeholder(tf.int32, [None, 16], "tokens")
    x = tf.nn.embedding_lookup(weights(tf, "table", 20, 8), tokens)
    for number, scope in enumerate(("block_0", "block_1", "top")):
        with tf.name_scope(scope):
            if number % 2:
                x = tf.nn.relu(tf.nn.conv1d(x, weights(tf, f"filters_{number}", 3, 8, 8), 1, "SAME")) + x
            else:
                flat = dense(tf, tf.reshape(x, [-1, 8]), 8, f"layer_{number}", tf.tanh)
                x = tf.reshape(flat, [-1, 16, 8]) + x
            last = tf.transpose(x, [0, 2, 1], name="block_out")
    dense(tf, tf.reduce_mean(last, 2), 8, "summary_layer", tf.tanh, "summary")


@case(
    "token_ids input_mask masked_lm_positions",
    "cls/masked_log_probs cls_1/next_log_probs",
    also="pool albert/Identity albert/Identity_1",
)
def pretraining_with_shared_layers(tf: Any) -> None:
    ids = tf.placeholder(tf.int32, [1, 16], "token_ids")
    mask = tf.placeholder(tf.int32, [1, 16], "input_mask")
    table = weights(tf, "words", 30, 8)
    x = tf.reshape(tf.nn.embedding_lookup(table, ids), [16, 8])
    with tf.name_scope("albert"):
        for _ in range(2):
            x = attention_layer(tf, x, "group", mask)
            last = tf.identity(tf.reshape(x, [1, 16, 8]))
    pooled = dense(tf, last[:, 0, :], 8, "pooler", tf.tanh, "pool")
    pretraining_heads(tf, last, pooled, table)


# --- conditional random fields ---------------------------------------------------------------------------------------


def crf_loss(tf: Any, unary: Any, tags: Any, transitions: Any, steps: int, tag_count: int) -> Any:
    """The mean negative log likelihood of tags."""
    alpha = unary[:, 0]
    for number in range(1, steps):
        alpha = tf.reduce_logsumexp(alpha[:, :, None] + transitions[None], axis=1) + unary[:, number]
    score = tf.reduce_sum(unary * tf.one_hot(tags, tag_count), [1, 2])
    score += tf.reduce_sum(tf.gather_nd(transitions, tf.stack([tags[:, :-1], tags[:, 1:]], -1)), 1)
    return tf.reduce_mean(tf.reduce_logsumexp(alpha, 1) - score, name="loss")


def scores_of_words(tf: Any, words: Any, tag_count: int, name: str) -> Any:
    steps = words.shape[1]
    x = tf.nn.embedding_lookup(weights(tf, "embedding", 12, 6), words)
    flat = dense(tf, tf.reshape(x, [-1, 6]), tag_count, "scores")
    return tf.reshape(flat, [-1, steps, tag_count], name=name)


@case("words", "path best_score", "path", also="unary")
def crf_decoded_in_a_loop(tf: Any) -> None:
    words = tf.placeholder(tf.int32, [None, 5], "words")
    tags = tf.placeholder(tf.int32, [None, 5], "tags")
    transitions = weights(tf, "transitions", 4, 4)
    unary = scores_of_words(tf, words, 4, "unary")
    loss = crf_loss(tf, unary, tags, transitions, 5, 4)
    tf.train.AdamOptimizer(0.01).minimize(loss)
    across = tf.transpose(unary, [1, 0, 2])

    def forward(step: Any, score: Any, pointers: Any) -> Any:
        sums = score[:, :, None] + transitions[None]
        pointer = tf.argmax(sums, 1, output_type=tf.int32)
        return step + 1, tf.reduce_max(sums, 1) + across[step], pointers.write(step, pointer)

    start = (1, across[0], tf.TensorArray(tf.int32, 5, clear_after_read=False))
    _, score, pointers = tf.while_loop(lambda step, *_: step < 5, forward, start)
    tf.reduce_max(score, 1, name="best_score")

    def backward(step: Any, tag: Any, path: Any) -> Any:
        tag = tf.gather(pointers.read(step), tag, axis=1, batch_dims=1)
        return step - 1, tag, path.write(step - 1, tag)

    last = tf.argmax(score, 1, output_type=tf.int32)
    begin = (4, last, tf.TensorArray(tf.int32, 5).write(4, last))
    path = tf.while_loop(lambda step, *_: step > 0, backward, begin)[2]
    tf.transpose(path.stack(), [1, 0], name="path")


@case("tokens", "decoded", "decoded viterbi_score", also="emissions")
def crf_decoded_by_one_hot(tf: Any) -> None:
    words = tf.placeholder(tf.int32, [None, 4], "tokens")
    tags = tf.placeholder(tf.int32, [None, 4], "gold")
    transitions = weights(tf, "pairs", 3, 3)
    emissions = scores_of_words(tf, words, 3, "emissions")
    score, pointers = emissions[:, 0], []
    for number in range(1, 4):
        sums = score[:, :, None] + transitions[None]
        pointers.append(tf.argmax(sums, 1))
        score = tf.reduce_max(sums, 1) + emissions[:, number]
    tf.reduce_max(score, 1, name="viterbi_score")
    path = [tf.argmax(score, 1)]
    for pointer in reversed(pointers):
        path.append(tf.reduce_sum(pointer * tf.one_hot(path[-1], 3, dtype=tf.int64), 1))
    tf.stack(path[::-1], 1, name="decoded")
    tf.train.AdagradOptimizer(0.1).minimize(crf_loss(tf, emissions, tags, transitions, 4, 3))


@case("chars lengths", "tag_ids", "tag_ids best", also="scores_3d")
def crf_with_lengths_and_reversal(tf: Any) -> None:
    words = tf.placeholder(tf.int32, [None, 5], "chars")
    lengths = tf.placeholder(tf.int32, [None], "lengths")
    tags = tf.placeholder(tf.int32, [None, 5], "targets")
    transitions = weights(tf, "crf", 3, 3)
    unary = scores_of_words(tf, words, 3, "scores_3d")
    mask = tf.sequence_mask(lengths, 5, tf.float32)
    alpha = unary[:, 0]
    for number in range(1, 5):
        following = tf.reduce_logsumexp(alpha[:, :, None] + transitions[None], axis=1) + unary[:, number]
        alpha = tf.where(mask[:, number] > 0, following, alpha)
    score = tf.reduce_sum(tf.reduce_sum(unary * tf.one_hot(tags, 3), 2) * mask, 1)
    likelihood = score - tf.reduce_logsumexp(alpha, 1)
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_mean(-likelihood))
    score, pointers = unary[:, 0], []
    for number in range(1, 5):
        sums = score[:, :, None] + transitions[None]
        pointers.append(tf.argmax(sums, 1, output_type=tf.int32))
        score = tf.where(mask[:, number] > 0, tf.reduce_max(sums, 1) + unary[:, number], score)
    pointers = tf.reverse_sequence(tf.stack(pointers, 1), lengths - 1, seq_axis=1)
    tf.reduce_max(score, 1, name="best")
    tag = tf.argmax(score, 1, output_type=tf.int32)
    rows, path = tf.range(tf.shape(tag)[0]), [tag]
    for number in range(4):
        path.append(tf.gather_nd(pointers[:, number], tf.stack([rows, path[-1]], 1)))
    tf.reverse_sequence(tf.stack(path, 1), lengths, seq_axis=1, name="tag_ids")


@case("features", "viterbi", also="logits")
def crf_whose_decoding_feeds_an_accuracy(tf: Any) -> None:
    features = tf.placeholder(tf.float32, [None, 4, 5], "features")
    tags = tf.placeholder(tf.int32, [None, 4], "labels")
    transitions = weights(tf, "transition_params", 3, 3)
    logits = tf.reshape(dense(tf, tf.reshape(features, [-1, 5]), 3, "dense"), [-1, 4, 3], name="logits")
    loss = crf_loss(tf, logits, tags, transitions, 4, 3)
    score, pointers = logits[:, 0], []
    for number in range(1, 4):
        sums = score[:, :, None] + transitions[None]
        pointers.append(tf.argmax(sums, 1, output_type=tf.int32))
        score = tf.reduce_max(sums, 1) + logits[:, number]
    path = [tf.argmax(score, 1, output_type=tf.int32)]
    for pointer in reversed(pointers):
        path.append(tf.gather(pointer, path[-1], axis=1, batch_dims=1))
    decoded = tf.stack(path[::-1], 1, name="viterbi")
    tf.reduce_mean(tf.cast(tf.equal(decoded, tags), tf.float32), name="accuracy")
    tf.train.AdamOptimizer(0.01).minimize(loss)


# --- twin towers -----------------------------------------------------------------------------------------------------


def image_tower(tf: Any, image: Any, keep: float | None) -> Any:
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE, auxiliary_name_scope=False):
        x = tf.nn.relu(tf.nn.conv2d(image, weights(tf, "filters", 3, 3, 1, 4), 1, "SAME"))
        x = tf.nn.max_pool(x, 2, 2, "VALID")
    x = tf.reshape(x, [-1, 64])
    if keep is not None:
        x = tf.nn.dropout(x, keep_prob=keep)
    x = dense(tf, x, 6, "net/hidden", tf.nn.relu)
    if keep is not None:
        x = tf.nn.dropout(x, keep_prob=keep)
    return dense(tf, x, 3, "net/out")


@case("images", "predict/probabilities", "predict/classes", "predict/probabilities predict/classes")
def convolutional_towers(tf: Any) -> None:
    images = tf.placeholder(tf.float32, [None, 8, 8, 1], "images")
    labels = tf.placeholder(tf.int64, [None], "labels")
    with tf.name_scope("train"):
        logits = image_tower(tf, images, 0.5)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    with tf.name_scope("predict"):
        scores = image_tower(tf, images, None)
        tf.nn.softmax(scores, name="probabilities")
        tf.argmax(scores, 1, name="classes")
    tf.train.AdamOptimizer(0.01).minimize(loss)


@case("x", "eval_logits", "eval_prob")
def towers_with_accuracy(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 6], "x")
    y = tf.placeholder(tf.float32, [None, 3], "y")
    logits = dense(tf, tf.nn.dropout(dense(tf, x, 7, "one", tf.nn.relu), rate=0.4), 3, "two", name="train_logits")
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    evaluated = dense(tf, dense(tf, x, 7, "one", tf.nn.relu), 3, "two", name="eval_logits")
    right = tf.equal(tf.argmax(evaluated, 1), tf.argmax(y, 1))
    tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")


@case("sequence", "valid/output")
def recurrent_towers(tf: Any) -> None:
    sequence = tf.placeholder(tf.float32, [None, 4, 3], "sequence")
    target = tf.placeholder(tf.float32, [None, 1], "target")

    def tower(is_training: bool) -> Any:
        state = tf.zeros([tf.shape(sequence)[0], 5])
        for number in range(4):
            x = sequence[:, number]
            if is_training:
                x = tf.nn.dropout(x, rate=0.3)
            state = dense(tf, tf.concat([x, state], 1), 5, "cell", tf.tanh)
        return dense(tf, state, 1, "regression", name="output")

    with tf.name_scope("training"):
        trained = tower(True)
    with tf.name_scope("valid"):
        valid = tower(False)
    loss = tf.losses.mean_squared_error(target, trained)
    with tf.name_scope("validation_error"):
        tf.reduce_mean(tf.square(valid - target), name="error")
    tf.train.AdamOptimizer(0.01).minimize(loss)


@case("q d", "score_1", "score_1 match")
def matching_towers_with_noise(tf: Any) -> None:
    q = tf.placeholder(tf.float32, [None, 5], "q")
    d = tf.placeholder(tf.float32, [None, 5], "d")
    label = tf.placeholder(tf.float32, [None, 1], "label")

    def tower(is_training: bool) -> Any:
        parts = []
        for x in (q, d):
            if is_training:
                x += tf.random_normal(tf.shape(x), stddev=0.1)
            parts.append(dense(tf, x, 4, "shared", tf.nn.relu))
        return dense(tf, tf.concat(parts, 1), 1, "score_layer", tf.sigmoid, "score")

    train = tower(True)
    entropy = label * tf.log(train + 1e-7) + (1 - label) * tf.log(1 - train + 1e-7)
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(entropy))
    tf.greater(tower(False), 0.5, name="match")


@case("images", "test/scores")
def towers_with_batch_norms(tf: Any) -> None:
    images = tf.placeholder(tf.float32, [None, 4, 4, 1], "images")
    labels = tf.placeholder(tf.int64, [None], "labels")

    def tower(is_training: bool) -> Any:
        with tf.variable_scope("net", reuse=tf.AUTO_REUSE, auxiliary_name_scope=False):
            x = tf.nn.conv2d(images, weights(tf, "filters", 3, 3, 1, 4), 1, "SAME")
            scale, offset = weights(tf, "scale", 4), weights(tf, "offset", 4)
            mean = tf.get_variable("mean", 4, trainable=False)
            variance = tf.get_variable("variance", 4, trainable=False)
        averages = {} if is_training else {"mean": mean, "variance": variance}
        x, batch_mean, _ = tf.nn.fused_batch_norm(x, scale, offset, is_training=is_training, **averages)
        if is_training:
            mean.assign(0.9 * mean + 0.1 * batch_mean)
        return dense(tf, tf.reshape(tf.nn.relu(x), [-1, 64]), 3, "net/out")

    with tf.name_scope("train"):
        logits = tower(True)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    with tf.name_scope("test"):
        tf.nn.softmax(tower(False), name="scores")
    tf.train.AdamOptimizer(0.01).minimize(loss)


@case("x", "out")
def dropout_without_a_twin(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 6], "x")
    y = tf.placeholder(tf.float32, [None, 3], "y")
    hidden = tf.nn.dropout(dense(tf, x, 7, "one", tf.nn.relu), rate=0.4)
    out = dense(tf, hidden, 3, "two", tf.sigmoid, name="out")
    tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(tf.square(out - y)))


# --- batches that are built in ---------------------------------------------------------------------------------------


@case("x", "y")
def batch_of_a_recurrent_state(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 3, 4], "x")
    state = tf.fill([5, 6], 0.0)
    for number in range(3):
        state = tf.tanh(tf.matmul(tf.concat([x[:, number], state], 1), tf.constant([[0.1] * 6] * 10)))
    tf.nn.softmax(state, name="y")


@case("x", "y")
def batch_of_a_reshape(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 4], "x")
    hidden = tf.nn.relu(tf.matmul(x, tf.constant([[0.3] * 6] * 4)))
    tf.reduce_sum(tf.reshape(hidden, [12, 2, 3]), 2, name="y")


@case("ids", "y")
def batch_of_a_loop(tf: Any) -> None:
    ids = tf.placeholder(tf.int32, [None, 3], "ids")
    x = tf.gather(tf.constant(0.5, shape=[10, 2]), ids)

    def body(step: Any, state: Any) -> Any:
        return step + 1, tf.tanh(tf.concat([x[:, step], state], 1)[:, :2] + state)

    tf.identity(tf.while_loop(lambda step, _: step < 3, body, (0, tf.zeros([7, 2])))[1], name="y")


@case("x z", "y")
def batch_of_a_pair(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 3], "x")
    z = tf.placeholder(tf.float32, [None, 2], "z")
    noise = tf.constant([[0.5]] * 9)
    tf.matmul(tf.concat([x, z, noise], 1), tf.constant([[0.5, -1.0]] * 6), name="y")


# --- several results -------------------------------------------------------------------------------------------------


@case("x", "label embedding")
def names_of_classes_beside_an_embedding(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 4], "x")
    hidden = tf.nn.relu(tf.matmul(x, tf.constant([[0.5] * 6] * 4)))
    tf.matmul(hidden, tf.constant([[0.25] * 3] * 6), name="embedding")
    best = tf.argmax(tf.matmul(hidden, tf.constant([[0.1, 0.2, 0.3]] * 6)), 1)
    tf.identity(tf.gather(tf.constant(["a", "b", "c"]), best), name="label")


@case("x", "names probabilities")
def names_and_probabilities(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 4], "x")
    logits = tf.matmul(x, tf.constant([[0.5, 0.1, 0.2]] * 4))
    tf.nn.softmax(logits, name="probabilities")
    tf.identity(tf.gather(tf.constant(["a", "b", "c"]), tf.argmax(logits, 1)), name="names")


@case("image", "caption box")
def text_beside_boxes(tf: Any) -> None:
    image = tf.placeholder(tf.float32, [None, 6, 6, 1], "image")
    features = tf.reshape(tf.nn.conv2d(image, tf.constant(0.5, shape=[3, 3, 1, 2]), 2, "SAME"), [-1, 18])
    tf.nn.relu(tf.matmul(features, tf.constant(0.5, shape=[18, 4])), name="box")
    best = tf.argmax(tf.matmul(features, tf.constant(0.25, shape=[18, 3])), 1)
    tf.strings.as_string(best, name="as_string")
    tf.identity(tf.strings.join(["class ", tf.strings.as_string(best)]), name="caption")


# --- inputs with defaults --------------------------------------------------------------------------------------------


@case("image", "prob")
def image_with_default_beside_keep_prob(tf: Any) -> None:
    image = tf.placeholder_with_default(tf.zeros([1, 6]), [None, 6], "image")
    keep = tf.placeholder_with_default(1.0, [], "keep_prob")
    x = tf.nn.relu(tf.matmul(image, tf.constant(0.5, shape=[6, 4])))
    x = x * tf.floor(tf.random_uniform(tf.shape(x)) + keep) / keep
    tf.nn.softmax(tf.matmul(x, tf.constant(0.25, shape=[4, 3])), name="prob")


@case("sentence", "score")
def sequence_with_default_beside_is_training(tf: Any) -> None:
    sentence = tf.placeholder_with_default(tf.zeros([1, 5], tf.int32), [None, 5], "sentence")
    training = tf.placeholder_with_default(False, [], "is_training")
    x = tf.reduce_mean(tf.gather(tf.constant(0.5, shape=[9, 4]), sentence), 1)
    x = tf.cond(training, lambda: tf.nn.dropout(x, rate=0.5), lambda: x)
    tf.sigmoid(tf.matmul(x, tf.constant(0.25, shape=[4, 1])), name="score")


@case("pixels", "y")
def placeholder_beside_a_threshold_with_default(tf: Any) -> None:
    pixels = tf.placeholder(tf.float32, [None, 6], "pixels")
    keep = tf.placeholder_with_default(1.0, [], "keep")
    x = tf.nn.dropout(tf.matmul(pixels, tf.constant(0.5, shape=[6, 4])), rate=1 - keep)
    tf.nn.softmax(x, name="y")


# --- recommenders and critics -----------------------------------------------------------------------------------------


@case("history candidates", "ranking")
def recommender_with_items_to_rank(tf: Any) -> None:
    history = tf.placeholder(tf.int32, [None, 4], "history")
    liked = tf.placeholder(tf.int32, [None], "liked")
    disliked = tf.placeholder(tf.int32, [None], "disliked")
    candidates = tf.placeholder(tf.int32, [9], "candidates")
    items = weights(tf, "items", 20, 6)
    user = dense(tf, tf.reduce_mean(tf.nn.embedding_lookup(items, history), 1), 6, "user", tf.tanh)
    good = tf.sigmoid(tf.reduce_sum(user * tf.nn.embedding_lookup(items, liked), 1))
    bad = tf.sigmoid(tf.reduce_sum(user * tf.nn.embedding_lookup(items, disliked), 1))
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(tf.log(good + 1e-8) + tf.log(1 - bad + 1e-8)))
    tf.matmul(user, tf.nn.embedding_lookup(items, candidates), transpose_b=True, name="ranking")


@case("s", "a")
def critic_with_a_condition(tf: Any) -> None:
    training = tf.placeholder_with_default(False, [], "learning_phase")
    state = tf.placeholder(tf.float32, [None, 3], "s")
    action = actor(tf, state, "actor", "a")
    given = tf.placeholder(tf.float32, [None, 2], "given")
    variables = tf.trainable_variables("actor/")
    gradients = tf.gradients(action, variables, -given)
    tf.train.AdamOptimizer(0.001).apply_gradients(zip(gradients, variables, strict=True))
    other_state = tf.placeholder(tf.float32, [None, 3], "other_state")
    other_action = tf.placeholder(tf.float32, [None, 2], "other_action")
    x = tf.concat([other_state, other_action], 1)
    x = tf.cond(training, lambda: x - tf.reduce_mean(x, 0), lambda: x * 0.5)
    q = dense(tf, dense(tf, x, 6, "critic/first", tf.nn.relu), 1, "critic/out", name="q")
    tf.gradients(q, other_action)
    target = tf.placeholder(tf.float32, [None, 1], "target")
    tf.train.AdamOptimizer(0.01).minimize(
        tf.reduce_mean(tf.square(target - q)), var_list=tf.trainable_variables("critic")
    )


# --- critics of replayed actions -------------------------------------------------------------------------------------


def actor_network(tf: Any, state: Any) -> Any:
    return tf.multiply(dense(tf, dense(tf, state, 6, "actor/one", tf.nn.relu), 2, "actor/two", tf.tanh), 2.0, "action")


def late_critic(tf: Any, state: Any, action: Any) -> Any:
    """A critic that takes the action after its first layer."""
    hidden = dense(tf, state, 6, "critic/one", tf.nn.relu)
    return dense(tf, dense(tf, tf.concat([hidden, action], 1), 6, "critic/two", tf.nn.relu), 1, "critic/three")


def critic_losses(tf: Any) -> tuple[Any, Any]:
    """Return the loss of an actor, minus the mean score of its actions, and the loss of the critic."""
    state = tf.placeholder(tf.float32, [None, 3], "state")
    replayed = tf.placeholder(tf.float32, [None, 2], "replayed")
    target = tf.placeholder(tf.float32, [None, 1], "target")
    action = actor_network(tf, state)
    error = late_critic(tf, state, replayed) - target
    return -tf.reduce_mean(late_critic(tf, state, action)), tf.reduce_mean(tf.square(error))


@case("state", "action")
def critic_that_takes_actions_late(tf: Any) -> None:
    actor_loss, critic_loss = critic_losses(tf)
    tf.train.AdamOptimizer(0.01).minimize(actor_loss, var_list=tf.trainable_variables("actor"))
    tf.train.AdamOptimizer(0.01).minimize(critic_loss, var_list=tf.trainable_variables("critic"))


@case("state", "action")
def critic_whose_losses_train_all_variables(tf: Any) -> None:
    for loss in critic_losses(tf):
        tf.train.GradientDescentOptimizer(0.01).minimize(loss)


@case("state", "action")
def critic_with_flat_gradients(tf: Any) -> None:
    """A program outside of the graph takes the gradients and sets the variables."""
    for loss, name in zip(critic_losses(tf), ("actor", "critic"), strict=True):
        variables = tf.trainable_variables(name)
        tf.concat([tf.reshape(each, [-1]) for each in tf.gradients(loss, variables)], 0)
        for variable in variables:
            tf.assign(variable, tf.placeholder(tf.float32, variable.shape))


@case("observation")
def gaussian_policy_with_joined_parameters(tf: Any) -> None:
    """The mean and the logarithm of the deviation go through one tensor."""
    observation = tf.placeholder(tf.float32, [None, 3], "observation")
    action = tf.placeholder(tf.float32, [None, 2])
    advantage, returned, old = (tf.placeholder(tf.float32, [None]) for _ in range(3))
    mean = dense(tf, dense(tf, observation, 6, "hidden", tf.tanh), 2, "mean", name="policy/mean")
    values = tf.squeeze(dense(tf, observation, 1, "value"), 1, name="values")
    joined = tf.concat([mean, mean * 0.0 + weights(tf, "deviation", 1, 2)], 1)
    center, deviation = tf.split(joined, 2, 1)
    likelihood = tf.reduce_sum(tf.square((action - center) / tf.exp(deviation)), 1) / 2.0 + tf.reduce_sum(deviation, 1)
    ratio = tf.exp(old - likelihood)
    surrogate = tf.reduce_mean(tf.maximum(-advantage * ratio, -advantage * tf.clip_by_value(ratio, 0.8, 1.2)))
    tf.train.AdamOptimizer(0.01).minimize(surrogate + tf.reduce_mean(tf.square(values - returned)))


@case("state", "probabilities")
def policy_beside_the_logarithm_of_old_probabilities(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 3], "state")
    taken, old = (tf.placeholder(tf.float32, [None, 4]) for _ in range(2))
    advantage = tf.placeholder(tf.float32, [None])
    policy = tf.nn.softmax(dense(tf, state, 4, "scores"), name="probabilities")
    ratio = tf.exp(tf.reduce_sum((tf.log(policy + 1e-8) - tf.log(old + 1e-8)) * taken, 1))
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(ratio * advantage))


@case("", "sampled")
def word_sampler_trained_by_rewards(tf: Any) -> None:
    """The words that are rewarded are fed to the network too, and those that it writes are drawn."""
    words = tf.placeholder(tf.int32, [8, 4], "words")
    rewards = tf.placeholder(tf.float32, [8, 4], "rewards")
    decoder, start = Decoder(tf), tf.zeros([8], tf.int32)
    state, word, likelihoods = tf.zeros([8, 6]), start, []
    for number in range(4):
        state, scores = decoder.step(state, word)
        word = words[:, number]
        likelihoods.append(tf.reduce_sum(tf.one_hot(word, 9) * tf.log(tf.nn.softmax(scores)), 1))
    loss = -tf.reduce_mean(tf.stack(likelihoods, 1) * rewards)
    state, word, drawn = tf.zeros([8, 6]), start, []
    for _ in range(4):
        state, scores = decoder.step(state, word)
        word = tf.cast(tf.multinomial(scores, 1)[:, 0], tf.int32)
        drawn.append(word)
    tf.stack(drawn, 1, name="sampled")
    tf.train.AdamOptimizer(0.01).minimize(loss)


# --- masks -----------------------------------------------------------------------------------------------------------


@case("state legal", "legal_probabilities", "choice", "legal_probabilities choice")
def policy_of_legal_moves(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 3], "state")
    legal = tf.placeholder(tf.float32, [None, 4], "legal")
    taken, advantage = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None])
    policy = tf.nn.softmax(dense(tf, state, 4, "scores")) * legal
    policy = tf.divide(policy, tf.reduce_sum(policy, 1, keepdims=True), name="legal_probabilities")
    tf.argmax(policy, 1, name="choice")
    likelihood = tf.log(tf.reduce_sum(policy * taken, 1) + 1e-8)
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(likelihood * advantage))


@case("state legal")
def policy_and_value_of_legal_moves(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 3], "state")
    legal = tf.placeholder(tf.float32, [None, 4], "legal")
    searched, result = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 1])
    hidden = dense(tf, state, 6, "hidden", tf.nn.relu)
    policy = tf.nn.softmax(dense(tf, hidden, 4, "scores")) * legal
    policy = tf.divide(policy, tf.reduce_sum(policy, 1, keepdims=True), name="legal_probabilities")
    error = tf.square(dense(tf, hidden, 1, "value", tf.tanh, "value") - result)
    entropy = tf.reduce_sum(searched * tf.log(policy + 1e-9), 1)
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(error) - tf.reduce_mean(entropy))


@case("state legal", "probabilities", "legal_scores")
def scores_of_illegal_moves_are_lowered(tf: Any) -> None:
    state = tf.placeholder(tf.float32, [None, 3], "state")
    legal = tf.placeholder(tf.float32, [None, 4], "legal")
    moves = tf.placeholder(tf.float32, [None, 4], "moves")
    scores = tf.add(dense(tf, state, 4, "scores"), (1.0 - legal) * -1e9, name="legal_scores")
    tf.nn.softmax(scores, name="probabilities")
    loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=moves, logits=scores)
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(loss))


@case("points measured")
def segmentation_of_measured_points(tf: Any) -> None:
    """As of a laser image: the mask also weighs the loss, which takes the scores without it."""
    points = tf.placeholder(tf.float32, [None, 8, 8, 3], "points")
    measured = tf.placeholder(tf.float32, [None, 8, 8, 1], "measured")
    labels = tf.placeholder(tf.int32, [None, 8, 8], "labels")
    scores = tf.nn.conv2d(points, weights(tf, "filters", 3, 3, 3, 4), 1, "SAME")
    masked = tf.multiply(tf.nn.softmax(scores), measured, name="masked")
    tf.argmax(masked, 3, name="classes")
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    loss = tf.reduce_sum(entropy * measured[..., 0]) / tf.reduce_sum(measured)
    tf.train.AdamOptimizer(0.01).minimize(loss)


@case("points", "probabilities", "classes", "probabilities classes")
def segmentation_with_weights_of_points(tf: Any) -> None:
    points = tf.placeholder(tf.float32, [None, 8, 8, 3], "points")
    weight = tf.placeholder(tf.float32, [None, 8, 8], "weight")
    labels = tf.placeholder(tf.int32, [None, 8, 8], "labels")
    scores = tf.nn.conv2d(points, weights(tf, "filters", 3, 3, 3, 4), 1, "SAME")
    classes = tf.argmax(tf.nn.softmax(scores, name="probabilities"), 3, output_type=tf.int32, name="classes")
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    tf.reduce_mean(tf.cast(tf.equal(classes, labels), tf.float32) * weight, name="accuracy")
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(entropy * weight))


@case("features", "angles")
def margins_of_labels(tf: Any) -> None:
    """The loss lowers the scores of the true classes, and an accuracy chooses of these: the labels are not a mask."""
    features = tf.placeholder(tf.float32, [None, 5], "features")
    labels = tf.placeholder(tf.int32, [None], "labels")
    angles = tf.matmul(features, weights(tf, "centers", 5, 4), name="angles")
    scores = angles - 0.35 * tf.one_hot(labels, 4)
    right = tf.equal(tf.argmax(tf.nn.softmax(scores), 1, output_type=tf.int32), labels)
    tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(loss))


# --- inputs that look like labels ------------------------------------------------------------------------------------


@case("state", "values")
def values_near_old_values(tf: Any) -> None:
    """The old values are not data, although the change of the values is added to them."""
    state = tf.placeholder(tf.float32, [None, 3], "state")
    old, returned = (tf.placeholder(tf.float32, [None, 1], name) for name in ("old", "returned"))
    values = dense(tf, state, 1, "value", name="values")
    near = old + tf.clip_by_value(values - old, -0.2, 0.2)
    errors = tf.maximum(tf.square(values - returned), tf.square(near - returned))
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(errors))


@case("image caption", "words")
def caption_that_is_its_own_label(tf: Any) -> None:
    image = tf.placeholder(tf.float32, [None, 6], "image")
    caption = tf.placeholder(tf.int32, [None, 6], "caption")
    given, following = caption[:, :-1], caption[:, 1:]
    table = weights(tf, "embedding", 9, 6)
    state, states = dense(tf, image, 6, "image", tf.tanh), []
    for number in range(5):
        word = tf.nn.embedding_lookup(table, given[:, number])
        state = dense(tf, tf.concat([word, state], 1), 6, "cell", tf.tanh)
        states.append(state)
    scores = dense(tf, tf.reshape(tf.stack(states, 1), [-1, 6]), 9, "words", name="words")
    mask = tf.reshape(tf.cast(tf.not_equal(following, 0), tf.float32), [-1])
    labels = tf.reshape(following, [-1])
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_sum(entropy * mask) / tf.reduce_sum(mask))


@case("user item", "score")
def items_in_pairs(tf: Any) -> None:
    """A loss without labels compares the scores of an item that a user took and of another one."""
    user, item, other = (tf.placeholder(tf.int32, [None], name) for name in ("user", "item", "other"))
    users, items, popularity = weights(tf, "users", 7, 4), weights(tf, "items", 9, 4), weights(tf, "popularity", 9)

    def score(item: Any, name: str) -> Any:
        factors = tf.nn.embedding_lookup(users, user) * tf.nn.embedding_lookup(items, item)
        return tf.add(tf.reduce_sum(factors, 1), tf.nn.embedding_lookup(popularity, item), name=name)

    difference = score(item, "score") - score(other, "other_score")
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(tf.log(tf.sigmoid(difference))))


@case("state")
def policy_beside_a_critic_of_another_state(tf: Any) -> None:
    state, seen = (tf.placeholder(tf.float32, [1, 3], name) for name in ("state", "seen"))
    taken, error = tf.placeholder(tf.int32, [], "taken"), tf.placeholder(tf.float32, [], "error")
    reward, following = tf.placeholder(tf.float32, [], "reward"), tf.placeholder(tf.float32, [1, 1], "following")
    policy = tf.nn.softmax(dense(tf, state, 4, "scores"), name="probabilities")
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(tf.log(policy[0, taken]) * error))
    value = dense(tf, seen, 1, "value")
    tf.train.AdamOptimizer(0.01).minimize(tf.square(tf.reduce_mean(reward + 0.9 * following - value)))


@case("noise", "picture")
def discriminator_with_a_penalty_of_gradients(tf: Any) -> None:
    real, noise = (tf.placeholder(tf.float32, [None, 6], name) for name in ("real", "noise"))

    def judge(picture: Any) -> Any:
        return dense(tf, dense(tf, picture, 5, "judge/one", tf.nn.relu), 1, "judge/two")

    picture = dense(tf, noise, 6, "generator", tf.tanh, "picture")
    between = real + tf.random_uniform([tf.shape(real)[0], 1]) * (picture - real)
    [slope] = tf.gradients(judge(between), [between])
    penalty = tf.reduce_mean(tf.square(tf.sqrt(tf.reduce_sum(tf.square(slope), 1)) - 1.0))
    judged = tf.reduce_mean(judge(picture))
    loss = judged - tf.reduce_mean(judge(real)) + 10.0 * penalty
    tf.train.AdamOptimizer(0.01).minimize(loss, var_list=tf.trainable_variables("judge"))
    tf.train.AdamOptimizer(0.01).minimize(-judged, var_list=tf.trainable_variables("generator"))


@case("image")
def detector_whose_loss_takes_its_parts(tf: Any) -> None:
    image = tf.placeholder(tf.float32, [None, 8, 8, 3], "image")
    truth = tf.placeholder(tf.float32, [None, 8, 8, 7], "truth")
    grid = tf.nn.conv2d(image, weights(tf, "filters", 3, 3, 3, 7), 1, "SAME", name="grid")
    center, size = tf.sigmoid(grid[..., 0:2]), tf.exp(grid[..., 2:4])
    tf.concat([center, size], 3, name="boxes")
    there, found = truth[..., 4:5], tf.sigmoid(grid[..., 4:5])
    errors = there * (tf.square(center - truth[..., 0:2]) + tf.square(tf.sqrt(size) - tf.sqrt(truth[..., 2:4])))
    entropy = tf.nn.softmax_cross_entropy_with_logits_v2(labels=truth[..., 5:], logits=grid[..., 5:])
    loss = tf.reduce_sum(errors) + tf.reduce_sum(tf.square(found - there)) + tf.reduce_sum(entropy)
    tf.train.AdamOptimizer(0.01).minimize(loss)


@case("image", "boxes")
def detector_beside_a_left_over_classifier(tf: Any) -> None:
    image = tf.placeholder(tf.float32, [None, 8, 8, 3], "image")
    truth = tf.placeholder(tf.float32, [None, 8, 8, 4], "truth")
    hidden = tf.nn.relu(tf.nn.conv2d(image, weights(tf, "filters", 3, 3, 3, 5), 1, "SAME"))
    tf.nn.softmax(dense(tf, tf.reduce_mean(hidden, [1, 2]), 7, "classifier"), name="classes")
    boxes = tf.nn.conv2d(hidden, weights(tf, "heads", 1, 1, 5, 4), 1, "SAME", name="boxes")
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(tf.square(boxes - truth)))


@case("data", "probabilities")
def classifier_of_constant_data(tf: Any) -> None:
    data = tf.constant([[0.5, 1.5, 2.5], [3.5, 2.5, 1.5]], name="data")
    scores = dense(tf, data, 4, "scores")
    tf.nn.softmax(scores, name="probabilities")
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 3], logits=scores)
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(loss))


@case("context", "probabilities")
def words_trained_by_sampled_classes(tf: Any) -> None:
    context = tf.placeholder(tf.int64, [None, 2], "context")
    label = tf.placeholder(tf.int64, [None, 1], "label")
    embedded = tf.nn.embedding_lookup(weights(tf, "embedding", 9, 3), context)
    features = dense(tf, tf.reshape(embedded, [-1, 6]), 4, "features", tf.tanh)
    classes, bias = weights(tf, "classes", 9, 4), weights(tf, "bias", 9)
    losses = tf.nn.nce_loss(classes, bias, label, features, num_sampled=3, num_classes=9)
    tf.nn.softmax(tf.matmul(features, tf.transpose(classes)) + bias, name="probabilities")
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(losses))


@case("answers")
def next_answers_without_the_last(tf: Any) -> None:
    """The answers of a pupil are inputs, and labels from the second one on. The loss cuts off the last prediction."""
    answers = tf.placeholder(tf.float32, [4, 7, 3], "answers")
    known = tf.reshape(tf.cumsum(answers, 1), [-1, 3])
    scores = dense(tf, dense(tf, known, 6, "hidden", tf.tanh), 3, "scores")
    chances, _ = tf.split(tf.sigmoid(tf.reshape(scores, [4, 7, 3]), name="chances"), [6, 1], 1)
    _, right = tf.split(answers, [1, 6], 1)
    likelihood = right * tf.log(chances) + (1.0 - right) * tf.log(1.0 - chances)
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(likelihood))


@case("x", "probability")
def trained_by_an_optimizer_of_keras(tf: Any) -> None:
    """As of an Estimator of TensorFlow 2: the gradients are in two scopes, "training/Ftrl/gradients/gradients"."""
    x = tf.placeholder(tf.float32, [None, 5], "x")
    label = tf.placeholder(tf.float32, [None, 1], "label")
    score = dense(tf, x, 1, "score")
    tf.sigmoid(score, name="probability")
    tf.as_string(tf.argmax(tf.concat([tf.zeros_like(score), score], 1), 1), name="class")
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=label, logits=score)
    loss = tf.math.divide_no_nan(tf.reduce_sum(losses), tf.cast(tf.size(losses), tf.float32))
    tf.summary.scalar("loss", loss)
    variables = tf.trainable_variables()
    with tf.name_scope("training/Ftrl/gradients"):
        gradients = tf.gradients(loss, variables)
    tf.train.FtrlOptimizer(0.1).apply_gradients(zip(gradients, variables, strict=True))


# --- training graphs that are frozen whole ---------------------------------------------------------------------------


def classifier(tf: Any, optimizer: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 5], "x")
    y = tf.placeholder(tf.int64, [None], "y")
    logits = dense(tf, dense(tf, x, 6, "one", tf.nn.relu), 3, "two")
    tf.nn.softmax(logits, name="probabilities")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    right = tf.equal(tf.argmax(logits, 1), y)
    tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")
    optimizer.minimize(loss)


@case("x", "probabilities")
def frozen_with_momentum(tf: Any) -> None:
    classifier(tf, tf.train.MomentumOptimizer(0.1, 0.9))


@case("x", "probabilities")
def frozen_with_gradient_descent(tf: Any) -> None:
    classifier(tf, tf.train.GradientDescentOptimizer(0.1))


@case("x", "probabilities")
def frozen_with_ftrl(tf: Any) -> None:
    classifier(tf, tf.train.FtrlOptimizer(0.1))


@case("x", "y")
def frozen_with_moving_averages(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 5], "x")
    target = tf.placeholder(tf.float32, [None, 2], "target")
    y = dense(tf, x, 2, "layer", tf.tanh, "y")
    averages = tf.train.ExponentialMovingAverage(0.9)
    step = tf.train.RMSPropOptimizer(0.1).minimize(tf.losses.mean_squared_error(target, y))
    with tf.control_dependencies([step]):
        averages.apply(tf.trainable_variables())


MODULES = (decoders, distributions, oddities, policies)
"""The modules with more graphs, which are in `GRAPHS` once these are imported."""


def build(name: str) -> bytes:
    """Return the MetaGraph of a case in bytes; the frozen GraphDef with all of its nodes for names of frozen graphs."""
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        GRAPHS[name].build(tf)
        if name.startswith("frozen"):
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                nodes = [node.name for node in graph.as_graph_def().node]
                frozen = tf.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), nodes)
            return bytes(frozen.SerializeToString(deterministic=True))
        if tf.global_variables():
            tf.train.Saver()
        meta = tf.train.export_meta_graph(graph=graph, strip_default_attrs=True, clear_devices=True)
        meta.meta_info_def.ClearField("stripped_op_list")
        return bytes(meta.SerializeToString(deterministic=True))


def main() -> None:
    with tarfile.open(ARCHIVE, "w:xz", preset=9 | lzma.PRESET_EXTREME) as archive:
        for name in GRAPHS:
            data = build(name)
            entry = tarfile.TarInfo(f"{name}.meta")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main()
