"""Tests of extensions: declarations, values, MessageSet, and the names of delimited fields."""
