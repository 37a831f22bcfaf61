"""Models with their variables beside them: folders of SavedModels, and .meta files with a checkpoint.

They are loaded, their signatures are listed, and they are frozen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from zlib import crc32

from hypothesis import strategies as st

from fuzz.golden_models import MAX_SEED_BYTES, folders
from fuzz.graph_edits import apply_edits
from fuzz.special_files import with_no_files
from fuzz.target import Case, Files, Target
from tests.support.strategies import messages
from tests.tfmodel.models import saved_model
from tfmodel import freeze, load, summarize, weights
from tfmodel.analysis.import_check import import_faults
from tfmodel.graph import check_graph
from tfmodel.messages import GraphDef, MetaGraphDef, SavedModel
from tfmodel.ops import registry

ANSWERS = (".npz", ".json", "reference.pb")  # not part of the model
MODEL, META = "saved_model/saved_model.pb", "model.meta"


def _cases(model: str) -> Iterator[Files]:
    for files in folders("freezing/answers.tar.xz").values():
        kept = {name: content for name, content in files.items() if not name.endswith(ANSWERS)}
        if model in kept and sum(map(len, kept.values())) <= 2 * MAX_SEED_BYTES:
            yield kept


def saved_model_seeds() -> Iterator[Files]:
    yield {MODEL: saved_model().to_bytes(), "saved_model/assets/vocabulary.txt": b"a\nb\n"}
    yield from _cases(MODEL)


def meta_seeds() -> Iterator[Files]:
    return _cases(META)


def _edited(files: Files, edits: list[int]) -> Files:
    """Return a model with edits of its first graph; its checkpoint stays unchanged."""
    name = MODEL if MODEL in files else META
    message = (SavedModel if name == MODEL else MetaGraphDef).from_bytes(files[name])
    meta = message.meta_graphs[0] if isinstance(message, SavedModel) else message
    if meta.graph_def is not None:
        meta.graph_def = apply_edits(meta.graph_def, edits)
    return files | {name: message.to_bytes()}


def _edited_seeds(seeds: list[Files]) -> st.SearchStrategy[Files]:
    numbers = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4)
    return st.builds(_edited, st.sampled_from(seeds), numbers)


def saved_models() -> st.SearchStrategy[Files]:
    generated = messages(SavedModel).map(lambda model: {MODEL: model.to_bytes()})
    seeds = list(saved_model_seeds())
    return with_no_files(st.one_of(_edited_seeds(seeds), generated), seeds)


def meta_graphs() -> st.SearchStrategy[Files]:
    seeds = list(meta_seeds())
    return with_no_files(_edited_seeds(seeds), seeds, META)


def _summarized(path: str) -> None:
    summary = summarize(path, structure=True)
    assert summary.to_text() and summary.to_json()


def _weighed(path: str) -> None:
    report = weights(path, statistics=True)
    report.to_text()
    report.to_json()


def _frozen(path: str) -> None:
    """Assert that a frozen graph can be written, and is valid if the model is and TensorFlow imports it."""
    graph = load(path, GraphDef, lazy=True)
    outputs = [node.name for node in graph.node[-2:]]
    for requested in (None, outputs) if path.endswith("model") else (outputs,):
        frozen = freeze(path, requested)
        written = frozen.to_bytes(deterministic=True)
        assert GraphDef.from_bytes(written).to_bytes(deterministic=True) == written
        ops = registry(graph)
        if not check_graph(graph, registry=ops) and not import_faults(graph, ops):
            assert not check_graph(frozen, registry=registry(frozen)), "freezing makes a valid graph invalid"


LOOKS: tuple[Callable[[str], object], ...] = (_frozen, _summarized, _frozen, _weighed)


def check(files: Files, case: Case) -> object:
    """Each input is run with one of these."""
    folder = case.write(files)
    path = str(folder / ("saved_model" if any(name.startswith("saved_model/") for name in files) else META))
    meta = load(path, MetaGraphDef, lazy=True)
    LOOKS[sum(map(crc32, files.values())) % len(LOOKS)](path)
    return meta


_target = partial(Target, seconds=3.0, seconds_per_byte=60e-6, memory=600.0, refusals=(OSError,))

TARGETS = (
    _target("saved-model", "SavedModels: loaded, listed, frozen", saved_model_seeds, saved_models, check),
    _target("meta", ".meta files with their checkpoint: the same", meta_seeds, meta_graphs, check),
)
