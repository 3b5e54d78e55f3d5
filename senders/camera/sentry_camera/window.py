"""A window that shows the drawn pictures, with tkinter."""

from __future__ import annotations

from typing import Any

from PIL import Image

from .errors import UNAVAILABLE, ExitError, WindowClosed
from .observations import Size
from .upright import Picture

# A window is at most this share of the screen, because the desktop needs the rest.
SHARE_OF_SCREEN = 0.9
# Milliseconds between two checks for signals.
PAUSE = 100


class Window:
    """Shows each picture until the next one. Closing it, Escape or q raises WindowClosed."""

    def __init__(self, title: str) -> None:
        try:
            import tkinter
        except ImportError:
            raise ExitError(
                "--show requires tkinter, which this Python does not have "
                "(on Debian, install python3-tk).",
                UNAVAILABLE,
            ) from None
        try:
            self.root = tkinter.Tk()
        except tkinter.TclError as error:
            raise ExitError(f"--show cannot open a window: {error}.", UNAVAILABLE) from None
        self._is_closed = False
        self.root.title(title)
        self.root.resizable(False, False)
        self.root.protocol("WM_DELETE_WINDOW", self._close)
        for key in ("<Escape>", "q"):
            self.root.bind(key, lambda event: self._close())
        self._label = tkinter.Label(self.root, borderwidth=0)
        self._label.pack()
        self._shown: Any = None

    def add(self, picture: Picture) -> None:
        from PIL import ImageTk

        image = Image.fromarray(picture[:, :, ::-1])
        screen = self.root.winfo_screenwidth(), self.root.winfo_screenheight()
        size = shown_size(image.size, screen)
        if size != image.size:
            image = image.resize(size)
        # Tk does not keep the picture; without this reference, the window would be empty.
        self._shown = ImageTk.PhotoImage(image, master=self.root)
        self._label.configure(image=self._shown)
        self.root.update()
        if self._is_closed:
            raise WindowClosed

    def wait(self) -> None:
        """Returns when the window is closed."""
        while not self._is_closed:
            # Short, so that Ctrl-C ends it as well.
            self.root.after(PAUSE, self.root.quit)
            self.root.mainloop()

    def close(self) -> None:
        self.root.destroy()

    def _close(self) -> None:
        self._is_closed = True
        self.root.quit()


def shown_size(picture: Size, screen: Size) -> Size:
    """The picture's size, made smaller if the screen is too small for it."""
    scale = min(1.0, *(SHARE_OF_SCREEN * most / side for most, side in zip(screen, picture)))
    return max(1, round(picture[0] * scale)), max(1, round(picture[1] * scale))
