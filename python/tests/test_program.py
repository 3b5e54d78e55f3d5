"""How the program is found and started."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

import sentrybench
from sentrybench import TurretError, program
from sentrybench.settings import TurretSettings, arguments, mistaken

Folder = pathlib.Path


def executable(path: Folder, text: str = "#!/bin/sh\n") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def without_own(tmp_path: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """The package in another folder, without its own program."""
    package = tmp_path / "package"
    package.mkdir()
    monkeypatch.setattr(program, "__file__", str(package / "program.py"))
    return package


def test_the_variable_comes_first(without_own: Folder, tmp_path: Folder) -> None:
    executable(without_own / "bin" / "sentrybench")
    named = executable(tmp_path / "named")
    assert program.find({"SENTRYBENCH": named, "PATH": ""}) == named
    assert program.find({"SENTRYBENCH": "named", "PATH": str(tmp_path)}) == named


def test_the_packages_own_comes_before_the_path(without_own: Folder, tmp_path: Folder) -> None:
    other = executable(tmp_path / "other" / "sentrybench")
    environment = {"PATH": str(tmp_path / "other")}
    assert program.find(environment) == other
    own = executable(without_own / "bin" / "sentrybench")
    assert program.find(environment) == own


def test_the_script_that_starts_the_program_is_not_the_program(
    without_own: Folder, tmp_path: Folder
) -> None:
    script = "#!/usr/bin/python3\nfrom sentrybench.program import main\nmain()\n"
    executable(tmp_path / "scripts" / "sentrybench", script)
    environment = {"PATH": f"{tmp_path}/scripts:{tmp_path}/other"}
    with pytest.raises(TurretError, match="is not found"):
        program.find(environment)
    other = executable(tmp_path / "other" / "sentrybench")
    assert program.find(environment) == other


def test_a_variable_that_names_nothing_is_an_error(tmp_path: Folder) -> None:
    for named in (str(tmp_path / "missing"), str(tmp_path), "not-on-path"):
        with pytest.raises(TurretError, match="SENTRYBENCH is .*, which is not a program"):
            program.find({"SENTRYBENCH": named, "PATH": str(tmp_path)})


def test_a_missing_program_is_an_error_that_says_where_it_is_searched(without_own: Folder) -> None:
    with pytest.raises(TurretError) as raised:
        program.find({"PATH": "/nonexistent"})
    for part in ("SENTRYBENCH is not set", f"{without_own}/bin/sentrybench", "not on PATH"):
        assert part in str(raised.value)


def test_the_console_script_is_the_program() -> None:
    command = [sys.executable, "-c", "from sentrybench.program import main; main()", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout.strip() == sentrybench.__version__
    missing = {**os.environ, "SENTRYBENCH": "/nonexistent"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=20, check=False, env=missing
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: SENTRYBENCH is '/nonexistent'")


LISTENS = ["--websocket", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--rfc2217", "127.0.0.1:0"]


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({}, ["--device", "model", *LISTENS]),
        ({"network": False}, ["--device", "model"]),
        ({"device": "serial:/dev/ttyACM0"}, ["--device", "serial:/dev/ttyACM0"]),
        (
            {"device": "rfc2217://pi:2217", "network": True},
            ["--device", "rfc2217://pi:2217", *LISTENS],
        ),
        (
            {"firmware": "classic", "baud": 4800, "network": False},
            ["--firmware", "classic", "--device", "model", "--baud", "4800"],
        ),
        (
            {"reset_on_open": True, "dead_time": 0.5, "network": False},
            ["--device", "model", "--reset-on-open", "--boot-time", "0.5s"],
        ),
        (
            {"pulses": True, "options": ["--servo", "mg996r"], "network": False},
            ["--device", "model", "--pulses", "--servo", "mg996r"],
        ),
        ({"pulses": False, "reset_on_open": False, "network": False}, ["--device", "model"]),
    ],
)
def test_settings_are_options_of_run(settings: TurretSettings, options: list[str]) -> None:
    begin = ["run", "--quiet", "--api", "-", "--record", "/f/session.jsonl"]
    assert arguments(settings, "/f", virtual=False) == [*begin, "--pty", "/f/port", *options]
    listening = [option for option in options if option not in LISTENS]
    assert arguments(settings, "/f", virtual=True) == [*begin, "--virtual", *listening]


def test_a_setting_that_does_not_exist_is_named_with_the_nearest() -> None:
    assert mistaken({"firmware": "classic"}, TurretSettings) is None
    message = mistaken({"firmwar": "classic"}, TurretSettings)
    assert message is not None
    assert message.startswith("expected one of baud, dead_time, device, ")
    assert message.endswith("found 'firmwar'; did you mean 'firmware'?")
    with pytest.raises(TypeError, match="did you mean 'firmware'"):
        sentrybench.Turret(firmwar="classic")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="found 'reset_on_open'"):
        sentrybench.VirtualTurret(reset_on_open=True)  # type: ignore[call-arg]
