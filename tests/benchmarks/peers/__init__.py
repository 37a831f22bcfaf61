"""The benchmark "peers": pbwire beside the other protobuf libraries for Python.

    environment.py     install the libraries, each in a folder of its own
    descriptors.py     the .proto files of the measured message, and small ones that probe features
    generated_code.py  classes for each library: its protoc plugin, or a generator here
    libraries.py       one library in a process of its own: its functions, the tasks, the times; imports no other module
    measuring.py       processes take turns; results are compared with protobuf's
    report.py          the tables

Nothing that is installed or generated is kept, unless `--environment` names a folder for it.
"""

from __future__ import annotations

from .measuring import default_file, peers

__all__ = ["default_file", "peers"]
