"""Decoders: the one that takes its own words is the model, not the one that takes the target's."""

from __future__ import annotations

from typing import Any

from tests.data.endpoints.cases import case, dense, token_loss, weights


@case("source lengths", "predictions")
def decoder_of_a_library_and_a_loop(tf: Any) -> None:
    source = tf.placeholder(tf.int32, [None, None], "source")
    lengths = tf.placeholder(tf.int32, [None], "lengths")
    target_in = tf.placeholder(tf.int32, [None, None], "target_in")
    target_out = tf.placeholder(tf.int32, [None, None], "target_out")
    target_len = tf.placeholder(tf.int32, [None], "target_len")
    rate = tf.placeholder(tf.float32, [], "learning_rate")
    with tf.variable_scope("encoder"):
        table = weights(tf, "embedding", 20, 8)
        cell = tf.nn.rnn_cell.LSTMCell(6)
        _, state = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(table, source), lengths, dtype=tf.float32)
    with tf.variable_scope("decoder"):
        target_table = weights(tf, "embedding", 15, 8)
        word, bias = (weights(tf, "proj_w", 6, 15), weights(tf, "proj_b", 15))
        dcell = tf.nn.rnn_cell.LSTMCell(6)
        outputs, _ = tf.nn.dynamic_rnn(
            dcell, tf.nn.embedding_lookup(target_table, target_in), target_len, initial_state=state, scope="rnn"
        )
        flat = tf.reshape(outputs, [-1, 6])
        logits = tf.reshape(tf.matmul(flat, word) + bias, [tf.shape(source)[0], -1, 15], name="logits")
        mask = tf.sequence_mask(target_len, tf.shape(target_in)[1], tf.float32)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target_out, logits=logits)
        loss = tf.reduce_sum(loss * mask) / tf.reduce_sum(mask)
    with tf.variable_scope("decoder/rnn", reuse=True):

        def body(t: Any, tok: Any, context: Any, hidden: Any, out: Any) -> Any:
            output, st = dcell(
                tf.nn.embedding_lookup(target_table, tok), tf.nn.rnn_cell.LSTMStateTuple(context, hidden)
            )
            tok = tf.argmax(tf.matmul(output, word) + bias, 1, output_type=tf.int32)
            return (t + 1, tok, st.c, st.h, out.write(t, tok))

        start = tf.fill([tf.shape(source)[0]], 1)
        result = tf.while_loop(lambda t, *_: t < 10, body, (0, start, state.c, state.h, tf.TensorArray(tf.int32, 10)))
    tf.transpose(result[4].stack(), [1, 0], name="predictions")
    optimizer = tf.train.AdamOptimizer(rate)
    gradient = optimizer.compute_gradients(loss)
    optimizer.apply_gradients([(tf.clip_by_norm(x, 5.0), video) for x, video in gradient])


@case(
    "enc0 enc1 enc2 dec0",
    "predictions",
    "enc_predictions predictions",
    "test_logits predictions",
    "test_logits_0 test_logits_1 test_logits_2 predictions",
)
def decoder_of_lists_of_words(tf: Any) -> None:
    sources = [tf.placeholder(tf.int32, [None], f"enc{i}") for i in range(3)]
    shifted = [tf.placeholder(tf.int32, [None], f"dec{i}") for i in range(3)]
    target = [tf.placeholder(tf.int32, [None], f"tgt{i}") for i in range(3)]
    label_weights = [tf.placeholder(tf.float32, [None], f"wt{i}") for i in range(3)]
    keep = tf.placeholder(tf.float32, name="keep_prob")
    encoder_table = weights(tf, "emb_enc", 12, 6)
    decoder_table = weights(tf, "emb_dec", 11, 6)
    cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(6), output_keep_prob=keep)
    with tf.variable_scope("enc"):
        _, state = tf.nn.static_rnn(cell, [tf.nn.embedding_lookup(encoder_table, x) for x in sources], dtype=tf.float32)
    word, bias = (weights(tf, "w", 6, 11), weights(tf, "b", 11))
    cell2 = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(6), output_keep_prob=keep)

    def decode(prev_fed: Any) -> Any:
        st, prev, outs = (state, None, [])
        for _, x in enumerate(shifted):
            source = tf.nn.embedding_lookup(decoder_table, x)
            if prev_fed and prev is not None:
                sym = tf.stop_gradient(tf.argmax(prev, 1))
                source = tf.nn.embedding_lookup(decoder_table, sym)
            output, st = cell2(source, st, scope="deccell")
            prev = tf.nn.xw_plus_b(output, word, bias)
            outs.append(prev)
        return outs

    with tf.variable_scope("decode"):
        train = decode(False)
    with tf.variable_scope("decode", reuse=True):
        test = decode(True)
    losses = [
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t, logits=layer_) * w_
        for t, layer_, w_ in zip(target, train, label_weights, strict=True)
    ]
    loss = tf.add_n(losses) / tf.add_n(label_weights)
    cost = tf.reduce_mean(loss)
    tf.argmax(tf.stack(test, 1), 2, name="predictions")
    tf.train.AdamOptimizer(0.01).minimize(cost)


@case("input target_sequence_length source_sequence_length", "predictions")
def decoders_in_two_loops(tf: Any) -> None:
    source = tf.placeholder(tf.int32, [None, None], "input")
    target = tf.placeholder(tf.int32, [None, None], "targets")
    rate = tf.placeholder(tf.float32, name="learning_rate")
    keep = tf.placeholder(tf.float32, name="keep_prob")
    target_lengths = tf.placeholder(tf.int32, [None], "target_sequence_length")
    maxlen = tf.reduce_max(target_lengths, name="max_target_len")
    source_lengths = tf.placeholder(tf.int32, [None], "source_sequence_length")
    table = weights(tf, "enc_emb", 20, 6)
    cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.LSTMCell(5), output_keep_prob=keep)
    _, st = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(table, source), source_lengths, dtype=tf.float32)
    ending = tf.strided_slice(target, [0, 0], [tf.shape(source)[0], -1], [1, 1])
    decin = tf.concat([tf.fill([tf.shape(source)[0], 1], 1), ending], 1)
    target_table = tf.Variable(tf.random_uniform([18, 6]))
    decemb = tf.nn.embedding_lookup(target_table, decin)
    dcell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.LSTMCell(5), output_keep_prob=keep)
    kernel, beams = (weights(tf, "outw", 5, 18), weights(tf, "outb", 18))

    def decode(train: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        chosen = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        x = tf.TensorArray(tf.float32, 0, dynamic_size=True).unstack(tf.transpose(decemb, [1, 0, 2])) if train else None
        first = decemb[:, 0] if train else tf.nn.embedding_lookup(target_table, tf.fill([tf.shape(source)[0]], 1))

        def cond(t: Any, fin: Any, *_) -> Any:
            return tf.logical_and(t < maxlen, tf.logical_not(tf.reduce_all(fin)))

        def body(t: Any, fin: Any, i: Any, context: Any, hidden: Any, ta: Any, chosen: Any) -> Any:
            output, state = dcell(i, tf.nn.rnn_cell.LSTMStateTuple(context, hidden))
            scores = tf.matmul(output, kernel) + beams
            sid = tf.argmax(scores, -1, output_type=tf.int32)
            if train:
                fin2 = t + 1 >= target_lengths
                nxt = tf.cond(tf.reduce_all(fin2), lambda: tf.zeros_like(i), lambda: x.read(t + 1))
            else:
                fin2 = tf.logical_or(fin, tf.equal(sid, 2))
                nxt = tf.nn.embedding_lookup(target_table, sid)
            return (t + 1, fin2, nxt, state.c, state.h, ta.write(t, scores), chosen.write(t, sid))

        out = tf.while_loop(cond, body, (0, tf.zeros_like(target_lengths, tf.bool), first, st.c, st.h, ta, chosen))
        return (tf.transpose(out[5].stack(), [1, 0, 2]), tf.transpose(out[6].stack(), [1, 0]))

    with tf.variable_scope("decode"):
        trained, _ = decode(True)
    with tf.variable_scope("decode", reuse=True):
        _, inferred = decode(False)
    logits = tf.identity(trained, name="logits")
    tf.identity(inferred, name="predictions")
    masks = tf.sequence_mask(target_lengths, maxlen, tf.float32, name="masks")
    with tf.name_scope("optimization"):
        ce = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.reshape(target, [-1]), logits=tf.reshape(logits, [-1, 18])
        )
        cost = tf.reduce_sum(ce * tf.reshape(masks, [-1])) / (tf.reduce_sum(masks) + 1e-12)
        optimizer = tf.train.AdamOptimizer(rate)
        optimizer.apply_gradients(
            [
                (tf.clip_by_value(gradient, -1.0, 1.0), video)
                for gradient, video in optimizer.compute_gradients(cost)
                if gradient is not None
            ]
        )


@case("features", "predictions", "sampled_captions", also="alphas")
def captions_by_attention(tf: Any) -> None:
    feats = tf.placeholder(tf.float32, [None, 9, 4], "features")
    caps = tf.placeholder(tf.int32, [None, 5], "captions")
    cin, cout = (caps[:, :4], caps[:, 1:])
    mask = tf.to_float(tf.not_equal(cout, 0))
    table = weights(tf, "emb", 10, 6)
    cell = tf.nn.rnn_cell.LSTMCell(6)

    def init() -> Any:
        m = tf.reduce_mean(feats, 1)
        return tf.nn.rnn_cell.LSTMStateTuple(dense(tf, m, 6, "init_c", tf.tanh), dense(tf, m, 6, "init_h", tf.tanh))

    def step(word: Any, state: Any) -> Any:
        att = dense(tf, state.h, 4, "att")
        share = tf.nn.softmax(tf.reduce_sum(feats * att[:, None, :], 2))
        ctx = tf.reduce_sum(feats * share[:, :, None], 1)
        output, state = cell(tf.concat([word, ctx], 1), state)
        return (dense(tf, output, 10, "logits_w"), state, share)

    state, loss = (init(), 0.0)
    source = tf.nn.embedding_lookup(table, cin)
    for t in range(4):
        scores, state, _ = step(source[:, t], state)
        loss += tf.reduce_sum(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=cout[:, t], logits=scores) * mask[:, t]
        )
    loss = loss / tf.to_float(tf.shape(feats)[0])
    state, words, shares = (init(), [], [])
    w = tf.nn.embedding_lookup(table, tf.fill([tf.shape(feats)[0]], 1))
    for _ in range(6):
        scores, state, share = step(w, state)
        shares.append(share)
        word = tf.argmax(scores, 1)
        words.append(word)
        w = tf.nn.embedding_lookup(table, word)
    tf.transpose(tf.stack(shares), (1, 0, 2), name="alphas")
    tf.transpose(tf.stack(words), (1, 0), name="predictions")
    tf.train.AdamOptimizer().minimize(loss)


@case("source", "predictions")
def decoder_with_one_hot_words_and_metrics(tf: Any) -> None:
    source = tf.placeholder(tf.float32, [None, 7, 3], "source")
    target = tf.placeholder(tf.int32, [None, 4], "target")
    one_hot = tf.one_hot(target, 6)
    cell = tf.nn.rnn_cell.BasicRNNCell(5)
    with tf.variable_scope("e"):
        _, st0 = tf.nn.dynamic_rnn(cell, source, dtype=tf.float32)
    go = tf.zeros_like(one_hot[:, :1])
    train_in = tf.concat([go, one_hot[:, :-1]], 1)
    target_cell = tf.nn.rnn_cell.BasicRNNCell(5)
    with tf.variable_scope("d"):
        out, _ = tf.nn.dynamic_rnn(target_cell, train_in, initial_state=st0, scope="rnn")
        logits = tf.layers.dense(out, 6, name="fc")
    pred_train = tf.argmax(logits, 2, output_type=tf.int32)
    tf.reduce_mean(tf.to_float(tf.equal(pred_train, target)), name="accuracy")
    loss = token_loss(tf, logits, target)
    with tf.variable_scope("d", reuse=True):
        state, x, words = (st0, tf.zeros([tf.shape(source)[0], 6]), [])
        for _ in range(4):
            with tf.variable_scope("rnn", reuse=True):
                output, state = target_cell(x, state)
            scores = tf.layers.dense(output, 6, name="fc", reuse=True)
            word = tf.argmax(scores, 1)
            x = tf.one_hot(word, 6)
            words.append(word)
    choice = tf.stack(words, 1, name="predictions")
    tf.reduce_mean(tf.to_float(tf.equal(tf.cast(choice, tf.int32), target)), name="test_accuracy")
    tf.summary.scalar("loss", loss)
    tf.summary.merge_all()
    tf.train.RMSPropOptimizer(0.01).minimize(loss)


@case("image", "predictions", "scores predictions")
def characters_in_a_loop(tf: Any) -> None:
    img = tf.placeholder(tf.float32, [None, 8, 16, 1], "image")
    labels = tf.placeholder(tf.int32, [None, 5], "label")
    features = tf.layers.conv2d(img, 4, 3, padding="same", activation=tf.nn.relu)
    features = tf.reshape(tf.transpose(tf.layers.max_pooling2d(features, 2, 2), [0, 2, 1, 3]), [-1, 8, 16])
    de = weights(tf, "demb", 9, 5)

    def run(words: Any) -> Any:

        def body(t: Any, hidden: Any, word: Any, scope: Any, chosen: Any) -> Any:
            att = tf.nn.softmax(tf.reduce_sum(features * dense(tf, hidden, 16, "att")[:, None], 2))
            ctx = tf.reduce_sum(features * att[:, :, None], 1)
            wi = tf.nn.embedding_lookup(de, words[:, t] if words is not None else word)
            hidden = dense(tf, tf.concat([hidden, ctx, wi], 1), 5, "cell", tf.tanh)
            scores = dense(tf, hidden, 9, "proj")
            word = tf.argmax(scores, 1, output_type=tf.int32)
            return (t + 1, hidden, word, scope.write(t, scores), chosen.write(t, word))

        count = tf.shape(features)[0]
        result = tf.while_loop(
            lambda t, *_: t < 5,
            body,
            (
                0,
                tf.zeros([count, 5]),
                tf.zeros([count], tf.int32),
                tf.TensorArray(tf.float32, 5),
                tf.TensorArray(tf.int32, 5),
            ),
            maximum_iterations=5,
        )
        return (tf.transpose(result[3].stack(), [1, 0, 2]), tf.transpose(result[4].stack(), [1, 0]))

    shifted = tf.pad(labels[:, :-1], [[0, 0], [1, 0]])
    trained, _ = run(shifted)
    _scope, chosen = run(None)
    pred = tf.identity(chosen, "predictions")
    accuracy = tf.reduce_mean(tf.cast(tf.reduce_all(tf.equal(pred, labels), 1), tf.float32))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=trained))
    tf.summary.scalar("acc", accuracy)
    tf.summary.scalar("loss", loss)
    step = tf.train.get_or_create_global_step()
    tf.train.AdadeltaOptimizer(1.0).minimize(loss, global_step=step)
    tf.summary.merge_all()


@case(
    "enc_in dec_len", "predictions", "predictions decoded", "infer_logits predictions", also="infer_logits predictions"
)
def decoder_whose_words_are_counted(tf: Any) -> None:
    source = tf.placeholder(tf.int32, [None, 8], "enc_in")
    target = tf.placeholder(tf.int32, [None, 6], "dec_out")
    ylen = tf.placeholder(tf.int32, [None], "dec_len")
    table, target_table = (weights(tf, "E", 20, 6), weights(tf, "D", 15, 6))
    fw, bw = (tf.nn.rnn_cell.GRUCell(5), tf.nn.rnn_cell.GRUCell(5))
    _, (a, bias) = tf.nn.bidirectional_dynamic_rnn(fw, bw, tf.nn.embedding_lookup(table, source), dtype=tf.float32)
    st = tf.concat([a, bias], 1)
    cell = tf.nn.rnn_cell.GRUCell(10)
    go = tf.ones([tf.shape(source)[0], 1], tf.int32)
    with tf.variable_scope("dec") as scope:
        output, _ = tf.nn.dynamic_rnn(
            cell,
            tf.nn.embedding_lookup(target_table, tf.concat([go, target[:, :-1]], 1)),
            sequence_length=ylen,
            initial_state=st,
        )
        logits = tf.layers.dense(output, 15, name="proj")
        mask = tf.sequence_mask(ylen, 6, tf.float32)
        loss = tf.reduce_sum(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits) * mask
        ) / tf.reduce_sum(mask)
        scope.reuse_variables()

        def body(i: Any, word: Any, state: Any, chosen: Any, lg: Any) -> Any:
            with tf.variable_scope("rnn", reuse=True):
                output, state = cell(tf.nn.embedding_lookup(target_table, word), state)
            scores = tf.layers.dense(output, 15, name="proj", reuse=True)
            word = tf.argmax(scores, -1, output_type=tf.int32)
            return (i + 1, word, state, chosen.write(i, word), lg.write(i, scores))

        _, _, _, chosen, _lg = tf.while_loop(
            lambda i, *_: i < tf.reduce_max(ylen),
            body,
            (0, go[:, 0], st, tf.TensorArray(tf.int32, 6), tf.TensorArray(tf.float32, 6)),
        )
    pred = tf.transpose(chosen.stack(), [1, 0], name="predictions")
    ok = tf.equal(pred, target[:, : tf.shape(pred)[1]])
    tf.reduce_mean(tf.cast(ok, tf.float32), name="accuracy")
    tf.train.AdamOptimizer(0.001).minimize(loss)


@case("src", "beam_ids", "beam_ids beam_scores", "beam_ids beam_parents", also="beam_scores beam_parents")
def decoder_of_beams(tf: Any) -> None:
    source = tf.placeholder(tf.int32, [1, 6], "src")
    target = tf.placeholder(tf.int32, [None, 5], "tgt_out")
    target_in = tf.placeholder(tf.int32, [None, 5], "tgt_in")
    table, target_table = (weights(tf, "E", 20, 6), weights(tf, "D", 9, 6))
    first = tf.tanh(tf.reduce_mean(tf.nn.embedding_lookup(table, source), 1))

    def step(hidden: Any, word: Any) -> Any:
        hidden = dense(tf, tf.concat([hidden, tf.nn.embedding_lookup(target_table, word)], 1), 6, "cell", tf.tanh)
        return (hidden, dense(tf, hidden, 9, "proj"))

    hidden, steps = (first, [])
    for t in range(5):
        hidden, scores = step(hidden, target_in[:, t])
        steps.append(scores)
    loss = token_loss(tf, tf.stack(steps, 1), target)
    beams = 3
    hidden = tf.tile(first, [beams, 1])
    word = tf.ones([beams], tf.int32)
    scope = tf.constant([0.0, -1000000000.0, -1000000000.0])
    chosen, all_parents = ([], [])
    for _ in range(5):
        hidden, scores = step(hidden, word)
        totals = tf.reshape(tf.nn.log_softmax(scores) + scope[:, None], [-1])
        scope, places = tf.nn.top_k(totals, beams)
        parents, word = (places // 9, places % 9)
        hidden = tf.gather(hidden, parents)
        chosen.append(word)
        all_parents.append(parents)
    tf.stack(chosen, name="beam_ids")
    tf.stack(all_parents, name="beam_parents")
    tf.identity(scope, "beam_scores")
    tf.train.AdamOptimizer(0.001).minimize(loss)


@case("src", "predictions", also="pred_logits")
def decoder_in_a_functional_loop(tf: Any) -> None:
    tf.enable_control_flow_v2()
    tf.enable_resource_variables()
    try:
        source = tf.placeholder(tf.int32, [None, 6], "src")
        target_in = tf.placeholder(tf.int32, [None, 5], "tgt_in")
        target_out = tf.placeholder(tf.int32, [None, 5], "tgt_out")
        table, target_table = (weights(tf, "E", 20, 6), weights(tf, "D", 9, 6))
        first = tf.tanh(tf.reduce_mean(tf.nn.embedding_lookup(table, source), 1))
        kernel, recurrent_kernel, projection = (weights(tf, "W", 6, 6), weights(tf, "U", 6, 6), weights(tf, "P", 6, 9))

        def step(hidden: Any, word: Any) -> Any:
            hidden = tf.tanh(
                tf.matmul(hidden, kernel) + tf.matmul(tf.nn.embedding_lookup(target_table, word), recurrent_kernel)
            )
            return (hidden, tf.matmul(hidden, projection))

        hidden, steps = (first, [])
        for t in range(5):
            hidden, scores = step(hidden, target_in[:, t])
            steps.append(scores)
        loss = token_loss(tf, tf.stack(steps, 1), target_out)

        def body(i: Any, hidden: Any, word: Any, chosen: Any) -> Any:
            hidden, scores = step(hidden, word)
            word = tf.argmax(scores, 1, output_type=tf.int32)
            return (i + 1, hidden, word, tf.concat([chosen, word[:, None]], 1))

        count = tf.shape(source)[0]
        result = tf.while_loop(
            lambda i, *_: i < 5,
            body,
            (0, first, tf.ones([count], tf.int32), tf.zeros([count, 0], tf.int32)),
            shape_invariants=(tf.TensorShape([]), first.shape, tf.TensorShape([None]), tf.TensorShape([None, None])),
        )
        tf.identity(result[3], "predictions")
        tf.train.AdamOptimizer(0.001).minimize(loss)
    finally:
        tf.disable_control_flow_v2()
        tf.disable_resource_variables()


@case("question passage", "answer_ids", also="gen_probs")
def decoder_with_scheduled_sampling(tf: Any) -> None:
    question = tf.placeholder(tf.int32, [None, 4], "question")
    choice = tf.placeholder(tf.int32, [None, 6], "passage")
    target = tf.placeholder(tf.int32, [None, 4], "answer")
    share = tf.placeholder_with_default(0.2, [], "sample_prob")
    table = weights(tf, "E", 12, 6)
    first = tf.tanh(
        dense(
            tf,
            tf.concat([tf.reduce_mean(tf.nn.embedding_lookup(table, z), 1) for z in (question, choice)], 1),
            6,
            "enc",
        )
    )

    def step(hidden: Any, word: Any) -> Any:
        hidden = dense(tf, tf.concat([hidden, tf.nn.embedding_lookup(table, word)], 1), 6, "cell", tf.tanh)
        return (hidden, dense(tf, hidden, 12, "proj"))

    go = tf.ones_like(question[:, 0])
    hidden, word, steps = (first, go, [])
    for t in range(4):
        hidden, scores = step(hidden, word)
        steps.append(scores)
        own = tf.argmax(scores, 1, output_type=tf.int32)
        word = tf.where(tf.random_uniform(tf.shape(own)) < share, own, target[:, t])
    loss = token_loss(tf, tf.stack(steps, 1), target)
    hidden, word, out = (first, go, [])
    for _ in range(4):
        hidden, scores = step(hidden, word)
        word = tf.argmax(scores, 1, output_type=tf.int32)
        out.append(word)
    tf.stack(out, 1, name="answer_ids")
    tf.train.AdamOptimizer(0.001).minimize(loss)


@case("gen_video")
def generator_of_captions_with_a_video_of_its_own(tf: Any) -> None:
    video_kernel, video_bias = (weights(tf, "We", 5, 6), weights(tf, "be", 6))
    table = weights(tf, "E", 9, 6)
    out_kernel, out_bias = (weights(tf, "Wo", 6, 9), weights(tf, "bo", 9))
    cell = tf.nn.rnn_cell.BasicLSTMCell(6, state_is_tuple=False)

    def encode(video: Any, count: Any, reuse: Any) -> Any:
        source = tf.reshape(tf.nn.xw_plus_b(tf.reshape(video, [-1, 5]), video_kernel, video_bias), [count, 3, 6])
        state = tf.zeros([count, 12])
        with tf.variable_scope("lstm", reuse=reuse):
            for t in range(3):
                _output, state = cell(source[:, t], state)
        return state

    video = tf.placeholder(tf.float32, [8, 3, 5], "video")
    caption = tf.placeholder(tf.int32, [8, 4], "caption")
    mask = tf.placeholder(tf.float32, [8, 4], "caption_mask")
    state, loss = (encode(video, 8, None), 0.0)
    for t in range(3):
        with tf.variable_scope("lstm", reuse=True):
            output, state = cell(tf.nn.embedding_lookup(table, caption[:, t]), state)
        scores = tf.nn.xw_plus_b(output, out_kernel, out_bias)
        ce = (
            tf.nn.softmax_cross_entropy_with_logits_v2(logits=scores, labels=tf.one_hot(caption[:, t + 1], 9))
            * mask[:, t]
        )
        loss += tf.reduce_sum(ce) / 8
    generated_video = tf.placeholder(tf.float32, [1, 3, 5], "gen_video")
    state = encode(generated_video, 1, True)
    word = tf.constant([1])
    for t in range(3):
        with tf.variable_scope("lstm", reuse=True):
            output, state = cell(tf.nn.embedding_lookup(table, word), state)
        scores = tf.nn.xw_plus_b(output, out_kernel, out_bias)
        word = tf.argmax(scores, 1, name=f"words/w{t}")
        tf.nn.softmax(scores, name=f"probs/p{t}")
    tf.train.AdamOptimizer(0.001).minimize(loss)


@case("image", "predictions")
def captions_with_a_penalty_of_attention(tf: Any) -> None:
    features = tf.placeholder(tf.float32, [None, 4, 6], "image")
    state = tf.placeholder(tf.int32, [None, 5], "sentences")
    masks = tf.placeholder(tf.float32, [None, 5], "masks")
    table = weights(tf, "E", 9, 6)
    count = tf.shape(features)[0]

    def go(train: Any) -> Any:
        hidden = dense(tf, tf.reduce_mean(features, 1), 6, "init", tf.tanh)
        word = tf.zeros([count], tf.int32)
        all_scores, shares, words = ([], [], [])
        for t in range(5):
            encoder_table = tf.tanh(dense(tf, tf.reshape(features, [-1, 6]), 6, "a1")) + tf.reshape(
                tf.tile(dense(tf, hidden, 6, "a2")[:, None], [1, 4, 1]), [-1, 6]
            )
            share = tf.nn.softmax(tf.reshape(dense(tf, encoder_table, 1, "a3"), [-1, 4]))
            shares.append(share)
            context = tf.reduce_sum(features * share[:, :, None], 1)
            hidden = dense(tf, tf.concat([context, tf.nn.embedding_lookup(table, word), hidden], 1), 6, "cell", tf.tanh)
            scores = dense(tf, tf.nn.dropout(hidden, rate=0.5) if train else hidden, 9, "out")
            all_scores.append(scores)
            choice = tf.argmax(scores, 1, output_type=tf.int32)
            words.append(choice)
            word = state[:, t] if train else choice
        return (all_scores, shares, words)

    all_scores, shares, words = go(True)
    ce = tf.stack(
        [
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=state[:, t], logits=all_scores[t]) * masks[:, t]
            for t in range(5)
        ],
        1,
    )
    att = tf.reduce_sum(tf.stack([shares[t] * masks[:, t : t + 1] for t in range(5)], 1), 1)
    al_loss = tf.nn.l2_loss(1.0 - att) / 20
    accuracy = tf.reduce_sum(
        tf.stack(
            [tf.where(tf.equal(words[t], state[:, t]), masks[:, t], tf.zeros_like(masks[:, t])) for t in range(5)], 1
        )
    ) / tf.reduce_sum(masks)
    tf.identity(accuracy, "accuracy")
    loss = (
        tf.reduce_sum(ce) / tf.reduce_sum(masks)
        + al_loss
        + tf.add_n([0.0001 * tf.nn.l2_loss(video) for video in tf.trainable_variables()])
    )
    tf.train.AdamOptimizer(0.001).minimize(loss)
    _, _, words = go(False)
    tf.stack(words, 1, name="predictions")


@case("tokens", "next_probs", "next_word", "next_probs next_word", also="state")
def step_of_a_language_model(tf: Any) -> None:
    t = tf.placeholder(tf.int32, [1, None], "tokens")
    table = weights(tf, "E", 12, 6)
    output, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(6), tf.nn.embedding_lookup(table, t), dtype=tf.float32)
    scores = dense(tf, output[:, -1], 12, "out")
    tf.nn.softmax(scores, name="next_probs")
    tf.argmax(scores, 1, name="next_word")
    tf.identity(state, "state")
