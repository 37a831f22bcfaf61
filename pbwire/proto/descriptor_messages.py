"""google/protobuf/descriptor.proto: the descriptors of .proto files."""

from __future__ import annotations

from .. import table as pb

__all__ = [
    "DescriptorProto",
    "Edition",
    "EnumDescriptorProto",
    "EnumOptions",
    "EnumValueDescriptorProto",
    "EnumValueOptions",
    "ExtensionRangeOptions",
    "FeatureSet",
    "FeatureSetDefaults",
    "FieldDescriptorProto",
    "FieldOptions",
    "FileDescriptorProto",
    "FileDescriptorSet",
    "FileOptions",
    "GeneratedCodeInfo",
    "MessageOptions",
    "MethodDescriptorProto",
    "MethodOptions",
    "OneofDescriptorProto",
    "OneofOptions",
    "ServiceDescriptorProto",
    "ServiceOptions",
    "SourceCodeInfo",
    "SymbolVisibility",
    "UninterpretedOption",
]


@pb.enum("google.protobuf.Edition", closed=True)
class Edition(pb.Enum):
    """An edition of the language. proto2 and proto3 count as editions too."""

    EDITION_UNKNOWN = 0
    EDITION_LEGACY = 900
    EDITION_PROTO2 = 998
    EDITION_PROTO3 = 999
    EDITION_2023 = 1000
    EDITION_2024 = 1001
    EDITION_2026 = 1002
    EDITION_UNSTABLE = 9999
    EDITION_1_TEST_ONLY = 1
    EDITION_2_TEST_ONLY = 2
    EDITION_99997_TEST_ONLY = 99997
    EDITION_99998_TEST_ONLY = 99998
    EDITION_99999_TEST_ONLY = 99999
    EDITION_MAX = 2147483647


@pb.enum("google.protobuf.SymbolVisibility", closed=True)
class SymbolVisibility(pb.Enum):
    """Whether other files can use a declaration."""

    VISIBILITY_UNSET = 0
    VISIBILITY_LOCAL = 1
    VISIBILITY_EXPORT = 2


@pb.message("google.protobuf.FileDescriptorSet", syntax="proto2", extensions=[range(536000000, 536000001)])
class FileDescriptorSet(pb.ExtendableMessage):
    """The descriptors of .proto files: what `protoc --descriptor_set_out` writes, imports first."""

    file: list[FileDescriptorProto] = pb.repeated("FileDescriptorProto", 1)


@pb.message("google.protobuf.FileDescriptorProto", syntax="proto2")
class FileDescriptorProto(pb.Message):
    """A .proto file. `dependency` are the files that it imports."""

    name: str | None = pb.string(1)
    package: str | None = pb.string(2)
    dependency: list[str] = pb.repeated(pb.string, 3)
    public_dependency: list[int] = pb.repeated(pb.int32, 10)
    weak_dependency: list[int] = pb.repeated(pb.int32, 11)
    option_dependency: list[str] = pb.repeated(pb.string, 15)
    message_type: list[DescriptorProto] = pb.repeated("DescriptorProto", 4)
    enum_type: list[EnumDescriptorProto] = pb.repeated("EnumDescriptorProto", 5)
    service: list[ServiceDescriptorProto] = pb.repeated("ServiceDescriptorProto", 6)
    extension: list[FieldDescriptorProto] = pb.repeated("FieldDescriptorProto", 7)
    options: FileOptions | None = pb.field("FileOptions", 8)
    source_code_info: SourceCodeInfo | None = pb.field("SourceCodeInfo", 9)
    syntax: str | None = pb.string(12)
    edition: Edition | None = pb.field(Edition, 14)


@pb.message("google.protobuf.DescriptorProto", syntax="proto2")
class DescriptorProto(pb.Message):
    """A message. The entries of a map field are a nested message with the option `map_entry`."""

    @pb.message("google.protobuf.DescriptorProto.ExtensionRange", syntax="proto2")
    class ExtensionRange(pb.Message):
        """Numbers that other files may use for extensions: `start` up to and without `end`."""

        start: int | None = pb.int32(1)
        end: int | None = pb.int32(2)
        options: ExtensionRangeOptions | None = pb.field("ExtensionRangeOptions", 3)

    @pb.message("google.protobuf.DescriptorProto.ReservedRange", syntax="proto2")
    class ReservedRange(pb.Message):
        """Numbers that no field may have: `start` up to and without `end`."""

        start: int | None = pb.int32(1)
        end: int | None = pb.int32(2)

    name: str | None = pb.string(1)
    field: list[FieldDescriptorProto] = pb.repeated("FieldDescriptorProto", 2)
    extension: list[FieldDescriptorProto] = pb.repeated("FieldDescriptorProto", 6)
    nested_type: list[DescriptorProto] = pb.repeated("DescriptorProto", 3)
    enum_type: list[EnumDescriptorProto] = pb.repeated("EnumDescriptorProto", 4)
    extension_range: list[ExtensionRange] = pb.repeated(ExtensionRange, 5)
    oneof_decl: list[OneofDescriptorProto] = pb.repeated("OneofDescriptorProto", 8)
    options: MessageOptions | None = pb.field("MessageOptions", 7)
    reserved_range: list[ReservedRange] = pb.repeated(ReservedRange, 9)
    reserved_name: list[str] = pb.repeated(pb.string, 10)
    visibility: SymbolVisibility | None = pb.field(SymbolVisibility, 11)


@pb.message("google.protobuf.ExtensionRangeOptions", syntax="proto2", extensions=[range(1000, 536870912)])
class ExtensionRangeOptions(pb.ExtendableMessage):
    """Options of a range of extensions."""

    @pb.enum("google.protobuf.ExtensionRangeOptions.VerificationState", closed=True)
    class VerificationState(pb.Enum):
        """Whether all extensions in the range must be declared."""

        DECLARATION = 0
        UNVERIFIED = 1

    @pb.message("google.protobuf.ExtensionRangeOptions.Declaration", syntax="proto2")
    class Declaration(pb.Message):
        """A number of the range that is promised to an extension."""

        number: int | None = pb.int32(1)
        full_name: str | None = pb.string(2)
        type: str | None = pb.string(3)
        reserved: bool | None = pb.bool(5)
        repeated: bool | None = pb.bool(6)

    uninterpreted_option: list[UninterpretedOption] = pb.repeated("UninterpretedOption", 999)
    declaration: list[Declaration] = pb.repeated(Declaration, 2)
    features: FeatureSet | None = pb.field("FeatureSet", 50)
    verification: VerificationState | None = pb.field(VerificationState, 3, default=1)


@pb.message("google.protobuf.FieldDescriptorProto", syntax="proto2")
class FieldDescriptorProto(pb.Message):
    """A field or an extension."""

    @pb.enum("google.protobuf.FieldDescriptorProto.Type", closed=True)
    class Type(pb.Enum):
        """The kind of a field."""

        TYPE_DOUBLE = 1
        TYPE_FLOAT = 2
        TYPE_INT64 = 3
        TYPE_UINT64 = 4
        TYPE_INT32 = 5
        TYPE_FIXED64 = 6
        TYPE_FIXED32 = 7
        TYPE_BOOL = 8
        TYPE_STRING = 9
        TYPE_GROUP = 10
        TYPE_MESSAGE = 11
        TYPE_BYTES = 12
        TYPE_UINT32 = 13
        TYPE_ENUM = 14
        TYPE_SFIXED32 = 15
        TYPE_SFIXED64 = 16
        TYPE_SINT32 = 17
        TYPE_SINT64 = 18

    @pb.enum("google.protobuf.FieldDescriptorProto.Label", closed=True)
    class Label(pb.Enum):
        """How often a field may occur."""

        LABEL_OPTIONAL = 1
        LABEL_REPEATED = 3
        LABEL_REQUIRED = 2

    name: str | None = pb.string(1)
    number: int | None = pb.int32(3)
    label: Label | None = pb.field(Label, 4)
    type: Type | None = pb.field(Type, 5)
    type_name: str | None = pb.string(6)
    extendee: str | None = pb.string(2)
    default_value: str | None = pb.string(7)
    oneof_index: int | None = pb.int32(9)
    json_name: str | None = pb.string(10)
    options: FieldOptions | None = pb.field("FieldOptions", 8)
    proto3_optional: bool | None = pb.bool(17)


@pb.message("google.protobuf.OneofDescriptorProto", syntax="proto2")
class OneofDescriptorProto(pb.Message):
    """A oneof. An `optional` field of proto3 has one of its own."""

    name: str | None = pb.string(1)
    options: OneofOptions | None = pb.field("OneofOptions", 2)


@pb.message("google.protobuf.EnumDescriptorProto", syntax="proto2")
class EnumDescriptorProto(pb.Message):
    """An enum."""

    @pb.message("google.protobuf.EnumDescriptorProto.EnumReservedRange", syntax="proto2")
    class EnumReservedRange(pb.Message):
        """Numbers that no value may have: `start` to `end`, both included."""

        start: int | None = pb.int32(1)
        end: int | None = pb.int32(2)

    name: str | None = pb.string(1)
    value: list[EnumValueDescriptorProto] = pb.repeated("EnumValueDescriptorProto", 2)
    options: EnumOptions | None = pb.field("EnumOptions", 3)
    reserved_range: list[EnumReservedRange] = pb.repeated(EnumReservedRange, 4)
    reserved_name: list[str] = pb.repeated(pb.string, 5)
    visibility: SymbolVisibility | None = pb.field(SymbolVisibility, 6)


@pb.message("google.protobuf.EnumValueDescriptorProto", syntax="proto2")
class EnumValueDescriptorProto(pb.Message):
    """A value of an enum."""

    name: str | None = pb.string(1)
    number: int | None = pb.int32(2)
    options: EnumValueOptions | None = pb.field("EnumValueOptions", 3)


@pb.message("google.protobuf.ServiceDescriptorProto", syntax="proto2")
class ServiceDescriptorProto(pb.Message):
    """A service."""

    name: str | None = pb.string(1)
    method: list[MethodDescriptorProto] = pb.repeated("MethodDescriptorProto", 2)
    options: ServiceOptions | None = pb.field("ServiceOptions", 3)


@pb.message("google.protobuf.MethodDescriptorProto", syntax="proto2")
class MethodDescriptorProto(pb.Message):
    """A method of a service."""

    name: str | None = pb.string(1)
    input_type: str | None = pb.string(2)
    output_type: str | None = pb.string(3)
    options: MethodOptions | None = pb.field("MethodOptions", 4)
    client_streaming: bool | None = pb.bool(5, default=False)
    server_streaming: bool | None = pb.bool(6, default=False)


@pb.message("google.protobuf.FileOptions", syntax="proto2", extensions=[range(1000, 536870912)])
class FileOptions(pb.ExtendableMessage):
    """Options of a file."""

    @pb.enum("google.protobuf.FileOptions.OptimizeMode", closed=True)
    class OptimizeMode(pb.Enum):
        """The aim of the code that protoc generates for C++ and Java."""

        SPEED = 1
        CODE_SIZE = 2
        LITE_RUNTIME = 3

    java_package: str | None = pb.string(1)
    java_outer_classname: str | None = pb.string(8)
    java_multiple_files: bool | None = pb.bool(10, default=False)
    java_generate_equals_and_hash: bool | None = pb.bool(20)
    java_string_check_utf8: bool | None = pb.bool(27, default=False)
    optimize_for: OptimizeMode | None = pb.field(OptimizeMode, 9, default=1)
    go_package: str | None = pb.string(11)
    cc_generic_services: bool | None = pb.bool(16, default=False)
    java_generic_services: bool | None = pb.bool(17, default=False)
    py_generic_services: bool | None = pb.bool(18, default=False)
    deprecated: bool | None = pb.bool(23, default=False)
    cc_enable_arenas: bool | None = pb.bool(31, default=True)
    objc_class_prefix: str | None = pb.string(36)
    csharp_namespace: str | None = pb.string(37)
    swift_prefix: str | None = pb.string(39)
    php_class_prefix: str | None = pb.string(40)
    php_namespace: str | None = pb.string(41)
    php_metadata_namespace: str | None = pb.string(44)
    ruby_package: str | None = pb.string(45)
    features: FeatureSet | None = pb.field("FeatureSet", 50)
    uninterpreted_option: list[UninterpretedOption] = pb.repeated("UninterpretedOption", 999)


@pb.message("google.protobuf.MessageOptions", syntax="proto2", extensions=[range(1000, 536870912)])
class MessageOptions(pb.ExtendableMessage):
    """Options of a message."""

    message_set_wire_format: bool | None = pb.bool(1, default=False)
    no_standard_descriptor_accessor: bool | None = pb.bool(2, default=False)
    deprecated: bool | None = pb.bool(3, default=False)
    map_entry: bool | None = pb.bool(7)
    deprecated_legacy_json_field_conflicts: bool | None = pb.bool(11)
    features: FeatureSet | None = pb.field("FeatureSet", 12)
    uninterpreted_option: list[UninterpretedOption] = pb.repeated("UninterpretedOption", 999)


@pb.message("google.protobuf.FieldOptions", syntax="proto2", extensions=[range(1000, 536870912)])
class FieldOptions(pb.ExtendableMessage):
    """Options of a field."""

    @pb.enum("google.protobuf.FieldOptions.CType", closed=True)
    class CType(pb.Enum):
        """The C++ type of a string."""

        STRING = 0
        CORD = 1
        STRING_PIECE = 2

    @pb.enum("google.protobuf.FieldOptions.JSType", closed=True)
    class JSType(pb.Enum):
        """The JavaScript type of a 64-bit integer."""

        JS_NORMAL = 0
        JS_STRING = 1
        JS_NUMBER = 2

    @pb.enum("google.protobuf.FieldOptions.OptionRetention", closed=True)
    class OptionRetention(pb.Enum):
        """Whether an option is kept in descriptors, or only in the source."""

        RETENTION_UNKNOWN = 0
        RETENTION_RUNTIME = 1
        RETENTION_SOURCE = 2

    @pb.enum("google.protobuf.FieldOptions.OptionTargetType", closed=True)
    class OptionTargetType(pb.Enum):
        """The kind of declaration that may have an option."""

        TARGET_TYPE_UNKNOWN = 0
        TARGET_TYPE_FILE = 1
        TARGET_TYPE_EXTENSION_RANGE = 2
        TARGET_TYPE_MESSAGE = 3
        TARGET_TYPE_FIELD = 4
        TARGET_TYPE_ONEOF = 5
        TARGET_TYPE_ENUM = 6
        TARGET_TYPE_ENUM_ENTRY = 7
        TARGET_TYPE_SERVICE = 8
        TARGET_TYPE_METHOD = 9

    @pb.message("google.protobuf.FieldOptions.EditionDefault", syntax="proto2")
    class EditionDefault(pb.Message):
        """The default of a feature from an edition on, in text format."""

        edition: Edition | None = pb.field(Edition, 3)
        value: str | None = pb.string(2)

    @pb.message("google.protobuf.FieldOptions.FeatureSupport", syntax="proto2")
    class FeatureSupport(pb.Message):
        """The editions in which a feature or a value exists."""

        edition_introduced: Edition | None = pb.field(Edition, 1)
        edition_deprecated: Edition | None = pb.field(Edition, 2)
        deprecation_warning: str | None = pb.string(3)
        edition_removed: Edition | None = pb.field(Edition, 4)

    ctype: CType | None = pb.field(CType, 1, default=0)
    packed: bool | None = pb.bool(2)
    jstype: JSType | None = pb.field(JSType, 6, default=0)
    lazy: bool | None = pb.bool(5, default=False)
    unverified_lazy: bool | None = pb.bool(15, default=False)
    deprecated: bool | None = pb.bool(3, default=False)
    weak: bool | None = pb.bool(10, default=False)
    debug_redact: bool | None = pb.bool(16, default=False)
    retention: OptionRetention | None = pb.field(OptionRetention, 17)
    targets: list[OptionTargetType] = pb.repeated(OptionTargetType, 19)
    edition_defaults: list[EditionDefault] = pb.repeated(EditionDefault, 20)
    features: FeatureSet | None = pb.field("FeatureSet", 21)
    feature_support: FeatureSupport | None = pb.field(FeatureSupport, 22)
    uninterpreted_option: list[UninterpretedOption] = pb.repeated("UninterpretedOption", 999)


@pb.message("google.protobuf.OneofOptions", syntax="proto2", extensions=[range(1000, 536870912)])
class OneofOptions(pb.ExtendableMessage):
    """Options of a oneof."""

    features: FeatureSet | None = pb.field("FeatureSet", 1)
    uninterpreted_option: list[UninterpretedOption] = pb.repeated("UninterpretedOption", 999)


@pb.message("google.protobuf.EnumOptions", syntax="proto2", extensions=[range(1000, 536870912)])
class EnumOptions(pb.ExtendableMessage):
    """Options of an enum."""

    allow_alias: bool | None = pb.bool(2)
    deprecated: bool | None = pb.bool(3, default=False)
    deprecated_legacy_json_field_conflicts: bool | None = pb.bool(6)
    features: FeatureSet | None = pb.field("FeatureSet", 7)
    uninterpreted_option: list[UninterpretedOption] = pb.repeated("UninterpretedOption", 999)


@pb.message("google.protobuf.EnumValueOptions", syntax="proto2", extensions=[range(990, 999), range(1000, 536870912)])
class EnumValueOptions(pb.ExtendableMessage):
    """Options of a value of an enum."""

    deprecated: bool | None = pb.bool(1, default=False)
    features: FeatureSet | None = pb.field("FeatureSet", 2)
    debug_redact: bool | None = pb.bool(3, default=False)
    feature_support: FieldOptions.FeatureSupport | None = pb.field(FieldOptions.FeatureSupport, 4)
    uninterpreted_option: list[UninterpretedOption] = pb.repeated("UninterpretedOption", 999)


@pb.message("google.protobuf.ServiceOptions", syntax="proto2", extensions=[range(1000, 536870912)])
class ServiceOptions(pb.ExtendableMessage):
    """Options of a service."""

    features: FeatureSet | None = pb.field("FeatureSet", 34)
    deprecated: bool | None = pb.bool(33, default=False)
    uninterpreted_option: list[UninterpretedOption] = pb.repeated("UninterpretedOption", 999)


@pb.message("google.protobuf.MethodOptions", syntax="proto2", extensions=[range(1000, 536870912)])
class MethodOptions(pb.ExtendableMessage):
    """Options of a method."""

    @pb.enum("google.protobuf.MethodOptions.IdempotencyLevel", closed=True)
    class IdempotencyLevel(pb.Enum):
        """Whether a method may be called again."""

        IDEMPOTENCY_UNKNOWN = 0
        NO_SIDE_EFFECTS = 1
        IDEMPOTENT = 2

    deprecated: bool | None = pb.bool(33, default=False)
    idempotency_level: IdempotencyLevel | None = pb.field(IdempotencyLevel, 34, default=0)
    features: FeatureSet | None = pb.field("FeatureSet", 35)
    uninterpreted_option: list[UninterpretedOption] = pb.repeated("UninterpretedOption", 999)


@pb.message("google.protobuf.UninterpretedOption", syntax="proto2")
class UninterpretedOption(pb.Message):
    """An option as the parser found it. The linker replaces it by a field of the options."""

    @pb.message("google.protobuf.UninterpretedOption.NamePart", syntax="proto2")
    class NamePart(pb.Message):
        """A part of the name: `(pkg.ext)` is an extension, and its parentheses are not part of the name."""

        name_part: str | None = pb.string(1, required=True)
        is_extension: bool | None = pb.bool(2, required=True)

    name: list[NamePart] = pb.repeated(NamePart, 2)
    identifier_value: str | None = pb.string(3)
    positive_int_value: int | None = pb.uint64(4)
    negative_int_value: int | None = pb.int64(5)
    double_value: float | None = pb.double(6)
    string_value: bytes | None = pb.bytes(7)
    aggregate_value: str | None = pb.string(8)


@pb.message(
    "google.protobuf.FeatureSet",
    syntax="proto2",
    extensions=[range(1000, 9995), range(9995, 10000), range(10000, 10001)],
)
class FeatureSet(pb.ExtendableMessage):
    """Features: the differences between editions, one by one. Absent ones are inherited."""

    @pb.enum("google.protobuf.FeatureSet.FieldPresence", closed=True)
    class FieldPresence(pb.Enum):
        """Whether an absent field differs from a field that is zero."""

        FIELD_PRESENCE_UNKNOWN = 0
        EXPLICIT = 1
        IMPLICIT = 2
        LEGACY_REQUIRED = 3

    @pb.enum("google.protobuf.FeatureSet.EnumType", closed=True)
    class EnumType(pb.Enum):
        """Whether an enum can hold numbers without a name."""

        ENUM_TYPE_UNKNOWN = 0
        OPEN = 1
        CLOSED = 2

    @pb.enum("google.protobuf.FeatureSet.RepeatedFieldEncoding", closed=True)
    class RepeatedFieldEncoding(pb.Enum):
        """Whether numbers of a repeated field share one payload."""

        REPEATED_FIELD_ENCODING_UNKNOWN = 0
        PACKED = 1
        EXPANDED = 2

    @pb.enum("google.protobuf.FeatureSet.Utf8Validation", closed=True)
    class Utf8Validation(pb.Enum):
        """Whether strings must be valid UTF-8."""

        UTF8_VALIDATION_UNKNOWN = 0
        VERIFY = 2
        NONE = 3

    @pb.enum("google.protobuf.FeatureSet.MessageEncoding", closed=True)
    class MessageEncoding(pb.Enum):
        """Whether a sub-message follows its length, or stands between two tags as a group."""

        MESSAGE_ENCODING_UNKNOWN = 0
        LENGTH_PREFIXED = 1
        DELIMITED = 2

    @pb.enum("google.protobuf.FeatureSet.JsonFormat", closed=True)
    class JsonFormat(pb.Enum):
        """Whether names in JSON must be unique."""

        JSON_FORMAT_UNKNOWN = 0
        ALLOW = 1
        LEGACY_BEST_EFFORT = 2

    @pb.enum("google.protobuf.FeatureSet.EnforceNamingStyle", closed=True)
    class EnforceNamingStyle(pb.Enum):
        """Whether names must follow the style guide."""

        ENFORCE_NAMING_STYLE_UNKNOWN = 0
        STYLE2024 = 1
        STYLE_LEGACY = 2
        STYLE2026 = 3

    @pb.message("google.protobuf.FeatureSet.VisibilityFeature", syntax="proto2")
    class VisibilityFeature(pb.Message):
        """The scope of the next enum."""

        @pb.enum("google.protobuf.FeatureSet.VisibilityFeature.DefaultSymbolVisibility", closed=True)
        class DefaultSymbolVisibility(pb.Enum):
            """The declarations that other files can use."""

            DEFAULT_SYMBOL_VISIBILITY_UNKNOWN = 0
            EXPORT_ALL = 1
            EXPORT_TOP_LEVEL = 2
            LOCAL_ALL = 3
            STRICT = 4

    @pb.message("google.protobuf.FeatureSet.ProtoLimitsFeature", syntax="proto2")
    class ProtoLimitsFeature(pb.Message):
        """The scope of the next enum."""

        @pb.enum("google.protobuf.FeatureSet.ProtoLimitsFeature.EnforceProtoLimits", closed=True)
        class EnforceProtoLimits(pb.Enum):
            """Whether protoc limits the size of declarations."""

            PROTO_LIMITS_UNKNOWN = 0
            LEGACY_NO_EXPLICIT_LIMITS = 1
            PROTO_LIMITS2026 = 2

    field_presence: FieldPresence | None = pb.field(FieldPresence, 1)
    enum_type: EnumType | None = pb.field(EnumType, 2)
    repeated_field_encoding: RepeatedFieldEncoding | None = pb.field(RepeatedFieldEncoding, 3)
    utf8_validation: Utf8Validation | None = pb.field(Utf8Validation, 4)
    message_encoding: MessageEncoding | None = pb.field(MessageEncoding, 5)
    json_format: JsonFormat | None = pb.field(JsonFormat, 6)
    enforce_naming_style: EnforceNamingStyle | None = pb.field(EnforceNamingStyle, 7)
    default_symbol_visibility: VisibilityFeature.DefaultSymbolVisibility | None = pb.field(
        VisibilityFeature.DefaultSymbolVisibility, 8
    )
    enforce_proto_limits: ProtoLimitsFeature.EnforceProtoLimits | None = pb.field(
        ProtoLimitsFeature.EnforceProtoLimits, 9
    )


@pb.message("google.protobuf.FeatureSetDefaults", syntax="proto2")
class FeatureSetDefaults(pb.Message):
    """The defaults of features in all editions."""

    @pb.message("google.protobuf.FeatureSetDefaults.FeatureSetEditionDefault", syntax="proto2")
    class FeatureSetEditionDefault(pb.Message):
        """The defaults from one edition on."""

        edition: Edition | None = pb.field(Edition, 3)
        overridable_features: FeatureSet | None = pb.field(FeatureSet, 4)
        fixed_features: FeatureSet | None = pb.field(FeatureSet, 5)

    defaults: list[FeatureSetEditionDefault] = pb.repeated(FeatureSetEditionDefault, 1)
    minimum_edition: Edition | None = pb.field(Edition, 4)
    maximum_edition: Edition | None = pb.field(Edition, 5)


@pb.message("google.protobuf.SourceCodeInfo", syntax="proto2", extensions=[range(536000000, 536000001)])
class SourceCodeInfo(pb.ExtendableMessage):
    """The positions and comments of declarations."""

    @pb.message("google.protobuf.SourceCodeInfo.Location", syntax="proto2")
    class Location(pb.Message):
        """A declaration: `path` are the field numbers and indices that lead to its descriptor."""

        path: list[int] = pb.repeated(pb.int32, 1, packed=True)
        span: list[int] = pb.repeated(pb.int32, 2, packed=True)
        leading_comments: str | None = pb.string(3)
        trailing_comments: str | None = pb.string(4)
        leading_detached_comments: list[str] = pb.repeated(pb.string, 6)

    location: list[Location] = pb.repeated(Location, 1)


@pb.message("google.protobuf.GeneratedCodeInfo", syntax="proto2")
class GeneratedCodeInfo(pb.Message):
    """Which declaration a part of generated code is for."""

    @pb.message("google.protobuf.GeneratedCodeInfo.Annotation", syntax="proto2")
    class Annotation(pb.Message):
        """A range of bytes in the generated code."""

        @pb.enum("google.protobuf.GeneratedCodeInfo.Annotation.Semantic", closed=True)
        class Semantic(pb.Enum):
            """The use of the field in the generated code."""

            NONE = 0
            SET = 1
            ALIAS = 2

        path: list[int] = pb.repeated(pb.int32, 1, packed=True)
        source_file: str | None = pb.string(2)
        begin: int | None = pb.int32(3)
        end: int | None = pb.int32(4)
        semantic: Semantic | None = pb.field(Semantic, 5)

    annotation: list[Annotation] = pb.repeated(Annotation, 1)
