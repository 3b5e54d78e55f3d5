"""Rules in Python's notation, translated into the program's."""

from __future__ import annotations

from typing import Any

import pytest

from sentrybench import rules
from sentrybench.values import seconds


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
        ({"quiet": 0.5}, {"quiet": "0.5s"}),
        ({"commands": 3}, {"commands": "3"}),
        ({"commands": (3, 5)}, {"commands": "3..5"}),
        ({"commands": "at most 3"}, {"commands": "at most 3"}),
        ({"rate": (30, 1)}, {"commands": "at most 30 in 1s"}),
        ({"gap": 0.02}, {"gap": "at least 0.02s"}),
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
