"""`python -m tfmodel`. A .pyz also starts with this file, so an older Python must be able to compile it."""

import sys

if sys.version_info < (3, 11):  # a .pyz runs this check before it imports the package
    sys.exit("tfmodel needs Python 3.11 or newer, and this is {}.{}".format(*sys.version_info))

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
