"""TensorFlow's messages as tables, one module per .proto file. Those of ONNX are in a folder of their own.

A module has the name of its .proto file: tensorflow/core/framework/attr_value.proto is `attr_value`. Fields are in the
order of the .proto file where that order is known. This package is imported only as `tfmodel._schema`, never as
`schema`. Import messages from `tfmodel.messages`, which imports only the modules that are used.
"""
