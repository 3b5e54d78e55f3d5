"""Where an angle of the turret is in the picture: the mappings of `aim`, the other way round."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .camera import Camera
from .observations import Size

MAPPINGS = ("linear", "fov")
GRAVITIES = ("resize", "aspect-fill", "aspect-fit")
# The angles at the edges of the view with the mapping `linear`.
LEFT, RIGHT = 40, 140


@dataclass(frozen=True)
class AimLine:
    """A vertical line. The options are the same as those of `aim`."""

    mapping: str = "linear"
    gravity: str = "resize"
    mirror: bool = False

    def place(self, degrees: int, camera: Camera, upright: Size) -> float | None:
        """The line's place in the detector's picture, 0 to 1 from the left; None if beyond it.

        `upright` is the size of the whole upright picture.
        """
        angle = 180 - degrees if self.mirror else degrees
        if self.mapping == "fov":
            place = _true_place(angle, camera.fov)
        else:
            place = self._linear_place(angle, camera.view or upright, upright)
        if place is None:
            return None
        if camera.mirrored:
            place = 1 - place
        if camera.upright.crop == "square":
            place = 0.5 + (place - 0.5) * upright[0] / min(upright)
        return place if 0 <= place <= 1 else None

    def _linear_place(self, angle: int, view: Size, upright: Size) -> float:
        share = (angle - LEFT) / (RIGHT - LEFT)
        if self.gravity == "resize":
            return share
        scales = view[0] / upright[0], view[1] / upright[1]
        scale = max(scales) if self.gravity == "aspect-fill" else min(scales)
        return 0.5 + (share - 0.5) * view[0] / (upright[0] * scale)


def _true_place(angle: int, fov: float | None) -> float | None:
    if fov is None or not 0 < angle < 180:
        return None
    return 0.5 + math.tan(math.radians(angle - 90)) / math.tan(math.radians(fov / 2)) / 2
