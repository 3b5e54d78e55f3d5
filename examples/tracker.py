"""A small tracking program: turns a turret to the biggest face that a fixed camera sees.

It requires OpenCV: pip install 'opencv-python-headless<5'. SENTRY_CAMERA is the camera's address and
SENTRY_PORT the board's serial port.
"""

import math
import os
import threading

import cv2

FOV = 60  # the camera's horizontal field of view, in degrees


class NewestPicture:
    """Reads a camera all the time and keeps only its newest picture, so that none is old."""

    def __init__(self, address):
        self.camera = cv2.VideoCapture(address)
        self.changed = threading.Condition()
        self.picture, self.is_over = None, False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while not self.is_over:
            is_there, picture = self.camera.read()
            with self.changed:
                self.picture, self.is_over = picture, not is_there
                self.changed.notify()

    def take(self):
        """Waits for a picture that was not taken before; None after the last."""
        with self.changed:
            self.changed.wait_for(lambda: self.picture is not None or self.is_over)
            picture, self.picture = self.picture, None
            return picture


def main():
    faces = cv2.CascadeClassifier(cv2.data.haarcascades + "haarcascade_frontalface_alt2.xml")
    camera = NewestPicture(os.environ["SENTRY_CAMERA"])
    aimed = None
    with open(os.environ["SENTRY_PORT"], "wb", buffering=0) as port:
        while (picture := camera.take()) is not None:
            grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
            # Half the size takes a quarter of the time.
            small = cv2.resize(grey, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            found = faces.detectMultiScale(small, 1.1, 4, minSize=(20, 20))
            if len(found) == 0:
                continue
            x, _, width, _ = max(found, key=lambda face: face[2])
            # From -1 at the left edge of the picture to 1 at its right edge.
            place = 2 * (x + width / 2) / small.shape[1] - 1
            angle = math.degrees(math.atan(place * math.tan(math.radians(FOV / 2))))
            degrees = min(max(round(90 + angle), 0), 180)
            if degrees != aimed:
                port.write(f"X{degrees}.".encode())
                aimed = degrees


main()
