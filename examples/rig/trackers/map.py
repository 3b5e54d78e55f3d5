"""The place in the picture, as map() of an Arduino turns it into an angle. The camera is fixed.

Arguments: the angles of the picture's left and right edges, and the change that is too small for a
command, in degrees.
"""
import json
import sys

left, right, near = [float(word) for word in sys.argv[1:]] or [0, 180, 0]
header = json.loads(sys.stdin.readline())
width = header["image"][0]
sent = None
for line in sys.stdin:
    found = json.loads(line)["found"]
    command = ""
    if found:
        x, _, box_width, _ = found[0]["box"]
        pixel = (x + box_width / 2) * width
        angle = int(min(180, max(0, left + pixel * (right - left) / width)))
        if sent is None or abs(angle - sent) > near:
            sent = angle
            command = f"X{angle}."
    print(command, flush=True)
