"""Waveforms of traces, as other programs read them.

sigrok decodes the same bytes and pulses that the bench replays, GTKWave's converter keeps all
changes of a VCD, and the bench itself converts each VCD back.
"""
import json
import re

import pytest
from running import CHIP, ROOT, peak_megabytes, refused, run

MINUTES = 1
RATE = 1_000_000
# The input formats of sigrok, for those whose content it does not recognize.
INPUT = {"csv": ["-I", f"csv:samplerate={RATE}"], "vcd": ["-I", "vcd"], "sr": []}
CASES = [
    ("sr", "classic/truncated", "model"),
    ("vcd", "classic/truncated", "model"),
    ("csv", "classic/boot", "model"),
    ("sr", "classic/line-busy-records-queue", "model"),
    ("vcd", "guarded/telemetry-status-line", "model"),
    ("sr", "guarded/telemetry-status-line", "model"),
    ("sr", "buzzer/tones-queue", "model"),
    ("sr", "line/reset-with-bootloader-classic", "model"),
    ("vcd", "line/clock-of-a-computer-classic", "model"),
    ("sr", "classic/truncated", "avr:firmware/classic/classic.hex"),
    ("vcd", "guarded/telemetry-status-line", CHIP),
]


def carried(text):
    """The speed of a trace, the bytes to and from the board, and the pulses, with their times."""
    header, *events = map(json.loads, text.splitlines())
    baud = header.get("baud", 9600)
    received, transmitted, pulses = [], [], []
    free = 0
    for time, kind, *rest in events:
        if kind == "rx":
            for char in rest[0]:
                start = max(time, free)
                free = start + 10 / baud
                received.append((start, ord(char)))
        elif kind == "tx":
            transmitted.append((time, ord(rest[0])))
        elif kind == "pulse":
            pulses.append((time, rest[0]))
    # A board and a decoder read bytes at another speed as other bytes.
    return baud, received, transmitted, pulses, any(event[1] == "baud" for event in events)


def compare(name, found, true, time_off, value_off):
    assert len(found) == len(true), name
    for index, (seen, expected) in enumerate(zip(found, true)):
        assert abs(seen[0] - expected[0]) <= time_off, f"{name} {index + 1}: {seen} {expected}"
        assert abs(seen[1] - expected[1]) <= value_off, f"{name} {index + 1}: {seen} {expected}"


def decode(path, form, decoder, annotations):
    """The annotations of a protocol decoder: the times of the first and last sample, and the text.
    """
    text = run("sigrok-cli", *INPUT[form], "-i", path, "-P", decoder, "-A", annotations,
               "--protocol-decoder-samplenum").stdout
    found = re.findall(r"^(\d+)-(\d+) \S+: (.*)$", text, re.MULTILINE)
    return [(int(first) / RATE, int(last) / RATE, what) for first, last, what in found]


def decode_bytes(path, form, wire, baud):
    """The bytes on a wire, with the time of the start bit."""
    decoder = f"uart:rx={wire}:baudrate={baud}"
    assert not decode(path, form, decoder, "uart=rx-warnings")
    found = decode(path, form, decoder, "uart=rx-data")
    return [(first - 1 / baud, int(what, 16)) for first, _, what in found]


def check_with_sigrok(path, form, replayed):
    """Checks that sigrok decodes from a drawing what was replayed. Values are in us."""
    baud, received, transmitted, pulses, has_other_speeds = carried(replayed)
    assert not has_other_speeds, "sigrok decodes only one speed"
    sample, bit = 1.01 / RATE, 1 / baud
    # Half a sample each for the edge and for the decoder.
    off = max(bit / 10, sample)
    compare("a byte to the board", decode_bytes(path, form, "RX", baud), received, off, 0)
    compare("a byte from it", decode_bytes(path, form, "TX", baud), transmitted, sample + off, 0)
    found = [(first, (last - first) * float(what.rstrip("%")) / 100 * 1e6) for first, last, what
             in decode(path, form, "pwm:data=SERVO", "pwm=duty-cycle")]
    # The decoder reports a pulse at the next rising edge.
    assert len(pulses) - 1 <= len(found) <= len(pulses)
    compare("pulse", found, pulses[:len(found)], sample, 1.01)


def drawn(bench, folder, trace, form, *options):
    path = folder / f"session.{form}"
    run(bench, "convert", "-q", trace, "--to", form, "-o", path, *options)
    return path


@pytest.mark.needs("sigrok-cli")
@pytest.mark.parametrize("form, trace, device", CASES)
def test_sigrok_decodes_what_the_bench_replays(bench, tmp_path, form, trace, device):
    trace = f"traces/{trace}.jsonl"
    replayed = run(bench, "replay", "--pulses", trace, "--device", device).stdout
    path = drawn(bench, tmp_path, trace, form, "--device", device)
    check_with_sigrok(path, form, replayed)


@pytest.mark.needs("sigrok-cli")
def test_other_bytes_are_detected(bench, tmp_path):
    replayed = run(bench, "replay", "--pulses", "traces/classic/boot.jsonl").stdout
    path = drawn(bench, tmp_path, "traces/classic/truncated.jsonl", "sr")
    with pytest.raises(AssertionError, match="a byte to the board"):
        check_with_sigrok(path, "sr", replayed)


@pytest.mark.needs("vcd2fst", "fst2vcd")
@pytest.mark.parametrize("trace", ["classic/truncated", "buzzer/tones",
                                   "guarded/telemetry-status-line"])
def test_gtkwave_keeps_the_levels_texts_and_numbers(bench, tmp_path, trace):
    path = drawn(bench, tmp_path, f"traces/{trace}.jsonl", "vcd")
    run("vcd2fst", path, tmp_path / "a.fst")
    back = run("fst2vcd", tmp_path / "a.fst").stdout.splitlines()
    lines = path.read_text().splitlines()
    for first in "01sr#":
        assert (sum(line.startswith(first) for line in lines)
                == sum(line.startswith(first) for line in back)), first


def test_each_trace_drawn_as_a_vcd_is_converted_back_to_the_same_bytes_and_pulses(
        bench, tmp_path, record_property):
    """Bytes within a tenth of a bit, and pulses within a sample."""
    epsilon = 5e-10  # half a nanosecond, because times are rounded to binary fractions
    traces = sorted(ROOT.glob("traces/**/*.jsonl"))
    count = 0
    for trace in traces:
        baud, received, transmitted, pulses, has_other_speeds = carried(trace.read_text())
        if has_other_speeds or not received:
            continue
        count += 1
        path = drawn(bench, tmp_path, trace, "vcd")
        found = carried(run(bench, "convert", "-q", path, "--baud", baud).stdout)
        off = 0.1 / baud + epsilon
        compare(f"{trace}: a byte to the board", found[1], received, off, epsilon)
        if transmitted:
            compare(f"{trace}: a byte from it", found[2], transmitted, off, epsilon)
        if pulses:
            compare(f"{trace}: pulse", found[3], pulses, 1e-6 + epsilon, 1.001)
    record_property("waves", f"{count} of {len(traces)} traces were converted back")
    assert count >= len(traces) / 2


def test_a_waveform_that_cannot_be_drawn_is_refused_and_leaves_no_file(bench, tmp_path):
    trace = "traces/field/speed-115200-guarded.jsonl"
    convert = [bench, "convert", trace]
    refused(64, "8 samples a bit", *convert, "--to", "sr", "--samplerate", "500kHz", "-o",
            tmp_path / "x.sr")
    assert not (tmp_path / "x.sr").exists()
    refused(64, "a frequency from 1 kHz to 1 GHz", *convert, "--to", "vcd", "--samplerate", "fast")
    # A table without times requires the rate; any other recording does not.
    refused(64, "requires --to", bench, "convert", "examples/field.sr", "--samplerate", "1MHz")


@pytest.mark.linux
def test_a_waveform_that_cannot_be_written_says_so(bench):
    refused(74, "cannot be written", bench, "convert", "-q",
            "traces/field/speed-115200-guarded.jsonl", "--to", "csv", "-o", "/dev/full")


@pytest.mark.linux
@pytest.mark.parametrize("form", ["vcd", "sr", "saleae"])
def test_an_hour_needs_no_more_memory_than_a_short_session(bench, tmp_path, record_property, form):
    hour, out = tmp_path / "hour.jsonl", tmp_path / f"hour.{form}"
    hour.write_text(
        '{"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 3600}\n'
        '[1.500000, "rx", "L"]\n')
    try:
        used = peak_megabytes(tmp_path, bench, "convert", "-q", hour, "--to", form, "-o", out)
        size = out.stat().st_size
    finally:
        out.unlink(missing_ok=True)
    record_property(f"an hour as {form}", f"{size} bytes, in {used:.1f} MB of memory")
    assert used < 102.4
