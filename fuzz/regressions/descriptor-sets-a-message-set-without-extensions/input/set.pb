
"
EnumValueOptions:è