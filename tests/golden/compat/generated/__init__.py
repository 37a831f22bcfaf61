"""The modules that three generations of protoc wrote for `order.proto`.

    python -m tests.golden.compat.generated PROTOC NAME [OPTION...]     # write order_NAME.txt by this protoc

    order_3_14.txt   all parts of all declarations are in calls
    order_3_19.txt   classes are made from the descriptors of a pool
    order_30_2.txt   the builder makes all

protoc 3.14 needs the option --experimental_allow_proto3_optional. TensorFlow's files are given as descriptors, which
`pbwire.compat.descriptors.file_protos` makes of tables.
"""
