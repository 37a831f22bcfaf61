"""Find nodes of a model by name, op, dtype, shape, attributes, and by their place in the graph.

FILE is a graph in binary, text or JSON, a .meta, the folder of a SavedModel, or - for standard input. The nodes of the
graph and of its functions are searched. The words of QUERY may be one argument or several; characters that mean
something to the shell, such as * ? ( ) > |, need quotes around them.

words:
  conv               names with "conv" in them, in upper or lower case; block_* and x? match the whole name
  a b    a or b      nodes that match both, or one of them; "not b" excludes; parentheses group
  op=Conv2D          a field has a value: = != < <= > >=. Fields of nodes:
                       name op function device input dtype shape size inputs controls outputs consumers
  op=Conv2D|MatMul   one of several values; * stands for any text, ? for any character
  shape=?,224,224,3  an output has this shape; ? is any size, -1 an unknown one, * any number of sizes: *,3
  dtype=float16      an output has this type; size>1M: the largest output has more bytes
  attr.strides=2     an attribute, or an element of its list, has this value; attr.strides=[1,2,2,1]: the whole list;
                     attr.strides: the attribute exists
  function=f         nodes in the body of a function; function="" stands for the graph itself
  "or"               quotes make a word ordinary text: no wildcard, no word of the language

patterns and places:
  Transpose -> Reshape              nodes whose tensors go from op to op; (op=Conv2D size>1M) -> Relu for more tests
  upstream of x    downstream of x  the nodes that x depends on, that depend on x; with "within 2": at most 2 edges away
  path x to y                       the nodes on all paths from x to y
After "of", "path" and "to", a word is the whole name of a node, and (op=Softmax) stands for several nodes. Edges and
control edges are followed within the graph or within a function.

Exit status: 0 if nodes match, 1 if none does, 2 if the query or the file is bad.

examples:
  tfmodel find model.pb op=Conv2D 'shape=?,?,?,3'
  tfmodel find saved_model/ 'dropout or op=RandomUniform'
  tfmodel find model.pb 'Transpose -> Reshape'
  tfmodel find model.pb 'upstream of logits not op=Const' --json | jq -r '.nodes[].name'
"""

from __future__ import annotations

import sys
from typing import Any

from pbwire.arguments import DONE, NO

from ..reports.find import find
from ..source.missing_weights import missing_weights_note
from ..source.model_source import ModelSource
from .messages import UsageError, warn
from .model_options import add_tags
from .parser import Parser
from .progress import Progress


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the model; see below")
    add("query", metavar="QUERY", nargs="+", help="the query; see below")
    add_tags(parser)
    parser.add_flag("--names", help="print only the names, one per line")
    parser.add_flag("--json", help="print JSON")


def run(args: Any) -> int:
    if args.names and args.json:
        raise UsageError("--json has the names too: leave out --names")
    with Progress() as progress:
        progress.doing("searching")
        source = ModelSource.of(args.file, tags=args.tags, needs_weights=False)
        report = find(source, " ".join(args.query))
        lines = [report.to_json()] if args.json else report.lines(names_only=args.names)
        text = "".join(f"{line}\n" for line in lines)
    if report or not args.names:
        sys.stdout.write(text)
    if args.names and (note := missing_weights_note(source)):  # the other forms have it
        warn(note)
    return DONE if report else NO
