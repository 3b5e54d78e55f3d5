"""Recordings by other tools, made from a session's bytes and pulses (recordings.py).

The program must convert them back to that session, and sigrok-cli must decode the same bytes. A
gigabyte of samples must be converted in less than 100 MB, and a damaged recording must cause an
error that names its file.
"""
import json
import random
import re

import pytest
import recordings
from recordings import Session
from running import peak_megabytes, run

MINUTES = 0.3
BIT = 1 / 9600
MEMORY_MAX = 100  # MB, as for traces
MUTATIONS = 40  # of each recording
KINDS = {
    "sr": (recordings.sr, "field.sr"), "vcd": (recordings.vcd, "field.vcd"),
    "sigrok-csv": (recordings.sigrok_csv, "field.csv"),
    "saleae-digital-csv": (recordings.saleae_csv, "digital.csv"),
    "socat": (recordings.socat, "socat.log"),
}


def example():
    """Aims, a number without an end, a scan, and replies from the board."""
    rx = [(0.3, b"X90."), (0.5, b"X100"), (0.7, b"X110."), (1.0, b"L"), (1.4, b"X45.L"),
          (1.8, bytes(range(256)))]
    tx = [(0.35, b"ok 90\r\n"), (1.41, b"ok 45\r\n")]
    pulses = [(0.02 * n + 0.0031, 1472 if n < 30 else 1008 + n) for n in range(110)]
    return Session(2.3, rx, tx, pulses)


SESSION = example()


def made(folder, kind):
    """A recording of the session."""
    make, name = KINDS[kind]
    make(SESSION, folder / name)
    return folder / name


def parsed(trace):
    header, *rest = [json.loads(line) for line in trace.splitlines()]
    return header, rest


def stamped(events, kind, baud=9600):
    """Returns (time, byte) for each byte."""
    found = []
    for event in events:
        if event[1] == kind:
            found += [(event[0] + i * 10 / baud, ord(c)) for i, c in enumerate(event[2])]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_recording_is_converted_back_to_the_session(bench, tmp_path, kind):
    session, path = SESSION, made(tmp_path, kind)
    header, found = parsed(run(bench, "convert", path).stdout)
    listed = json.loads(run(bench, "convert", "--list", "--json", path).stdout)
    assert listed["kind"] == kind, listed
    is_log = kind == "socat"
    assert header["clock" if is_log else "start"] == ("host" if is_log else "unknown"), header
    # A log begins with its first record.
    offset = session.rx[0][0] if is_log else 0
    # A byte in a log has the time of its record, and sigrok's CSV has a sample every 10 us.
    allowed = 0.002 if is_log else BIT / 10
    for line, records in (("rx", session.rx), ("tx", session.tx)):
        bytes_found = stamped(found, line)
        wanted = [byte for _, data in records for byte in data]
        assert [byte for _, byte in bytes_found] == wanted, (path.name, line, bytes_found[:20])
        for (time, _), expected in zip(bytes_found, session.times(records)):
            assert abs(time - (expected - offset)) <= allowed, (path.name, line, time, expected)
    if kind in ("sr", "vcd"):
        pulses = [(event[0], event[2]) for event in found if event[1] == "pulse"]
        assert len(pulses) == len(session.pulses), (path.name, len(pulses))
        for (time, width), (start, wanted) in zip(pulses, session.pulses):
            assert abs(time - start) <= 2e-6 and abs(width - wanted) <= 2, (path.name, time, width)


@pytest.mark.needs("sigrok-cli")
def test_sigrok_decodes_the_same_bytes_at_the_same_samples(bench, tmp_path):
    path = made(tmp_path, "sr")
    _, found = parsed(run(bench, "convert", path).stdout)
    for channel, line in (("RX", "rx"), ("TX", "tx")):
        decoded = run("sigrok-cli", "-i", path, "-P", f"uart:rx={channel}:baudrate=9600",
                      "-A", "uart=rx-data", "--protocol-decoder-samplenum").stdout
        theirs = [
            (int(match[1]), int(match[2], 16))
            for match in re.finditer(r"^(\d+)-\d+ uart-1: ([0-9A-F]{2})$", decoded, re.M)]
        ours = stamped(found, line)
        assert [byte for _, byte in theirs] == [byte for _, byte in ours], (line, theirs, ours)
        # The annotation begins after the start bit.
        for (sample, _), (time, _) in zip(theirs, ours):
            assert abs(sample / 1e6 - (time + BIT)) <= BIT, (line, sample, time)


def test_every_command_takes_a_recording_or_its_bytes_from_a_pipe(bench, tmp_path):
    folder, path = tmp_path, made(tmp_path, "sr")
    explained = run(bench, "explain", "-q", path).stdout
    assert "`X100` had no end" in explained, explained
    from_pipe = run("sh", "-c", '"$1" explain -q - <"$2"', "sh", bench, path).stdout
    assert from_pipe == explained.replace(str(path), "-")
    trace = folder / "field.jsonl"
    run(bench, "convert", path, "-o", trace)
    assert run(bench, "replay", "-q", trace).stdout == run(bench, "replay", "-q", path).stdout
    test = folder / "distilled.jsonl"
    run(bench, "distil", path, "-o", test)
    assert ": error: expected servo " in run(bench, "verify", test, statuses=(1,)).stdout
    run(bench, "verify", "--firmware", "guarded", test)


def check_memory(bench, path, size, record_property):
    try:
        used = peak_megabytes(path.parent, bench, "convert", "-q", path, "-o", "/dev/null")
    finally:
        path.unlink()
    record_property(path.name, f"{size / 1e6:.0f} MB were converted in {used:.1f} MB of memory")
    assert used < MEMORY_MAX


def test_a_gigabyte_of_samples_needs_less_than_100_megabytes(bench, tmp_path, record_property):
    path = tmp_path / "large.sr"
    recordings.sr(SESSION, path, rate=10_000_000, repeat=44)
    check_memory(bench, path, 1_012_000_000, record_property)


def test_a_log_of_200_megabytes_needs_less_than_100_megabytes(bench, tmp_path, record_property):
    path = tmp_path / "large.log"
    with open(path, "w") as file:
        part = []
        for index in range(20_000):
            stamp = f"2026/01/01 {index // 3600:02d}:{index // 60 % 60:02d}:{index % 60:02d}"
            part.append(f"> {stamp}.000000  length=128 from=0 to=127\n")
            part += [" " + " ".join(["58"] * 16) + "\n"] * 8 + ["--\n"]
        for day in range(1, 25):
            file.writelines(line.replace("/01/01 ", f"/01/{day:02d} ") for line in part)
    check_memory(bench, path, path.stat().st_size, record_property)


@pytest.mark.parametrize("kind", KINDS)
def test_a_recording_with_bytes_changed_left_out_or_doubled_is_converted_or_named(
        bench, tmp_path, request, kind):
    rng = random.Random(f"{request.config.option.seed}/{kind}")
    path = made(tmp_path, kind)
    original = path.read_bytes()
    for index in range(MUTATIONS):
        data = bytearray(original)
        for _ in range(rng.choice((1, 1, 3, 20))):
            at = rng.randrange(len(data))
            length = min(rng.choice((1, 4, 100, 5000)), len(data) - at)
            how = rng.randrange(4)
            if how == 0:
                data[at:at + length] = rng.randbytes(length)
            elif how == 1 and length < len(data):
                del data[at:at + length]
            elif how == 2:
                data[at:at] = data[at:at + length]
            else:
                data[at] ^= 1 << rng.randrange(8)
        if index % 4 == 0:
            del data[rng.randrange(1, len(data)):]
        mutated = tmp_path / f"damaged-{path.name}"
        mutated.write_bytes(data)
        done = run(bench, "convert", "-q", mutated, statuses=(0, 64, 65),
                   encoding="utf-8")
        if done.returncode:
            assert done.stderr.startswith(str(mutated)) and "error: " in done.stderr
        else:
            parsed(done.stdout)
