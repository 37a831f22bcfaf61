"""Descriptors that protoc makes of the .proto files in tests/data/proto."""
