"""TFRecord files and event files of TensorBoard: records, events, summaries and examples.

    for data in read_records("train.tfrecord.gz"):
        example = Example.from_bytes(data)

    for event in read_events("logs/train"):
        print(event.step, event.which_oneof("what"))

    print(summarize_events("logs").to_text())
    loss = summarize_events("logs").series("loss", "train")      # loss.steps, loss.values
    print(summarize_records("train.tfrecord").features)

The format of records is in `tfmodel.files.tfrecords.records`, and the graphs in event files in
`tfmodel.files.tfrecords.event_graphs`, since `load` reads them.

    events.py         `read_events`: the events of files and folders; the kind and plugin of each value of a summary
    values.py         `read_values`: the values of series as numbers, histograms, files and text
    event_report.py   `summarize_events`: the runs, graphs and series of a folder, as a report
    examples.py       `summarize_records`: the records and the features of examples, as a report

The package imports `files`, `values` and messages. Commands, feeds of the interpreter, and users of the library call
it.
"""

from __future__ import annotations

from ..tfrecords.records import Record, RecordReader, read_records, write_records
from .event_report import EventsReport, Run, Series, summarize_events
from .events import SummaryValue, event_files, read_events
from .examples import RecordsReport, summarize_records
from .values import read_values

__all__ = [
    "EventsReport",
    "Record",
    "RecordReader",
    "RecordsReport",
    "Run",
    "Series",
    "SummaryValue",
    "event_files",
    "read_events",
    "read_records",
    "read_values",
    "summarize_events",
    "summarize_records",
    "write_records",
]
