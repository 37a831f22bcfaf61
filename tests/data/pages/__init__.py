"""Pictures of pages for tfmodel/cli/README.md: `python -m tests.data.pages` takes them again, with Chromium."""
