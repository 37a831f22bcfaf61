"""`Model`: a model as an object, with its inputs and outputs, its transformations, and runs on NumPy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import tfmodel

from .errors import GraphError, ModelError
from .files.access.forms import Form
from .files.decoding import Tags
from .files.files import save
from .graph import Functions, GraphIndex
from .messages import GraphDef, MetaGraphDef, NodeDef, as_dataclass
from .options import options_of, options_with_other, options_with_reference
from .source.model_source import CheckpointSource, Given, HasSource, ModelSource, Names
from .source.opening import check_options, check_source
from .source.signature_defs import SignatureFacts, list_signatures

if TYPE_CHECKING:
    from .analysis.endpoints.endpoints import Endpoint
    from .ops.definitions import Declarations
    from .parameters.listing import Progress
    from .transforms.framework.pipeline import OpDefs, Transforms, Verify
    from .transforms.framework.recipes import Recipe


class Model(HasSource):
    """A model: a graph with its signatures, checkpoint and assets, and the operations on them.

    source       a path (a graph in any form, a .meta, a SavedModel, a TensorFlow.js model, a checkpoint), bytes, "-", a
                 GraphDef, MetaGraphDef or SavedModel, a mapping from names to arrays such as a Checkpoint, or another
                 model
    checkpoint   where the values of variables come from, if not from the checkpoint beside the model: a path, a
                 Checkpoint, or any mapping from names to arrays
    signature    the signature with the inputs and outputs (default: "serving_default", or the only one)
    tags         select a MetaGraph of a SavedModel (default: "serve" if there are several)

    Files are read once, on first use; a path that leads to no file is an error at once. Transformations return new
    models, so calls can be chained:

        Model("saved_model/").optimize().save("small.pb")

    `graph` is the message itself: its nodes may be edited in place before the model is first run. `with_graph` returns
    a model with another graph.

    All methods raise FileFormatError, CheckpointError and OSError for files that cannot be read, and ModelError for a
    model that lacks a part that they need. They also take the options, and raise the errors, of the `tfmodel` function
    of the same name. Where they take a `checkpoint`, a `signature` or `tags`, these override those of the model.

    Find inputs and outputs:

        for endpoint in model.inputs + model.outputs:
            print(endpoint.tensor, endpoint.dtype, endpoint.shape, endpoint.reasons)

    Freeze, shrink, run, compare:

        model.freeze().save("frozen.pb")
        small = model.optimize("shrink")
        scores = small.run({"x": array})["scores"]
        assert small.verify(model, {"x": array}).same

    Find nodes, and look at what is around one:

        for row in model.find("op=Conv2D shape=?,?,?,3"):
            print(row.name, row.shapes, model.consumers(row.name))

    Extract weights, edit a node:

        for weight in model.weights():
            print(weight.name, weight.shape)  # weight.read() gives the array
        for node in model.graph.node:
            if node.op == "Relu":
                node.op = "Relu6"
        model.save("edited.pb")
    """

    def __init__(
        self,
        source: Given,
        *,
        checkpoint: CheckpointSource = None,
        signature: str | None = None,
        tags: Tags = None,
    ) -> None:
        if not isinstance(source, (HasSource, ModelSource)):
            check_source(as_dataclass(source))
        check_options(checkpoint, signature)
        self._source = ModelSource.of(source, checkpoint=checkpoint, signature=signature, tags=tags)
        self._report: tfmodel.TransformReport | None = None
        self._optimized: tfmodel.Optimized | None = None

    @classmethod
    def _after(
        cls,
        source: ModelSource,
        *,
        report: tfmodel.TransformReport | None = None,
        optimized: tfmodel.Optimized | None = None,
    ) -> Model:
        """Return the model that a step made, with the report and the result of this step."""
        model = cls(source)
        model._report = report
        model._optimized = optimized
        return model

    @property
    def name(self) -> str:
        """The name of the model in errors: its printable path; empty for a message."""
        return self._source.name

    @property
    def graph(self) -> GraphDef:
        """The graph. Raises ModelError or FileFormatError for a checkpoint or a file of Keras, which have none."""
        return self._source.graph

    @property
    def meta(self) -> MetaGraphDef | None:
        """The MetaGraph that contains the graph; None for a graph alone."""
        return self._source.meta

    @property
    def checkpoint(self) -> Mapping[str, Any] | None:
        """The tensors of the checkpoint: of the given one, or else of the one beside the model; None without any."""
        return self._source.checkpoint

    @property
    def notes(self) -> Sequence[str]:
        """Messages of the steps that made this model, one line each; empty for a model from a file."""
        return self._source.notes

    @property
    def report(self) -> tfmodel.TransformReport | None:
        """The report of the transforms; None for a model that was not transformed."""
        return self._report

    # --- inputs and outputs ------------------------------------------------------------------------------------------

    @cached_property
    def inputs(self) -> list[Endpoint]:
        """The tensors to be fed: the inputs of the signature or, without a signature, the likely inputs."""
        return self._endpoints[0]

    @cached_property
    def outputs(self) -> list[Endpoint]:
        """The tensors to be computed: the outputs of the signature or, without a signature, the likeliest ones.

        `confidence` says how likely they are; `optimize`, `freeze` and `save` need more of it than this list. Raises
        ModelError with a list of the candidates if none of them is likely.
        """
        _, outputs, problem = self._endpoints
        with self._source.naming():
            if problem:
                raise ModelError(problem)
        return outputs

    @cached_property
    def _endpoints(self) -> tuple[list[Endpoint], list[Endpoint], str]:
        """The inputs, the outputs, and why there are none; without signatures, those of a SavedModel's functions."""
        from .analysis.choice import choose
        from .analysis.facts import Facts

        source = self._source.with_functions()
        with source.naming():
            facts = Facts.of(source)
            choice = choose(source, partial=True, guess=True, facts=facts)
            return *choice.describe(facts), choice.problem

    @cached_property
    def signatures(self) -> dict[str, SignatureFacts]:
        """All signatures by name, with dtypes and shapes; empty for a graph without any."""
        return {signature.name: signature for signature in list_signatures(self.meta)} if self.meta is not None else {}

    @property
    def functions(self) -> list[tfmodel.ModelObject]:
        """The functions of a TensorFlow 2 model: see `tfmodel.object_tree`. Raises ModelError without objects.

        `tfmodel.signatures` gives the arguments and results of their concrete functions.
        """
        return self.objects().functions

    @property
    def assets(self) -> list[str]:
        """The paths of the asset files of a SavedModel, such as vocabularies, which its graph reads."""
        return sorted(self._source.asset_paths().values())

    # --- looking -----------------------------------------------------------------------------------------------------

    @options_of(lambda: tfmodel.summarize)
    def summary(self, *args: Any, **options: Any) -> tfmodel.Summary:
        """Describe the model: see `tfmodel.summarize`."""
        return tfmodel.summarize(self, *args, **options)

    def __repr__(self) -> str:
        return f"<Model {self.name or 'of a message'}>"

    @options_of(lambda: tfmodel.object_tree)
    def objects(self, *args: Any, **options: Any) -> tfmodel.ObjectTree:
        """Return the objects of a TensorFlow 2 model: layers, variables, functions. See `tfmodel.object_tree`."""
        return tfmodel.object_tree(self, *args, **options)

    @options_of(lambda: tfmodel.find)
    def find(self, *args: Any, **options: Any) -> tfmodel.FindReport:
        """Return the nodes that match a query, such as `op=Conv2D not name=block_*`: see `tfmodel.find`."""
        return tfmodel.find(self, *args, **options)

    @options_of(lambda: tfmodel.page)
    def draw(self, *args: Any, **options: Any) -> bytes:
        """Return an HTML page that shows the model, or how it differs from another: see `tfmodel.page`."""
        return tfmodel.page(self, *args, **options)

    def _repr_html_(self) -> str:
        """Return the page in an iframe, for notebooks."""
        from html import escape

        content = escape(self.draw(values="none").decode(), quote=True)
        style = "width: 100%; height: 640px; border: 1px solid #ccc"
        return f'<iframe srcdoc="{content}" sandbox="allow-scripts allow-downloads" style="{style}"></iframe>'

    @options_of(lambda: tfmodel.check)
    def check(self, *args: Any, **options: Any) -> tfmodel.CheckReport:
        """Return what makes the model unsound or unsafe: see `tfmodel.check`."""
        return tfmodel.check(self, *args, **options)

    def index(self, function: str = "") -> GraphIndex:
        """Return the nodes of the graph, or of a function, by name, with their producers and consumers.

        The graph must not change while the index is in use. Make one for many look-ups. Raises GraphError, with a
        suggestion, for an unknown function.
        """
        with self._source.naming():
            functions = Functions(self.graph.library)
            return GraphIndex(functions[function] if function else self.graph, functions)

    def node(self, name: str, function: str = "") -> NodeDef:
        """Return a node of the graph, or of a function. Raises GraphError, with a suggestion, for an unknown name."""
        with self._source.naming():
            return self.index(function)[name]

    def producers(self, name: str, function: str = "") -> list[NodeDef]:
        """Return the nodes that the inputs of a node refer to, one per input. Raises GraphError like `node`."""
        with self._source.naming():
            return self.index(function).producers(name)

    def consumers(self, name: str, function: str = "") -> list[NodeDef]:
        """Return the nodes that refer to a node, once per reference. Raises GraphError like `node`.

        The whole graph is read for each call; for many, make an `index`.
        """
        with self._source.naming():
            return self.index(function).consumers(name)

    @options_of(lambda: tfmodel.weights)
    def weights(self, *args: Any, **options: Any) -> tfmodel.WeightsReport:
        """List the learned weights with their roles: see `tfmodel.weights`."""
        return tfmodel.weights(self, *args, **options)

    @options_with_other(lambda: tfmodel.diff)
    def diff(self, other: Given, *args: Any, **options: Any) -> tfmodel.DiffReport:
        """Compare this model with a changed one: see `tfmodel.diff`."""
        return tfmodel.diff(self, other, *args, **options)

    @options_with_other(lambda: tfmodel.compare_values)
    def compare_values(self, other: Given, *args: Any, **options: Any) -> tfmodel.ValuesReport:
        """Compare the variables and constants of this model with those of another: see `tfmodel.compare_values`."""
        return tfmodel.compare_values(self, other, *args, **options)

    # --- steps -------------------------------------------------------------------------------------------------------

    def with_graph(self, graph: GraphDef) -> Model:
        """Return the model with another graph. What names nodes that it does not have is left out of the MetaGraph."""
        return Model._after(self._source.after_step(graph))

    def with_meta(self, meta: MetaGraphDef, graph: GraphDef | None = None) -> Model:
        """Return the model with another MetaGraph, and another graph in it if `graph` is given.

        The checkpoint and the files of assets stay.
        """
        return Model._after(self._source.with_meta(meta, graph))

    def edit(self, function: str = "", *, op_defs: Declarations | Iterable[Declarations] = ()) -> tfmodel.GraphEditor:
        """Return an editor of the graph, or of a function: see `tfmodel.GraphEditor`. The model does not change."""
        return tfmodel.GraphEditor(self, function, op_defs=op_defs)

    @options_of(lambda: tfmodel.extract)
    def extract(self, *args: Any, **options: Any) -> Model:
        """Return the part of the model that computes some tensors from others: see `tfmodel.extract`."""
        return tfmodel.extract(self, *args, **options)

    @options_with_other(lambda: tfmodel.splice)
    def splice(self, other: Given, *args: Any, **options: Any) -> Model:
        """Return one model that feeds the results of this one into another: see `tfmodel.splice`."""
        return tfmodel.splice(self, other, *args, **options)

    @options_of(lambda: tfmodel.append_preprocessing)
    def append_preprocessing(self, *args: Any, **options: Any) -> Model:
        """Return the model with preprocessing in front of an input: see `tfmodel.append_preprocessing`."""
        return tfmodel.append_preprocessing(self, *args, **options)

    @options_of(lambda: tfmodel.reduce)
    def reduce(self, *args: Any, **options: Any) -> tfmodel.ReduceReport:
        """Return the smallest part of the model that still shows a problem: see `tfmodel.reduce`."""
        return tfmodel.reduce(self, *args, **options)

    def bind(self, values: Mapping[str, Any]) -> Model:
        """Return the model with constants in place of tensors. The tensors are then not inputs any more.

        `values` maps the names of tensors to their values, such as {"keep_prob": 1}. See the transform `bind_inputs`.
        Raises TransformError for a tensor that cannot be replaced.
        """
        from .analysis.variables.preparation import bind_source

        return Model._after(bind_source(self._source, values)) if values else self

    @options_of(lambda: tfmodel.freeze)
    def freeze(self, *args: Any, **options: Any) -> Model:
        """Return the model with constants in place of variables: see `tfmodel.freeze`. Default outputs: the model's."""
        from .freezing.pipeline import freeze_model

        return Model._after(freeze_model(self, *args, **options).frozen_source)

    # `transform` and `optimize` repeat the options of their functions, which take inputs and outputs by position: a
    # graph has none of its own, a model has. No type of a function puts parameters in another order.
    def transform(
        self,
        transforms: Transforms,
        *,
        inputs: Names = None,
        outputs: Names = None,
        bind: Mapping[str, Any] | None = None,
        report: tfmodel.TransformReport | None = None,
        op_defs: OpDefs = None,
        verify: Verify = None,
    ) -> Model:
        """Return the model after a list of transforms, which keep its inputs and outputs: see `tfmodel.transform`."""
        report = tfmodel.TransformReport() if report is None else report
        bound = self if inputs is not None and outputs is not None else self.bind(bind or {})
        inputs = [endpoint.tensor for endpoint in bound.inputs] if inputs is None else inputs
        if outputs is None:
            from .source.metagraph.initializers import table_initializers

            outputs = [*(endpoint.tensor for endpoint in bound.outputs), *table_initializers(bound._source)]
        with self._source.naming():
            graph = tfmodel.transform(
                self, inputs, outputs, transforms, bind=bind, report=report, op_defs=op_defs, verify=verify
            )
        source = self.bind(bind or {})._source
        return Model._after(source.after_step(graph, renames=report.all_renames), report=report)

    def optimize(
        self,
        recipe: str | Recipe = "deploy",
        *,
        inputs: Names = None,
        outputs: Names = None,
        transforms: str | Sequence[str] = (),
        bind: Mapping[str, Any] | bool = True,
        verify: bool | Literal["long"] = True,
        feeds: Mapping[str, Any] | None = None,
        shapes: Mapping[str, Sequence[int]] | None = None,
        batch_size: int | None = None,
        seed: int | None = None,
        rtol: float | None = None,
        names: Literal["graph", "signature"] = "graph",
        report: tfmodel.TransformReport | None = None,
        progress: Progress | None = None,
    ) -> Model:
        """Return the model, frozen and transformed by a recipe into a small graph with the same results.

        See `tfmodel.optimize`.
        """
        done = tfmodel.optimize(
            self,
            inputs,
            outputs,
            recipe=recipe,
            transforms=transforms,
            bind=bind,
            verify=verify,
            feeds=feeds,
            shapes=shapes,
            batch_size=batch_size,
            seed=seed,
            rtol=rtol,
            names=names,
            report=report,
            progress=progress,
        )
        notes = [*done.notes, *([f"not verified: {done.unverified}"] if done.unverified else [])]
        source = self._source.changed(done.graph, done.meta_graph(), notes)
        return Model._after(source, report=done.report, optimized=done)

    # --- running -----------------------------------------------------------------------------------------------------

    @cached_property
    def session(self) -> tfmodel.Session:
        """The session that runs the model. It keeps variables, lookup tables and execution plans between runs."""
        return tfmodel.Session(self)

    @options_of(lambda: tfmodel.Session.run)
    def run(self, *args: Any, **options: Any) -> dict[str, Any]:
        """Run the model in its `session`, and return the values of tensors by their names: see `tfmodel.Session.run`.

        Variables keep their values for the next run. `tfmodel.run` has options of a new session too.
        """
        return self.session.run(*args, **options)

    @options_with_reference(lambda: tfmodel.verify)
    def verify(self, reference: Given, *args: Any, **options: Any) -> tfmodel.VerifyReport:
        """Compare the outputs of this model with those of `reference`, for the same feeds: see `tfmodel.verify`.

        Without `feeds`, random feeds are generated from `shapes`, `batch_size` and `seed`. Both models start with the
        variables of their checkpoints; earlier runs have no effect.
        """
        return tfmodel.verify(reference, self, *args, **options)

    # --- writing -----------------------------------------------------------------------------------------------------

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: Form | None = None,
        deterministic: bool = False,
        check: bool = True,
    ) -> None:
        """Write the graph to a file: see `tfmodel.save`.

        Raises GraphError if TensorFlow would refuse to import the graph, unless `check` is false: see
        `tfmodel.analysis.import_check`. The error names the transform that mends the graph, if there is one.

        If the name ends with .meta, write the whole MetaGraph; if it ends with .onnx, convert the model: see
        `tfmodel.save_onnx`, which has further options. If it ends with a slash or is an existing folder, write a
        SavedModel: see `tfmodel.save_saved_model`. Raises ModelError for a .meta if the model has no MetaGraph.
        """
        target = os.fspath(path)
        if check:
            self._check_import()
        if target.endswith(("/", os.sep)) or os.path.isdir(target):
            if format is not None:
                raise ModelError("a SavedModel is binary: leave the format out")
            if self._optimized is not None:
                self._optimized.write_saved_model(target)
            else:
                tfmodel.save_saved_model(self, target, deterministic=deterministic)
        elif target.lower().endswith(".onnx"):
            if format is not None:
                raise ModelError("a model of ONNX is binary: leave the format out")
            tfmodel.save_onnx(self, target)
        elif target.endswith(".meta"):
            if self.meta is None:
                raise ModelError("this model is a graph alone, and no MetaGraph: name a .pb file, or another one")
            save(self.meta, target, format=format, deterministic=deterministic)
        else:
            save(self.graph, target, format=format, deterministic=deterministic)

    def _check_import(self) -> None:
        """Raise GraphError if TensorFlow refuses the graph for another reason than an op that a library may define."""
        from .transforms.framework.mending import import_verdict

        verdict = import_verdict(self.graph, self._source.ops)
        if verdict.problem:
            raise GraphError(f"TensorFlow refuses this graph: {verdict}; with check=False, it is written as it is")

    @options_of(lambda: tfmodel.save_onnx)
    def save_onnx(self, *args: Any, **options: Any) -> tfmodel.OnnxModel:
        """Convert the model to a file of ONNX: see `tfmodel.save_onnx`."""
        return tfmodel.save_onnx(self, *args, **options)

    @options_of(lambda: tfmodel.save_tfjs)
    def save_tfjs(self, *args: Any, **options: Any) -> tfmodel.SavedTfjs:
        """Write the model as a graph model of TensorFlow.js, frozen: see `tfmodel.save_tfjs`."""
        return tfmodel.save_tfjs(self, *args, **options)
