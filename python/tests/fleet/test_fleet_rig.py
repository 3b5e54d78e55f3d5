"""A rig with many settings, whose rows are shared out."""

import pathlib
import re
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


def test_a_picture_that_cannot_be_written_is_found_before_any_row_is_run(
    rig: Fleet, scene: pathlib.Path, tmp_path: pathlib.Path, program: str
) -> None:
    (tmp_path / "mine.svg").write_text("not written by the program")
    for name, status, text in (
        ("none/heat.svg", 74, "none/heat.svg: error: cannot be written"),
        ("mine.svg", 64, "mine.svg: error: exists"),
        (scene.name, 64, scene.name),
    ):
        found, out, err = rig(scene, "--sweep", SWEEP, "--picture", tmp_path / name)
        assert (found, out) == (status, "") and text in err, err
    assert not list(pathlib.Path(program).parent.glob("*.of-*"))
    assert (tmp_path / "mine.svg").read_text() == "not written by the program"


def test_a_picture_can_replace_any_file(
    rig: Fleet, scene: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "mine.svg").write_text("not written by the program")
    picture = ("--picture", tmp_path / "mine.svg", "--force")
    assert rig(scene, "--sweep", SWEEP, *picture)[0] == 0
    assert "<svg" in (tmp_path / "mine.svg").read_text()


def test_rows_that_cannot_be_shown_are_kept(
    rig: Fleet, scene: pathlib.Path, tmp_path: pathlib.Path, program: str
) -> None:
    options = ("--sweep", SWEEP, "--seed", 14)
    picture = ("--picture", tmp_path / "heat.svg")
    status, out, err = rig(scene, *options, "--slices", 3, *picture)
    assert (status, out) == (74, "")
    kept = re.fullmatch(r"no table\nnote: the rows are kept in (\S+\.jsonl); .*\n", err)
    assert kept, err
    rows = pathlib.Path(kept[1])
    try:
        assert alone(scene, *options, "--rows", rows) == alone(scene, *options)
    finally:
        rows.unlink()


def test_the_model_runs_a_scene_that_names_another_device(rig: Fleet, scene: pathlib.Path) -> None:
    whole = alone(scene, "--sweep", SWEEP)
    scene.write_text("device: avr:nofile.hex\n" + SCENE)
    status, out, err = rig(scene, "--sweep", SWEEP)
    assert (status, out) == (66, "") and "nofile.hex" in err
    assert rig(scene, "--sweep", SWEEP, "--device", "model") == (0, whole, "")


def test_the_help_says_that_nothing_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    from sentrybench.fleet import cli

    with pytest.raises(SystemExit):
        cli.parser().parse_args(["rig", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "No slice is kept" in text and "--results" not in text


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
