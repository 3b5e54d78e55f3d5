"""Aims the turret at angles, one after the other: python3 aim.py 45 135

The port is the one in SENTRY_PORT, which the bench sets, or /dev/ttyACM0. Requires no library.
"""

import os
import sys
import termios
import time
import tty

PAUSE = 0.05


def command(degrees):
    """Returns the command for an angle, limited to those that the servo can reach."""
    return b"X%d." % min(max(round(degrees), 0), 180)


def open_port(path):
    """Opens a serial port at 9600 bits per second."""
    port = os.open(path, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(port)
    settings = termios.tcgetattr(port)
    settings[4] = settings[5] = termios.B9600
    termios.tcsetattr(port, termios.TCSANOW, settings)
    return port


def main(angles):
    port = open_port(os.environ.get("SENTRY_PORT", "/dev/ttyACM0"))
    # An Uno restarts when its port is opened, and reads nothing for a while.
    time.sleep(float(os.environ.get("AIM_WAIT", "2")))
    for degrees in angles:
        os.write(port, command(degrees))
        time.sleep(PAUSE)
    termios.tcdrain(port)
    os.close(port)


if __name__ == "__main__":
    main([float(word) for word in sys.argv[1:]])
