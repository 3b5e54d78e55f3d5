"""Rules in Python's notation, translated into the program's."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from sentrybench import TurretError, rules
from sentrybench.values import length, seconds


@pytest.mark.parametrize(
    ("words", "members"),
    [
        ({"servo": 110}, {"servo": "110"}),
        ({"servo": (108, 112)}, {"servo": "108..112"}),
        ({"servo": "110 ± 2"}, {"servo": "110 ± 2"}),
        ({"servo": {"pan": 110}}, {"servo pan": "110"}),
        ({"servo": {"D10": (1, 2)}}, {"servo D10": "1..2"}),
        ({"servo": 110, "on": "D10", "before": 3}, {"servo D10": "110", "before": "3s"}),
        ({"shaft": (110, 2), "on": "tilt"}, {"shaft tilt": "110 ± 2"}),
        ({"pulse": {"D10": 1678}}, {"pulse D10": "1678"}),
        ({"angles": {"pan": (30, 150)}}, {"angles pan": "30..150"}),
        ({"on": "D10", "tone": 9}, {"on": "D10", "tone": "9"}),
        (
            {"servo": 110, "within": 0.05, "of": "X110."},
            {"servo": "110", "within": "0.05s", "of": "X110."},
        ),
        ({"servo": 45, "before": 3}, {"servo": "45", "before": "3s"}),
        ({"shaft": (110, 2), "within": "400ms"}, {"shaft": "110 ± 2", "within": "400ms"}),
        ({"shaft": 110.5}, {"shaft": "110.5"}),
        ({"pulse": (1678, 3)}, {"pulse": "1678 ± 3"}),
        ({"tx": b"\xff*"}, {"tx": "\u00ff*"}),
        ({"tx": "ok *"}, {"tx": "ok *"}),
        ({"tone": 900, "of": b"T"}, {"tone": "900", "of": "T"}),
        ({"exactly": [{"servo": 45}, {"tone": 9}]}, {"exactly": [{"servo": "45"}, {"tone": "9"}]}),
        ({"angles": (30, 150)}, {"angles": "30..150"}),
        ({"twitch": 50}, {"twitch": "below 50us"}),
        ({"interrupts_off": "100us"}, {"interrupts off": "below 100us"}),
        ({"loop": 0.02}, {"loop": "at most 0.02s"}),
        ({"jump": 60}, {"jump": "below 60"}),
        ({"moves": "never", "unless": "commanded"}, {"moves": "never", "unless": "commanded"}),
        ({"quiet": 0.5}, {"quiet": "0.5s"}),
        ({"commands": 3}, {"commands": "3"}),
        ({"commands": (3, 5)}, {"commands": "3..5"}),
        ({"commands": "at most 3"}, {"commands": "at most 3"}),
        ({"rate": (30, 1)}, {"commands": "at most 30 in 1s"}),
        ({"gap": 0.02}, {"gap": "at least 0.02s"}),
        ({"pin": ("fire", 1), "within": "100ms"}, {"pin fire": "1", "within": "100ms"}),
        ({"pin": ("fire", False)}, {"pin fire": "0"}),
        ({"pin": {"D7": "low pulse"}}, {"pin D7": "low pulse"}),
        (
            {"pin": ("D7", "pulse"), "at_least": 0.04, "at_most": "60ms", "count": (2, 4)},
            {"pin D7": "pulse", "at least": "0.04s", "at most": "60ms", "count": "2..4"},
        ),
        ({"pin": ("D3", "duty"), "at_least": "45%"}, {"pin D3": "duty", "at least": "45%"}),
        ({"servo": 1, "within": timedelta(milliseconds=50)}, {"servo": "1", "within": "0.05s"}),
        # An unknown word is passed on to the program, which suggests the nearest one.
        ({"servoo": 110}, {"servoo": 110}),
    ],
)
def test_a_rule_has_the_notation_of_a_scenario_file(
    words: dict[str, Any], members: dict[str, Any]
) -> None:
    assert rules.rule(words) == members


def test_the_state_at_the_end_has_only_what_is_stated() -> None:
    assert rules.ends(90, None) == {"ends": {"servo": "90"}}
    assert rules.ends((80, 90), False) == {"ends": {"servo": "80..90", "sweeping": False}}
    assert rules.ends({"pan": 90, "D10": (1, 2)}, None) == {
        "ends": {"servo pan": "90", "servo D10": "1..2"}
    }
    assert rules.ends(None, None) == {"ends": {}}
    assert rules.ends(None, None, {"fire": 0, "D8": True}) == {
        "ends": {"pin fire": "0", "pin D8": "1"}
    }


def test_mishaps_and_the_state_of_a_pin_are_rules_of_their_own() -> None:
    assert rules.never(["lost"], None, None, None, None) == [{"never": ["lost"]}]
    assert rules.never([], None, None, None, None) == [{"never": []}]
    assert rules.never(["lost"], ("laser", 1), "scanning", None, None) == [
        {"never": ["lost"]},
        {"never": {"pin laser": "1", "while": "scanning"}},
    ]
    assert rules.never([], ("D7", "pulse"), None, "60ms", None) == [
        {"never": {"pin D7": "pulse", "at least": "60ms"}}
    ]
    with pytest.raises(TurretError, match="require a pin"):
        rules.never(["lost"], None, "scanning", None, None)


def test_a_part_of_a_cycle_has_its_sign() -> None:
    with pytest.raises(TurretError, match='write for example at_least="45%"'):
        rules.rule({"pin": ("D3", "duty"), "at_least": 0.45})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {"servo": 1, "within": 50},
            'within=50 would be 50 seconds; write within="50ms" or within="50s"',
        ),
        ({"servo": 1, "within": 50.0}, "within=50 would be 50 seconds"),
        ({"servo": 1, "before": 10}, "before=10 would be 10 seconds"),
        ({"quiet": 500}, "quiet=500 would be 500 seconds"),
        ({"gap": 20}, "gap=20 would be 20 seconds"),
        ({"rate": (30, 1000)}, "rate=1000 would be 1000 seconds"),
        ({"pin": ("D7", "pulse"), "at_most": 60}, "at_most=60 would be 60 seconds"),
        ({"pin": ("D7", "pulse"), "at_least": 1e300}, "at_least=1"),
    ],
)
def test_a_number_that_looks_like_milliseconds_is_refused(
    words: dict[str, Any], message: str
) -> None:
    with pytest.raises(TurretError) as error:
        rules.rule(words)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "0s"),
        (9.999, "9.999s"),
        (2e-5, "0.00002s"),
        ("50ms", "50ms"),
        ("100s", "100s"),
        (timedelta(seconds=50), "50s"),
        (timedelta(microseconds=20), "0.00002s"),
    ],
)
def test_a_time_below_10_or_with_a_unit_is_accepted(time: Any, text: str) -> None:
    assert length(time, "within") == text


def test_the_times_of_a_golden_trace_are_checked_too() -> None:
    for times in [(20, None), (None, 20)]:
        with pytest.raises(TurretError, match="=20 would be 20 seconds"):
            rules.golden("a.jsonl", *times)


def test_a_golden_trace_has_its_tolerances() -> None:
    assert rules.golden("a.jsonl", None, None) == {"trace": "a.jsonl"}
    assert rules.golden("a.jsonl", 0.02, "50ms") == {
        "trace": "a.jsonl",
        "tolerance": "0.02s",
        "gaps": "50ms",
    }


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (1, "1s"),
        (0.1 + 0.2, "0.3s"),
        (1e-6, "0.000001s"),
        (1e6, "1000000s"),
        (-0.5, "-0.5s"),
        (0, "0s"),
        (0.0, "0s"),
        (100, "100s"),
        (100.0, "100s"),
        ("50ms", "50ms"),
        (float("nan"), "nans"),
    ],
)
def test_a_time_has_whole_microseconds_and_no_exponent(time: float | str, text: str) -> None:
    assert seconds(time) == text
