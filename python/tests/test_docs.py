"""Runs each example of the guide as it is printed there."""

from __future__ import annotations

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide" / "python.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
SENDER = 'import os; open(os.environ["SENTRY_PORT"], "wb", 0).write(b"X110.")'


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: str(EXAMPLES.index(text) + 1))
def test_an_example_of_the_guide_runs(pytester: pytest.Pytester, example: str) -> None:
    (pytester.path / "sender.py").write_text(SENDER)
    if "\ndef test_" not in f"\n{example}":
        pytester.makepyfile(example)
        assert pytester.runpython(next(pytester.path.glob("test_*.py"))).ret == 0
        return
    pytester.makepyfile(example)
    pytester.runpytest("--turret-update").assert_outcomes(passed=1)
    pytester.runpytest().assert_outcomes(passed=1)


def test_the_guide_lists_every_setting_and_method() -> None:
    from sentrybench import Turret
    from sentrybench.settings import TurretSettings

    text = GUIDE.read_text()
    names = [name for name in dir(Turret) if not name.startswith("_")]
    for name in {*names, *TurretSettings.__annotations__}:
        assert re.search(rf"`{name}\b", text), name
