"""`python3 -m sentry_camera` is `sentry-camera`."""

import sys

from .cli import main

sys.exit(main())
