"""What the header states about the camera, in addition to its size."""

from __future__ import annotations

from dataclasses import dataclass

from .observations import Size
from .upright import Upright


@dataclass(frozen=True)
class Camera:
    upright: Upright = Upright()
    mirrored: bool = False
    view: Size | None = None
    fov: float | None = None

    def upright_size(self, buffer: Size) -> Size:
        """The size of the whole upright picture, before it is cropped."""
        is_turned = self.upright.orientation in ("right", "left")
        return (buffer[1], buffer[0]) if is_turned else buffer
