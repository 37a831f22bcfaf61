"""The binary codec: generates a decoder, an encoder and copy functions for each message class on first use.

The package imports descriptors, varints, the wire layer, errors and `pbwire.lazy`; decoders also import messages and
tables. `pbwire.message` and `pbwire.lazy` call it. Text and JSON generate their printers and readers with `codegen`.

    codegen.py         compiles functions from templates
    decoder.py         the generated decoder
    map_decoder.py     the parts of the decoder that read maps
    number_lists.py    repeated numbers, which the decoder reads by calls
    encoder.py         the generated encoder, which appends to a list
    bytes_encoder.py   the generated encoder of small messages, which returns bytes
    buffers.py         the output of encoders: small chunks, and large payloads that are not copied
    copy.py            the generated copy functions
    unknown_fields.py  skips and keeps fields that the message class does not declare
    hash_flooding.py   detects integer keys that were chosen to collide
    required.py        the generated search for required fields that are missing
    validation.py      explains damaged bytes and invalid values after an error
"""
