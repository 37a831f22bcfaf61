"""Graphs put together in odd ways: loops in losses, learned optimizers, data in constants, prints, left-overs."""

from __future__ import annotations

from typing import Any

from tests.data.endpoints.cases import case, dense, token_loss, weights


@case("frames", "probabilities")
def loss_in_a_loop(tf: Any) -> None:
    """A loop adds the losses of the time steps; the scores of all steps enter it."""
    frames = tf.placeholder(tf.float32, [None, 5, 4], "frames")
    words = tf.placeholder(tf.int32, [None, 5], "words")
    flat = dense(tf, tf.reshape(frames, [-1, 4]), 6, "scores")
    scores = tf.reshape(flat, [-1, 5, 6])
    tf.nn.softmax(scores, name="probabilities")

    def add(step: Any, total: Any) -> Any:
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=words[:, step], logits=scores[:, step])
        return step + 1, total + tf.reduce_mean(loss)

    _, loss = tf.while_loop(lambda step, _: step < 5, add, (tf.constant(0), tf.constant(0.0)))
    tf.train.AdamOptimizer(0.01).minimize(loss)


@case("image", "net/probabilities")
def weights_changed_by_a_network(tf: Any) -> None:
    """A network computes the changes of the weights of another one from fed gradients."""
    image = tf.placeholder(tf.float32, [None, 6], "image")
    label = tf.placeholder(tf.int32, [None], "label")
    with tf.variable_scope("net"):
        kernel, bias = weights(tf, "kernel", 6, 3), weights(tf, "bias", 3)
        scores = tf.matmul(image, kernel) + bias
        tf.nn.softmax(scores, name="probabilities")
        own = token_loss(tf, scores, label)
        tf.gradients(own, [kernel, bias])
    again, label_again = tf.placeholder(tf.float32, [None, 6], "again"), tf.placeholder(tf.int32, [None], "label_again")
    with tf.variable_scope("optimizer"):
        gradients = tf.placeholder(tf.float32, [21, 2], "gradients")
        change = 0.1 * dense(tf, dense(tf, gradients, 5, "hidden", tf.tanh), 1, "change")
        changed = kernel + tf.reshape(change[:18, 0], [6, 3]), bias + change[18:, 0]
        steps = [tf.assign(kernel, changed[0]), tf.assign(bias, changed[1])]
    tf.group(*steps, name="step")
    loss = token_loss(tf, tf.matmul(again, changed[0]) + changed[1], label_again)
    tf.train.AdamOptimizer(0.01).minimize(loss, var_list=tf.trainable_variables("optimizer"))


@case("age height", "probabilities")
def columns_of_constant_arrays(tf: Any) -> None:
    """An input function has arrays: the columns and the labels are constants."""
    age = tf.constant([[30], [40], [50], [60]], tf.int64, name="age")
    height = tf.constant([1.5, 1.6, 1.7, 1.8], tf.float32, name="height")
    label = tf.constant([[0], [1], [1], [0]], tf.int64, name="label")
    columns = tf.concat([tf.to_float(age), tf.reshape(tf.expand_dims(height, 1), [-1, 1])], 1)
    hidden = tf.nn.dropout(dense(tf, columns, 5, "hidden", tf.nn.relu), rate=0.5)
    scores = dense(tf, hidden, 2, "scores")
    tf.nn.softmax(scores, name="probabilities")
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.squeeze(label, [1]), logits=scores)
    tf.train.AdagradOptimizer(0.01).minimize(tf.reduce_mean(loss))


@case("")
def solution_at_constant_points(tf: Any) -> None:
    """The graph has no data, only the points where an equation has to hold: nothing tells what is fed."""
    points = tf.constant([[0.0], [0.25], [0.5], [1.0]], name="points")
    value = dense(tf, dense(tf, points, 6, "hidden", tf.tanh), 1, "value")
    [slope] = tf.gradients(value, points)
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(tf.square(slope + value)))


@case("noise")
def generator_of_graphs(tf: Any) -> None:
    """The generator makes a matrix of edges and a list of nodes; layers for three dimensions take both."""
    noise = tf.placeholder(tf.float32, [None, 4], "noise")
    real_edges = tf.placeholder(tf.float32, [None, 3, 3, 2], "real_edges")
    real_nodes = tf.placeholder(tf.float32, [None, 3, 5], "real_nodes")
    with tf.variable_scope("generator"):
        hidden = dense(tf, noise, 8, "hidden", tf.tanh)
        edges = tf.reshape(dense(tf, hidden, 18, "edges"), [-1, 3, 3, 2])
        nodes = tf.reshape(dense(tf, hidden, 15, "nodes"), [-1, 3, 5])
    edges = tf.nn.softmax(edges, name="edge_probabilities")
    nodes = tf.nn.softmax(nodes, name="node_probabilities")

    def judge(edges: Any, nodes: Any) -> Any:
        with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
            edges = tf.transpose(edges[:, :, :, 1:], [0, 3, 1, 2])
            one, two = (tf.tensordot(nodes, weights(tf, f"kernel_{place}", 5, 4), [[2], [0]]) for place in (1, 2))
            hidden = tf.tanh(tf.reduce_sum(tf.matmul(edges, tf.stack([one], 1)), 1) + two)
            return dense(tf, tf.reduce_mean(hidden, 1), 1, "score")

    score, made = judge(real_edges, real_nodes), judge(edges, nodes)
    optimizer = tf.train.RMSPropOptimizer(0.01)
    optimizer.minimize(tf.reduce_mean(made) - tf.reduce_mean(score), var_list=tf.trainable_variables("discriminator"))
    optimizer.minimize(-tf.reduce_mean(made), var_list=tf.trainable_variables("generator"))


@case("features relation row_kind")
def links_of_a_graph(tf: Any) -> None:
    """The loss takes the embeddings of some nodes; the scores of all links are computed for predictions only."""
    features = tf.placeholder(tf.float32, [None, 4], "features")
    relation = tf.placeholder(tf.int32, [], "relation")
    kind = tf.placeholder(tf.int32, [], "row_kind")
    batch = tf.placeholder(tf.int32, [None, 2], "batch")
    embeddings = dense(tf, features, 6, "hidden", tf.nn.relu)
    start, end = tf.constant([0, 3]), tf.constant([3, 7])
    tables = tf.stack([weights(tf, "relation_0", 6, 6), weights(tf, "relation_1", 6, 6)])

    def rows() -> Any:
        return tf.gather(embeddings, tf.range(tf.gather(start, kind), tf.gather(end, kind)))

    def score(left: Any, right: Any) -> Any:
        return tf.matmul(tf.matmul(left, tf.gather(tables, relation)), right, transpose_b=True)

    good = tf.diag_part(score(tf.gather(rows(), batch[:, 0]), tf.gather(rows(), batch[:, 1])))
    bad = tf.diag_part(score(tf.gather(rows(), tf.random_shuffle(batch[:, 0])), tf.gather(rows(), batch[:, 1])))
    tf.identity(score(rows(), rows()), name="all_scores")
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_sum(tf.nn.relu(bad - good + 0.1)))


@case("")
def sequences_of_own_samples(tf: Any) -> None:
    """SeqGAN: the generator draws without any input; rollouts continue a sequence; the discriminator is fed samples."""
    table, out, bias = weights(tf, "gen/table", 9, 6), weights(tf, "gen/out", 6, 9), weights(tf, "gen/bias", 9)
    kernel = weights(tf, "gen/kernel", 12, 6)

    def step(word: Any, state: Any) -> Any:
        state = tf.tanh(tf.matmul(tf.concat([tf.gather(table, word), state], 1), kernel))
        return state, tf.matmul(state, out) + bias

    def draw(scores: Any) -> Any:
        return tf.cast(tf.reshape(tf.multinomial(scores, 1), [4]), tf.int32)

    def generate(given: Any = None, known: Any = None, name: str = "samples") -> None:
        def body(place: Any, word: Any, state: Any, words: Any) -> Any:
            state, scores = step(word, state)
            word = draw(scores)
            if given is not None:
                word = tf.where(tf.fill([4], place < known), given[:, place], word)
            return place + 1, word, state, words.write(place, word)

        start = (tf.constant(0), tf.fill([4], 0), tf.zeros([4, 6]), tf.TensorArray(tf.int32, 5))
        words = tf.while_loop(lambda place, *_: place < 5, body, start)[3]
        tf.transpose(words.stack(), [1, 0], name=name)

    generate()
    x = tf.placeholder(tf.int32, [4, 5], "x")
    rewards = tf.placeholder(tf.float32, [4, 5], "rewards")
    word, state, losses = tf.fill([4], 0), tf.zeros([4, 6]), []
    for place in range(5):
        state, scores = step(word, state)
        word = x[:, place]
        losses.append(tf.reduce_sum(tf.one_hot(word, 9) * tf.log(tf.nn.softmax(scores) + 1e-8), 1))
    chosen = tf.stack(losses, 1)
    generate(tf.placeholder(tf.int32, [4, 5], "rollout_x"), tf.placeholder(tf.int32, [], "given"), "rollouts")
    optimizer = tf.train.AdamOptimizer(0.01)
    optimizer.minimize(-tf.reduce_mean(chosen), var_list=tf.trainable_variables("gen"))
    optimizer.minimize(-tf.reduce_sum(chosen * rewards), var_list=tf.trainable_variables("gen"))
    judged = tf.placeholder(tf.int32, [None, 5], "judged")
    real = tf.placeholder(tf.int32, [None], "real")
    embedded = tf.gather(weights(tf, "judge/table", 9, 4), judged)
    scores = dense(tf, tf.reshape(embedded, [-1, 20]), 2, "judge/scores")
    tf.nn.softmax(scores, name="judgement")
    optimizer.minimize(token_loss(tf, scores, real), var_list=tf.trainable_variables("judge"))


@case("state mask")
def printed_policy_beside_a_value(tf: Any) -> None:
    """Prints stand between all steps; the entropy takes a LogSoftmax; the value takes a state of its own, no mask."""
    state = tf.placeholder(tf.float32, [None, 4], "state")
    mask = tf.placeholder(tf.float32, [None, 3], "mask")
    action = tf.placeholder(tf.float32, [None, 3], "action")
    advantage = tf.placeholder(tf.float32, [None, 1], "advantage")

    def shown(value: Any) -> Any:
        return tf.Print(value, [value], "value")

    hidden = shown(dense(tf, state, 6, "hidden", tf.nn.relu))
    with tf.name_scope("policy"):
        scores = shown(dense(tf, hidden, 3, "policy_scores")) * mask + 1e-8
        probabilities = tf.nn.softmax(shown(scores))
        taken = tf.reduce_sum(shown(probabilities) * shown(action), 1, keepdims=True)
        entropy = -tf.reduce_mean(shown(probabilities) * tf.nn.log_softmax(probabilities))
    loss = -tf.reduce_mean(shown(tf.log(shown(taken))) * advantage) - 0.01 * entropy
    tf.train.AdamOptimizer(0.01).minimize(loss)
    other_state = tf.placeholder(tf.float32, [None, 4], "value_state")
    target = tf.placeholder(tf.float32, [None, 1], "target")
    value = shown(dense(tf, dense(tf, other_state, 6, "value_hidden", tf.nn.relu), 1, "value"))
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(tf.squared_difference(value, target)))


@case("state")
def sampled_policy_kept_from_zero(tf: Any) -> None:
    """The sampler takes the probabilities with the constant that keeps their logarithm finite."""
    state = tf.placeholder(tf.float32, [None, 4], "state")
    reward = tf.placeholder(tf.float32, [None], "reward")
    with tf.name_scope("policy"):
        probabilities = tf.nn.softmax(dense(tf, state, 3, "scores")) + 1e-6
    action = tf.reshape(tf.multinomial(tf.log(probabilities), 1), [-1], name="action")
    chosen = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=action, logits=tf.log(probabilities))
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(chosen * reward))


@case("photo")
def detector_with_the_classes_of_its_backbone(tf: Any) -> None:
    """An inference graph: the classifier of the backbone is left over, and one result has a flat copy."""
    photo = tf.placeholder(tf.float32, [1, 8, 8, 3], "photo")
    features = tf.nn.relu(tf.nn.conv2d(photo, weights(tf, "backbone/kernel", 3, 3, 3, 4), [1, 2, 2, 1], "SAME"))
    tf.nn.softmax(dense(tf, tf.reduce_mean(features, [1, 2]), 1001, "backbone/classes"), name="backbone/probabilities")
    texts = tf.nn.conv2d(features, weights(tf, "texts/kernel", 1, 1, 4, 2), [1, 1, 1, 1], "SAME")
    texts = tf.reshape(tf.nn.softmax(tf.reshape(texts, [-1, 2])), [1, 4, 4, 2])
    tf.reshape(texts, [1, -1])
    tf.strided_slice(texts, [0, 0, 0, 1], [1, 4, 4, 2], name="text_score")
    links = tf.nn.conv2d(features, weights(tf, "links/kernel", 1, 1, 4, 2), [1, 1, 1, 1], "SAME")
    tf.strided_slice(tf.nn.softmax(links), [0, 0, 0, 1], [1, 4, 4, 2], name="link_score")


@case("")
def noise_of_the_graph_for_a_recurrent_discriminator(tf: Any) -> None:
    """The generator draws its noise in the graph, and the discriminator takes one time step after the other."""
    real = tf.placeholder(tf.float32, [8, 5, 3], "real")
    with tf.variable_scope("generator"):
        hidden, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(6), tf.random_normal([8, 5, 2]), dtype=tf.float32)
        flat = dense(tf, tf.reshape(hidden, [40, 6]), 3, "out", tf.tanh)
    made = tf.reshape(flat, [8, 5, 3], name="made")

    def judge(values: Any) -> Any:
        with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
            _, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(6), values, dtype=tf.float32)
            return dense(tf, state, 1, "score")

    score, made_score = judge(real), judge(made)
    good = tf.reduce_mean(tf.nn.softplus(-score)) + tf.reduce_mean(tf.nn.softplus(made_score))
    optimizer = tf.train.AdamOptimizer(0.01)
    optimizer.minimize(good, var_list=tf.trainable_variables("discriminator"))
    optimizer.minimize(tf.reduce_mean(tf.nn.softplus(-made_score)), var_list=tf.trainable_variables("generator"))


@case("stroke")
def named_parts_of_a_layer(tf: Any) -> None:
    """The author names the parts of a mixture for use; the loss goes past the names."""
    stroke = tf.placeholder(tf.float32, [None, 3], "stroke")
    target = tf.placeholder(tf.float32, [None, 2], "target")
    layer = dense(tf, dense(tf, stroke, 8, "hidden", tf.tanh), 7, "layer")
    end, scores, means = tf.split(layer, [1, 3, 3], 1)
    end, shares = tf.sigmoid(end), tf.nn.softmax(scores)
    tf.identity(end, "end")
    tf.identity(shares, "weights")
    tf.identity(means, "means")
    tf.concat([end, shares, means], 1, name="parameters")
    likelihood = tf.reduce_sum(shares * tf.exp(-tf.square(target[:, :1] - means)), 1)
    is_end = target[:, 1]
    ends = end[:, 0] * is_end + (1.0 - end[:, 0]) * (1.0 - is_end)
    tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(tf.log(likelihood + 1e-8) + tf.log(ends + 1e-8)))


@case("photo")
def distances_within_a_batch(tf: Any) -> None:
    """The loss compares all examples of a batch with each other; the labels tell which of them are alike."""
    photo = tf.placeholder(tf.float32, [None, 6], "photo")
    person = tf.placeholder(tf.int32, [None], "person")
    embedding = tf.nn.l2_normalize(dense(tf, dense(tf, photo, 8, "hidden", tf.nn.relu), 4, "out"), 1, name="embedding")
    products = tf.matmul(embedding, embedding, transpose_b=True)
    squares = tf.diag_part(products)
    distances = tf.maximum(squares[:, None] - 2.0 * products + squares[None], 0.0)
    is_same = tf.to_float(tf.equal(person[:, None], person[None]))
    furthest, nearest = tf.reduce_max(distances * is_same, 1), tf.reduce_min(distances + 10.0 * is_same, 1)
    tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(tf.nn.relu(furthest - nearest + 0.3)))


@case("")
def loss_after_a_step_of_training(tf: Any) -> None:
    """Meta-learning: the outputs may be those before or after the step, and the labels of the step are inputs."""
    support, query = tf.placeholder(tf.float32, [None, 4], "support"), tf.placeholder(tf.float32, [None, 4], "query")
    labels, answers = tf.placeholder(tf.int32, [None], "labels"), tf.placeholder(tf.int32, [None], "answers")
    kernel, bias = weights(tf, "kernel", 4, 3), weights(tf, "bias", 3)
    changes = tf.gradients(token_loss(tf, tf.matmul(support, kernel) + bias, labels), [kernel, bias])
    scores = tf.matmul(query, kernel - 0.1 * changes[0]) + (bias - 0.1 * changes[1])
    tf.nn.softmax(scores, name="probabilities")
    tf.train.AdamOptimizer(0.01).minimize(token_loss(tf, scores, answers))
