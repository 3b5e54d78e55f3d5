"""Proportional on the middle of the box. The camera is on the turret.

Arguments: how many degrees the turret turns for each pixel of the offset, in each picture; and the
offset that is small enough, in pixels.
"""
import json
import sys

gain, near = [float(word) for word in sys.argv[1:]] or [0.025, 0]
header = json.loads(sys.stdin.readline())
width = header["image"][0]
angle = 90.0
sent = None
for line in sys.stdin:
    found = json.loads(line)["found"]
    command = ""
    if found:
        x, _, box_width, _ = found[0]["box"]
        offset = (x + box_width / 2 - 0.5) * width
        if abs(offset) > near:
            angle = min(180.0, max(0.0, angle + gain * offset))
        if round(angle) != sent:
            sent = round(angle)
            command = f"X{sent}."
    print(command, flush=True)
