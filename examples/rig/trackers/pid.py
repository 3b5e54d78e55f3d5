"""A PID controller on pixels. The camera is on the turret.

Arguments: the gains of the offset in pixels, of its sum over the seconds, and of its change in a
second; and the offset that is small enough, in pixels. The result is the angle from straight ahead,
in degrees.
"""
import json
import sys

p, i, d, near = [float(word) for word in sys.argv[1:]] or [0.09, 0.08, 0.002, 0]
header = json.loads(sys.stdin.readline())
width = header["image"][0]
total = last = 0.0
before = sent = None
for line in sys.stdin:
    picture = json.loads(line)
    command = ""
    if picture["found"]:
        x, _, box_width, _ = picture["found"][0]["box"]
        offset = (x + box_width / 2 - 0.5) * width
        if abs(offset) <= near:
            offset = 0.0
        passed = 0.0 if before is None else picture["t"] - before
        total += offset * passed
        change = (offset - last) / passed if passed > 0 else 0.0
        before, last = picture["t"], offset
        angle = round(min(180, max(0, 90 + p * offset + i * total + d * change)))
        if angle != sent:
            sent = angle
            command = f"X{angle}."
    print(command, flush=True)
