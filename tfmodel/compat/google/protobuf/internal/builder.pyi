"""Written by `python -m tests.stubs`."""

from pbwire.compat.generated import build_descriptors as BuildMessageAndEnumDescriptors, build_messages as BuildTopDescriptorsAndMessages, no_services as BuildServices, no_helpers as AddHelpersToExtensions
