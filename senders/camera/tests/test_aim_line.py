"""The aim line is where `aim` would have seen the target. The places were worked out by hand."""

import pytest

from sentry_camera.aim_line import AimLine
from sentry_camera.camera import Camera
from sentry_camera.upright import Upright

WIDE, TALL = (1920, 1080), (1080, 1920)
PHONE = (390, 844)

# The line, the camera, the upright picture, degrees, the place.
PLACES = {
    "middle": (AimLine(), Camera(), WIDE, 90, 0.5),
    "left edge": (AimLine(), Camera(), WIDE, 40, 0.0),
    "right edge": (AimLine(), Camera(), WIDE, 140, 1.0),
    "between": (AimLine(), Camera(), WIDE, 65, 0.25),
    "beyond the edge": (AimLine(), Camera(), WIDE, 39, None),
    "mirrored picture": (AimLine(), Camera(mirrored=True), WIDE, 65, 0.75),
    "mirrored turret": (AimLine(mirror=True), Camera(), WIDE, 65, 0.75),
    "both": (AimLine(mirror=True), Camera(mirrored=True), WIDE, 65, 0.25),
    # Resized, the view shows the whole picture, whatever its shape.
    "view": (AimLine(), Camera(view=PHONE), TALL, 65, 0.25),
    # To fill 844 points, 1080x1920 becomes 474.75x844, of which 390 are visible: 65 degrees are at
    # a quarter of the view, 97.5 points left of the middle.
    "filled": (AimLine(gravity="aspect-fill"), Camera(view=PHONE), TALL, 65, 0.5 - 97.5 / 474.75),
    "filled, edge": (AimLine(gravity="aspect-fill"), Camera(view=PHONE), TALL, 40, 0.089258),
    # To fit 390 points, 1920x1080 becomes 390x219.375. The width is used in full.
    "fitted": (AimLine(gravity="aspect-fit"), Camera(view=PHONE), WIDE, 65, 0.25),
    # To fit 400x100 points, 1080x1920 becomes 56.25x100.
    "fitted to the height": (
        AimLine(gravity="aspect-fit"),
        Camera(view=(400, 100)),
        TALL,
        95,
        0.5 + 20 / 56.25,
    ),
    "fitted, in the empty band": (
        AimLine(gravity="aspect-fit"),
        Camera(view=(400, 100)),
        TALL,
        98,
        None,
    ),
    # The square is 1080 of 1920 pixels wide. 75 degrees are 288 pixels left of the middle.
    "cropped": (AimLine(), Camera(Upright("up", "square")), WIDE, 75, 0.5 - 288 / 1080),
    "cropped away": (AimLine(), Camera(Upright("up", "square")), WIDE, 60, None),
    "cropped from top and bottom": (AimLine(), Camera(Upright("up", "square")), TALL, 65, 0.25),
    # tan(30) is half the width, so 120 degrees are the right edge and 60 the left one.
    "fov": (AimLine("fov"), Camera(fov=60), WIDE, 90, 0.5),
    "fov, right edge": (AimLine("fov"), Camera(fov=60), WIDE, 120, 1.0),
    # tan(15) / tan(30) / 2 = 0.232051.
    "fov, between": (AimLine("fov"), Camera(fov=60), WIDE, 105, 0.732051),
    "fov, mirrored picture": (AimLine("fov"), Camera(fov=60, mirrored=True), WIDE, 105, 0.267949),
    "fov, beyond the edge": (AimLine("fov"), Camera(fov=60), WIDE, 121, None),
    "fov, behind": (AimLine("fov"), Camera(fov=60), WIDE, 180, None),
    "fov, behind on the left": (AimLine("fov"), Camera(fov=60), WIDE, 0, None),
}


@pytest.mark.parametrize(
    ("line", "camera", "upright", "degrees", "place"), PLACES.values(), ids=PLACES.keys()
)
def test_places(line, camera, upright, degrees, place):
    expected = None if place is None else pytest.approx(place, abs=1e-6)
    assert line.place(degrees, camera, upright) == expected


def test_the_upright_size_is_that_of_the_buffer_after_turning():
    for orientation, size in {"up": WIDE, "right": TALL, "down": WIDE, "left": TALL}.items():
        assert Camera(Upright(orientation)).upright_size(WIDE) == size
