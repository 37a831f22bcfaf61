"""Written by `python -m tests.stubs`."""

from pbwire.compat.pools import DescriptorPool as DescriptorPool, default_pool as Default
