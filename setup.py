"""The list of packages, which depends on a condition that pyproject.toml cannot express.

The folder `schema` goes into a wheel as the package `tfmodel._schema`. In a checkout, `tfmodel/_schema` is a link to
the folder, so setuptools finds it like any other package. Source archives and some file systems have no links: there
`package_dir` names the folder. (Where the link exists, `package_dir` must not name the folder: an editable install is
then a plain .pth file, which type checkers understand. `tfmodel/messages.py` makes the same distinction for imports.)
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
