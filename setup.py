"""The list of packages, which depends on a condition, and the description: pyproject.toml cannot express them.

The folder `schema` goes into a wheel as the package `tfmodel._schema`. In a checkout, `tfmodel/_schema` is a link to
the folder, so setuptools finds it like any other package. Source archives and some file systems have no links: there
`package_dir` names the folder. (Where the link exists, `package_dir` must not name the folder: an editable install is
then a plain .pth file, which type checkers understand. `tfmodel/messages.py` makes the same distinction for imports.)

An index shows README.md on a page of its own, where links to other files of the repository lead nowhere. So the
description is README.md with the texts of such links alone, and without pictures.
"""

import re
from pathlib import Path

from setuptools import find_packages, setup

TABLES = "tfmodel._schema"
FOLDERS = [TABLES, TABLES + ".onnx"]

readme = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
description = re.sub(r"(!?)\[([^\]]*)\]\((?!https:)[^)]*\)", lambda link: "" if link[1] else link[2], readme)
linked = Path(__file__).with_name("tfmodel").joinpath("_schema", "__init__.py").is_file()
packages = find_packages(include=["pbwire", "pbwire.*", "tfmodel", "tfmodel.*"], exclude=FOLDERS)

setup(
    long_description=description,
    long_description_content_type="text/markdown",
    packages=[*packages, *FOLDERS],
    package_dir={"": "."} if linked else {"": ".", TABLES: "schema"},
)
