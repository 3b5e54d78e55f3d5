"""Runs the command line: `python -m sentrybench.fleet`."""

import sys

from sentrybench.fleet.cli import main

if __name__ == "__main__":  # A worker process imports this module again.
    sys.exit(main(sys.argv[1:]))
