"""Lazy decoding: messages, maps and byte contents that are decoded or computed on first use.

The package imports descriptors, errors and `pbwire.codec`; `undecoded_maps` also imports `pbwire.message`. Messages,
the codec, the printers, and programs that change models without decoding them call it.

    messages.py        undecoded messages and maps, and deferred bytes
    undecoded_maps.py  look-up and replacement of entries of undecoded maps
"""
