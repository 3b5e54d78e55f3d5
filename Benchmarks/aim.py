"""Measures how fast `aim` turns recorded observations into commands, as a whole process."""
import math
import os
import random

import aim_live
from common import run

TARGET = 200_000
HEADER = ('{"format": "sentry-observations", "version": 1, "image": [1920, 1080], '
          '"orientation": "right", "view": [390, 844], "fov": 60.0}\n')


def face(source, x, side, places):
    box = ", ".join(f"{value:.{places}f}" for value in (x - side / 2, 0.5 - side / 2, side, side))
    return f'{{"kind": "face", "box": [{box}], "confidence": {source.random():.{places}f}}}'


def write(path, frames, faces, places):
    """Writes observations of faces that move back and forth at 60 frames per second. Every hundredth
    frame is empty."""
    source = random.Random(3)
    with open(path, "w") as file:
        file.write(HEADER)
        for index in range(frames):
            found = ", ".join(
                face(source, 0.5 + 0.4 * math.sin(index / 40 + which), 0.2 / (which + 1), places)
                for which in range(faces if index % 100 else 0))
            file.write(f'{{"t": {index / 60:.3f}, "found": [{found}]}}\n')


# A name, the faces per frame, the decimal places (of a detector that rounds, or of one that does
# not), and options.
CASES = [
    ("one face", 1, 4, []),
    ("one face, numbers of 16 places", 1, 16, []),
    ("three faces, all filters", 3, 4,
     ["--min-confidence", "0.2", "--max-overlap", "0.6", "--stick", "1.2"]),
]


def measure(table, quick, bench, folder):
    print("recorded observations to commands, frames per second on one core")
    frames = 200_000 if quick else 600_000
    path = os.path.join(folder, "seen.jsonl")
    for name, faces, places, options in CASES:
        write(path, frames, faces, places)
        command = [bench, "aim", path, "--to", "-", *options]
        seconds, output = min(run(command) for _ in range(2 if quick else 5))
        table.row(name, frames / seconds, TARGET)
        sent = output.count('"rx"')
        megabytes = os.path.getsize(path) / 1e6
        table.note(f"{frames} frames, {megabytes:.0f} MB, {sent} commands in {seconds:.2f} s")
        os.remove(path)
    aim_live.measure(table, quick, bench)
