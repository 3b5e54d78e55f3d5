"""Measures the playground's WebAssembly in node against the program: same sessions, same text.

With AVR8JS, the path of the package avr8js, the chip is also compared with avr8js in the same node.
"""
import json
import os
import shutil

from chip import check, image, ours, write_trace
from common import HERE, ROOT, Failed, run

PAGE = os.path.join(ROOT, ".build/playground")
# A name, a sketch, the bytes that start its activity, the virtual seconds that it runs, and whether it
# runs on the chip.
CASES = [
    ("model, scanning", "classic", "L", 20_000, False),
    ("chip, classic scanning", "classic", "L", 50, True),
    ("chip, classic idle", "classic", " ", 200, True),
    ("chip, guarded scanning", "guarded", "L", 50, True),
]
# The virtual seconds that avr8js runs.
PEER_SECONDS = 5


def compare(table, name, firmware, data, speed, bench, folder):
    """Runs the same program on avr8js, which must leave the servo at the same angle."""
    module = os.environ.get("AVR8JS")
    if not module:
        return
    script = os.path.join(HERE, "peer", "avr8js.mjs")
    peer = json.loads(
        run(["node", script, module, image(firmware), str(PEER_SECONDS), data])[1])
    summary = json.loads(ours(bench, folder, firmware, data, PEER_SECONDS, 1)[1])
    check(name, firmware, "in avr8js", PEER_SECONDS, str(peer["ocr1a"]), summary)
    table.row("  times as fast as avr8js", speed * peer["seconds"] / PEER_SECONDS)


def measure(table, options, bench, folder):
    print("the playground's WebAssembly, virtual seconds per second, and how many times slower than "
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
                raise Failed(f"{name}: the page replays a different trace from the program")
        table.row(f"{name}, times real time", seconds / page["seconds"])
        table.note(f"{seconds} s in {page['seconds']:.2f} s, the program in {native:.2f} s: "
                   f"{page['seconds'] / native:.1f} times as long; loaded in "
                   f"{page['start'] * 1e3:.0f} ms")
        if is_chip:
            compare(table, name, firmware, data, seconds / page["seconds"], bench, folder)
