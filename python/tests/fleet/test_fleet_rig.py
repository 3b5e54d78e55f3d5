"""A rig with many settings, whose rows are shared out."""

import pathlib
import subprocess
import time

import pytest
from fleets import LIMIT, Fleet, start, two_workers

SCENE = """\
length: 5s
faces: [{path: [{stand: 2s}, {step: 110, for: 3s}]}]
camera: {delay: 60ms}
aim: {mapping: fov, follow: yes}
expect: [{settles: 3°, within: 400ms}]
"""
SWEEP = "gain=0.25..1:0.25,dead-zone=0|1.5|3"


@pytest.fixture
def scene(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "my scene.yaml"
    path.write_text(SCENE)
    return path


def alone(*arguments: object) -> str:
    """What the program prints on one computer."""
    from sentrybench.fleet import program

    command = [program.find(), "rig", "-q", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    "options", [(), ("--json",), ("--with", "camera.delay=90ms", "--seed", "5", "--for", "4s")]
)
@pytest.mark.parametrize("slices", [1, 5, 64])
def test_all_rows_are_printed_as_on_one_computer(
    rig: Fleet, scene: pathlib.Path, options: tuple[str, ...], slices: int
) -> None:
    whole = alone(scene, "--sweep", SWEEP, *options)
    assert whole.count("\n") >= 12
    assert rig(scene, "--sweep", SWEEP, "--slices", slices, *options) == (0, whole, "")


def test_the_picture_is_that_of_one_computer(
    rig: Fleet, scene: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    for name, run in (("one.svg", alone), ("other.svg", rig)):
        run(scene, "--sweep", SWEEP, "--picture", tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (("--sweep", "gain=2"), 65, "my scene.yaml:4"),
        (("--sweep", "gain=0.5", "--with", "supply=none"), 64, "supply=none"),
        (("--sweep", "gain"), 64, "NAME=LOW..HIGH"),
        (("--sweep", "gain=0.5", "--device", "serial:/dev/null"), 64, "avr:FILE"),
        (("--sweep", "gain=0.5", "--timing", "none.json"), 66, "none.json"),
    ],
)
def test_a_sweep_that_cannot_be_run_ends_with_a_status(
    rig: Fleet, scene: pathlib.Path, arguments: tuple[str, ...], status: int, text: str
) -> None:
    found, out, err = rig(scene, *arguments)
    assert (found, out) == (status, "")
    assert text in err and "options-" not in err


def test_a_slice_whose_program_dies_each_time_ends_the_run(
    rig: Fleet, scene: pathlib.Path, program: str
) -> None:
    status, out, err = rig(scene, "--sweep", SWEEP, "--slices", 3, "--seed", 13)
    assert (status, out) == (70, "")
    assert err == "slice 3/3: error: signal 11 ended the program\n"


def test_a_worker_that_is_killed_loses_no_row(
    tmp_path: pathlib.Path, scene: pathlib.Path, program: str
) -> None:
    whole = alone(scene, "--sweep", SWEEP)
    with two_workers(tmp_path) as (address, worker):
        fleet = start(
            *(scene, "--sweep", SWEEP, "--slices", 12, "--scheduler", address), command="rig"
        )
        begun = pathlib.Path(f"{program}.of-{worker.pid}")
        end = time.monotonic() + LIMIT
        while not begun.exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        worker.kill()
        out, err = fleet.communicate(timeout=LIMIT)
    assert (fleet.returncode, out) == (0, whole), err
