"""Written by `python -m tests.stubs`."""

from pbwire.compat.pools import DescriptorPool as DescriptorPool, default_pool as Default, USE_C_DESCRIPTORS as _USE_C_DESCRIPTORS
