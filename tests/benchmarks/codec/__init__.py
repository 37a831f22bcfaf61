"""The benchmark "codec": pbwire beside other protobuf libraries for Python, on eight kinds of data.

    kinds.py           the kinds, and their messages: files of the corpus, or made ones
    makers.py          make data from a seed; protos/ has the .proto files of what is not TensorFlow's
    schemas.py         descriptors, from which the code of all libraries is generated
    environment.py     install the libraries, each in a folder of its own
    generated_code.py  classes for each library, by its own generator
    reading.py         code that reads every field, for each library
    worker.py          one library in a process of its own: its functions, the tasks, the times; imports no other module
    measuring.py       processes take turns; results are compared with protobuf's
    report.py          the tables and the goals

Nothing that is installed or generated is kept, unless `--environment` names a folder for it.
"""

from __future__ import annotations

from .kinds import KINDS
from .measuring import ROUNDS, codec

__all__ = ["KINDS", "ROUNDS", "codec"]
