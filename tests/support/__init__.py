"""Helpers that tests and fuzz share: strategies, samples, protobuf's own classes, measurements, the state of processes.

The modules import pbwire and tfmodel, golden cases, and no test. tests/ and fuzz/ call them.
"""
