#!/usr/bin/env python3
"""Draws how far the turret goes beyond a face that jumps, and when it is there, with --follow.

The camera is on the turret, whose servo is an SG90. A line for each delay of the pictures, from
jumps of 5 to 30 degrees. Prints an SVG.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

SCENE = """\
length: 7s
faces:
  - start: 90
    distance: 2m
    path:
      - stand: 3s
      - step: {angle}
        for: 4s
camera: {{mount: turret, fov: 60°, size: 640x480, rate: 30, delay: {delay}ms}}
detector: {{noise: 1.5px}}
aim: {{mount: turret, follow: yes, age: {delay}ms}}
"""
DELAYS = {30: "#1b9e77", 100: "#d95f02", 200: "#7570b3", 300: "#e7298a"}
JUMPS = range(5, 31)
# The figure, its words, its greatest value, and the step of the grid.
PANELS = [("overshoot", "degrees beyond the face", 6, 2),
          ("settling", "seconds until within 3 degrees of it", 0.8, 0.2)]
WIDTH, HEIGHT = 640, 190
LEFT, RIGHT, TOP = 46, 530, 34


def figures(bench):
    """Returns the figures of all sessions by the delay and the jump."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder, "scene.yaml")
        for delay in DELAYS:
            for jump in JUMPS:
                scene.write_text(SCENE.format(angle=90 + jump, delay=delay), encoding="utf-8")
                done = subprocess.run([bench, "rig", scene, "--json", "-q"], check=True,
                                      capture_output=True, text=True)
                found[delay, jump] = json.loads(done.stdout)
    return found


def panel(found, top, name, words, most, step):
    """Yields the elements of a diagram of one figure."""
    bottom = top + HEIGHT - 60

    def x(jump):
        return LEFT + (RIGHT - LEFT) * (jump - JUMPS[0]) / (JUMPS[-1] - JUMPS[0])

    def y(value):
        return bottom - (bottom - top) * min(value, most) / most

    yield f'<text x="{LEFT}" y="{top - 12}" font-weight="bold">{words}</text>'
    for index in range(round(most / step) + 1):
        value = index * step
        yield (f'<path d="M{LEFT} {y(value):.1f}H{RIGHT}" stroke="#ddd"/>'
               f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.1g}</text>')
    for jump in range(5, 31, 5):
        yield f'<text x="{x(jump):.1f}" y="{bottom + 18}" text-anchor="middle">{jump}°</text>'
    for index, (delay, colour) in enumerate(DELAYS.items()):
        # A session that does not settle is at the top.
        points = " ".join(f"{x(jump):.1f},{y(found[delay, jump].get(name, most)):.1f}"
                          for jump in JUMPS)
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield (f'<text x="{RIGHT + 14}" y="{top + 14 + 18 * index}" fill="{colour}">'
               f'{delay} ms</text>')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bench", default="sentrybench", help="the program")
    found = figures(parser.parse_args().bench)
    height = len(PANELS) * HEIGHT
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
          f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">')
    print(f'<title>What the turret does after a jump</title>\n'
          f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    for index, row in enumerate(PANELS):
        print("\n".join(panel(found, TOP + index * HEIGHT, *row)))
    print("</svg>")


main()
