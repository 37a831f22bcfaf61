"""Golden measurements of the recipes on whole models."""
