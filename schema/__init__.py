"""TensorFlow's messages as tables, one module per .proto file.

A module is named after its file: tensorflow/core/framework/attr_value.proto is `attr_value`. Rows stand in the order of
the .proto file, where that is known. This package is imported as `tfmodel._schema` and never by a name of its own; take
messages from `tfmodel.messages`, which imports only the modules that are used.
"""
