"""The head-up display draws the decision of `aim`, and makes none."""

import numpy as np
import pytest

from pictures import blank
from sentry_camera.boxes import OTHER, TARGET
from sentry_camera.commands import Command, Connection, Decision
from sentry_camera.head_up import GREEN, RED, Scene, drawn, title
from sentry_camera.observations import Box, Found

LEFT = Found("face", Box(0.1, 0.3, 0.3, 0.3), 0.9)
RIGHT = Found("face", Box(0.6, 0.3, 0.2, 0.2), 0.8)
AIMED = Decision(Connection.CONNECTED, Command(0, 110))
LOST = Decision(Connection.CONNECTED, Command(0, None))


def colour(picture, x, y):
    return tuple(int(value) for value in picture[y, x])


def has(picture, colour):
    return bool((picture == colour).all(axis=2).any())


def test_without_decisions_the_biggest_is_red_and_nothing_else_is_drawn():
    scene = Scene([LEFT, RIGHT])
    assert scene.target == 0
    assert Scene([]).target is None
    picture = blank(400, 300)
    result = drawn(picture, scene)
    assert (picture == 127).all()
    assert colour(result, 40, 150) == TARGET and colour(result, 240, 180) == OTHER
    assert (result[:90] == 127).all() and (result[230:] == 127).all()


def test_the_target_is_what_the_aim_line_crosses():
    assert Scene([LEFT, RIGHT], AIMED, 0.7).target == 1
    # Of two, it is the one with the nearer middle; between two, there is none.
    assert Scene([LEFT, Found("face", Box(0.2, 0.5, 0.2, 0.2), 1)], AIMED, 0.29).target == 1
    assert Scene([LEFT, RIGHT], AIMED, 0.5).target is None
    assert Scene([LEFT, RIGHT], LOST).target is None
    result = drawn(blank(400, 300), Scene([LEFT, RIGHT], AIMED, 0.7))
    assert colour(result, 280, 250) == TARGET
    assert colour(result, 240, 180) == TARGET and colour(result, 40, 150) == OTHER


TITLES = [
    (Decision(), ("Sentry mode", "No commands yet")),
    (LOST, ("Sentry mode", "No targets")),
    (AIMED, ("Target found", "Shooting X: 110")),
    (Decision(Connection.CONNECTED, Command(0, 0)), ("Target found", "Shooting X: 0")),
]


@pytest.mark.parametrize(("decision", "texts"), TITLES)
def test_title_and_description(decision, texts):
    assert title(decision) == texts
    result = drawn(blank(640, 360), Scene([], decision))
    # White on a dark bar at the top left.
    assert colour(result, 400, 2) == (42, 42, 42)
    assert has(result[:60, :200], (255, 255, 255))


@pytest.mark.parametrize("connection", Connection)
def test_the_connection_is_green_or_red(connection):
    result = drawn(blank(640, 360), Scene([], Decision(connection)))
    corner = result[:60, 480:]
    is_green = connection is Connection.CONNECTED
    assert has(corner, GREEN) == is_green and has(corner, RED) != is_green


def test_degrees_are_at_the_bottom_only_while_there_is_a_target():
    bottom = np.s_[300:, 200:440]
    assert has(drawn(blank(640, 360), Scene([], AIMED))[bottom], (255, 255, 255))
    assert (drawn(blank(640, 360), Scene([], LOST))[bottom] == 127).all()


def test_the_label_that_is_asked_for_has_its_best_confidence():
    box = Box(0.1, 0.1, 0.2, 0.2)
    found = [
        Found("object", box, confidence, label=label)
        for label, confidence in (("dog", 0.9), ("cat", 0.4), ("cat", 0.6))
    ]
    assert Scene(found, asked="cat").confidence == 0.6
    assert Scene(found, asked="bird").confidence is None
    assert Scene([LEFT], asked="cat").confidence is None


def test_points_are_drawn_only_with_decisions():
    without = drawn(blank(640, 360), Scene([], asked="cat"))
    assert has(without[330:, :150], (255, 255, 255))
    assert (without[:320] == 127).all() and (without[:, 200:] == 127).all()
    pictures = [
        drawn(
            blank(640, 360),
            Scene([], Decision(command=Command(0, None), points=points), None, "cat"),
        )
        for points in (0, 1)
    ]
    assert (pictures[0] != pictures[1]).any()
    assert (pictures[0][:300] == pictures[1][:300]).all()


@pytest.mark.parametrize("size", [(1, 1), (5, 300), (300, 5), (64, 48)])
def test_a_small_picture_is_no_error(size):
    everything = Scene([LEFT, RIGHT], AIMED, 1.0, "cat")
    assert drawn(blank(*size), everything).shape == (size[1], size[0], 3)
