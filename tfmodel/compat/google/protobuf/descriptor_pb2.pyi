"""Written by `python -m tests.stubs`."""

from ..._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class DescriptorProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class ExtensionRange(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        START_FIELD_NUMBER: _ClassVar[_int]
        END_FIELD_NUMBER: _ClassVar[_int]
        OPTIONS_FIELD_NUMBER: _ClassVar[_int]
        start: _int
        end: _int
        @property
        def options(self) -> ExtensionRangeOptions: ...
        def __init__(self, *, start: _int | None = ..., end: _int | None = ..., options: ExtensionRangeOptions | _Mapping[_str, _Any] | None = ...) -> None: ...
    class ReservedRange(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        START_FIELD_NUMBER: _ClassVar[_int]
        END_FIELD_NUMBER: _ClassVar[_int]
        start: _int
        end: _int
        def __init__(self, *, start: _int | None = ..., end: _int | None = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[_int]
    FIELD_FIELD_NUMBER: _ClassVar[_int]
    EXTENSION_FIELD_NUMBER: _ClassVar[_int]
    NESTED_TYPE_FIELD_NUMBER: _ClassVar[_int]
    ENUM_TYPE_FIELD_NUMBER: _ClassVar[_int]
    EXTENSION_RANGE_FIELD_NUMBER: _ClassVar[_int]
    ONEOF_DECL_FIELD_NUMBER: _ClassVar[_int]
    OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    RESERVED_RANGE_FIELD_NUMBER: _ClassVar[_int]
    RESERVED_NAME_FIELD_NUMBER: _ClassVar[_int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def field(self) -> _RepeatedMessage[FieldDescriptorProto]: ...
    @property
    def extension(self) -> _RepeatedMessage[FieldDescriptorProto]: ...
    @property
    def nested_type(self) -> _RepeatedMessage[DescriptorProto]: ...
    @property
    def enum_type(self) -> _RepeatedMessage[EnumDescriptorProto]: ...
    @property
    def extension_range(self) -> _RepeatedMessage[DescriptorProto.ExtensionRange]: ...
    @property
    def oneof_decl(self) -> _RepeatedMessage[OneofDescriptorProto]: ...
    @property
    def options(self) -> MessageOptions: ...
    @property
    def reserved_range(self) -> _RepeatedMessage[DescriptorProto.ReservedRange]: ...
    @property
    def reserved_name(self) -> _RepeatedScalar[_str]: ...
    visibility: _int
    def __init__(self, *, name: _str | _bytes | None = ..., field: _Iterable[FieldDescriptorProto | _Mapping[_str, _Any]] | None = ..., extension: _Iterable[FieldDescriptorProto | _Mapping[_str, _Any]] | None = ..., nested_type: _Iterable[DescriptorProto | _Mapping[_str, _Any]] | None = ..., enum_type: _Iterable[EnumDescriptorProto | _Mapping[_str, _Any]] | None = ..., extension_range: _Iterable[DescriptorProto.ExtensionRange | _Mapping[_str, _Any]] | None = ..., oneof_decl: _Iterable[OneofDescriptorProto | _Mapping[_str, _Any]] | None = ..., options: MessageOptions | _Mapping[_str, _Any] | None = ..., reserved_range: _Iterable[DescriptorProto.ReservedRange | _Mapping[_str, _Any]] | None = ..., reserved_name: _Iterable[_str | _bytes] | None = ..., visibility: _int | _str | None = ...) -> None: ...

Edition: _EnumWrapper
EDITION_UNKNOWN: _int
EDITION_LEGACY: _int
EDITION_PROTO2: _int
EDITION_PROTO3: _int
EDITION_2023: _int
EDITION_2024: _int
EDITION_2026: _int
EDITION_UNSTABLE: _int
EDITION_1_TEST_ONLY: _int
EDITION_2_TEST_ONLY: _int
EDITION_99997_TEST_ONLY: _int
EDITION_99998_TEST_ONLY: _int
EDITION_99999_TEST_ONLY: _int
EDITION_MAX: _int

class EnumDescriptorProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class EnumReservedRange(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        START_FIELD_NUMBER: _ClassVar[_int]
        END_FIELD_NUMBER: _ClassVar[_int]
        start: _int
        end: _int
        def __init__(self, *, start: _int | None = ..., end: _int | None = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[_int]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    RESERVED_RANGE_FIELD_NUMBER: _ClassVar[_int]
    RESERVED_NAME_FIELD_NUMBER: _ClassVar[_int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def value(self) -> _RepeatedMessage[EnumValueDescriptorProto]: ...
    @property
    def options(self) -> EnumOptions: ...
    @property
    def reserved_range(self) -> _RepeatedMessage[EnumDescriptorProto.EnumReservedRange]: ...
    @property
    def reserved_name(self) -> _RepeatedScalar[_str]: ...
    visibility: _int
    def __init__(self, *, name: _str | _bytes | None = ..., value: _Iterable[EnumValueDescriptorProto | _Mapping[_str, _Any]] | None = ..., options: EnumOptions | _Mapping[_str, _Any] | None = ..., reserved_range: _Iterable[EnumDescriptorProto.EnumReservedRange | _Mapping[_str, _Any]] | None = ..., reserved_name: _Iterable[_str | _bytes] | None = ..., visibility: _int | _str | None = ...) -> None: ...

class EnumOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ALLOW_ALIAS_FIELD_NUMBER: _ClassVar[_int]
    DEPRECATED_FIELD_NUMBER: _ClassVar[_int]
    DEPRECATED_LEGACY_JSON_FIELD_CONFLICTS_FIELD_NUMBER: _ClassVar[_int]
    FEATURES_FIELD_NUMBER: _ClassVar[_int]
    UNINTERPRETED_OPTION_FIELD_NUMBER: _ClassVar[_int]
    allow_alias: _bool
    deprecated: _bool
    deprecated_legacy_json_field_conflicts: _bool
    @property
    def features(self) -> FeatureSet: ...
    @property
    def uninterpreted_option(self) -> _RepeatedMessage[UninterpretedOption]: ...
    def __init__(self, *, allow_alias: _bool | None = ..., deprecated: _bool | None = ..., deprecated_legacy_json_field_conflicts: _bool | None = ..., features: FeatureSet | _Mapping[_str, _Any] | None = ..., uninterpreted_option: _Iterable[UninterpretedOption | _Mapping[_str, _Any]] | None = ...) -> None: ...

class EnumValueDescriptorProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    NUMBER_FIELD_NUMBER: _ClassVar[_int]
    OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    number: _int
    @property
    def options(self) -> EnumValueOptions: ...
    def __init__(self, *, name: _str | _bytes | None = ..., number: _int | None = ..., options: EnumValueOptions | _Mapping[_str, _Any] | None = ...) -> None: ...

class EnumValueOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DEPRECATED_FIELD_NUMBER: _ClassVar[_int]
    FEATURES_FIELD_NUMBER: _ClassVar[_int]
    DEBUG_REDACT_FIELD_NUMBER: _ClassVar[_int]
    FEATURE_SUPPORT_FIELD_NUMBER: _ClassVar[_int]
    UNINTERPRETED_OPTION_FIELD_NUMBER: _ClassVar[_int]
    deprecated: _bool
    @property
    def features(self) -> FeatureSet: ...
    debug_redact: _bool
    @property
    def feature_support(self) -> FieldOptions.FeatureSupport: ...
    @property
    def uninterpreted_option(self) -> _RepeatedMessage[UninterpretedOption]: ...
    def __init__(self, *, deprecated: _bool | None = ..., features: FeatureSet | _Mapping[_str, _Any] | None = ..., debug_redact: _bool | None = ..., feature_support: FieldOptions.FeatureSupport | _Mapping[_str, _Any] | None = ..., uninterpreted_option: _Iterable[UninterpretedOption | _Mapping[_str, _Any]] | None = ...) -> None: ...

class ExtensionRangeOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VerificationState: _ClassVar[_EnumWrapper]
    DECLARATION: _ClassVar[_int]
    UNVERIFIED: _ClassVar[_int]
    class Declaration(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        NUMBER_FIELD_NUMBER: _ClassVar[_int]
        FULL_NAME_FIELD_NUMBER: _ClassVar[_int]
        TYPE_FIELD_NUMBER: _ClassVar[_int]
        RESERVED_FIELD_NUMBER: _ClassVar[_int]
        REPEATED_FIELD_NUMBER: _ClassVar[_int]
        number: _int
        full_name: _str
        type: _str
        reserved: _bool
        repeated: _bool
        def __init__(self, *, number: _int | None = ..., full_name: _str | _bytes | None = ..., type: _str | _bytes | None = ..., reserved: _bool | None = ..., repeated: _bool | None = ...) -> None: ...
    UNINTERPRETED_OPTION_FIELD_NUMBER: _ClassVar[_int]
    DECLARATION_FIELD_NUMBER: _ClassVar[_int]
    FEATURES_FIELD_NUMBER: _ClassVar[_int]
    VERIFICATION_FIELD_NUMBER: _ClassVar[_int]
    @property
    def uninterpreted_option(self) -> _RepeatedMessage[UninterpretedOption]: ...
    @property
    def declaration(self) -> _RepeatedMessage[ExtensionRangeOptions.Declaration]: ...
    @property
    def features(self) -> FeatureSet: ...
    verification: _int
    def __init__(self, *, uninterpreted_option: _Iterable[UninterpretedOption | _Mapping[_str, _Any]] | None = ..., declaration: _Iterable[ExtensionRangeOptions.Declaration | _Mapping[_str, _Any]] | None = ..., features: FeatureSet | _Mapping[_str, _Any] | None = ..., verification: _int | _str | None = ...) -> None: ...

class FeatureSet(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FieldPresence: _ClassVar[_EnumWrapper]
    FIELD_PRESENCE_UNKNOWN: _ClassVar[_int]
    EXPLICIT: _ClassVar[_int]
    IMPLICIT: _ClassVar[_int]
    LEGACY_REQUIRED: _ClassVar[_int]
    EnumType: _ClassVar[_EnumWrapper]
    ENUM_TYPE_UNKNOWN: _ClassVar[_int]
    OPEN: _ClassVar[_int]
    CLOSED: _ClassVar[_int]
    RepeatedFieldEncoding: _ClassVar[_EnumWrapper]
    REPEATED_FIELD_ENCODING_UNKNOWN: _ClassVar[_int]
    PACKED: _ClassVar[_int]
    EXPANDED: _ClassVar[_int]
    Utf8Validation: _ClassVar[_EnumWrapper]
    UTF8_VALIDATION_UNKNOWN: _ClassVar[_int]
    VERIFY: _ClassVar[_int]
    NONE: _ClassVar[_int]
    MessageEncoding: _ClassVar[_EnumWrapper]
    MESSAGE_ENCODING_UNKNOWN: _ClassVar[_int]
    LENGTH_PREFIXED: _ClassVar[_int]
    DELIMITED: _ClassVar[_int]
    JsonFormat: _ClassVar[_EnumWrapper]
    JSON_FORMAT_UNKNOWN: _ClassVar[_int]
    ALLOW: _ClassVar[_int]
    LEGACY_BEST_EFFORT: _ClassVar[_int]
    EnforceNamingStyle: _ClassVar[_EnumWrapper]
    ENFORCE_NAMING_STYLE_UNKNOWN: _ClassVar[_int]
    STYLE2024: _ClassVar[_int]
    STYLE_LEGACY: _ClassVar[_int]
    STYLE2026: _ClassVar[_int]
    class VisibilityFeature(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        DefaultSymbolVisibility: _ClassVar[_EnumWrapper]
        DEFAULT_SYMBOL_VISIBILITY_UNKNOWN: _ClassVar[_int]
        EXPORT_ALL: _ClassVar[_int]
        EXPORT_TOP_LEVEL: _ClassVar[_int]
        LOCAL_ALL: _ClassVar[_int]
        STRICT: _ClassVar[_int]
        def __init__(self) -> None: ...
    class ProtoLimitsFeature(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        EnforceProtoLimits: _ClassVar[_EnumWrapper]
        PROTO_LIMITS_UNKNOWN: _ClassVar[_int]
        LEGACY_NO_EXPLICIT_LIMITS: _ClassVar[_int]
        PROTO_LIMITS2026: _ClassVar[_int]
        def __init__(self) -> None: ...
    FIELD_PRESENCE_FIELD_NUMBER: _ClassVar[_int]
    ENUM_TYPE_FIELD_NUMBER: _ClassVar[_int]
    REPEATED_FIELD_ENCODING_FIELD_NUMBER: _ClassVar[_int]
    UTF8_VALIDATION_FIELD_NUMBER: _ClassVar[_int]
    MESSAGE_ENCODING_FIELD_NUMBER: _ClassVar[_int]
    JSON_FORMAT_FIELD_NUMBER: _ClassVar[_int]
    ENFORCE_NAMING_STYLE_FIELD_NUMBER: _ClassVar[_int]
    DEFAULT_SYMBOL_VISIBILITY_FIELD_NUMBER: _ClassVar[_int]
    ENFORCE_PROTO_LIMITS_FIELD_NUMBER: _ClassVar[_int]
    field_presence: _int
    enum_type: _int
    repeated_field_encoding: _int
    utf8_validation: _int
    message_encoding: _int
    json_format: _int
    enforce_naming_style: _int
    default_symbol_visibility: _int
    enforce_proto_limits: _int
    def __init__(self, *, field_presence: _int | _str | None = ..., enum_type: _int | _str | None = ..., repeated_field_encoding: _int | _str | None = ..., utf8_validation: _int | _str | None = ..., message_encoding: _int | _str | None = ..., json_format: _int | _str | None = ..., enforce_naming_style: _int | _str | None = ..., default_symbol_visibility: _int | _str | None = ..., enforce_proto_limits: _int | _str | None = ...) -> None: ...

class FeatureSetDefaults(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class FeatureSetEditionDefault(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        EDITION_FIELD_NUMBER: _ClassVar[_int]
        OVERRIDABLE_FEATURES_FIELD_NUMBER: _ClassVar[_int]
        FIXED_FEATURES_FIELD_NUMBER: _ClassVar[_int]
        edition: _int
        @property
        def overridable_features(self) -> FeatureSet: ...
        @property
        def fixed_features(self) -> FeatureSet: ...
        def __init__(self, *, edition: _int | _str | None = ..., overridable_features: FeatureSet | _Mapping[_str, _Any] | None = ..., fixed_features: FeatureSet | _Mapping[_str, _Any] | None = ...) -> None: ...
    DEFAULTS_FIELD_NUMBER: _ClassVar[_int]
    MINIMUM_EDITION_FIELD_NUMBER: _ClassVar[_int]
    MAXIMUM_EDITION_FIELD_NUMBER: _ClassVar[_int]
    @property
    def defaults(self) -> _RepeatedMessage[FeatureSetDefaults.FeatureSetEditionDefault]: ...
    minimum_edition: _int
    maximum_edition: _int
    def __init__(self, *, defaults: _Iterable[FeatureSetDefaults.FeatureSetEditionDefault | _Mapping[_str, _Any]] | None = ..., minimum_edition: _int | _str | None = ..., maximum_edition: _int | _str | None = ...) -> None: ...

class FieldDescriptorProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    Type: _ClassVar[_EnumWrapper]
    TYPE_DOUBLE: _ClassVar[_int]
    TYPE_FLOAT: _ClassVar[_int]
    TYPE_INT64: _ClassVar[_int]
    TYPE_UINT64: _ClassVar[_int]
    TYPE_INT32: _ClassVar[_int]
    TYPE_FIXED64: _ClassVar[_int]
    TYPE_FIXED32: _ClassVar[_int]
    TYPE_BOOL: _ClassVar[_int]
    TYPE_STRING: _ClassVar[_int]
    TYPE_GROUP: _ClassVar[_int]
    TYPE_MESSAGE: _ClassVar[_int]
    TYPE_BYTES: _ClassVar[_int]
    TYPE_UINT32: _ClassVar[_int]
    TYPE_ENUM: _ClassVar[_int]
    TYPE_SFIXED32: _ClassVar[_int]
    TYPE_SFIXED64: _ClassVar[_int]
    TYPE_SINT32: _ClassVar[_int]
    TYPE_SINT64: _ClassVar[_int]
    Label: _ClassVar[_EnumWrapper]
    LABEL_OPTIONAL: _ClassVar[_int]
    LABEL_REPEATED: _ClassVar[_int]
    LABEL_REQUIRED: _ClassVar[_int]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    NUMBER_FIELD_NUMBER: _ClassVar[_int]
    LABEL_FIELD_NUMBER: _ClassVar[_int]
    TYPE_FIELD_NUMBER: _ClassVar[_int]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[_int]
    EXTENDEE_FIELD_NUMBER: _ClassVar[_int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[_int]
    ONEOF_INDEX_FIELD_NUMBER: _ClassVar[_int]
    JSON_NAME_FIELD_NUMBER: _ClassVar[_int]
    OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    PROTO3_OPTIONAL_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    number: _int
    label: _int
    type: _int
    type_name: _str
    extendee: _str
    default_value: _str
    oneof_index: _int
    json_name: _str
    @property
    def options(self) -> FieldOptions: ...
    proto3_optional: _bool
    def __init__(self, *, name: _str | _bytes | None = ..., number: _int | None = ..., label: _int | _str | None = ..., type: _int | _str | None = ..., type_name: _str | _bytes | None = ..., extendee: _str | _bytes | None = ..., default_value: _str | _bytes | None = ..., oneof_index: _int | None = ..., json_name: _str | _bytes | None = ..., options: FieldOptions | _Mapping[_str, _Any] | None = ..., proto3_optional: _bool | None = ...) -> None: ...

class FieldOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    CType: _ClassVar[_EnumWrapper]
    STRING: _ClassVar[_int]
    CORD: _ClassVar[_int]
    STRING_PIECE: _ClassVar[_int]
    JSType: _ClassVar[_EnumWrapper]
    JS_NORMAL: _ClassVar[_int]
    JS_STRING: _ClassVar[_int]
    JS_NUMBER: _ClassVar[_int]
    OptionRetention: _ClassVar[_EnumWrapper]
    RETENTION_UNKNOWN: _ClassVar[_int]
    RETENTION_RUNTIME: _ClassVar[_int]
    RETENTION_SOURCE: _ClassVar[_int]
    OptionTargetType: _ClassVar[_EnumWrapper]
    TARGET_TYPE_UNKNOWN: _ClassVar[_int]
    TARGET_TYPE_FILE: _ClassVar[_int]
    TARGET_TYPE_EXTENSION_RANGE: _ClassVar[_int]
    TARGET_TYPE_MESSAGE: _ClassVar[_int]
    TARGET_TYPE_FIELD: _ClassVar[_int]
    TARGET_TYPE_ONEOF: _ClassVar[_int]
    TARGET_TYPE_ENUM: _ClassVar[_int]
    TARGET_TYPE_ENUM_ENTRY: _ClassVar[_int]
    TARGET_TYPE_SERVICE: _ClassVar[_int]
    TARGET_TYPE_METHOD: _ClassVar[_int]
    class EditionDefault(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        EDITION_FIELD_NUMBER: _ClassVar[_int]
        VALUE_FIELD_NUMBER: _ClassVar[_int]
        edition: _int
        value: _str
        def __init__(self, *, edition: _int | _str | None = ..., value: _str | _bytes | None = ...) -> None: ...
    class FeatureSupport(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        EDITION_INTRODUCED_FIELD_NUMBER: _ClassVar[_int]
        EDITION_DEPRECATED_FIELD_NUMBER: _ClassVar[_int]
        DEPRECATION_WARNING_FIELD_NUMBER: _ClassVar[_int]
        EDITION_REMOVED_FIELD_NUMBER: _ClassVar[_int]
        edition_introduced: _int
        edition_deprecated: _int
        deprecation_warning: _str
        edition_removed: _int
        def __init__(self, *, edition_introduced: _int | _str | None = ..., edition_deprecated: _int | _str | None = ..., deprecation_warning: _str | _bytes | None = ..., edition_removed: _int | _str | None = ...) -> None: ...
    CTYPE_FIELD_NUMBER: _ClassVar[_int]
    PACKED_FIELD_NUMBER: _ClassVar[_int]
    JSTYPE_FIELD_NUMBER: _ClassVar[_int]
    LAZY_FIELD_NUMBER: _ClassVar[_int]
    UNVERIFIED_LAZY_FIELD_NUMBER: _ClassVar[_int]
    DEPRECATED_FIELD_NUMBER: _ClassVar[_int]
    WEAK_FIELD_NUMBER: _ClassVar[_int]
    DEBUG_REDACT_FIELD_NUMBER: _ClassVar[_int]
    RETENTION_FIELD_NUMBER: _ClassVar[_int]
    TARGETS_FIELD_NUMBER: _ClassVar[_int]
    EDITION_DEFAULTS_FIELD_NUMBER: _ClassVar[_int]
    FEATURES_FIELD_NUMBER: _ClassVar[_int]
    FEATURE_SUPPORT_FIELD_NUMBER: _ClassVar[_int]
    UNINTERPRETED_OPTION_FIELD_NUMBER: _ClassVar[_int]
    ctype: _int
    packed: _bool
    jstype: _int
    lazy: _bool
    unverified_lazy: _bool
    deprecated: _bool
    weak: _bool
    debug_redact: _bool
    retention: _int
    @property
    def targets(self) -> _RepeatedScalar[_int]: ...
    @property
    def edition_defaults(self) -> _RepeatedMessage[FieldOptions.EditionDefault]: ...
    @property
    def features(self) -> FeatureSet: ...
    @property
    def feature_support(self) -> FieldOptions.FeatureSupport: ...
    @property
    def uninterpreted_option(self) -> _RepeatedMessage[UninterpretedOption]: ...
    def __init__(self, *, ctype: _int | _str | None = ..., packed: _bool | None = ..., jstype: _int | _str | None = ..., lazy: _bool | None = ..., unverified_lazy: _bool | None = ..., deprecated: _bool | None = ..., weak: _bool | None = ..., debug_redact: _bool | None = ..., retention: _int | _str | None = ..., targets: _Iterable[_int | _str] | None = ..., edition_defaults: _Iterable[FieldOptions.EditionDefault | _Mapping[_str, _Any]] | None = ..., features: FeatureSet | _Mapping[_str, _Any] | None = ..., feature_support: FieldOptions.FeatureSupport | _Mapping[_str, _Any] | None = ..., uninterpreted_option: _Iterable[UninterpretedOption | _Mapping[_str, _Any]] | None = ...) -> None: ...

class FileDescriptorProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    PACKAGE_FIELD_NUMBER: _ClassVar[_int]
    DEPENDENCY_FIELD_NUMBER: _ClassVar[_int]
    PUBLIC_DEPENDENCY_FIELD_NUMBER: _ClassVar[_int]
    WEAK_DEPENDENCY_FIELD_NUMBER: _ClassVar[_int]
    OPTION_DEPENDENCY_FIELD_NUMBER: _ClassVar[_int]
    MESSAGE_TYPE_FIELD_NUMBER: _ClassVar[_int]
    ENUM_TYPE_FIELD_NUMBER: _ClassVar[_int]
    SERVICE_FIELD_NUMBER: _ClassVar[_int]
    EXTENSION_FIELD_NUMBER: _ClassVar[_int]
    OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    SOURCE_CODE_INFO_FIELD_NUMBER: _ClassVar[_int]
    SYNTAX_FIELD_NUMBER: _ClassVar[_int]
    EDITION_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    package: _str
    @property
    def dependency(self) -> _RepeatedScalar[_str]: ...
    @property
    def public_dependency(self) -> _RepeatedScalar[_int]: ...
    @property
    def weak_dependency(self) -> _RepeatedScalar[_int]: ...
    @property
    def option_dependency(self) -> _RepeatedScalar[_str]: ...
    @property
    def message_type(self) -> _RepeatedMessage[DescriptorProto]: ...
    @property
    def enum_type(self) -> _RepeatedMessage[EnumDescriptorProto]: ...
    @property
    def service(self) -> _RepeatedMessage[ServiceDescriptorProto]: ...
    @property
    def extension(self) -> _RepeatedMessage[FieldDescriptorProto]: ...
    @property
    def options(self) -> FileOptions: ...
    @property
    def source_code_info(self) -> SourceCodeInfo: ...
    syntax: _str
    edition: _int
    def __init__(self, *, name: _str | _bytes | None = ..., package: _str | _bytes | None = ..., dependency: _Iterable[_str | _bytes] | None = ..., public_dependency: _Iterable[_int] | None = ..., weak_dependency: _Iterable[_int] | None = ..., option_dependency: _Iterable[_str | _bytes] | None = ..., message_type: _Iterable[DescriptorProto | _Mapping[_str, _Any]] | None = ..., enum_type: _Iterable[EnumDescriptorProto | _Mapping[_str, _Any]] | None = ..., service: _Iterable[ServiceDescriptorProto | _Mapping[_str, _Any]] | None = ..., extension: _Iterable[FieldDescriptorProto | _Mapping[_str, _Any]] | None = ..., options: FileOptions | _Mapping[_str, _Any] | None = ..., source_code_info: SourceCodeInfo | _Mapping[_str, _Any] | None = ..., syntax: _str | _bytes | None = ..., edition: _int | _str | None = ...) -> None: ...

class FileDescriptorSet(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FILE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def file(self) -> _RepeatedMessage[FileDescriptorProto]: ...
    def __init__(self, *, file: _Iterable[FileDescriptorProto | _Mapping[_str, _Any]] | None = ...) -> None: ...

class FileOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    OptimizeMode: _ClassVar[_EnumWrapper]
    SPEED: _ClassVar[_int]
    CODE_SIZE: _ClassVar[_int]
    LITE_RUNTIME: _ClassVar[_int]
    JAVA_PACKAGE_FIELD_NUMBER: _ClassVar[_int]
    JAVA_OUTER_CLASSNAME_FIELD_NUMBER: _ClassVar[_int]
    JAVA_MULTIPLE_FILES_FIELD_NUMBER: _ClassVar[_int]
    JAVA_GENERATE_EQUALS_AND_HASH_FIELD_NUMBER: _ClassVar[_int]
    JAVA_STRING_CHECK_UTF8_FIELD_NUMBER: _ClassVar[_int]
    OPTIMIZE_FOR_FIELD_NUMBER: _ClassVar[_int]
    GO_PACKAGE_FIELD_NUMBER: _ClassVar[_int]
    CC_GENERIC_SERVICES_FIELD_NUMBER: _ClassVar[_int]
    JAVA_GENERIC_SERVICES_FIELD_NUMBER: _ClassVar[_int]
    PY_GENERIC_SERVICES_FIELD_NUMBER: _ClassVar[_int]
    DEPRECATED_FIELD_NUMBER: _ClassVar[_int]
    CC_ENABLE_ARENAS_FIELD_NUMBER: _ClassVar[_int]
    OBJC_CLASS_PREFIX_FIELD_NUMBER: _ClassVar[_int]
    CSHARP_NAMESPACE_FIELD_NUMBER: _ClassVar[_int]
    SWIFT_PREFIX_FIELD_NUMBER: _ClassVar[_int]
    PHP_CLASS_PREFIX_FIELD_NUMBER: _ClassVar[_int]
    PHP_NAMESPACE_FIELD_NUMBER: _ClassVar[_int]
    PHP_METADATA_NAMESPACE_FIELD_NUMBER: _ClassVar[_int]
    RUBY_PACKAGE_FIELD_NUMBER: _ClassVar[_int]
    FEATURES_FIELD_NUMBER: _ClassVar[_int]
    UNINTERPRETED_OPTION_FIELD_NUMBER: _ClassVar[_int]
    java_package: _str
    java_outer_classname: _str
    java_multiple_files: _bool
    java_generate_equals_and_hash: _bool
    java_string_check_utf8: _bool
    optimize_for: _int
    go_package: _str
    cc_generic_services: _bool
    java_generic_services: _bool
    py_generic_services: _bool
    deprecated: _bool
    cc_enable_arenas: _bool
    objc_class_prefix: _str
    csharp_namespace: _str
    swift_prefix: _str
    php_class_prefix: _str
    php_namespace: _str
    php_metadata_namespace: _str
    ruby_package: _str
    @property
    def features(self) -> FeatureSet: ...
    @property
    def uninterpreted_option(self) -> _RepeatedMessage[UninterpretedOption]: ...
    def __init__(self, *, java_package: _str | _bytes | None = ..., java_outer_classname: _str | _bytes | None = ..., java_multiple_files: _bool | None = ..., java_generate_equals_and_hash: _bool | None = ..., java_string_check_utf8: _bool | None = ..., optimize_for: _int | _str | None = ..., go_package: _str | _bytes | None = ..., cc_generic_services: _bool | None = ..., java_generic_services: _bool | None = ..., py_generic_services: _bool | None = ..., deprecated: _bool | None = ..., cc_enable_arenas: _bool | None = ..., objc_class_prefix: _str | _bytes | None = ..., csharp_namespace: _str | _bytes | None = ..., swift_prefix: _str | _bytes | None = ..., php_class_prefix: _str | _bytes | None = ..., php_namespace: _str | _bytes | None = ..., php_metadata_namespace: _str | _bytes | None = ..., ruby_package: _str | _bytes | None = ..., features: FeatureSet | _Mapping[_str, _Any] | None = ..., uninterpreted_option: _Iterable[UninterpretedOption | _Mapping[_str, _Any]] | None = ...) -> None: ...

class GeneratedCodeInfo(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class Annotation(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        Semantic: _ClassVar[_EnumWrapper]
        NONE: _ClassVar[_int]
        SET: _ClassVar[_int]
        ALIAS: _ClassVar[_int]
        PATH_FIELD_NUMBER: _ClassVar[_int]
        SOURCE_FILE_FIELD_NUMBER: _ClassVar[_int]
        BEGIN_FIELD_NUMBER: _ClassVar[_int]
        END_FIELD_NUMBER: _ClassVar[_int]
        SEMANTIC_FIELD_NUMBER: _ClassVar[_int]
        @property
        def path(self) -> _RepeatedScalar[_int]: ...
        source_file: _str
        begin: _int
        end: _int
        semantic: _int
        def __init__(self, *, path: _Iterable[_int] | None = ..., source_file: _str | _bytes | None = ..., begin: _int | None = ..., end: _int | None = ..., semantic: _int | _str | None = ...) -> None: ...
    ANNOTATION_FIELD_NUMBER: _ClassVar[_int]
    @property
    def annotation(self) -> _RepeatedMessage[GeneratedCodeInfo.Annotation]: ...
    def __init__(self, *, annotation: _Iterable[GeneratedCodeInfo.Annotation | _Mapping[_str, _Any]] | None = ...) -> None: ...

class MessageOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    MESSAGE_SET_WIRE_FORMAT_FIELD_NUMBER: _ClassVar[_int]
    NO_STANDARD_DESCRIPTOR_ACCESSOR_FIELD_NUMBER: _ClassVar[_int]
    DEPRECATED_FIELD_NUMBER: _ClassVar[_int]
    MAP_ENTRY_FIELD_NUMBER: _ClassVar[_int]
    DEPRECATED_LEGACY_JSON_FIELD_CONFLICTS_FIELD_NUMBER: _ClassVar[_int]
    FEATURES_FIELD_NUMBER: _ClassVar[_int]
    UNINTERPRETED_OPTION_FIELD_NUMBER: _ClassVar[_int]
    message_set_wire_format: _bool
    no_standard_descriptor_accessor: _bool
    deprecated: _bool
    map_entry: _bool
    deprecated_legacy_json_field_conflicts: _bool
    @property
    def features(self) -> FeatureSet: ...
    @property
    def uninterpreted_option(self) -> _RepeatedMessage[UninterpretedOption]: ...
    def __init__(self, *, message_set_wire_format: _bool | None = ..., no_standard_descriptor_accessor: _bool | None = ..., deprecated: _bool | None = ..., map_entry: _bool | None = ..., deprecated_legacy_json_field_conflicts: _bool | None = ..., features: FeatureSet | _Mapping[_str, _Any] | None = ..., uninterpreted_option: _Iterable[UninterpretedOption | _Mapping[_str, _Any]] | None = ...) -> None: ...

class MethodDescriptorProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    INPUT_TYPE_FIELD_NUMBER: _ClassVar[_int]
    OUTPUT_TYPE_FIELD_NUMBER: _ClassVar[_int]
    OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    CLIENT_STREAMING_FIELD_NUMBER: _ClassVar[_int]
    SERVER_STREAMING_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    input_type: _str
    output_type: _str
    @property
    def options(self) -> MethodOptions: ...
    client_streaming: _bool
    server_streaming: _bool
    def __init__(self, *, name: _str | _bytes | None = ..., input_type: _str | _bytes | None = ..., output_type: _str | _bytes | None = ..., options: MethodOptions | _Mapping[_str, _Any] | None = ..., client_streaming: _bool | None = ..., server_streaming: _bool | None = ...) -> None: ...

class MethodOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    IdempotencyLevel: _ClassVar[_EnumWrapper]
    IDEMPOTENCY_UNKNOWN: _ClassVar[_int]
    NO_SIDE_EFFECTS: _ClassVar[_int]
    IDEMPOTENT: _ClassVar[_int]
    DEPRECATED_FIELD_NUMBER: _ClassVar[_int]
    IDEMPOTENCY_LEVEL_FIELD_NUMBER: _ClassVar[_int]
    FEATURES_FIELD_NUMBER: _ClassVar[_int]
    UNINTERPRETED_OPTION_FIELD_NUMBER: _ClassVar[_int]
    deprecated: _bool
    idempotency_level: _int
    @property
    def features(self) -> FeatureSet: ...
    @property
    def uninterpreted_option(self) -> _RepeatedMessage[UninterpretedOption]: ...
    def __init__(self, *, deprecated: _bool | None = ..., idempotency_level: _int | _str | None = ..., features: FeatureSet | _Mapping[_str, _Any] | None = ..., uninterpreted_option: _Iterable[UninterpretedOption | _Mapping[_str, _Any]] | None = ...) -> None: ...

class OneofDescriptorProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def options(self) -> OneofOptions: ...
    def __init__(self, *, name: _str | _bytes | None = ..., options: OneofOptions | _Mapping[_str, _Any] | None = ...) -> None: ...

class OneofOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FEATURES_FIELD_NUMBER: _ClassVar[_int]
    UNINTERPRETED_OPTION_FIELD_NUMBER: _ClassVar[_int]
    @property
    def features(self) -> FeatureSet: ...
    @property
    def uninterpreted_option(self) -> _RepeatedMessage[UninterpretedOption]: ...
    def __init__(self, *, features: FeatureSet | _Mapping[_str, _Any] | None = ..., uninterpreted_option: _Iterable[UninterpretedOption | _Mapping[_str, _Any]] | None = ...) -> None: ...

class ServiceDescriptorProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    METHOD_FIELD_NUMBER: _ClassVar[_int]
    OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def method(self) -> _RepeatedMessage[MethodDescriptorProto]: ...
    @property
    def options(self) -> ServiceOptions: ...
    def __init__(self, *, name: _str | _bytes | None = ..., method: _Iterable[MethodDescriptorProto | _Mapping[_str, _Any]] | None = ..., options: ServiceOptions | _Mapping[_str, _Any] | None = ...) -> None: ...

class ServiceOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FEATURES_FIELD_NUMBER: _ClassVar[_int]
    DEPRECATED_FIELD_NUMBER: _ClassVar[_int]
    UNINTERPRETED_OPTION_FIELD_NUMBER: _ClassVar[_int]
    @property
    def features(self) -> FeatureSet: ...
    deprecated: _bool
    @property
    def uninterpreted_option(self) -> _RepeatedMessage[UninterpretedOption]: ...
    def __init__(self, *, features: FeatureSet | _Mapping[_str, _Any] | None = ..., deprecated: _bool | None = ..., uninterpreted_option: _Iterable[UninterpretedOption | _Mapping[_str, _Any]] | None = ...) -> None: ...

class SourceCodeInfo(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class Location(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        PATH_FIELD_NUMBER: _ClassVar[_int]
        SPAN_FIELD_NUMBER: _ClassVar[_int]
        LEADING_COMMENTS_FIELD_NUMBER: _ClassVar[_int]
        TRAILING_COMMENTS_FIELD_NUMBER: _ClassVar[_int]
        LEADING_DETACHED_COMMENTS_FIELD_NUMBER: _ClassVar[_int]
        @property
        def path(self) -> _RepeatedScalar[_int]: ...
        @property
        def span(self) -> _RepeatedScalar[_int]: ...
        leading_comments: _str
        trailing_comments: _str
        @property
        def leading_detached_comments(self) -> _RepeatedScalar[_str]: ...
        def __init__(self, *, path: _Iterable[_int] | None = ..., span: _Iterable[_int] | None = ..., leading_comments: _str | _bytes | None = ..., trailing_comments: _str | _bytes | None = ..., leading_detached_comments: _Iterable[_str | _bytes] | None = ...) -> None: ...
    LOCATION_FIELD_NUMBER: _ClassVar[_int]
    @property
    def location(self) -> _RepeatedMessage[SourceCodeInfo.Location]: ...
    def __init__(self, *, location: _Iterable[SourceCodeInfo.Location | _Mapping[_str, _Any]] | None = ...) -> None: ...

SymbolVisibility: _EnumWrapper
VISIBILITY_UNSET: _int
VISIBILITY_LOCAL: _int
VISIBILITY_EXPORT: _int

class UninterpretedOption(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class NamePart(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        NAME_PART_FIELD_NUMBER: _ClassVar[_int]
        IS_EXTENSION_FIELD_NUMBER: _ClassVar[_int]
        name_part: _str
        is_extension: _bool
        def __init__(self, *, name_part: _str | _bytes | None = ..., is_extension: _bool | None = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[_int]
    IDENTIFIER_VALUE_FIELD_NUMBER: _ClassVar[_int]
    POSITIVE_INT_VALUE_FIELD_NUMBER: _ClassVar[_int]
    NEGATIVE_INT_VALUE_FIELD_NUMBER: _ClassVar[_int]
    DOUBLE_VALUE_FIELD_NUMBER: _ClassVar[_int]
    STRING_VALUE_FIELD_NUMBER: _ClassVar[_int]
    AGGREGATE_VALUE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def name(self) -> _RepeatedMessage[UninterpretedOption.NamePart]: ...
    identifier_value: _str
    positive_int_value: _int
    negative_int_value: _int
    double_value: _float
    string_value: _bytes
    aggregate_value: _str
    def __init__(self, *, name: _Iterable[UninterpretedOption.NamePart | _Mapping[_str, _Any]] | None = ..., identifier_value: _str | _bytes | None = ..., positive_int_value: _int | None = ..., negative_int_value: _int | None = ..., double_value: _float | None = ..., string_value: _bytes | None = ..., aggregate_value: _str | _bytes | None = ...) -> None: ...
