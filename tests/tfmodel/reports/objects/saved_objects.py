"""Object graphs for tests, made from our own messages."""

from __future__ import annotations

from tests.tfmodel import models
from tfmodel.messages import (
    DataType,
    DictValue,
    FunctionSpec,
    GraphDef,
    MetaGraphDef,
    NamedTupleValue,
    NoneValue,
    PairValue,
    SavedConcreteFunction,
    SavedFunction,
    SavedModel,
    SavedObject,
    SavedObjectGraph,
    SavedUserObject,
    SavedVariable,
    SignatureDef,
    StructuredValue,
    TensorInfo,
    TensorShapeProto,
    TensorSpecProto,
    TrackableObjectGraph,
    TupleValue,
)

Trackable = TrackableObjectGraph.TrackableObject
Children = dict[str, int]


def references(children: Children) -> list[Trackable.ObjectReference]:
    return [Trackable.ObjectReference(local_name=name, node_id=number) for name, number in children.items()]


def thing(children: Children, identifier: str = "_generic_user_object", metadata: str = "") -> SavedObject:
    """A Python object."""
    user = SavedUserObject(identifier=identifier, metadata=metadata)
    return SavedObject(user_object=user, children=references(children))


def a_list(*numbers: int) -> SavedObject:
    return thing({str(place): number for place, number in enumerate(numbers)}, "trackable_list_wrapper")


def variable(*sizes: int, name: str = "v", trainable: bool = True) -> SavedObject:
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])
    content = SavedVariable(dtype=DataType.DT_FLOAT, shape=shape, trainable=trainable, name=name)
    return SavedObject(variable=content)


def function(*names: str, spec: FunctionSpec | None = None) -> SavedObject:
    return SavedObject(function=SavedFunction(concrete_functions=list(names), function_spec=spec))


def meta(*nodes: SavedObject, **concrete: SavedConcreteFunction) -> MetaGraphDef:
    objects = SavedObjectGraph(nodes=list(nodes), concrete_functions=concrete)
    return MetaGraphDef(graph_def=GraphDef(), object_graph_def=objects)


def spec(name: str = "", *sizes: int) -> StructuredValue:
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])
    return StructuredValue(tensor_spec_value=TensorSpecProto(name=name, dtype=DataType.DT_FLOAT, shape=shape))


def a_tuple(*values: StructuredValue) -> StructuredValue:
    return StructuredValue(tuple_value=TupleValue(values=list(values)))


def a_dict(**fields: StructuredValue) -> StructuredValue:
    return StructuredValue(dict_value=DictValue(fields=fields))


def named_tuple(class_name: str, **fields: StructuredValue) -> StructuredValue:
    pairs = [PairValue(key=key, value=value) for key, value in fields.items()]
    return StructuredValue(named_tuple_value=NamedTupleValue(name=class_name, values=pairs))


def literal(value: object) -> StructuredValue:
    match value:
        case bool():
            return StructuredValue(bool_value=value)
        case int():
            return StructuredValue(int64_value=value)
        case float():
            return StructuredValue(float64_value=value)
        case str():
            return StructuredValue(string_value=value)
        case list() | tuple():
            return a_tuple(*map(literal, value))
    return StructuredValue(none_value=NoneValue())


def concrete(
    args: StructuredValue, kwargs: StructuredValue | None = None, output: StructuredValue | None = None
) -> SavedConcreteFunction:
    signature = a_tuple(args, kwargs or a_dict())
    return SavedConcreteFunction(canonicalized_input_signature=signature, output_signature=output)


def parameters(
    *args: str, defaults: tuple[object, ...] = (), varargs: str | None = None, kwonly: dict[str, object] | None = None
) -> FunctionSpec:
    """The spec of a Python function."""
    only = kwonly or {}
    full = named_tuple(
        "FullArgSpec",
        args=literal(args),
        varargs=literal(varargs),
        varkw=literal(None),
        defaults=literal(defaults or None),
        kwonlyargs=literal(tuple(only)),
        kwonlydefaults=a_dict(**{name: literal(value) for name, value in only.items()}),
    )
    return FunctionSpec(fullargspec=full)


def layers() -> SavedModel:
    """A SavedModel with the objects of two layers of Keras, a function, and a signature."""
    dense = '{"class_name": "Dense", "name": "%s"}'
    call = parameters("inputs", "training", defaults=(False,))
    objects = [
        thing({"layer-0": 1, "layer-1": 2, "keras_api": 3, "call": 8}, "_tf_keras_sequential"),
        thing({"kernel": 4, "bias": 5}, "_tf_keras_layer", dense % "hidden"),
        thing({"kernel": 6, "bias": 7}, "_tf_keras_layer", dense % "scores"),
        thing({"layer": 1}),
        variable(64, 32),
        variable(32),
        variable(32, 10),
        variable(10, trainable=False),
        function("call_1", "call_2", spec=call),
    ]
    model = meta(
        *objects,
        call_1=concrete(a_tuple(spec("inputs", -1, 64), literal(False)), output=spec("", -1, 10)),
        call_2=concrete(a_tuple(spec("inputs", 8, 64), literal(True)), output=a_dict(scores=spec("", 8, 10))),
    )
    inputs = TensorInfo(name="serving_default_inputs:0", dtype=DataType.DT_FLOAT, tensor_shape=models.shape(-1, 64))
    outputs = TensorInfo(name="PartitionedCall:0", dtype=DataType.DT_FLOAT, tensor_shape=models.shape(-1, 10))
    signature = SignatureDef(inputs={"inputs": inputs}, outputs={"scores": outputs}, method_name="predict")
    model.signature_def = {"serving_default": signature}
    model.meta_info_def = MetaGraphDef.MetaInfoDef(tags=["serve"])
    return SavedModel(saved_model_schema_version=1, meta_graphs=[model])
