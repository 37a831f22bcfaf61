"""Where the packages are, which pyproject.toml cannot say: the tables have two places, and one may not be there.

The folder `schema` goes into a wheel as the package `tfmodel._schema`. In a checkout that is a link to the folder,
found like any other package. An archive of the sources has no links, nor do some file systems: there the folder is
named. (With the link in place nothing is named, so that an editable install is a plain .pth file, which type checkers
understand. `tfmodel/messages.py` does the same for imports.)
"""

from pathlib import Path

from setuptools import find_packages, setup

TABLES = "tfmodel._schema"

linked = Path(__file__).with_name("tfmodel").joinpath("_schema", "__init__.py").is_file()
packages = find_packages(include=["pbwire", "pbwire.*", "tfmodel", "tfmodel.*"], exclude=[TABLES])

setup(
    packages=[*packages, TABLES],
    package_dir={"": "."} if linked else {"": ".", TABLES: "schema"},
)
