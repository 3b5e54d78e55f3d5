"""Makes `python3 -m sentry_camera` equivalent to `sentry-camera`."""

import sys

from .cli import main

sys.exit(main())
