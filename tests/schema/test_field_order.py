"""The order of rows is that of TensorFlow's .proto files; an option of printers prints fields in this order."""

from __future__ import annotations

import json

import pytest

from pbwire.table import table_of
from tests.golden.wire.field_order import FILE
from tfmodel.messages import TYPES

ORDERS = {name: fields for name, fields in json.loads(FILE.read_text()).items() if name in TYPES}


def test_there_are_messages_that_are_not_declared_by_number():
    assert len(ORDERS) >= 15
    assert ORDERS["tensorflow.GraphDef"] == ["node", "versions", "version", "library"]


@pytest.mark.parametrize("name", ORDERS)
def test_rows_are_in_the_order_of_declaration(name):
    rows = [field.name for field in table_of(TYPES[name]).fields]
    assert [row for row in rows if row in ORDERS[name]] == [row for row in ORDERS[name] if row in rows]
