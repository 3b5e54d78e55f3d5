"""Reports in headless Chromium.

A page may have at most 1 MB, request nothing, report no error, run no script that is not its own,
and must be accessible (axe), zoom, and show the figures of explain --json.
"""
import gzip
import json
import pathlib
import random

import pytest
from browser import check_looks, wait
from running import ROOT, require, run

pytestmark = pytest.mark.needs("chromium")
MINUTES = 1
SIZE_MAX = 1_000_000
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)> \"'&"
TRACES = [
    ("traces/classic/truncated.jsonl", []),
    ("traces/classic/truncated.jsonl", ["--firmware", "guarded"]),
    ("traces/buzzer/tones.jsonl", []),
    ("traces/buzzer/boot-overflow.jsonl", []),
    ("traces/guarded/number-times-out.jsonl", []),
    ("traces/line/reset-with-bootloader-classic.jsonl", []),
    ("traces/line/clock-of-a-computer-classic.jsonl", []),
    ("traces/classic/truncated.jsonl", ["--device", "avr:firmware/classic/classic.hex"]),
]


def long_session(bench, folder):
    """A session of ten minutes: aims of a face tracker, some of them cut, and sweeps."""
    draw, now = random.Random(5), 1.5
    lines = [json.dumps({"format": "sentry-trace", "version": 1, "firmware": "classic",
                         "duration": 600, "title": "ten minutes of a face tracker"})]
    while now < 599:
        if draw.random() < 0.01:
            lines.append(json.dumps([round(now, 6), "rx", "L"]))
            now += draw.uniform(2, 8)
            continue
        command = f"X{draw.randrange(20, 160)}."
        lines.append(json.dumps([round(now, 6), "rx", command[:-1 if draw.random() < 0.01 else 9]]))
        now += draw.uniform(0.02, 0.12)
    inputs, trace = folder / "inputs.jsonl", folder / "long.jsonl"
    inputs.write_text("\n".join(lines) + "\n")
    run(bench, "replay", inputs, "-o", trace)
    return trace


def full_line(bench, folder):
    """Ten minutes of a line that is never idle: more than a page can show byte by byte."""
    draw, lines = random.Random(6), []
    lines.append('{"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 600}')
    for second in range(2, 599):
        data = "".join(draw.choice("X0123456789.L?\n") for _ in range(950))
        lines.append(json.dumps([second, "rx", data]))
    trace = folder / "full.jsonl"
    trace.write_text("\n".join(lines) + "\n")
    return trace


def hostile(bench, folder):
    """A trace whose texts try to inject scripts into the page."""
    header = {"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 3,
              "title": HOSTILE, "source": HOSTILE, "recorded": HOSTILE}
    trace = folder / "\"><script>alert(2)<"  # a slash cannot be in a name
    trace.write_text("\n".join([json.dumps(header), json.dumps([1.5, "rx", HOSTILE]),
                                json.dumps([2.5, "mark", HOSTILE])]) + "\n")
    return trace


def levels(bench, folder):
    """A trace that watches the servo's pin, for the emulated chip."""
    trace = folder / "levels.jsonl"
    trace.write_text('{"format": "sentry-trace", "version": 1, "firmware": "classic", '
                     '"duration": 4}\n[1.5, "rx", "X45."]\n[1.6, "pin", "D9", 1]\n')
    return trace


def explained(bench, trace, options):
    """The bytes as explain prints them. For a chip, the model explains them."""
    options = [] if "--device" in options else options
    lines = run(bench, "explain", trace, "--json", *options).stdout
    return [json.loads(line) for line in lines.splitlines()]


def check_figures(page, entries, is_whole):
    """Checks that the page's figures are those of explain --json."""
    shown = page.evaluate("""() => {
      const { session } = document.querySelector('figure').picture;
      return Array.from(session.bytes, (_, i) => session.byte(i));
    }""")
    for number, (found, expected) in enumerate(zip(shown, entries)):
        require(found == expected, f"byte {number}: {found}, and explain prints {expected}")
    require(len(shown) == len(entries) or not is_whole and len(shown) < len(entries),
            f"{len(shown)} bytes, and explain prints {len(entries)}")
    counts = {}
    for entry in entries:
        # The last object counts the bytes that are not listed.
        for fate, count in entry.get("fates", {entry.get("fate"): 1}).items():
            counts[fate] = counts.get(fate, 0) + count
    table = page.eval_on_selector_all(
        ".r-fates tbody tr",
        "rows => rows.map(row => [row.dataset.fate, +row.cells[2].textContent])")
    require({fate: count for fate, count in table if count} == counts,
            f"fates {table}, and explain prints {counts}")


def view(page):
    return page.evaluate("""() => {
      const { group } = document.querySelector('figure').picture;
      return [group.from, group.to];
    }""")


def check_use(page, entries):
    """Checks that the picture zooms and moves with wheel, buttons and keys, and describes bytes."""
    picture = page.locator(".r-live").first
    picture.scroll_into_view_if_needed()
    whole = view(page)
    drawn = "document.querySelector('.r-live .commanded').getAttribute('d')"
    before = page.evaluate(drawn)
    box = picture.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    page.mouse.wheel(0, -300)
    wait(page, f"{drawn} !== {json.dumps(before)}")
    zoomed = view(page)
    require(zoomed[0] > whole[0] and zoomed[1] < whole[1], f"the wheel shows {zoomed} of {whole}")
    page.keyboard.press("Tab")
    picture.focus()
    page.keyboard.press("Home")
    require(view(page) == whole, f"Home shows {view(page)}, not {whole}")
    page.keyboard.press("+")
    page.keyboard.press("+")
    near = view(page)
    require(abs((near[1] - near[0]) * 4 - (whole[1] - whole[0])) < 2, f"+ + shows {near}")
    page.keyboard.press("ArrowLeft")
    require(view(page)[0] < near[0] or near[0] == whole[0], "ArrowLeft does not move")
    page.keyboard.press("-")
    page.keyboard.press("-")
    page.get_by_role("button", name="Zoom in").first.click()
    require(view(page)[1] - view(page)[0] < whole[1] - whole[0], "the button does not zoom")
    picture.focus()
    page.keyboard.press("Home")
    if entries:
        page.evaluate("() => { document.querySelector('figure').picture.group.at = 0; }")
        page.keyboard.press(".")
        first = entries[0]
        arrival = json.dumps(f"arrived {first['arrived']:.6f}")
        wait(page, f"document.querySelector('.r-output').textContent.includes({arrival})")
        text = page.locator(".r-output").first.text_content()
        require(first["fate"] in text, f"the cursor is at {first}, and the page says {text}")
        link = page.locator(".r-commands a.r-time").first
        if link.count():
            link.click()
            wait(page, "(() => { const { group } = document.querySelector('figure').picture; "
                 "return group.to - group.from <= 200000; })()")


def check_levels(page):
    """Checks that a level is drawn when the picture is enlarged, and named at the cursor."""
    at = page.evaluate("""() => {
      const { group, session } = document.querySelector('figure').picture;
      group.go(session.levels[0].t[0] + 1, 40000);
      return (group.at / 1e6).toFixed(6);
    }""")
    text = "document.querySelector('.r-output').textContent"
    wait(page, f"{text}.startsWith('{at}') && {text}.includes('D9 high')")
    high = page.evaluate("document.querySelector('.r-live .high').getAttribute('d')")
    require(high.count("Z") == 2, f"{high.count('Z')} pulses in 40 ms around the first one, not 2")


def check_download(page, trace):
    with page.expect_download() as download:
        page.locator("a.r-download").click()
    require(pathlib.Path(download.value.path()).read_bytes() == trace.read_bytes(),
            "the page saves a different trace")


def check_without_scripts(browser, path, trace):
    page = browser.open(path.as_uri(), java_script_enabled=False)
    require(page.locator("figure svg").first.is_visible(), "no picture without scripts")
    require(page.locator(".r-verdict").first.is_visible(), "no verdict without scripts")
    link = page.locator("a.r-download")
    if link.count():
        with page.expect_download() as download:
            link.click()
        saved = gzip.decompress(pathlib.Path(download.value.path()).read_bytes())
        require(saved == trace.read_bytes(), "the compressed trace is different")
    page.context.close()


def ready(page):
    page.wait_for_selector("html.r-ready", state="attached")
    return page


@pytest.fixture
def report(bench, tmp_path):
    """Writes a report and returns its path. With status 1 the page says that the session's commands
    are not the sketch's."""
    def write(trace, *options):
        path = tmp_path / "report.html"
        run(bench, "report", trace, "-o", path, *options, statuses=(0, 1))
        return path
    return write


CASES = [(ROOT / trace, options) for trace, options in TRACES]
CASES += [(long_session, []), (full_line, []), (hostile, []),
          (levels, ["--device", "avr:firmware/classic/classic.hex"])]


@pytest.mark.parametrize("trace, options", CASES, ids=[
    f"{getattr(trace, 'stem', None) or trace.__name__}{number}"
    for number, (trace, _) in enumerate(CASES)])
def test_a_report_shows_what_explain_prints_and_can_be_used(
        bench, tmp_path, chromium, report, trace, options):
    if callable(trace):
        trace = trace(bench, tmp_path)
    path = report(trace, *options)
    size = path.stat().st_size
    require(size <= SIZE_MAX, f"the page has {size} bytes")
    entries = explained(bench, trace, options)
    page = ready(chromium.open(path.as_uri(), viewport={"width": 1200, "height": 900}))
    check_figures(page, entries, is_whole=trace.name != "full.jsonl")
    check_use(page, entries)
    if trace.name == "levels.jsonl":
        check_levels(page)
    if page.locator("a.r-download").count():
        check_download(page, trace)
    page.context.close()
    check_without_scripts(chromium, path, trace)
    # Axe takes a minute for a page with long tables, whose rows are all alike.
    width = 390 if size < SIZE_MAX / 4 else 820
    for scheme in ("light", "dark"):
        page = ready(chromium.open(path.as_uri(), viewport={"width": width, "height": 900},
                                   color_scheme=scheme, reduced_motion="reduce"))
        check_looks(page, width)
        page.context.close()


def test_the_policy_blocks_a_script_and_a_request_that_are_added(tmp_path, chromium, report):
    path = report("traces/classic/truncated.jsonl")
    path.write_text(path.read_text(encoding="utf-8").replace(
        "</main>", "<script>document.title = 'changed'</script><img src='https://example.org/x'>"
        "</main>"), encoding="utf-8")
    page = ready(chromium.open(path.as_uri()))
    require(page.title() != "changed", "the policy admits a script that is not the page's")
    require(chromium.trouble, "the check does not detect what the policy refuses")
    chromium.trouble.clear()
