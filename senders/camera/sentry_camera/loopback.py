"""Writes pictures to a video device of the kernel's module v4l2loopback.

Other programs open the same device as a camera. Constants and structures are those of the kernel's
interface, linux/videodev2.h.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Callable

import cv2

from .errors import IO_FAILED, UNAVAILABLE, ExitError
from .upright import Picture

# struct v4l2_capability: driver, card, bus_info, version, capabilities, device_caps, reserved.
CAPABILITY = struct.Struct("16s32s32sIII12x")
VIDIOC_QUERYCAP = 0x8068_5600
CAP_VIDEO_OUTPUT = 0x0000_0002
CAP_DEVICE_CAPS = 0x8000_0000
# struct v4l2_format: the type, padding of a 64-bit system, and struct v4l2_pix_format in a union
# of 200 bytes: width, height, pixelformat, field, bytesperline, sizeimage, colorspace.
FORMAT = struct.Struct("I4xIIIIIII172x")
VIDIOC_S_FMT = 0xC0D0_5605
BUF_TYPE_VIDEO_OUTPUT = 2
PIX_FMT_YUYV = int.from_bytes(b"YUYV", "little")
FIELD_NONE = 1
COLORSPACE_SRGB = 8

Control = Callable[[int, int, bytearray], object]


class LoopbackDevice:
    """A device such as /dev/video7. Pictures are written as YUYV, which every program reads."""

    def __init__(self, path: str, control: Control = fcntl.ioctl) -> None:
        self._path = path
        self._control = control
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise ExitError(
                f"{path} cannot be opened: {error.strerror}. `sudo modprobe v4l2loopback` creates "
                "such a device.",
                UNAVAILABLE,
            ) from None
        try:
            self._check()
        except ExitError:
            self.close()
            raise

    def _check(self) -> None:
        answer = bytearray(CAPABILITY.size)
        try:
            self._control(self._file, VIDIOC_QUERYCAP, answer)
        except OSError:
            raise ExitError(f"{self._path} is not a video device.", UNAVAILABLE) from None
        *_, everything, this = CAPABILITY.unpack(answer)
        if not (this if everything & CAP_DEVICE_CAPS else everything) & CAP_VIDEO_OUTPUT:
            raise ExitError(
                f"{self._path} takes no pictures: it is not a device of v4l2loopback, or another "
                "program writes to it.",
                UNAVAILABLE,
            )

    def begin(self, width: int, height: int) -> None:
        if width % 2:
            raise ExitError(f"{self._path} requires pictures of an even width.", UNAVAILABLE)
        wanted = (width, height, PIX_FMT_YUYV, FIELD_NONE, 2 * width, 2 * width * height)
        request = bytearray(FORMAT.pack(BUF_TYPE_VIDEO_OUTPUT, *wanted, COLORSPACE_SRGB))
        try:
            self._control(self._file, VIDIOC_S_FMT, request)
        except OSError as error:
            raise ExitError(
                f"{self._path} does not accept {width}x{height} pixels: {error.strerror}.",
                UNAVAILABLE,
            ) from None
        # A driver changes what it does not support.
        if FORMAT.unpack(request)[1:4] != wanted[:3]:
            raise ExitError(
                f"{self._path} does not accept {width}x{height} pixels as YUYV.", UNAVAILABLE
            )

    def write(self, picture: Picture) -> None:
        data = cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_YUYV).tobytes()
        try:
            os.write(self._file, data)
        except OSError as error:
            message = f"{self._path} cannot be written: {error.strerror}."
            raise ExitError(message, IO_FAILED) from None

    def close(self) -> None:
        os.close(self._file)
