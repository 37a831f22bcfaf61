"""Golden files: verdicts of Google's newest json_format on JSON documents."""
