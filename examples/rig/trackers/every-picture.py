"""One command for each picture: the whole offset is added to the last angle, at once. The camera is
on the turret.

Arguments: how many seconds to wait after a command, until a picture shows what it did; and the
offset that is small enough, in degrees.
"""
import json
import sys

wait, near = [float(word) for word in sys.argv[1:]] or [0, 0]
header = json.loads(sys.stdin.readline())
angle = 90.0
ready = 0.0
for line in sys.stdin:
    picture = json.loads(line)
    command = ""
    if picture["found"] and picture["t"] >= ready:
        x, _, box_width, _ = picture["found"][0]["box"]
        offset = (x + box_width / 2 - 0.5) * header["fov"]
        if abs(offset) >= near:
            angle = min(180.0, max(0.0, angle + offset))
            ready = picture["t"] + wait
            command = f"X{angle:.0f}."
    print(command, flush=True)
