"""Fuzzing of every reader of pbwire and tfmodel, of transforms and of the interpreter, with damaged and random inputs.

    target.py         targets: the source of inputs, the reader, and its budgets
    targets/          one module for each kind of input
    messages.py       inputs that are one message, of any class
    golden_models.py  real models from tests/golden, as seeds
    special_files.py  folders, pipes and links in the place of files
    mutation.py       mutations of bytes (byte_mutation.py), of wire format (field_mutation.py), of text
                      (token_mutation.py), and of graphs (graph_edits.py, example_edits.py)
    inputs.py         the sequence of inputs of a run: generated or mutated
    reference*.py     simple, slow readers to compare results with
    execute.py        runs one input and measures its time and memory
    worker.py         the process that runs inputs; it stores each in a slot (slot.py) before it does
    runner.py         starts workers, watches them, and collects results
    shrinking.py      minimizes findings
    failures.py       stores findings as files with a test; replays fixed ones
    differential.py   the differential mode: compares with protobuf's result for the same input
    record.py         the recorded figures of runs

`python -m fuzz --help` says how to run it.
"""
