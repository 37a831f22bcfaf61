"""Golden answers of the C++ Graph Transform Tool on programs and small graphs."""
