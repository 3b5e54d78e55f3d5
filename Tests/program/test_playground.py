"""The playground in headless Chromium, from any static server.

The page may request nothing from another server, report no error, and must be accessible (axe), fit
its window, print what the program prints, and continue after its WebAssembly trapped.
`make playground` must have built it.
"""
import gzip
import json
import math
import pathlib
import random

import pytest
from browser import check_looks, served, wait, wait_for_text
from running import ROOT, events, expect, received, require, run
from test_dashboard import FORMS, LIT, type_line, wait_for_lamp, wait_for_lines
from test_sketches import Workshop

pytestmark = pytest.mark.needs("chromium")
MINUTES = 2
PAGE = ROOT / ".build/playground"
SIZE_MAX = 670 * 1024
COMMANDS = [(["replay"], "replay model"), (["explain"], "explain model"),
            (["plot"], "plot model")]
# A module with the playground's exports, of which `run` traps:
# (module (memory (export "memory") 1)
#   (func (export "__wasm_call_ctors")) (func (export "run") (result i32) unreachable)
#   (func (export "input") (param i32) (result i32) i32.const 0)
#   (func (export "output") (result i32) i32.const 0)
#   (func (export "count") (result i32) i32.const 0))
TRAP = bytes.fromhex(
    "0061736d01000000" "010d03600000600001 7f60017f017f".replace(" ", "")
    + "0306050001020101" "0503010001"
    + "073d06" "066d656d6f72790200" "115f5f7761736d5f63616c6c5f63746f72730000"
    + "0372756e0001" "05696e7075740002" "066f75747075740003" "05636f756e740004"
    + "0a1705" "02000b" "0300000b" "0400 41000b".replace(" ", "") + "040041000b" "040041000b")


@pytest.fixture
def visit(chromium):
    """Opens the page."""
    with served(PAGE) as address:
        def open_page(fragment="", **settings):
            page = chromium.open(address + fragment, **settings)
            wait(page, "window.playground !== undefined")
            return page
        yield open_page


def test_every_visit_loads_at_most_670_kilobytes():
    later = ("conversion.wasm", "emulation.wasm", "examples", "programs")
    files = [file for file in PAGE.rglob("*") if file.is_file()
             and file.relative_to(PAGE).parts[0] not in later]
    names = {file.name for file in files}
    require({"index.html", "app.js", "worker.js", "playground.wasm"} <= names,
            f"the page is incomplete: {sorted(names)}")
    size = sum(len(gzip.compress(file.read_bytes(), 9)) for file in files)
    require(size <= SIZE_MAX, f"{size} bytes compressed; at most {SIZE_MAX} are allowed")


def printed(bench, command, text):
    """What the program prints for a trace. plot ends with 1 if it does not show its session."""
    return run(bench, *command, "-", statuses=(0, 1) if command == ["plot"] else (0,),
               input=text).stdout


def test_the_pages_worker_prints_what_the_program_prints(bench, visit):
    """For a part of the corpus, because test_pages.py runs the same module on all of it."""
    page = visit()
    for trace in sorted((ROOT / "traces").rglob("*.jsonl"))[::6]:
        text = trace.read_text(encoding="utf-8")
        for command, request in COMMANDS:
            expected = printed(bench, command, text)
            found = page.evaluate("([head, text]) => playground.engine.text(head, text)",
                                  [request, text])
            # What is wrong comes first. The page has neither the path nor options about it.
            if expected.startswith("-: "):
                fault, _, rest = expected.removeprefix("-: ").partition("\n")
                sentence = found.partition("\n")[0]
                require(fault.startswith(sentence), f"{trace}: {command} begins with {sentence}")
                expected = sentence + "\n" + rest
            require(found == expected, f"{trace}: {command} differs from the program")


def check_report(chromium, path):
    """Checks that the scripts of a saved report run: its pictures can be enlarged."""
    page = chromium.open(path.as_uri())
    page.wait_for_selector(".r-live")
    page.context.close()


def test_bytes_move_the_turret_and_get_their_fates_and_time_goes_back(visit):
    page = visit(viewport={"width": 1200, "height": 900})
    wait(page, "parseFloat(document.getElementById('clock').textContent) >= 1.2")
    page.get_by_label("Degrees").fill("45")
    page.get_by_role("button", name="Aim", exact=False).click()
    wait(page, "document.getElementById('shaft').textContent === '45°'")
    type_line(page, "X10X20.")
    wait_for_lines(page, "→sent: X10X20.")
    wait(page, "document.getElementById('bytes').textContent.includes('swallowed')")
    page.get_by_role("button", name="Pause").click()
    # The clock stops once the last answer has arrived.
    wait(page, "!playground.drive.isBusy")
    before = page.locator("#clock").text_content()
    page.get_by_role("button", name="Back 5 s").click()
    wait(page, f"document.getElementById('clock').textContent !== {json.dumps(before)}")
    page.get_by_role("button", name="Run").click()
    turret = page.get_by_role("slider", name="Aim of the turret")
    turret.focus()
    page.keyboard.press("End")
    wait(page, "document.getElementById('commanded').textContent === '180°'")
    page.get_by_label("Sketch").select_option("chip:guarded.hex")
    page.get_by_role("button", name="Sweep").click()
    wait(page, "playground.drive.timeline.own.aims.length > 20")
    page.get_by_label("Sketch").select_option("classic")


# A sketch of one's own, driven by hand.

AVR = pytest.mark.needs("avr-gcc", "avr-g++")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("sketches"))


def load(page, program):
    """Loads a program of one's own."""
    page.get_by_label("Your program (.hex, .elf)").set_input_files(program)
    name = pathlib.Path(program).name
    wait(page, f"playground.drive.own.isDriven && playground.drive.own.program.name === '{name}'")


def wait_for_dials(page, *wanted):
    """Waits until there are these dials, by patterns of their texts for screen readers."""
    wait(page, f"""((wanted) => {{
      const dials = [...document.querySelectorAll('.dial svg')];
      return dials.length === wanted.length
        && dials.every((dial, i) => RegExp(wanted[i]).test(dial.getAttribute('aria-label')));
    }})({json.dumps(wanted)})""")


def saved_trace(page, path):
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a trace").click()
    download.value.save_as(path)
    return events(path)


@AVR
@pytest.mark.parametrize("ending", ["elf", "hex"])
def test_a_sketch_of_ones_own_is_driven_by_hand(bench, visit, workshop, ending):
    program = workshop.other("by-hand").with_suffix(f".{ending}")
    page = visit(viewport={"width": 1200, "height": 900})
    require(page.get_by_label("Profile (.yaml)").is_hidden(), "a model has a profile's controls")
    load(page, program)
    wait_for_lines(page, "←answered: ready\\r\\n")
    # What the models understand is not offered.
    for control in (page.get_by_role("button", name="Aim"), page.get_by_role("slider"),
                    page.get_by_role("button", name="Sweep"), page.locator("#face"),
                    page.get_by_label("Degrees")):
        require(not control.is_visible(), f"a sketch of one's own has {control}")
    page.locator("h1").click()
    page.keyboard.press("l")
    type_line(page, "P120")
    type_line(page, "T45")
    wait_for_dials(page, "Servo D9: commanded 120°", "Servo D10: commanded 45°")
    wait_for_dials(page, "Servo D9: commanded 120°, pulse 178. µs, shaft 120°",
                   "Servo D10: commanded 45°, pulse 100. µs, shaft 45°")
    wait_for_lines(page, "→sent: P120\\n", "→sent: T45\\n", "←answered: ok\\r\\n")
    expect("the lines of both servos", page.evaluate(
        "playground.drive.timeline.shown.map((track) => "
        "[track.name.textContent, track.aims.at(-1).v, Math.round(track.turns.at(-1).v)])"),
        [["D9", 120, 120], ["D10", 45, 45]])
    type_line(page, "F")
    wait_for_lamp(page, "D7", LIT)
    wait_for_lamp(page, "D7", f"!{LIT}")
    page.get_by_label("Hexadecimal").check()
    wait_for_lines(page, "→sent: 50 31 32 30 0A", "←answered: 6F 6B 0D 0A")
    page.get_by_label("Hexadecimal").uncheck()
    page.get_by_label("Line ending").select_option("No line ending")
    type_line(page, "P1\\q")
    wait_for_text(page, "monitor", "Not sent: expected ")
    type_line(page, "P30\\x0a")
    wait_for_dials(page, "Servo D9: commanded 30°", "Servo D10: commanded 45°")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    require(page.get_by_label("Line to send").input_value() == "F", "no history")
    wait(page, "playground.drive.now / 1e6 > 1")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a scenario").click()
    scenario = program.with_name("typed.yaml")
    download.value.save_as(scenario)
    text = scenario.read_text()
    require(text.count('- tx: "ok"') == 4 and '"P30\\n"' in text and "L" not in text, text)
    run(bench, "test", scenario)
    # It is remembered for this sketch, and no other.
    page.get_by_label("Sketch").select_option("guarded")
    wait(page, "!playground.drive.own.isDriven")
    require(page.get_by_role("button", name="Sweep").is_visible(), "a model has no Sweep")
    page.get_by_label("Line ending").select_option("New line")
    page.reload()
    wait(page, "window.playground !== undefined")
    load(page, program)
    chosen = page.get_by_label("Line ending").input_value()
    require(chosen == "No line ending", f"the line ending is {chosen}")


@AVR
def test_time_goes_back_in_the_monitor_and_on_the_dials_too(visit, workshop):
    page = visit(viewport={"width": 1200, "height": 900})
    load(page, f"{workshop.other('by-hand')}.elf")
    wait(page, "playground.drive.now > 1.5e6")
    type_line(page, "P120")
    wait_for_dials(page, "Servo D9: commanded 120°", "Servo D10: commanded 90°")
    page.get_by_role("button", name="Back 5 s").click()
    wait_for_dials(page, "Servo D9: commanded 90°", "Servo D10: commanded 90°")
    wait(page, "![...document.querySelectorAll('.log li')].some((line) => "
         "line.textContent.includes('P120'))")
    wait_for_lines(page, "←answered: ready\\r\\n")
    require(page.get_by_role("button", name="Save as a scenario").is_disabled(),
            "what was undone can be saved")
    type_line(page, "P60")
    wait_for_lines(page, "→sent: P60\\n", "←answered: ok\\r\\n")
    wait_for_dials(page, "Servo D9: commanded 60°", "Servo D10: commanded 90°")


@AVR
def test_the_monitor_says_what_is_wrong_with_the_line(visit, workshop):
    page = visit()
    load(page, f"{workshop.other('by-hand')}.elf")
    wait_for_lines(page, "←answered: ready\\r\\n")
    expect("the speed", page.get_by_label("Baud").input_value(), "115200")
    page.get_by_label("Baud").select_option("9600")
    wait_for_text(page, "monitor", "The speeds differ: the sender writes at 9600 baud, the "
                  "board listens at 115200")
    page.get_by_label("Baud").select_option("115200")
    wait(page, "!document.getElementById('monitor').textContent.includes('speeds differ')")
    type_line(page, "P10")
    wait_for_lines(page, "←answered: ok\\r\\n")
    type_line(page, "H")
    wait_for_lines(page, "→sent: H\\n")
    type_line(page, "P20")
    type_line(page, "P30")
    wait_for_text(page, "monitor", r"No answer for 5 s to P\d0\\n")


@AVR
def test_commands_of_a_profile_are_forms(visit, workshop, tmp_path):
    profile = tmp_path / "turret.yaml"
    profile.write_text(FORMS)
    page = visit(viewport={"width": 1200, "height": 900})
    drop = """([name, text]) => {
      const files = new DataTransfer();
      files.items.add(new File([text], name));
      document.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true }));
    }"""
    page.evaluate(drop, ["turret.yaml", FORMS])
    wait_for_text(page, "message", "of your program: load that first")
    load(page, f"{workshop.other('by-hand')}.elf")
    page.evaluate(drop, ["turret.yaml", FORMS])
    wait_for_lamp(page, "fire D7", "true")
    forms = page.locator("#forms form")
    expect("the number of forms", forms.count(), 5)
    wait_for_lines(page, "←answered: ready\\r\\n")
    values = [["120"], ["-0.5"], ["3", "1500"], ["-45"], ["7", "-9"]]
    for index, row in enumerate(values):
        form = forms.nth(index)
        for place, value in enumerate(row):
            form.locator("input").nth(place).fill(value)
        form.get_by_role("button").click()
    # The sketch reads -0.50 as 0, and its least angle is 20.
    wait_for_dials(page, "Servo pan D9: commanded 120°", "Servo tilt D10: commanded 20°")
    expect("what was sent", received(saved_trace(page, tmp_path / "saved.jsonl")),
           "P120\nT-0.50\n\xaa\x03\xdc\x05\xe4$T-45*78\na007-09")
    check_looks(page, 1200)
    # A mistake has its place, and the session continues.
    clock = page.evaluate("playground.drive.now")
    text = page.get_by_label("The profile", exact=True)
    text.fill("commands: [F]\nservos: {pan: X9}\n")
    page.get_by_role("button", name="Use this profile").click()
    wait_for_text(page, "own-trouble", "turret.yaml:2:15: error: expected \"D0\"")
    require(page.evaluate("playground.drive.now") > clock, "the session was started again")
    # Pasted, and then removed.
    text.fill("commands: ['F']\nline end: '\\n'\nservos: {turn: D9}\n")
    page.get_by_role("button", name="Use this profile").click()
    page.get_by_role("button", name="Send F").click()
    wait_for_lamp(page, "D7", LIT)
    wait_for_dials(page, "Servo turn D9: commanded 90°", "Servo D10: commanded 90°")
    text.fill("")
    page.get_by_role("button", name="Use this profile").click()
    wait_for_dials(page, "Servo D9: commanded 90°", "Servo D10: commanded 90°")
    forms.first.wait_for(state="detached")
    page.get_by_label("Profile (.yaml)").set_input_files(profile)
    wait_for_dials(page, "Servo pan D9: commanded 90°", "Servo tilt D10: commanded 90°")


@AVR
def test_pins_are_lamps_and_inputs_are_switches_and_sliders(visit, workshop):
    page = visit(viewport={"width": 1200, "height": 900})
    load(page, f"{workshop.other('relay-fire')}.elf")
    page.get_by_label("Line ending").select_option("No line ending")
    page.locator("#board-inputs select").first.select_option("D4")
    page.get_by_role("button", name="Add an input").click()
    page.get_by_role("button", name="D4", pressed=False).click()
    page.get_by_role("button", name="D4", pressed=True).wait_for()
    type_line(page, "F")
    wait_for_lines(page, "←answered: !")
    page.get_by_role("button", name="D4", pressed=True).click()
    page.get_by_role("button", name="D4", pressed=False).wait_for()
    type_line(page, "F")
    wait_for_lamp(page, "D7", LIT)
    page.locator("#board-inputs select").first.select_option("A1")
    page.get_by_label("Kind").select_option("voltage")
    page.get_by_role("button", name="Add an input").click()
    page.get_by_role("slider", name="A1").fill("2.5")
    wait_for_text(page, "board-inputs", "2.5 V")


@AVR
def test_parts_are_told_things_and_their_outputs_are_shown(bench, visit, workshop):
    page = visit(viewport={"width": 1200, "height": 900})
    program = workshop.other("ultrasonic").with_suffix(".elf")
    load(page, program)
    page.locator("#own summary").press("Enter")
    parts = page.get_by_label("Parts, for example")
    parts.fill("radio@D2")
    parts.press("Enter")
    wait_for_text(page, "own-trouble", "expected a part at a place of its own, for example")
    parts.fill("hc-sr04@D2:D3")
    parts.press("Enter")
    distance = page.get_by_role("slider", name="hc-sr04@D2:D3")
    distance.press("ArrowRight")
    distance.press("ArrowRight")
    wait_for_text(page, "board-inputs", "0.1198")
    page.get_by_label("Line ending").select_option("No line ending")
    type_line(page, "M")
    wait(page, "/answered: 1[12]\\\\n/.test(document.querySelector('.log').textContent)")
    wait_for_dials(page, "Servo D9: commanded 45°")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a scenario").click()
    scenario = program.with_name("ultrasonic.yaml")
    download.value.save_as(scenario)
    run(bench, "test", scenario)
    # The channels of a driver are servos.
    load(page, f"{workshop.other('servo-driver')}.elf")
    parts.fill("pca9685@0x40")
    parts.press("Enter")
    wait_for_lines(page, "←answered: ready\\n")
    type_line(page, "0:60")
    type_line(page, "1:120")
    wait(page, "[...document.querySelectorAll('.dial .name')].map((name) => name.textContent)"
         ".join() === 'pca9685@0x40:0,pca9685@0x40:1'")


@AVR
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 820, 1440])
def test_the_page_of_a_sketch_of_ones_own_fits_and_is_accessible(visit, workshop, width, scheme):
    page = visit(viewport={"width": width, "height": 900}, color_scheme=scheme,
                 reduced_motion="reduce")
    load(page, f"{workshop.other('by-hand')}.elf")
    page.locator("#own summary").press("Enter")
    page.get_by_label("The profile", exact=True).fill(FORMS)
    page.get_by_role("button", name="Use this profile").click()
    page.locator("#board-inputs select").first.select_option("A1")
    page.get_by_label("Kind").select_option("voltage")
    page.get_by_role("button", name="Add an input").click()
    page.get_by_role("button", name="Add an input").wait_for()
    type_line(page, "P120")
    type_line(page, "F")
    wait_for_dials(page, "Servo pan D9: commanded 120°", "Servo tilt D10: commanded 90°")
    wait_for_lamp(page, "fire D7", LIT)
    check_looks(page, width)


def show_faults(page):
    """Opens the list of faults, with the keyboard."""
    page.locator("#faults summary").press("Enter")
    page.get_by_role("checkbox", name="drop").wait_for()


@pytest.mark.parametrize("sketch", ["classic", "chip:guarded.hex"])
def test_faults_strike_and_the_saved_trace_replays_without_them(bench, visit, tmp_path, sketch):
    page = visit(viewport={"width": 1200, "height": 900})
    page.get_by_label("Sketch").select_option(sketch)
    show_faults(page)
    page.get_by_label("Parameter of drop").fill("40%")
    page.get_by_role("checkbox", name="drop").press("Space")
    page.get_by_label("Which adapter").select_option("hm-10")
    page.get_by_role("checkbox", name="adapter").press("Space")
    wait(page, "document.getElementById('fault-options').textContent "
         "=== '--fault adapter:hm-10,loss=1% --fault drop:40% --seed 1'")
    page.get_by_label("Seed").fill("3")
    page.get_by_label("Seed").press("Enter")
    wait(page, "document.getElementById('fault-options').textContent.endsWith('--seed 3')")
    for _ in range(3):
        type_line(page, "X45.X120.X90.")
    wait(page, "document.getElementById('strikes').textContent.includes('was lost on the wire')")
    page.get_by_role("button", name="Pause").click()
    wait(page, "!playground.drive.isBusy")
    # A mistake has the program's message, and the session continues.
    clock = page.locator("#clock").text_content()
    page.get_by_label("Parameter of drop").fill("x")
    page.get_by_label("Parameter of drop").press("Enter")
    wait(page, "!document.getElementById('fault-trouble').hidden")
    message = page.locator("#fault-trouble").text_content().removeprefix("drop:x: ")
    refused = run(bench, "replay", "--send", "X", "--fault", "drop:x", statuses=(64,)).stderr
    require(message in refused, f"the page reports {message!r}, the program {refused!r}")
    require(page.locator("#clock").text_content() == clock, "the session was started again")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a trace").click()
    saved = tmp_path / "driven.jsonl"
    download.value.save_as(saved)
    device = ["--device", f"avr:{PAGE / 'programs/guarded.hex'}"] if ":" in sketch else []
    replayed = run(bench, "replay", "-q", saved, *device).stdout
    text = saved.read_text(encoding="utf-8")
    require('"x-fault", "drop"' in text, "the trace has no fault")
    # The headers name the programs that wrote them.
    require(replayed.partition("\n")[2] == text.partition("\n")[2], "replays to other events")
    # Without faults, the session is in the first part of the bench again.
    page.get_by_label("Parameter of drop").fill("1%")
    page.get_by_role("checkbox", name="drop").uncheck()
    page.get_by_role("checkbox", name="adapter").uncheck()
    wait(page, "document.getElementById('struck').hidden")


def point_at(page, degrees, metres=1.5):
    """Lets the pointer jump to where the face is to stand."""
    box = page.locator("#scene svg").bounding_box()
    angle, radius, scale = math.radians(180 - degrees), 50 * metres, box["width"] / 380
    page.mouse.move(box["x"] + (190 + radius * math.cos(angle)) * scale,
                    box["y"] + (176 - radius * math.sin(angle)) * scale)


# The states of the last two seconds of the rig; none before that much has been shown.
RECENT = ("((all) => all.at(-1)?.now - all[0]?.now > 2e6 "
          "? all.filter(({ now }) => now > all.at(-1).now - 2e6) : [])"
          "(playground.rig.history.states)")


def shows(page, condition):
    """Waits until a condition holds for the recent states."""
    wait(page, f"((recent) => recent.length > 0 && ({condition}))({RECENT})")


def test_the_turret_follows_the_pointer_and_swings_if_old_pictures_pass_for_new(visit):
    page = visit("#rig", viewport={"width": 1200, "height": 900})
    point_at(page, 90)
    shows(page, "recent.every(({ face, error }) => Math.abs(face - 90) < 1 && Math.abs(error) < 3)")
    point_at(page, 112)
    shows(page, "recent.every(({ face, error }) => Math.abs(face - 112) < 1 "
                "&& Math.abs(error) < 3)")
    require(page.locator("#rig-target").text_content() != "–", "the share on target is missing")
    # A change of a setting starts the session again.
    page.locator("#rig-program").select_option("plain")
    page.locator("#rig-delay").fill("250")
    wait(page, "playground.rig.history.states.at(-1)?.age >= 240")
    swings = ("Math.max(...recent.map(({ shaft }) => shaft)) "
              "- Math.min(...recent.map(({ shaft }) => shaft)) > 20")
    shows(page, f"recent[0].now > 4e6 && {swings}")
    page.get_by_role("button", name="Pause").click()
    wait(page, "!playground.rig.isBusy")
    before = page.evaluate("playground.rig.history.states.at(-1).now")
    page.get_by_role("slider", name="Where the face stands").focus()
    page.keyboard.press("PageDown")
    wait(page, "Math.abs(playground.rig.history.states.at(-1).face - 92) < 1")
    require(page.evaluate("playground.rig.history.states.at(-1).now") == before,
            "time passes while the rig is paused")
    page.get_by_role("button", name="Reset the rig").click()
    wait(page, "playground.rig.history.states.at(-1).now === 0")


def test_a_pointer_that_goes_everywhere_does_not_stop_the_rig(visit, request):
    page = visit("#rig", viewport={"width": 1200, "height": 900})
    numbers = random.Random(request.config.option.seed)
    for _ in range(100):
        point_at(page, numbers.uniform(-90, 270), numbers.uniform(0, 4))
    before = page.evaluate("playground.rig.history.states.at(-1)?.now ?? 0")
    wait(page, f"playground.rig.history.states.at(-1).now > {before} + 1e6")
    require(page.locator("#message").is_hidden(), page.locator("#message").text_content())


def test_a_slow_browser_shows_the_rig_in_slow_motion(visit):
    page = visit("#rig", viewport={"width": 1200, "height": 900})
    wait(page, "playground.rig.history.states.length > 0")
    passed = page.evaluate("""async () => {
      const last = () => playground.rig.history.states.at(-1).now;
      const begin = last();
      const end = performance.now() + 3000;
      while (performance.now() < end);
      // An answer can have been under way.
      for (let i = 0; i < 2; i += 1) {
        const before = last();
        while (last() === before) await new Promise(requestAnimationFrame);
      }
      return last() - begin;
    }""")
    require(passed < 1e6, f"the rig has passed {passed} us at once")


def test_who_prefers_less_motion_starts_the_rig(visit):
    page = visit("#rig", reduced_motion="reduce")
    wait(page, "playground.rig.history.states.length > 0")
    require(page.evaluate("playground.rig.history.states.at(-1).now") == 0, "it runs already")
    page.get_by_role("button", name="Run", exact=True).click()
    wait(page, "playground.rig.history.states.at(-1).now > 1e5")


def test_an_example_shows_its_verdict_can_be_saved_and_fits_into_an_address(
        visit, chromium, tmp_path):
    page = visit(viewport={"width": 1200, "height": 900})
    page.get_by_role("tab", name="Recording").click()
    page.get_by_role("button", name="truncated angles").click()
    page.wait_for_selector("#section .r-live")
    require("6 of 11 commands did not do what was meant"
            in page.locator("#section .r-verdict").text_content(), "no verdict")
    require(page.locator("#section .r-live").count() == 2, "no picture on guarded")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save trace").click()
    saved = pathlib.Path(download.value.path()).read_bytes()
    require(saved == (ROOT / "traces/classic/truncated.jsonl").read_bytes(), "saves another trace")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save report").click()
    # Chromium would show a file without this ending as text.
    download.value.save_as(tmp_path / "report.html")
    check_report(chromium, tmp_path / "report.html")
    page.locator("#share-recording").click()
    wait(page, "location.hash.startsWith('#trace=')")
    again = visit(page.evaluate("location.hash"))
    again.wait_for_selector("#section .r-live")


def test_the_page_converts_another_tools_recording_as_the_program_does(bench, visit):
    page = visit()
    log = "> 2026/11/23 09:00:00.000100  length=4 from=0 to=3\n 58 39 30 2e\n--\n"
    expected = run(bench, "convert", "-", input=log).stdout
    found = page.evaluate("""async (log) => {
      await playground.engine.request('open -', log);
      return playground.engine.text('trace');
    }""", log)
    require(found == expected, "the page converts a log of socat to a different trace")


def test_lessons_run_and_say_what_is_wrong_with_their_input(visit):
    page = visit()
    page.get_by_role("tab", name="Learn").click()
    page.wait_for_selector("#lesson-section .r-live")
    require(page.locator("#lessons button").count() == 12, "not twelve lessons")
    page.locator("#inputs").fill("{}")
    page.get_by_role("button", name="Run it").click()
    wait(page, "!document.getElementById('lesson-trouble').hidden")
    page.get_by_role("button", name="Restore").click()
    wait(page, "document.getElementById('lesson-trouble').hidden")


def test_a_worker_that_traps_is_replaced_and_the_page_says_so(visit):
    requests = []

    def answer(route):
        requests.append(route.request.url)
        if len(requests) == 1:
            route.fulfill(body=TRAP, content_type="application/wasm")
        else:
            route.continue_()

    page = visit(route=("**/playground.wasm", answer))
    wait(page, "document.getElementById('message').textContent.includes('restarted')")
    wait(page, "parseFloat(document.getElementById('clock').textContent) > 0")
    require(len(requests) > 1, "the worker was not replaced")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 820, 1440])
def test_each_part_of_the_page_fits_and_is_accessible(visit, width, scheme):
    page = visit(viewport={"width": width, "height": 900}, color_scheme=scheme,
                 reduced_motion="reduce")
    for name in ("drive", "rig", "recording", "learn"):
        page.locator(f"#tab-{name}").click()
        if name == "drive":
            show_faults(page)
            page.get_by_role("checkbox", name="drop").check()
            wait(page, "!document.getElementById('struck').hidden")
            wait(page, "parseFloat(document.getElementById('clock').textContent) >= 1.2")
            page.locator("#aim").click()
            page.locator("#sweep").click()
            wait(page, "playground.drive.timeline.own.aims.length > 30")
        elif name == "rig":
            page.locator("#rig-pause").click()
            wait(page, "playground.rig.history.states.at(-1)?.now > 1e6")
        elif name == "recording":
            page.get_by_role("button", name="truncated angles").click()
            page.wait_for_selector("#section .r-live")
        else:
            page.wait_for_selector("#lesson-section .r-live")
        check_looks(page, width)
