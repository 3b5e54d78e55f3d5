"""A minimal sender: aims twice, then loses its target. It requires no library."""

import os
import time

with open(os.environ["SENTRY_PORT"], "wb", buffering=0) as port:
    time.sleep(1.2)  # the classic sketch does not read during its first second
    for command in ["X45.", "X135.", "L"]:
        port.write(command.encode())
        time.sleep(0.3)
