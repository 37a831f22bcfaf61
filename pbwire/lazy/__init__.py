"""Lazy decoding: messages, maps and byte contents that are decoded or computed on first use.

Imports descriptors, errors and `pbwire.codec`; `undecoded_maps` also `pbwire.message`. Messages, the codec and the
printers call it, and programs that change models without decoding them.

    messages.py        undecoded messages and maps, and deferred bytes
    undecoded_maps.py  look-up and replacement of entries of undecoded maps
"""
