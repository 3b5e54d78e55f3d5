"""Measures the playground's WebAssembly in node against the program: same sessions, same text."""
import json
import os
import shutil

from chip import image, write_trace
from common import HERE, ROOT, Failed, run

PAGE = os.path.join(ROOT, ".build/playground")
# A name, a sketch, the bytes that start its activity, how many virtual seconds it runs, and whether
# on the chip.
CASES = [
    ("model, scanning", "classic", "L", 20_000, False),
    ("chip, classic scanning", "classic", "L", 50, True),
    ("chip, classic idle", "classic", " ", 200, True),
    ("chip, guarded scanning", "guarded", "L", 50, True),
]


def measure(table, options, bench, folder):
    print("the playground's WebAssembly, virtual seconds a second, and how many times slower than "
          "the program")
    if not os.path.exists(os.path.join(PAGE, "emulation.wasm")) or not shutil.which("node"):
        table.note("skipped: requires node, and `make playground`")
        return
    runs = 2 if options.quick else 4
    trace = os.path.join(folder, "web.trace.jsonl")
    for name, firmware, data, seconds, is_chip in CASES:
        if options.quick:
            seconds //= 5
        write_trace(trace, firmware, data, seconds)
        hex = [image(firmware)] if is_chip else []
        device = ["--device", "avr:" + hex[0]] if is_chip else []
        native, text = min(run([bench, "replay", *device, trace]) for _ in range(runs))
        node = run(["node", os.path.join(HERE, "web.mjs"), PAGE, folder, str(runs), trace, *hex])[1]
        page = json.loads(node)
        with open(os.path.join(folder, "web.jsonl")) as file:
            if file.read() != text:
                raise Failed(f"{name}: the page replays another trace than the program")
        table.row(f"{name}, times real time", seconds / page["seconds"])
        table.note(f"{seconds} s in {page['seconds']:.2f} s, the program in {native:.2f} s: "
                   f"{page['seconds'] / native:.1f} times as long; loaded in "
                   f"{page['start'] * 1e3:.0f} ms")
