"""Measures a report of a session of ten minutes: its size, and the time that its script draws.

Only the picture in view is redrawn. The time is the best of 20, because a browser's script waits
while something else runs on the machine.
"""
import json
import os
import random
import shutil

from common import run

MINUTES = 10
# Redraws as one step of the wheel or a key does, from the whole session to a few milliseconds.
SCRIPT = """() => {
  const { group } = document.querySelector('figure').picture;
  const times = [];
  const middle = group.start + (group.end - group.start) * 0.37;
  for (let round = 0; round < 400; round += 1) {
    const span = (group.end - group.start) * 0.5 ** (round % 16);
    group.from = Math.max(group.start, middle - span / 2);
    group.to = group.from + span;
    group.at = middle;
    const begin = performance.now();
    group.draw();
    times.push(performance.now() - begin);
  }
  return times;
}"""


def write_session(path):
    draw, now = random.Random(5), 1.5
    with open(path, "w") as file:
        file.write(json.dumps({"format": "sentry-trace", "version": 1, "firmware": "classic",
                               "duration": MINUTES * 60, "title": "a face tracker"}) + "\n")
        while now < MINUTES * 60 - 1:
            command = "L" if draw.random() < 0.01 else f"X{draw.randrange(20, 160)}."
            file.write(json.dumps([round(now, 6), "rx", command]) + "\n")
            now += draw.uniform(2, 8) if command == "L" else draw.uniform(0.02, 0.12)


def measure(table, options, bench, folder):
    inputs, trace, page = (os.path.join(folder, name)
                           for name in ("inputs.jsonl", "tracker.jsonl", "report.html"))
    write_session(inputs)
    run([bench, "replay", inputs, "-o", trace])
    elapsed = min(run([bench, "report", trace, "-o", page])[0] for _ in range(3))
    table.row("a report of 10 minutes, seconds", elapsed)
    table.row("its size, KB", os.path.getsize(page) / 1000, 1000, at_most=True)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        table.note("not measured: drawing, without playwright (.ci/check installs it)")
        return
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        view = chromium.new_page(viewport={"width": 1440, "height": 900})
        view.goto("file://" + page)
        view.wait_for_selector("html.r-ready", state="attached")
        times = view.evaluate(SCRIPT)
        chromium.close()
    # The first rounds also compile the script.
    best = [min(times[start + 16 * 5::16]) for start in range(16)]
    table.row("drawing while zooming, ms, the whole session", best[0], 8, at_most=True)
    table.row("drawing while zooming, ms, 1 s of it", best[9], 8, at_most=True)
