"""Text is written into pictures, and nothing beyond their edges."""

import numpy as np
import pytest

from pictures import blank
from sentry_camera.text import MOST_CHARACTERS, WHITE, shade, size_of, write


def test_a_line_is_written_where_it_is_asked_for():
    picture = blank(200, 50, 0)
    write(picture, "97°", (40, 10), 20, WHITE)
    width, height = size_of("97°", 20)
    rows, columns = np.nonzero(picture.any(axis=2))
    assert 40 <= columns.min() <= 43 and 40 + width - 4 <= columns.max() < 40 + width
    assert 10 <= rows.min() <= 16 and rows.max() < 10 + height
    assert picture.max() == 255


def test_the_colour_is_mixed_with_the_picture():
    picture = blank(100, 40, 200)
    write(picture, "I", (10, 5), 30, (0, 0, 255))
    letter = picture[20, 10:20]
    assert (letter == (0, 0, 255)).all(axis=1).any()
    assert (picture[:, 60:] == 200).all()


AT = [(-20, 5), (95, 5), (5, -10), (5, 35), (-500, 0), (500, 0), (0, -500), (0, 500)]


@pytest.mark.parametrize("at", AT)
def test_a_text_beyond_the_edge_is_cut_off(at):
    whole = blank(300, 300, 0)
    write(whole, "Target found", (100 + at[0], 100 + at[1]), 20, WHITE)
    picture = blank(100, 40, 0)
    write(picture, "Target found", at, 20, WHITE)
    assert (picture == whole[100:140, 100:200]).all()


def test_a_long_text_is_shortened():
    least = "x" * (MOST_CHARACTERS - 3) + "..."
    assert size_of("x" * 5000, 12) == size_of(least, 12)
    assert size_of("x" * MOST_CHARACTERS, 12) != size_of(least, 12)


@pytest.mark.parametrize("text", ["", "a\nb", "a\tb\x00", "\u202e", "\U0001f600", "\ud800"])
def test_any_text_is_one_line(text):
    picture = blank(100, 40)
    write(picture, text, (0, 0), 12, WHITE)
    assert size_of(text, 12)[1] == size_of("a", 12)[1]


def test_an_area_is_darkened():
    picture = blank(10, 10, 90)
    shade(picture, -5, -5, 4, 3)
    assert (picture[:3, :4] == 30).all()
    assert (picture[3:] == 90).all() and (picture[:, 4:] == 90).all()
