"""Golden answers of fold_batch_norms and fold_old_batch_norms, by the C++ tool and TensorFlow."""
