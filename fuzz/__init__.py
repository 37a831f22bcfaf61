"""Fuzzing: every reader of pbwire and tfmodel on inputs that nobody meant. See `fuzz.target` and `python -m fuzz`."""
