"""Tests of aim.py, each with its own turret: pip install sentrybench pytest, then pytest."""

import pathlib
import subprocess
import sys

import pytest

import aim
from sentrybench import TurretFailure

HERE = pathlib.Path(__file__).parent


def run(turret, *angles, wait=0):
    """Runs the sender until it ends."""
    command = [sys.executable, HERE / "aim.py", *map(str, angles)]
    env = {**turret.env, "AIM_WAIT": str(wait)}
    subprocess.run(command, env=env, check=True, timeout=20)


@pytest.mark.parametrize(
    ("degrees", "command"), [(0, b"X0."), (45.4, b"X45."), (-3, b"X0."), (999, b"X180.")]
)
def test_a_command_has_an_angle_that_the_servo_can_reach(degrees, command):
    assert aim.command(degrees) == command


def test_it_aims_in_order(turret):
    turret.never("lost", "junk", "swallowed", "abandoned")
    run(turret, 45, 135)
    turret.expect(servo=45, within=0.05, of="X45.")
    turret.expect(servo=135, within=0.05, of="X135.")
    turret.expect(commands=2)
    turret.ends(servo=135, sweeping=False)


@pytest.mark.turret(reset_on_open=True)
def test_it_waits_for_a_board_that_restarts(turret):
    turret.never("lost")
    run(turret, 110, wait=1.2)
    turret.expect(servo=110, within=0.05, of="X110.")


@pytest.mark.turret(reset_on_open=True)
def test_a_sender_that_does_not_wait_is_not_heard(turret):
    run(turret, 110)
    with pytest.raises(TurretFailure, match="servo stayed at 90"):
        turret.expect(servo=110, within=0.05, of="X110.")


def test_it_does_what_it_did_before(turret):
    turret.matches("aim.jsonl")
    run(turret, 45, 135, 90)


def test_the_sketch_abandons_a_command_that_is_cut(virtual_turret):
    virtual_turret.send("X110", at=1.5).send("X45.", at=2.5).run(until=3)
    virtual_turret.expect(servo=45, within=0.05, of="X45.")
    assert "`X110` had no end" in virtual_turret.explain()
