"""Turns a camera, a video or pictures into observations.

This package only detects; the program that reads the observations decides what to aim at.
"""

import os

# OpenCV and its FFmpeg write to standard error themselves. This program reports errors in its own
# words, so their output is turned off. These variables must be set before OpenCV is imported.
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

__version__ = "0.1.0"
