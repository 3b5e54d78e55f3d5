"""Commands from a file take effect at their times, those from a FIFO when they arrive."""

import os

import pytest

from sentry_camera.command_sources import open_commands
from sentry_camera.commands import Connection
from sentry_camera.errors import ExitError

HEADER = '{"format": "sentry-trace", "version": 1}\n'
# The deadline for a thread, in seconds. It ends as soon as the writer has closed the FIFO.
PATIENCE = 60


def trace(path, *events, header=HEADER):
    path.write_text(header + "".join(f'[{time}, "rx", "{text}"]\n' for time, text in events))
    return str(path)


def test_a_command_in_a_file_counts_from_its_time_on(tmp_path):
    name = trace(
        tmp_path / "a", ("0.000000", "L"), ("0.033333", "X54."), ("0.5", "X55."), ("9", "L")
    )
    commands = open_commands(name)
    seen = []
    for time in (0, 1 / 30 - 1e-5, 1 / 30, 0.4, 2):
        decision = commands.at(time)
        seen.append((decision.command is None, decision.degrees))
        assert decision.connection is Connection.CONNECTED
    assert seen == [(False, None), (False, None), (False, 54), (False, 54), (False, 55)]
    commands.close()


def test_before_the_first_command_there_is_none(tmp_path):
    commands = open_commands(trace(tmp_path / "a", (5, "X90.")))
    assert commands.at(4).command is None
    assert commands.at(5).degrees == 90
    commands.close()


def test_a_wrong_line_is_an_error_when_its_time_comes(tmp_path):
    commands = open_commands(trace(tmp_path / "a", (1, "X90."), (2, "X91."), (3, "what")))
    assert commands.at(1).degrees == 90
    with pytest.raises(ExitError, match="a:4: expected one command"):
        commands.at(2)
    commands.close()


WRONG = {
    "none": (66, "none does not exist."),
    ".": (64, "--commands requires a file or a FIFO, not .*[.]"),
    "empty": (65, "empty is empty; expected the trace that sentrybench aim prints."),
    "other": (65, "other:1: expected the header of a trace, version 1."),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_not_a_trace_is_an_error(tmp_path, name):
    (tmp_path / "empty").write_text("")
    (tmp_path / "other").write_text('{"format": "sentry-observations", "version": 1}\n')
    status, message = WRONG[name]
    with pytest.raises(ExitError, match=message) as error:
        open_commands(str(tmp_path / name))
    assert error.value.status == status


def fifo(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    return tmp_path / "fifo"


def test_commands_from_a_fifo_are_used_as_they_arrive(tmp_path):
    path = fifo(tmp_path)
    commands = open_commands(str(path))
    assert commands.at(0).connection is Connection.CONNECTING
    trace(path, (5, "X90."), (6, "L"), (7, "X91."))
    commands.thread.join(PATIENCE)
    decision = commands.at(0)
    assert (decision.degrees, decision.points) == (91, 2)
    assert decision.connection is Connection.DISCONNECTED
    commands.close()


def test_the_header_means_that_aim_is_connected(tmp_path):
    path = fifo(tmp_path)
    commands = open_commands(str(path))
    with path.open("w") as writer:
        writer.write(HEADER)
        writer.flush()
        while commands.at(0).connection is Connection.CONNECTING:
            commands.thread.join(0.01)
        assert commands.at(0).connection is Connection.CONNECTED
        assert commands.at(0).command is None
    commands.thread.join(PATIENCE)
    assert commands.at(0).connection is Connection.DISCONNECTED


def test_a_wrong_line_in_a_fifo_is_an_error_at_the_next_picture(tmp_path):
    path = fifo(tmp_path)
    commands = open_commands(str(path))
    trace(path, (5, "what"))
    commands.thread.join(PATIENCE)
    with pytest.raises(ExitError, match="fifo:2: expected one command"):
        commands.at(0)
