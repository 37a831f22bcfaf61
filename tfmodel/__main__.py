"""`python -m tfmodel`. A .pyz begins with it too, so an older Python must be able to read it."""

import sys

if sys.version_info < (3, 11):  # nothing else stops an older Python where tfmodel is not installed
    sys.exit("tfmodel needs Python 3.11 or newer, and this is {}.{}".format(*sys.version_info))

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
