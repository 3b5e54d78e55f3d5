"""Proportional on the average of the last offsets, against noise. The camera is on the turret.

Arguments: the number of pictures in the average; how many degrees the turret turns for each pixel
of the average, in each picture; and the average that is small enough, in pixels.
"""
import collections
import json
import sys

count, gain, near = [float(word) for word in sys.argv[1:]] or [10, 0.015, 0]
header = json.loads(sys.stdin.readline())
width = header["image"][0]
offsets = collections.deque(maxlen=int(count))
angle = 90.0
sent = None
for line in sys.stdin:
    found = json.loads(line)["found"]
    command = ""
    if found:
        x, _, box_width, _ = found[0]["box"]
        offsets.append((x + box_width / 2 - 0.5) * width)
        average = sum(offsets) / len(offsets)
        if abs(average) > near:
            angle = min(180.0, max(0.0, angle + gain * average))
        if round(angle) != sent:
            sent = round(angle)
            command = f"X{sent}."
    print(command, flush=True)
