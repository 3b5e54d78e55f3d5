"""Tells setuptools what pyproject.toml cannot: the package contains a program, which runs on one
platform only, and the manual pages and completions, which are installed in the environment's share.
"""

from pathlib import Path

from setuptools import Distribution, setup


class PlatformDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


folders = sorted({path.parent for path in Path("share").rglob("*") if path.is_file()})
setup(
    distclass=PlatformDistribution,
    data_files=[
        (str(folder), sorted(str(path) for path in folder.iterdir() if path.is_file()))
        for folder in folders
    ],
)
