"""Runs the command line: `python -m sentrybench.fleet`."""

import os
import sys

from sentrybench.fleet.cli import main

if __name__ == "__main__":  # A worker process imports this module again.
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Everything is closed. Threads of Arrow that still run can abort a normal exit.
    os._exit(status)
