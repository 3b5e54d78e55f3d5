"""Measures how fast `convert` reads recordings by other tools, as whole processes.

The figures are processor time, because they are stated for one core.
"""
import os
import random
import shutil
import subprocess
import time
import zipfile
import zlib

from common import Failed

RATE = 24_000_000
PART = 4 << 20
NAMES = ["RX", "TX", "SERVO", "D3", "D4", "D5", "D6", "D7"]


def edges(data, start):
    """Yields the levels of bytes on a line at 9600 baud, each with its time."""
    for index, byte in enumerate(data):
        bits = [0] + [byte >> n & 1 for n in range(8)] + [1]
        for bit, level in enumerate(bits):
            yield start + (index * 10 + bit) / 9600, level


def session(seconds):
    """Fifty aims per second with answers, and the servo's pulses: (time, channel, level)."""
    source = random.Random(4)
    changes = []
    for tick in range(seconds * 50 - 1):
        at = 0.01 + tick / 50
        aim = source.randint(0, 180)
        changes += [(time, 0, level) for time, level in edges(b"X%d." % aim, at)]
        changes += [(time, 1, level) for time, level in edges(b"ok %d\n" % aim, at + 0.006)]
        changes += [(at, 2, 1), (at + 544e-6 + aim * 10.3e-6, 2, 0)]
    return sorted(changes)


def write_sr(path, seconds):
    """Writes a session as sigrok does: one byte per sample, in parts of 4 MiB. Returns the number of
    samples."""
    total = seconds * RATE
    metadata = ("[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\n"
                f"total probes=8\nsamplerate={RATE // 1_000_000} MHz\ntotal analog=0\n"
                + "".join(f"probe{n}={name}\n" for n, name in enumerate(NAMES, 1))
                + "unitsize=1\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr("version", "2")
        archive.writestr("metadata", metadata)
        part, level, position, number = bytearray(), 0b011, 0, 1
        for moment, channel, high in session(seconds) + [(seconds, 7, 0)]:
            count = min(int(moment * RATE), total) - position
            position += count
            while count:
                run = min(count, PART - len(part))
                part += bytes([level]) * run
                count -= run
                if len(part) == PART:
                    archive.writestr(f"logic-1-{number}", bytes(part))
                    part, number = bytearray(), number + 1
            level = level & ~(1 << channel) | high << channel
        if part:
            archive.writestr(f"logic-1-{number}", bytes(part))
    return total


def write_socat(path, megabytes):
    """Writes a log by `socat -x`: commands and answers, with their times."""
    source = random.Random(5)
    size, stamp = 0, 0
    with open(path, "w") as file:
        while size < megabytes * 1_000_000:
            lines = []
            for sign, data in (">", b"X%d." % source.randint(0, 180)), ("<", b"ok\n"):
                stamp += 10_000
                seconds = stamp // 1_000_000
                clock = f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
                date = f"2026/11/{1 + seconds // 86400:02}"
                lines.append(f"{sign} {date} {clock}.{stamp % 1_000_000:06}"
                             f"  length={len(data)} from=0 to={len(data) - 1}\n")
                lines.append("".join(f" {byte:02x}" for byte in data) + "\n")
                lines.append("--\n")
            text = "".join(lines)
            size += file.write(text)


def cost(command):
    """Runs a whole process. Returns its processor time in seconds and its memory in megabytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(f"{' '.join(command)}: status {process.returncode}\n{message.decode()}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(command, runs):
    return min(cost(command) for _ in range(runs))


def inflate(path, runs):
    """The processor time that zlib alone needs to inflate the members."""
    seconds = []
    for _ in range(runs):
        spent = 0
        with open(path, "rb") as file, zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                file.seek(member.header_offset + 30 + len(member.filename))
                data = file.read(member.compress_size)
                start = time.process_time()
                stream = zlib.decompressobj(-15)
                while data:
                    stream.decompress(data, 1 << 18)
                    data = stream.unconsumed_tail
                spent += time.process_time() - start
        seconds.append(spent)
    return min(seconds)


def measure(table, options, bench, folder):
    print("recordings by other tools, on one core")
    runs = 2 if options.quick else 4
    seconds = 10 if options.quick else 45
    path = os.path.join(folder, "field.sr")
    samples = write_sr(path, seconds)
    spent, memory = best([bench, "convert", path, "-o", os.devnull], runs)
    table.row("sigrok, samples a second", samples / spent, 200e6)
    alone = inflate(path, runs)
    table.row("  speed as a part of zlib's alone", alone / spent, 0.6)
    table.row("  memory, MB", memory, 100, at_most=True)
    table.note(f"{samples / 1e6:.0f} million samples of 8 channels at 24 MHz in {spent:.2f} s; "
               f"zlib alone {alone:.2f} s")
    if shutil.which("sigrok-cli"):
        other, _ = cost(["sigrok-cli", "-i", path, "-P", "uart:rx=RX:baudrate=9600",
                         "-A", "uart=rx-data"])
        table.row("  times sigrok-cli -P uart", other / spent, 3)
    else:
        table.note("sigrok-cli is not installed")
    os.remove(path)

    path = os.path.join(folder, "field.log")
    write_socat(path, 100 if options.quick else 1000)
    size = os.path.getsize(path)
    spent, memory = best([bench, "convert", path, "-o", os.devnull], runs)
    table.row("socat, MB a second", size / 1e6 / spent, 100)
    table.row("  memory, MB", memory, 100, at_most=True)
    table.note(f"{size / 1e6:.0f} MB in {spent:.2f} s")
    os.remove(path)
