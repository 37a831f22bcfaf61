"""What is this file? Told by content alone; names only help with the wording.

    found = detect(data)
    found.kind, found.what, found.cls          # "binary", "a GraphDef", <class GraphDef>

    signatures.py   files of other kinds, by their first bytes
    binary.py       which message are these wire bytes?
    textual.py      which message is this text, in text format or in JSON? By its outline (outline.py)
    candidates.py   the messages that it may be

`detect` looks at a bounded part of the file, so that a hundred gigabytes of something else need not be read to be
refused, and damage further on does not keep a file from being recognised: to report it is the decoder's business.
"""

from .candidates import SURE
from .found import HEAD, TAIL, Found, Kind, called, detect, explained, taken_for

__all__ = ["HEAD", "SURE", "TAIL", "Found", "Kind", "called", "detect", "explained", "taken_for"]
