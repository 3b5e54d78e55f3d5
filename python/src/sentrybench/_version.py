"""The version of this package, and of the program that it contains."""

__version__ = "0.1.0"
