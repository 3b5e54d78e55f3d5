"""Pictures from outside are decoded within limits."""

import io
import random

import cv2
import numpy as np
import pytest
from PIL import Image

from pictures import astronaut, blank
from sentry_camera.jpeg import MOST_SCANS, MOST_SIDE, PictureError, decoded


def jpeg(picture, *parameters):
    return cv2.imencode(".jpg", picture, parameters)[1].tobytes()


def test_a_picture_is_decoded():
    picture = decoded(jpeg(astronaut()))
    assert picture.shape == astronaut().shape and picture.dtype == np.uint8
    assert np.abs(picture.astype(int) - astronaut()).mean() < 5


@pytest.mark.parametrize("parameters", [(), (cv2.IMWRITE_JPEG_PROGRESSIVE, 1)])
@pytest.mark.parametrize("shape", [(1, 1), (MOST_SIDE, 2), (2, MOST_SIDE)])
def test_pictures_within_the_limits_are_decoded(shape, parameters):
    assert decoded(jpeg(np.zeros((*shape, 3), np.uint8), *parameters)).shape == (*shape, 3)


def test_a_grey_picture_has_three_channels():
    assert decoded(jpeg(np.zeros((8, 8), np.uint8))).shape == (8, 8, 3)


def test_a_picture_is_turned_as_its_exif_data_says():
    image = Image.fromarray(np.dstack([np.arange(64, dtype=np.uint8).reshape(4, 16)] * 3))
    exif = Image.Exif()
    exif[0x0112] = 6
    file = io.BytesIO()
    image.save(file, "JPEG", exif=exif)
    assert decoded(file.getvalue()).shape == (16, 4, 3)


def png():
    return cv2.imencode(".png", blank(8, 8))[1].tobytes()


WHOLE = jpeg(astronaut())
REFUSED = {
    "nothing": (b"", "not a JPEG"),
    "a text": (b"hello", "not a JPEG"),
    "another format": (png(), "not a JPEG"),
    "cut off": (WHOLE[: len(WHOLE) // 2], "damaged"),
    "only its head": (WHOLE[:300], "damaged"),
    "wide": (jpeg(blank(MOST_SIDE + 1, 8)), "2049x8 pixels; at most 2048x2048"),
    "high": (jpeg(blank(8, MOST_SIDE + 1)), "8x2049 pixels"),
    "long": (WHOLE + bytes(1_000_000), "bytes; at most 1000000"),
    "many scans": (WHOLE[:-2] + b"\xff\xda" * MOST_SCANS, "more than 64 scans"),
}


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_another_message_is_refused(data, reason):
    with pytest.raises(PictureError, match=reason):
        decoded(data)


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_picture_is_decoded_or_refused(seed):
    print("seed", seed)
    generator = random.Random(seed)
    whole = jpeg(astronaut()[80:144, 200:264])
    for _ in range(20):
        data = bytearray(whole)
        for _ in range(generator.randint(1, 40)):
            # The tables and sizes are at the beginning.
            end = generator.choice((30, 700, len(data)))
            data[generator.randrange(end)] = generator.randrange(256)
        if generator.random() < 0.3:
            del data[generator.randrange(len(data)) :]
        try:
            picture = decoded(bytes(data))
        except PictureError:
            continue
        assert picture.ndim == 3 and max(picture.shape[:2]) <= MOST_SIDE
