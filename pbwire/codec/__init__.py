"""The binary codec: generates a decoder, an encoder and copy functions for each message class on first use.

Imports descriptors, varints, the wire layer, errors and `pbwire.lazy`; decoders also messages and tables. Called by
`pbwire.message` and `pbwire.lazy`; text and JSON generate their printers and readers with its `codegen`.

    codegen.py         compiles functions from templates
    decoder.py         the generated decoder
    map_decoder.py     the parts of the decoder that read maps
    encoder.py         the generated encoder
    buffers.py         the output of encoders: small chunks, and large payloads that are not copied
    copy.py            the generated copy functions
    unknown_fields.py  skips and keeps fields that the table does not know
    hash_flooding.py   detects integer keys that were chosen to collide
    validation.py      explains damaged bytes and invalid values after an error
"""
