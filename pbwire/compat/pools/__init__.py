"""Pools: the files of descriptors by name, and what they declare.

    pool.py            the files that generated code registers

The package imports `pbwire.compat.descriptors` and `pbwire.proto`. The modules of `pbwire.compat`, generated code and
`tfmodel.compat` call it.
"""

from __future__ import annotations

from .pool import USE_C_DESCRIPTORS, DescriptorPool, TableFile, default_pool, pool_of, table_sources

__all__ = ["USE_C_DESCRIPTORS", "DescriptorPool", "TableFile", "default_pool", "pool_of", "table_sources"]
