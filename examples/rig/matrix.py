#!/usr/bin/env python3
"""Prints how well the bench's aim follows a face, plain and with --follow, as a Markdown table.

Both run on the same scene with each servo, mount of the camera, rate and delay of its pictures, and
with several seeds. --follow runs with the delay and the servo's speed as they are, and with all
combinations of a delay that is stated 30 % too short or too long and the other servo's speed.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

SCENE = """\
length: 16s
faces:
  - start: 96
    path:
      - stand: 2s
      - step: 108
        for: 4s
      - step: 84
        for: 4s
      - ramp: 104
        speed: 10°/s
      - stand: 4s
camera: {{mount: {mount}, fov: 60°, size: 640x480}}
detector: {{noise: 1.5px}}
aim: {{{aim}}}
supply: bec5V3A
"""
PLAIN = {"fixed": "mapping: fov", "turret": "mount: turret"}
SPEEDS = {"sg90": "500", "mg996r": "300"}
DELAYS = [60, 120, 250]
RATES = [15, 30]
SEEDS = range(1, 6)
NEVER = float("inf")


def runs(bench, mount, aim, sweep):
    """Returns the figures of all combinations, by the names and values that were set, for each
    seed."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder, "scene.yaml")
        scene.write_text(SCENE.format(mount=mount, aim=aim), encoding="utf-8")
        for seed in SEEDS:
            command = [bench, "rig", scene, "--json", "-q", "--seed", str(seed), "--sweep", sweep]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            for row in map(json.loads, printed.splitlines()):
                key = tuple(row[name.split("=")[0]] for name in sweep.split(","))
                found.setdefault(key, []).append(row)
    return found


def figures(rows, over):
    """Returns overshoot, settling time, swing, reversals and the error that is exceeded for 5 % of
    the time: over is the median, or max."""
    return [over([row.get(name, NEVER) for row in rows])
            for name in ("overshoot", "settling", "swing", "reversals_per_minute", "error_95")]


def shown(index, unit, *runs):
    """Returns a figure of each run: 34.2° → 2.3°, 3.1°."""
    first, *others = ["never" if run[index] == NEVER else unit.format(run[index]) for run in runs]
    return f"{first} → {', '.join(others)}"


def missed(plain, follow):
    """Returns which goals the second of two runs misses."""
    names = []
    if follow[0] > max(plain[0] / 3, 1):
        names.append("overshoot")
    if follow[1] > plain[1] / 2 or follow[1] == NEVER:
        names.append("settling")
    if follow[2] > 1.5:
        names.append("swing")
    return ", ".join(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bench", default="sentrybench", help="the program")
    parser.add_argument("--aim", default="", help="more options of aim, such as dead-zone: 2")
    parser.add_argument("--mount", choices=PLAIN, help="only this place of the camera")
    options = parser.parse_args()
    servos = "servo=" + "|".join(SPEEDS) + ",camera.rate=" + "|".join(map(str, RATES))
    print("| camera | servo | pictures | delay | overshoot | settling | swing | reversals | error "
          "| missed | missed if misstated |\n" + "|---" * 11 + "|")
    for mount in [options.mount] if options.mount else PLAIN:
        delays = "|".join(f"{delay}ms" for delay in DELAYS)
        plains = runs(options.bench, mount, PLAIN[mount], f"{servos},camera.delay={delays}")
        for delay in DELAYS:
            more = f", {options.aim}" if options.aim else ""
            ages = [f"{delay * part // 10}ms" for part in (10, 7, 13)]
            follows = runs(
                options.bench, mount, f"mount: {mount}, follow: yes{more}",
                f"{servos},camera.delay={delay}ms,age={'|'.join(ages)},"
                f"servo-speed={'|'.join(SPEEDS.values())}")
            for servo, speed in SPEEDS.items():
                for rate in map(str, RATES):
                    plain = figures(plains[servo, rate, f"{delay}ms"], statistics.median)
                    stated = {key[3:]: rows for key, rows in follows.items()
                              if key[:2] == (servo, rate)}
                    right = figures(stated.pop((ages[0], speed)), max)
                    wrong = figures(sum(stated.values(), []), max)
                    three = plain, right, wrong
                    print(f"| {mount} | {servo} | {rate}/s | {delay} ms "
                          f"| {shown(0, '{:.1f}°', *three)} | {shown(1, '{:.2f} s', *three)} "
                          f"| {shown(2, '{:.1f}°', *three)} | {shown(3, '{:.0f}', *three)} "
                          f"| {shown(4, '{:.1f}°', *three)} "
                          f"| {missed(plain, right)} | {missed(plain, wrong)} |")


main()
