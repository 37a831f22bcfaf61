"""Fuzzing: every reader of pbwire and tfmodel, transforms and the interpreter on inputs that nobody meant.

    target.py         what a target is: where its inputs come from, what reads them, and what that may cost
    targets/          the targets, a module for each kind of input
    messages.py       messages of every class, made from the tables
    golden_models.py  real models, to start from
    special_files.py  folders, pipes and links where a file should be
    mutation.py       damage to bytes; field_mutation.py: to wire format, token_mutation.py: to text,
                      graph_edits.py: to graphs
    inputs.py         the inputs of a run, one after another: generated, or damaged
    reference.py      files read in the plainest way, to compare with; reference_*.py likewise
    execute.py        one input, with its time and its memory
    worker.py         the process that tries inputs; slot.py is where it leaves each before it does
    runner.py         starting workers, watching them, and what became of it
    shrinking.py      making small what was found
    failures.py       findings as files with a test; those that were fixed
    differential.py   the differential mode: what protobuf says of the same input
    record.py         the figures of runs

`python -m fuzz --help` says how to run it.
"""
