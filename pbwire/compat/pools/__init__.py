"""Pools: the files of descriptors by name, and what they declare.

    pool.py            the files that generated code registers
    added_files.py     descriptors that are added, as programs give them
    loaded_files.py    their descriptors
    module_files.py    the descriptors of table modules that no pool knows
    finding.py         the files and descriptors that the layers below ask for

The package imports `pbwire.compat.descriptors` and `pbwire.proto`. The modules of `pbwire.compat`, generated code and
`tfmodel.compat` call it.
"""

from __future__ import annotations

from ..descriptors import _USE_C_DESCRIPTORS as USE_C_DESCRIPTORS
from .finding import file_of, file_of_extension, find_declared, make_descriptor
from .pool import DescriptorPool, TableFile, default_pool, pool_of, table_sources

__all__ = [
    "USE_C_DESCRIPTORS",
    "DescriptorPool",
    "TableFile",
    "default_pool",
    "file_of",
    "file_of_extension",
    "find_declared",
    "make_descriptor",
    "pool_of",
    "table_sources",
]
