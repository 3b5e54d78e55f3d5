"""Decodes a JPEG picture that comes from outside, within limits."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageOps

from .upright import Picture

MOST_BYTES = 1_000_000
# Pixels. Detectors scale larger pictures down anyway.
MOST_SIDE = 2048
# A progressive picture has about 10 scans. Each one takes time for the whole picture, so a small
# file with thousands of them would keep the server busy for minutes.
MOST_SCANS = 64
SCAN = b"\xff\xda"

# Pillow would print a warning about a big picture; its size is checked here.
Image.MAX_IMAGE_PIXELS = None


class PictureError(Exception):
    """A sentence about a picture that cannot be used."""


def decoded(data: bytes) -> Picture:
    """The picture, turned as its EXIF data specifies."""
    if len(data) > MOST_BYTES:
        raise PictureError(f"The picture has {len(data)} bytes; at most {MOST_BYTES} are accepted.")
    if data.count(SCAN) > MOST_SCANS:
        raise PictureError(f"The picture has more than {MOST_SCANS} scans.")
    try:
        with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
            width, height = image.size
            if max(width, height) > MOST_SIDE:
                raise PictureError(
                    f"The picture is {width}x{height} pixels; "
                    f"at most {MOST_SIDE}x{MOST_SIDE} are accepted."
                )
            colours = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    except PictureError:
        raise
    except Exception:
        # Pillow raises errors of many types for damaged files.
        raise PictureError("The message is not a JPEG picture, or it is damaged.") from None
    return np.ascontiguousarray(colours[:, :, ::-1])
