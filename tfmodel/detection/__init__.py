"""What is this file? Told by content alone; names only help with the wording.

    found = detect(data)
    found.form, found.what, found.cls          # "binary", "a GraphDef", <class GraphDef>

    signatures.py   files of other kinds, by their first bytes
    binary.py       which message are these wire bytes?
    textual.py      which message is this text, in text format or in JSON?

`detect` looks at a bounded part of the file, so that a hundred gigabytes of something else need not be read to be
refused, and damage further on does not keep a file from being recognised: to report it is the decoder's business.
"""

from .binary import SURE, explained
from .found import HEAD, TAIL, Form, Found, called, detect

__all__ = ["HEAD", "SURE", "TAIL", "Form", "Found", "called", "detect", "explained"]
