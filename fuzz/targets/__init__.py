"""The targets, one module for each kind of input. Modules with TARGETS are discovered."""
