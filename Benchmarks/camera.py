"""Measures the camera of a rig: the time from the servo's angle until its picture is received.

The bench runs a scene in real time, and this program reads the stream from its socket, as the command
after `--`. Each part of the stream has the time at which its angle was taken, by the computer's
monotonic clock. `camera.py [SECONDS]` alone prints the figures for the bench in SENTRYBENCH.
"""
import json
import os
import signal
import statistics
import subprocess
import sys
import time
import urllib.request

from common import ROOT, Failed, Table

CAMERA = os.path.join(ROOT, ".build/camera/bin")
RATE = 30
DELAY_MS, JITTER_MS = 20, 2
SCENE = """
length: {seconds}s
faces:
  - {{start: 70, path: [{{sine: 20°, period: 8s, for: {seconds}s}}]}}
camera: {{fov: 60°, size: {size}, rate: {rate}, mount: turret}}
"""


def received():
    """Reads the stream to its end. Yields when each picture was taken and received, in seconds."""
    with urllib.request.urlopen(os.environ["SENTRY_CAMERA"]) as stream:
        stream.readline()
        while True:
            fields = {}
            while line := stream.readline().strip():
                name, value = line.decode().split(": ")
                fields[name] = value
            if not fields:
                return
            # A picture that is cut off by the end of the session has not been received.
            length = int(fields["Content-Length"])
            if len(stream.read(length)) < length:
                return
            yield float(fields["X-Monotonic"]), time.monotonic()
            stream.readline(), stream.readline()


def measured(seconds, bench, folder, size="640x480"):
    """The times of the pictures, read by another process of this program."""
    scene, pictures = os.path.join(folder, "scene.yaml"), os.path.join(folder, "pictures.json")
    with open(scene, "w") as file:
        file.write(SCENE.format(seconds=seconds, size=size, rate=RATE))
    path = CAMERA + os.pathsep + os.environ["PATH"]
    done = subprocess.run(
        [bench, "run", "--quiet", "--rig", scene, "--", sys.executable, __file__, "--read",
         pictures], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PATH": path})
    if done.returncode != 0:
        raise Failed(f"the bench ended with status {done.returncode}\n{done.stderr}")
    with open(pictures) as file:
        # The first second has the start of every program.
        return json.load(file)[RATE:]


def measure(table, quick, bench, folder):
    print(f"the camera of a rig, {RATE} pictures a second, at the reader's socket")
    if not os.path.exists(os.path.join(CAMERA, "sentry-camera")):
        table.note("skipped: requires `make camera-setup`")
        return
    for size in ("320x240", "640x480", "1280x720"):
        show(table, measured(10 if quick else 60, bench, folder, size), size)


def show(table, found, size):
    if len(found) < 2 * RATE:
        raise Failed(f"only {len(found)} pictures of {size} were received")
    delays = [1000 * (arrived - taken) for taken, arrived in found]
    middle = statistics.median(delays)
    off = sorted(abs(delay - middle) for delay in delays)
    table.row(f"{size}: angle to picture, ms (median)", middle, DELAY_MS, at_most=True)
    table.row("  jitter, ms (95 % are within)", off[len(off) * 95 // 100], JITTER_MS, at_most=True)
    gaps = [1000 * (b - a) for (_, a), (_, b) in zip(found, found[1:])]
    table.note(f"{len(found)} pictures; standard deviation {statistics.pstdev(delays):.2f} ms, 99 % "
               f"within {off[len(off) * 99 // 100]:.2f} ms, worst {off[-1]:.2f} ms; from picture to "
               f"picture {min(gaps):.1f} to {max(gaps):.1f} ms")


def main():
    if sys.argv[1:2] == ["--read"]:
        # At the end of the scene, the bench ends its command.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        found = []
        try:
            for times in received():
                found.append(times)
        finally:
            with open(sys.argv[2], "w") as file:
                json.dump(found, file)
        return
    import tempfile

    bench = os.environ.get("SENTRYBENCH") or os.path.join(ROOT, ".build/install/release/sentrybench")
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as folder:
        show(Table(), measured(seconds, bench, folder), "640x480")


if __name__ == "__main__":
    try:
        main()
    except (Failed, OSError) as error:
        sys.exit(f"camera: error: {error}")
