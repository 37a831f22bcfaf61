"""The binary codec: generates a decoder, an encoder and a copy function for each message class on first use.

Imports descriptors, varints, the wire layer, errors and `pbwire.lazy`. `pbwire.message` calls it; the text and JSON
packages generate their printers and parsers with its `codegen`.
"""
