"""Written by `python -m tests.stubs`."""

from pbwire.compat.generated import message_class as GetMessageClass, message_classes as GetMessageClassesForFiles, messages_of as GetMessages
