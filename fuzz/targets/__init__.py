"""What is fuzzed, a module for each kind of input. A module with TARGETS is found by itself."""
