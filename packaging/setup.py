"""Tells setuptools that the package contains a program, which runs on one platform only."""

from setuptools import Distribution, setup


class PlatformDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(distclass=PlatformDistribution)
