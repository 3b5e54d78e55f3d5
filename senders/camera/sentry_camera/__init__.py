"""What a camera, a video or pictures show, as observations. It detects; what to aim at is decided elsewhere."""

import os

# OpenCV and its FFmpeg write to standard error on their own; this program says what is wrong in its own words.
# They read these before anything else of them is imported.
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
