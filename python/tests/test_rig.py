"""A turret that follows a face."""

from __future__ import annotations

import pathlib

import pytest

from sentrybench import Rig, TurretError, TurretFailure

SCENE = """
length: 6s
faces: [{start: 90, path: [{stand: 2s}, {step: 105, for: 4s}]}]
camera: {delay: 60ms}
aim: {mapping: fov}
expect:
  - {track: 3°, for: 60%}
  - overshoot: below 5°
"""


@pytest.fixture
def scene(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE, encoding="utf-8")
    return path


def test_the_bench_can_track(scene: pathlib.Path) -> None:
    rig = Rig(scene)
    figures = rig.follow()
    rig.check()
    assert figures == rig.figures
    assert figures["on_target"] > 0.9 and figures["commands"] >= 2


def test_a_loop_tracks(scene: pathlib.Path, tmp_path: pathlib.Path) -> None:
    rig = Rig(scene, trace=tmp_path / "rig.jsonl", picture=tmp_path / "rig.svg", seed=3)
    times = []
    for picture in rig:
        times.append(picture.time)
        x, _, width, _ = picture.found[0]["box"]
        offset = (x + width / 2 - 0.5) * rig.camera["fov"]
        rig.send(f"X{90 + offset:.0f}.")
    rig.check()
    assert rig.figures["pictures"] == len(times) > 150
    assert rig.figures["overshoot"] < 5
    assert times == sorted(times)
    assert '"x-truth"' in (tmp_path / "rig.jsonl").read_text()
    assert (tmp_path / "rig.svg").read_text().startswith("<svg")


def test_a_broken_rule_is_a_failure(scene: pathlib.Path) -> None:
    rig = Rig(scene)
    for _ in rig:
        pass
    with pytest.raises(TurretFailure, match="track 3° for 60% failed"):
        rig.check()


def test_other_values_replace_those_of_the_file(scene: pathlib.Path) -> None:
    times = [
        next(iter(Rig(scene, settings={"camera.delay": delay}))).time for delay in ("60ms", "200ms")
    ]
    assert times[1] - times[0] == pytest.approx(0.14)


def test_a_scene_that_makes_no_sense_is_an_error(scene: pathlib.Path) -> None:
    with pytest.raises(TurretError, match="a horizontal field of view"):
        Rig(scene, settings={"camera.fov": 200}).follow()
    with pytest.raises(TurretError, match="has not run"):
        _ = Rig(scene).figures
    with pytest.raises(ValueError, match="line breaks"):
        Rig(scene).send("X90.\n")
