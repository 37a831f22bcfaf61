"""Handmade documents with the answers of Google's newest protobuf: golden/json/answers.jsonl."""

from __future__ import annotations

import json as plain_json
import sys

import pytest

from pbwire import JsonError, json
from pbwire.table import table_of
from tests.golden.json import answers
from tests.golden.json.answers import verdict
from tests.pbwire.json.cases import CASES, DIFFERS
from tests.pbwire.json.generated import TYPES
from tests.support import newest_protobuf

ROWS = [plain_json.loads(line) for line in answers.FILE.read_text().splitlines()]


def ours(row):
    try:
        options = {"ignore_unknown_fields": row.get("ignore", False)}
        return verdict(json.loads(row["document"], TYPES[row["type"]], types=TYPES, **options))
    except JsonError as error:
        assert str(error)
        return "refused"


def test_the_golden_file_is_that_of_these_cases():
    current = [(table_of(case.cls).full_name, case.document, case.ignore) for case in CASES]
    assert current == [(row["type"], row["document"], row.get("ignore", False)) for row in ROWS]
    assert len(CASES) > 900


@pytest.mark.slow(reason="asks the newest protobuf in a process of its own")
def test_protobuf_still_says_so():
    try:
        rows = answers.rows()
    except newest_protobuf.Unavailable as reason:
        pytest.skip(str(reason))
    changed = [new["document"] for new, old in zip(rows, ROWS, strict=True) if new != old]
    assert changed == (BASE64_OF_3_14 if sys.version_info >= (3, 14) else [])


BASE64_OF_3_14 = ['{"aBytes": "QQ==QQ=="}']
"""json_format reads what stands behind the padding with Python 3.14, whose base64 it uses. pbwire refuses it."""


def test_our_verdict_is_protobufs():
    wrong = [(row, ours(row)) for row in ROWS if "ours" not in row and ours(row) != row["protobuf"]]
    assert wrong == []


def test_where_our_verdict_is_another_it_is_the_one_with_a_reason():
    rows = [row for row in ROWS if "ours" in row]
    assert len(rows) == len(DIFFERS) > 100
    assert [(row, ours(row)) for row in rows if ours(row) != row["ours"]] == []
    assert [row for row in rows if row["ours"] == row["protobuf"]] == []
    assert all(row["why"] for row in rows)


def test_bytes_are_read_as_their_text_is():
    for row in ROWS:
        try:
            data = row["document"].encode()
        except UnicodeEncodeError:
            continue
        if not data.startswith(b"\xef\xbb\xbf"):
            cls, ignore = TYPES[row["type"]], row.get("ignore", False)
            try:
                read = verdict(json.loads(data, cls, types=TYPES, ignore_unknown_fields=ignore))
            except JsonError:
                read = "refused"
            assert read == row.get("ours", row["protobuf"]), row


def test_documents_are_read_as_their_text_is():
    for row in ROWS:
        try:
            document = plain_json.loads(row["document"], object_pairs_hook=refuse_repeated)
        except (ValueError, RecursionError):
            continue
        if "NaN" in row.get("why", "") or "integers are exact" in row.get("why", ""):
            continue  # in a document, these are floats like any other
        cls, ignore = TYPES[row["type"]], row.get("ignore", False)
        try:
            read = verdict(json.from_dict(document, cls, types=TYPES, ignore_unknown_fields=ignore))
        except JsonError:
            read = "refused"
        assert read == row.get("ours", row["protobuf"]), row


def refuse_repeated(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)
