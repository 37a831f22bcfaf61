"""ONNX's messages as tables, one module per .proto file, apart from TensorFlow's: both have a TensorProto.

Import these messages from `tfmodel.onnx_messages`.
"""
