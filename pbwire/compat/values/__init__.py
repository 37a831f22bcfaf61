"""The values of protobuf-style messages: repeated fields, maps, extensions, and the checks of what is assigned.

    above.py           the functions of upper layers that lower ones call
    checks.py          the checks of values
    enums.py           enums as plain numbers, with a wrapper
    links.py           sub-messages that become present with the first write
    containers.py      repeated fields and maps
    merging.py         merge messages
    initializing.py    the arguments of constructors
    extensions.py      `Extensions` of messages

The package imports the codec, extensions and descriptors of `pbwire`. The layers of `pbwire.compat` above it call it.
"""
