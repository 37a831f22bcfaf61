"""Tests of tfmodel.files.tfrecords."""
