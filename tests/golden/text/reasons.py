"""Reasons why some texts mean something else to pbwire than to protobuf's Python parser.

In each case the specification of text format supports pbwire. "The specification" is
https://protobuf.dev/reference/protobuf/textformat-spec; "conformance" is protobuf's conformance suite, which lists
known failures of the Python parser.
"""

WHITESPACE = "white space is ASCII in the specification, not all that Python's \\s matches"
TOO_LARGE = "protobuf cuts the numbers of fields and of closed enums to 32 bits"
FIELD_NUMBERS = "protobuf takes the leading zero of a field number for octal, C++ does not"
APART = "a sign is a token of its own in the specification: space and comments may follow it"
PLUS = "numbers have no plus sign in the specification"
PYTHONS_NUMBERS = "what only Python takes for a number; the specification does not"
DIGITS = "digits are ASCII in the specification"
UNSIGNED_ZERO = "the specification says that -0 is no unsigned number"
CAPITAL_F = "the specification has the suffix F too; conformance, known to be wrong in Python"
OCTAL_FLOAT = "the specification has no octal floats; conformance, known to be wrong in Python"
LEADING_ZERO = "the specification has no leading zeros in decimal numbers"
BOOLEAN_NUMBERS = "the specification takes 0 and 1 in each of their spellings for a bool"
OCTAL_ENUM = "the specification takes octal numbers for enums too"
CODE_POINTS = "the escape of a code point means its UTF-8; protobuf makes a byte of it, or text"
SURROGATES = "half of a surrogate pair is not a code point: protobuf keeps the escape as text"
PAIRS = (
    "a pair of surrogates is no code point either, in conformance; C++ reads one character, Python keeps both as text"
)
GAPS = "newer protobufs and conformance allow white space and comments inside of names in brackets"
QUESTION_MARK = "\\? is an escape; conformance, known to be wrong in Python"
NO_SUCH_ESCAPE = "the specification has no such escape, and protobuf keeps the backslash or worse"
OCTAL_ESCAPE = "three octal digits that are no byte; protobuf makes the text of another escape of it"
GROUP_NAMES = "newer protobufs and conformance take the name of the field too"
ANY_SEPARATOR = "the specification allows a separator after an expanded Any as after every field"
ANY_DOMAIN = "the specification has domains of any number of names, and newer protobufs take any URL"
ANY_TWICE = "one value twice; protobuf forgets the first one without a word"
MESSAGE_LISTS = "an unknown field may be a list of messages, in the specification and in C++"
SIGNED_NAMES = "the specification has identifiers behind a sign"
IDENTIFIERS = "identifiers are ASCII letters, digits and underscores in the specification"
NO_TEXT = "a str with surrogates is no text, comments included: nothing could be written of it in UTF-8"
