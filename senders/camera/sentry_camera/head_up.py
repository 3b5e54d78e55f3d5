"""The head-up display: what was found, and what `aim` decided, drawn into a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2

from .boxes import TARGET, draw_found, line_thickness, text_height
from .commands import Connection, Decision
from .observations import Found
from .text import WHITE, Colour, shade, size_of, write
from .upright import Picture

GREEN: Colour = (80, 220, 80)
RED: Colour = (80, 80, 255)


@dataclass(frozen=True)
class Scene:
    """All that is drawn into a picture."""

    # The biggest first.
    found: Sequence[Found]
    # None if nothing is known about the decisions of `aim`.
    decision: Decision | None = None
    # The place of the aim line, 0 to 1 from the left; None if there is none in the picture.
    line: float | None = None
    # The label that --ask names.
    asked: str | None = None

    @property
    def target(self) -> int | None:
        """The index of the thing to draw in red.

        With decisions, it is the one on the aim line whose middle is nearest to the line; otherwise
        the biggest.
        """
        if self.decision is None:
            return 0 if self.found else None
        if self.line is None:
            return None
        distances = [
            (abs(one.box.x + one.box.width / 2 - self.line), index)
            for index, one in enumerate(self.found)
            if one.box.x <= self.line <= one.box.x + one.box.width
        ]
        return min(distances)[1] if distances else None

    @property
    def confidence(self) -> float | None:
        """The best confidence in the label that --ask names; None if it was not seen."""
        return max((one.confidence for one in self.found if one.label == self.asked), default=None)


def drawn(picture: Picture, scene: Scene) -> Picture:
    """Returns a copy with the scene drawn into it."""
    copy = picture.copy()
    if scene.line is not None:
        x = min(round(scene.line * copy.shape[1]), copy.shape[1] - 1)
        cv2.line(copy, (x, 0), (x, copy.shape[0] - 1), TARGET, line_thickness(copy))
    draw_found(copy, scene.found, scene.target)
    if scene.decision is not None:
        _draw_decision(copy, scene.decision)
    if scene.asked is not None:
        _draw_asked(copy, scene)
    return copy


def title(decision: Decision) -> tuple[str, str]:
    """The title, and the description below it."""
    if decision.command is None:
        return "Sentry mode", "No commands yet"
    if decision.degrees is None:
        return "Sentry mode", "No targets"
    return "Target found", f"Shooting X: {decision.degrees}"


def _draw_decision(picture: Picture, decision: Decision) -> None:
    rows, columns = picture.shape[:2]
    height = text_height(picture)
    large = round(1.4 * height)
    margin = height // 2
    headline, description = title(decision)
    second_row = margin // 2 + size_of(headline, large)[1]
    bottom = second_row + size_of(description, height)[1] + margin // 2
    shade(picture, 0, 0, columns, bottom)
    write(picture, headline, (margin, margin // 2), large, WHITE)
    write(picture, description, (margin, second_row), height, WHITE)

    state = decision.connection
    colour = GREEN if state is Connection.CONNECTED else RED
    wide, high = size_of(state.value, height)
    at = columns - margin - wide, (bottom - high) // 2
    write(picture, state.value, at, height, colour)
    cv2.circle(picture, (at[0] - height // 2, bottom // 2), height // 4, colour, -1, cv2.LINE_AA)

    if decision.degrees is not None:
        huge = 2 * height
        text = f"{decision.degrees}°"
        wide, high = size_of(text, huge)
        left, top = (columns - wide) // 2, rows - high - margin
        shade(picture, left - margin, top, left + wide + margin, top + high)
        write(picture, text, (left, top), huge, WHITE)


def _draw_asked(picture: Picture, scene: Scene) -> None:
    """In the lower left corner."""
    seen = "not seen" if scene.confidence is None else f"{scene.confidence:.2f}"
    texts = [f"{scene.asked}: {seen}"]
    if scene.decision is not None:
        texts.append(f"Points: {scene.decision.points}")
    height = text_height(picture)
    margin = height // 2
    sizes = [size_of(text, height) for text in texts]
    top = picture.shape[0] - sum(high for _, high in sizes) - margin
    right = max(wide for wide, _ in sizes) + 2 * margin
    shade(picture, 0, top - margin // 2, right, picture.shape[0])
    for text, (_, high) in zip(texts, sizes):
        write(picture, text, (margin, top), height, WHITE)
        top += high
