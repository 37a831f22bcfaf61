"""The binary codec: generates a decoder, an encoder and copy functions for each message class on first use.

Imports descriptors, varints, the wire layer, errors and `pbwire.lazy`; decoders also messages and tables. Called by
`pbwire.message` and `pbwire.lazy`; text and JSON generate their printers and readers with its `codegen`.
"""
