"""A turret in virtual time."""

from __future__ import annotations

import json
import pathlib

import pytest

from sentrybench import TurretError, TurretFailure, VirtualTurret

FIRMWARE = pathlib.Path(__file__).parents[2] / "firmware"


def test_bytes_are_sent_at_their_times_and_rules_are_decided() -> None:
    with VirtualTurret(firmware="classic") as turret:
        turret.send(b"X90.", at=1.5).send("X110.", at=2).run(until=3)
        turret.expect(servo=90, within=0.05, of="X90.")
        turret.expect(shaft=(110, 2), within=0.4, of="X110.")
        turret.never("lost", "junk")
        turret.ends(servo=110)
        assert turret.time == 3
        assert [event.time for event in turret.events("rx")] == [1.5, 2]


def test_time_passes_until_a_rule_is_decided() -> None:
    with VirtualTurret() as turret:
        turret.send("X110.")
        turret.expect(servo=110, within=0.05, of="X110.")
        assert turret.time < 0.05
        with pytest.raises(TurretFailure, match="the expectation waited for 10 s"):
            turret.expect(servo=20)
        assert 10 < turret.time < 10.1


def test_times_have_whole_microseconds() -> None:
    with VirtualTurret() as turret:
        turret.send("X90.", at=0.1 + 0.2).run(until=0.600006 - 1e-17 + 0.1 + 0.2)
        turret.reset(dead=1 / 3)
        assert [event.time for event in turret.events("rx")] == [0.3]
        assert turret.events("reset")[0].values == (0.333333,)


def test_time_does_not_go_back() -> None:
    with VirtualTurret() as turret:
        turret.run(until=2)
        with pytest.raises(TurretError, match='expected "until" to be later than now'):
            turret.run(until=1)
        with pytest.raises(TurretError, match='expected "at" to be later than now'):
            turret.send("X90.", at=1)


def test_a_profile_says_what_the_commands_are(tmp_path: pathlib.Path) -> None:
    profile = tmp_path / "turret.yaml"
    profile.write_text('commands: ["A{angle:0..180}!"]\nbaud: 19200\nservos: {pan: D9}\n')
    with VirtualTurret(profile=profile) as turret:
        header = json.loads(turret.record().splitlines()[0])
        assert header["baud"] == 19_200
        assert header["profile"]["commands"] == ["A{angle:0..180}!"]
    with pytest.raises(TurretError, match="turret.yml"), VirtualTurret(profile="turret.yml"):
        pass


def test_a_flood_of_events_is_read_in_parts() -> None:
    with VirtualTurret(pulses=True) as turret:
        turret.send("L", at=1.5).run(until=600)
        turret.expect(pulse=(1472, 200))
        events = turret.events()
        assert len(events) > 30_000
        assert [event.time for event in events] == sorted(event.time for event in events)
        assert turret.counts()["events"] == len(events)
        assert turret.events("rx", start=5) == [event for event in events[5:] if event.kind == "rx"]


def test_events_that_are_no_longer_kept_are_counted() -> None:
    with VirtualTurret(pulses=True) as turret:
        turret.send("L", at=1.5)
        turret.run(until=20_000)
        with pytest.raises(TurretError, match=r"the first \d+ events are no longer kept"):
            turret.events()


def test_a_golden_trace_in_virtual_time(tmp_path: pathlib.Path) -> None:
    for update, angle in ((True, 45), (False, 45)):
        with VirtualTurret(folder=tmp_path, update=update) as turret:
            turret.matches("a.jsonl")
            turret.send(f"X{angle}.", at=1.5).run(until=2)
    turret = VirtualTurret(folder=tmp_path)
    turret.matches("a.jsonl")
    turret.send("X46.", at=1.5).run(until=2)
    with pytest.raises(TurretFailure, match="a.jsonl"):
        turret.end()


@pytest.mark.parametrize("sketch", ["classic", "guarded"])
def test_the_compiled_sketch_on_the_emulated_chip(sketch: str) -> None:
    binary = FIRMWARE / sketch / f"{sketch}.hex"
    with VirtualTurret(firmware=sketch, device=f"avr:{binary}", pulses=True) as turret:
        turret.send("X110.", at=1.5).run(until=2)
        turret.expect(servo=110, within=0.05, of="X110.")
        turret.expect(pulse=(1678, 3), within=0.1)
        turret.never("lost", "junk")


OFF = """\
:0E0000007894F89410E01A95F1F77894FFCFF9
:00000001FF
"""
"""A program that once switches interrupts off for 48 us."""


def test_rules_about_how_the_program_runs(tmp_path: pathlib.Path) -> None:
    (tmp_path / "off.hex").write_text(OFF)
    device = f"avr:{tmp_path / 'off.hex'}"
    with (
        pytest.raises(TurretFailure, match="kept interrupts off for 48 us"),
        VirtualTurret(device=device) as turret,
    ):
        turret.expect(interrupts_off="100us")
        with pytest.raises(TurretError, match="does not show where loop is"):
            turret.expect(loop="20ms")
        turret.expect(interrupts_off="40us")
        turret.run(until=0.1)
    with VirtualTurret(device=device) as turret:
        turret.run(until=0.1)
        with pytest.raises(TurretError, match="state the rule before time passes"):
            turret.expect(loop="20ms")


def test_rules_about_pulses_and_about_the_sender() -> None:
    with VirtualTurret(pulses=True) as turret:
        turret.send("X110.", at=1.5).run(until=2)
        turret.expect(pulse=(1678, 3), within=0.05, of="X110.")
        turret.expect(commands=1)
        turret.expect(rate=(1, 1))
        turret.expect(angles=(90, 110))
        with pytest.raises(TurretFailure, match="angles 90..100 failed"):
            turret.expect(angles=(90, 100))


def test_levels_and_voltages_reach_the_pins_of_an_emulated_board() -> None:
    sketch = FIRMWARE / "guarded" / "guarded.hex"
    with VirtualTurret(device=f"avr:{sketch}") as turret:
        turret.set("D2", 1).set("D2", False, at=0.5).analog("A0", 2.5, at=1).run(until=2)
        assert [event.values for event in turret.events("set")] == [("D2", 1), ("D2", 0)]
        assert [(event.time, event.values) for event in turret.events("analog")] == [
            (1, ("A0", 2.5))
        ]
        with pytest.raises(TurretError, match='expected "pin" to be a pin of the board'):
            turret.set("D99", 1)
    with VirtualTurret() as turret, pytest.raises(TurretError, match="D2 can be set only on"):
        turret.set("D2", 1)


PULSER = """\
:1000000007E60093C40000E10093C100579A0091F5
:10001000C00007FFFCCF1091C6005F9A80E89EE306
:080020000197F1F75F98F3CF9F
:00000001FF
"""
"""A program that puts 1 on D7 for 4 ms when a byte arrives at 9600 baud."""


def pulser(folder: pathlib.Path) -> tuple[str, pathlib.Path]:
    """Returns a device that runs the program, and its profile."""
    (folder / "pulser.hex").write_text(PULSER)
    profile = folder / "turret.yaml"
    profile.write_text("commands: [F]\npins: {fire: D7}\n")
    return f"avr:{folder / 'pulser.hex'}", profile


def test_rules_about_the_levels_of_pins(tmp_path: pathlib.Path) -> None:
    device, profile = pulser(tmp_path)
    with VirtualTurret(device=device, profile=profile, pins=["D8"]) as turret:
        turret.never("lost", pin=("D8", 1))
        turret.send("F", at=1).send("F", at=2).run(until=3)
        turret.expect(pin=("fire", 1), within="5ms", of="F")
        turret.expect(
            pin=("D7", "pulse"), at_least=0.003, at_most="5ms", count=1, within="50ms", of="F"
        )
        turret.expect(pin=("fire", "pulse"), at_least="3ms", count=2)
        turret.ends(pin={"fire": 0, "D8": False})
        with pytest.raises(TurretFailure) as failure:
            turret.never(pin=("fire", "pulse"), at_least="3ms")
        assert "fire (D7) had a pulse of 4 ms at 1.001043 s" in str(failure.value)
        assert '> 3  [1.001042250, "pin", "D7", 1]' in str(failure.value)
        with pytest.raises(TurretFailure, match="does not know when this sketch is sweeping"):
            turret.never(pin=("fire", 1), while_="scanning")
        with pytest.raises(TurretError, match='did you mean "scanning"?'):
            turret.never(pin=("fire", 1), while_="scaning")  # type: ignore[arg-type]


def test_a_duty_cycle_is_a_part_of_a_cycle(tmp_path: pathlib.Path) -> None:
    device, profile = pulser(tmp_path)
    with VirtualTurret(device=device, profile=profile) as turret:
        turret.send("F", at=1).send("F", at=2).run(until=3)
        turret.expect(pin=("fire", "duty"), at_least="0.3%", at_most="0.5%", before="4s")


def test_what_a_pin_did_before_it_was_watched_is_not_known(tmp_path: pathlib.Path) -> None:
    device, _ = pulser(tmp_path)
    with VirtualTurret(device=device) as turret:
        turret.send("X90.", at=1).run(until=2)
        with pytest.raises(TurretFailure, match="D7 is watched only since 2 s"):
            turret.expect(pin=("D7", 1), within="5ms", of="X90.")
        turret.send("X80.").expect(pin=("D7", 1), within="5ms", of="X80.")


def test_the_sketches_of_the_bench_show_what_they_do() -> None:
    sketch = FIRMWARE / "guarded" / "guarded.hex"
    with VirtualTurret(firmware="guarded", device=f"avr:{sketch}", pins=["D13"]) as turret:
        turret.send("L", at=1).run(until=2)
        turret.never(pin=("D13", 1), while_="scanning")
        with pytest.raises(TurretFailure, match="the sketch was never purging"):
            turret.never(pin=("D13", 1), while_="purging")
            turret.end()


def test_a_model_shows_no_levels() -> None:
    with VirtualTurret() as turret, pytest.raises(TurretFailure, match="no levels of pins"):
        turret.expect(pin=("D7", 1))


def test_a_number_of_seconds_that_looks_like_milliseconds_is_refused() -> None:
    with VirtualTurret() as turret:
        turret.send("X110.")
        with pytest.raises(TurretError, match='write within="50ms" or within="50s"'):
            turret.expect(servo=110, within=50, of="X110.")
        turret.expect(servo=110, within=0.05, of="X110.")


def test_the_smallest_session_that_fails_is_found(tmp_path: pathlib.Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("- never: [swallowed]\n")
    with VirtualTurret(firmware="classic") as turret:
        for index in range(40):
            turret.send("X100" if index == 20 else f"X{index}.", at=1.5 + index / 5)
        turret.run(until=12)
        trace = turret.shrink(rules=rules)
        lines = [json.loads(line) for line in trace.splitlines()[1:]]
        assert [line[2] for line in lines if line[1] == "rx"] == ["X100X."]
        assert turret.shrink() == turret.shrink(tmp_path / "small.jsonl")
        assert (tmp_path / "small.jsonl").read_text() == turret.shrink()
        assert '"rx"' in turret.shrink(against="guarded")
        with pytest.raises(TurretError, match="does not fail"):
            turret.shrink(against="classic")
        with pytest.raises(TurretError, match="not both"):
            turret.shrink(rules=rules, against="guarded")


def test_faults_disturb_what_is_sent_and_rules_are_about_them() -> None:
    with VirtualTurret(firmware="classic", faults=["drop:100%"], seed=3) as turret:
        turret.send(b"X90.", at=1.5).run(until=3)
        assert [event.values for event in turret.events("x-fault")] == [
            ("drop", "wire", "X90.", "")
        ]
    with VirtualTurret(firmware="classic", faults=["delay:5ms"]) as turret:
        turret.send("X45.", at=1.5).run(until=3)
        turret.never("lost", unless="fault")
        turret.recovers(0.05)
    with pytest.raises(TurretError, match="cannot reorder"), VirtualTurret(faults=["reorder"]):
        pass
