"""`python -m pbwire`. An older Python must be able to compile this file, to report that it is too old."""

import sys

if sys.version_info < (3, 11):
    sys.exit("pbwire needs Python 3.11 or newer, and this is {}.{}".format(*sys.version_info))

from .commands import main

if __name__ == "__main__":
    sys.exit(main())
