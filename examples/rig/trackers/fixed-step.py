"""A fixed step to the left or to the right, until the face is near the middle. The camera is on the
turret.

Arguments: the step in degrees, and the offset that is small enough, in pixels.
"""
import json
import sys

step, near = [float(word) for word in sys.argv[1:]] or [1, 20]
header = json.loads(sys.stdin.readline())
width = header["image"][0]
angle = 90.0
for line in sys.stdin:
    found = json.loads(line)["found"]
    command = ""
    if found:
        x, _, box_width, _ = found[0]["box"]
        offset = (x + box_width / 2 - 0.5) * width
        if abs(offset) > near:
            angle = min(180.0, max(0.0, angle + (step if offset > 0 else -step)))
            command = f"X{angle:.0f}."
    print(command, flush=True)
