"""Tracking programs of the kinds that people have, in the closed loop: examples/rig/trackers.

Each runs on its scene as it is and must break the rules that docs/guide/shaking.md says it breaks.
With the arguments that mend it, and with the bench's own aim, the rules must hold. That the page's
figures are those of the program is checked with the other pages.
"""
import itertools
import json
import pathlib
import re
import shlex
import sys

import pytest
import yaml
from running import refused, run

SCENES = pathlib.Path("examples/rig")
ALL = {"track", "overshoot", "settles", "oscillates", "reversals"}
LONGEST = 20  # seconds for a session that takes a fraction of one
# Of each tracker: its scene, the rules that it breaks, the arguments that mend it, and the rules
# that it then still breaks.
TRACKERS = {
    "proportional": ("shake", ALL, ["0.01", "16"], set()),
    "fixed-step": ("shake", ALL - {"overshoot"}, ["1", "45"], {"settles"}),
    "pid": ("shake", ALL, ["0.02", "0.3", "0", "16"], set()),
    "smoothing": ("shake", ALL, ["2", "0.01", "16"], set()),
    "every-picture": ("shake", ALL - {"reversals"}, ["0.25", "1.5"], set()),
    "map": ("shake-fixed", ALL, ["60", "120", "1"], set()),
}


@pytest.fixture
def broken(bench, tmp_path):
    """Runs a scene with each of its rules alone. Returns the names of those that are broken."""
    def rules(scene, *tracker):
        stated = yaml.safe_load((SCENES / f"{scene}.yaml").read_text())
        assert {name for rule in stated["expect"] for name in rule if name in ALL} == ALL
        names = set()
        for rule in stated["expect"]:
            alone = tmp_path / "scene.yaml"
            alone.write_text(yaml.safe_dump({**stated, "expect": [rule]}, allow_unicode=True))
            done = run(bench, "rig", alone, "--json", *(["--", *tracker] if tracker else []),
                       statuses=(0, 1), seconds=LONGEST)
            figures = json.loads(done.stdout)
            assert figures["rules_failed"] == done.returncode
            if done.returncode:
                names.update(set(rule) & ALL)
        return names
    return rules


def command(name, *arguments):
    return sys.executable, SCENES / f"trackers/{name}.py", *arguments


def test_every_tracker_is_tested():
    assert {path.stem for path in (SCENES / "trackers").glob("*.py")} == set(TRACKERS)


@pytest.mark.parametrize("name", TRACKERS)
def test_a_tracker_breaks_the_rules_that_the_page_says(broken, name):
    scene, rules, _, _ = TRACKERS[name]
    assert broken(scene, *command(name)) == rules


@pytest.mark.parametrize("name", TRACKERS)
def test_the_page_names_the_rules_that_a_tracker_breaks(name):
    _, rules, _, _ = TRACKERS[name]
    page = pathlib.Path("docs/guide/shaking.md").read_text()
    section = page.partition(f"](../shaking-{name}.svg)")[2].partition("\n## ")[0]
    (stated,) = [line for line in section.splitlines() if line.startswith("Broken: ")]
    assert set(stated.split("`")[1::2]) == rules


@pytest.mark.parametrize("name", TRACKERS)
def test_what_mends_a_tracker_keeps_the_rules(broken, name):
    scene, _, arguments, rules = TRACKERS[name]
    assert broken(scene, *command(name, *arguments)) == rules


@pytest.mark.parametrize("scene, seed", itertools.product(["shake", "shake-fixed"], [1, 2, 3]))
def test_the_aim_of_the_scene_keeps_all_rules(bench, scene, seed):
    run(bench, "rig", "-q", SCENES / f"{scene}.yaml", "--seed", seed, seconds=LONGEST)


def test_without_the_age_of_the_pictures_the_aim_swings(bench):
    refused(1, "oscillates below 1.5° failed", bench, "rig", SCENES / "shake.yaml",
            "--with", "age=0ms", seconds=LONGEST)


def test_the_page_has_the_table_that_the_example_prints(bench, request):
    """With --update, writes it."""
    def filled(match):
        program, *options = shlex.split(match[2])
        return match[1] + run(sys.executable, program, "--bench", bench, *options).stdout

    page = pathlib.Path("docs/guide/following.md")
    text, count = re.subn(r"(<!-- table from (.*) -->\n)(?:\|.*\n)*", filled, page.read_text())
    assert count == 1
    if request.config.option.update:
        page.write_text(text)
    assert page.read_text() == text
