"""The plugin, with pytest inside pytest."""

from __future__ import annotations

import pathlib
from xml.etree import ElementTree

import pytest

import sentrybench

Folder = pathlib.Path
Pytester = pytest.Pytester


def test_each_test_has_a_turret_of_its_own(pytester: Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        ports = set()

        @pytest.mark.parametrize("angle", [45, 135])
        def test_aims(turret, angle):
            ports.add(turret.port)
            turret.send(f"X{angle}.")
            turret.expect(servo=angle, within=0.05, of=f"X{angle}.")

        def test_ports():
            assert len(ports) == 2
        """
    )
    pytester.runpytest().assert_outcomes(passed=3)


def test_markers_state_the_settings_and_the_closest_wins(pytester: Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        pytestmark = pytest.mark.turret(firmware="classic", ready=False)

        def test_module(turret):
            assert not turret.state()["ready"]

        @pytest.mark.turret(firmware="guarded", options=["--pulses"])
        class TestClass:
            def test_class(self, turret):
                assert turret.state()["ready"]

            @pytest.mark.turret(firmware="classic")
            def test_function(self, turret, turret_factory):
                assert not turret.state()["ready"]
                assert turret_factory(firmware="guarded").state()["ready"]

        @pytest.mark.turret(ready=True)
        def test_ready(turret):
            assert turret.time > 1
        """
    )
    pytester.runpytest("--strict-markers").assert_outcomes(passed=4)


def test_a_rule_that_breaks_at_the_end_fails_the_test_itself(pytester: Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.turret(firmware="classic")
        def test_never(turret):
            turret.never("junk")
            turret.send("?")

        def test_ends(turret_factory):
            turret_factory().ends(servo=91)
            turret_factory().ends(servo=92)

        @pytest.mark.xfail(strict=True)
        def test_expected(turret):
            turret.ends(servo=91)
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(failed=2, xfailed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ test_never _*",
            "test_a_rule_that_breaks_at_the_end_fails_the_test_itself.py:5: never junk failed",
            "*- the turret's session -*",
            "1 byte*: 1 junk",
            "picture: /*.svg",
            "trace: /*.jsonl",
            "*_ test_ends _*",
            "*.py:9: ends servo 91 failed",
            "*.py:10: ends servo 92 failed",
            "FAILED *::test_never*",
        ]
    )
    assert "pytest_plugin.py" not in result.stdout.str()


def test_a_failure_shows_the_text_the_explanation_and_the_files(
    pytester: Pytester, tmp_path: Folder
) -> None:
    pytester.makepyfile(
        """
        def test_cut(turret):
            turret.never("abandoned")
            turret.send("X110")
            turret.expect(servo=110, within=0.05, of="X110.", timeout=5)
        """
    )
    result = pytester.runpytest("--turret-artifacts", str(tmp_path / "kept"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            ">*turret.expect(servo=110, within=0.05, *",
            'E *TurretFailure: *.py:4: servo 110 within 50 ms of "X110." failed',
            'E *the command\'s first byte arrived at *; its last, ".", never came',
            'E * > * "rx", "X110"]',
            "*- the turret's session -*",
            "*never abandoned failed",
            "*4 bytes: *",
            "*`X110` had no end*",
            f"picture: {tmp_path}/kept/*/picture.svg",
            f"trace: {tmp_path}/kept/*/trace.jsonl",
        ]
    )
    # The traceback shows no line of the package.
    assert "sentrybench/turret.py" not in result.stdout.str()
    (folder,) = (tmp_path / "kept").iterdir()
    assert {file.name for file in folder.iterdir()} == {
        "explanation.txt",
        "picture.svg",
        "trace.jsonl",
    }
    picture = ElementTree.parse(folder / "picture.svg").getroot()
    assert picture.tag.endswith("svg")
    title = picture.find("{*}title")
    assert title is not None and title.text and title.text.endswith(".py::test_cut")
    assert '"rx", "X110"]' in (folder / "trace.jsonl").read_text()


def test_tests_that_pass_or_are_skipped_keep_nothing(pytester: Pytester, tmp_path: Folder) -> None:
    pytester.makepyfile(
        """
        import pytest

        def test_passes(turret):
            turret.send("X110.")

        def test_skipped(turret):
            pytest.skip("not today")
        """
    )
    kept = tmp_path / "kept"
    result = pytester.runpytest("--turret-artifacts", str(kept))
    result.assert_outcomes(passed=1, skipped=1)
    assert not kept.exists()


def test_a_folder_that_cannot_be_written_does_not_hide_the_failure(
    pytester: Pytester, tmp_path: Folder
) -> None:
    pytester.makepyfile("def test_ends(virtual_turret): virtual_turret.ends(servo=12)")
    (tmp_path / "file").touch()
    result = pytester.runpytest("--turret-artifacts", str(tmp_path / "file"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*ends servo 12 failed", f"the session is not kept in {tmp_path}/file/*: Not a directory"]
    )


def test_any_other_failure_shows_the_session_too(pytester: Pytester) -> None:
    pytester.makepyfile(
        """
        def test_assert(turret, virtual_turret):
            turret.send("X110.")
            virtual_turret.send("L", at=0.5).run(until=1)
            assert turret.shaft == 12
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- the session of turret 1 -*",
            "5 bytes: *",
            "picture: /*-1/picture.svg",
            "*- the session of turret 2 -*",
            "1 byte*: *",
            "picture: /*-2/picture.svg",
        ]
    )


def test_tests_with_similar_names_keep_different_folders(
    pytester: Pytester, tmp_path: Folder
) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("name", ["a/b", "a:b", "a b", "\\u00e9", "x" * 300, "../../up"])
        def test_fails(virtual_turret, name):
            assert False
        """
    )
    pytester.runpytest("--turret-artifacts", str(tmp_path / "kept")).assert_outcomes(failed=6)
    assert len(list((tmp_path / "kept").iterdir())) == 6
    assert list(tmp_path.iterdir()) == [tmp_path / "kept"]


def test_a_golden_trace_is_written_and_compared(pytester: Pytester) -> None:
    test = """
        import pytest

        def test_aims(virtual_turret):
            virtual_turret.matches("golden/aim.jsonl")
            virtual_turret.send("X{}.", at=1.5).run(until=2)
        """
    pytester.makepyfile(test.format(45))
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *golden/aim.jsonl does not exist; pytest --turret-update*"])
    result = pytester.runpytest("--turret-update")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["golden/aim.jsonl: updated"])
    result = pytester.runpytest("--turret-update")
    assert "updated" not in result.stdout.str()
    pytester.runpytest().assert_outcomes(passed=1)
    pytester.makepyfile(test.format(46))
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ['*line 3: byte 3 of 4 differs: expected "5."*', "*the turret's session*"]
    )
    pytester.runpytest("--turret-update").assert_outcomes(passed=1)
    pytester.runpytest().assert_outcomes(passed=1)


def test_a_test_that_fails_updates_nothing(pytester: Pytester) -> None:
    pytester.makepyfile(
        """
        def test_aims(virtual_turret):
            virtual_turret.matches("aim.jsonl")
            assert False

        def test_other_rule(virtual_turret):
            virtual_turret.matches("aim.jsonl")
            virtual_turret.ends(servo=12)
        """
    )
    pytester.runpytest("--turret-update").assert_outcomes(failed=2)
    assert not (pytester.path / "aim.jsonl").exists()


def test_it_works_with_xdist(pytester: Pytester, tmp_path: Folder) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("angle", range(40, 52))
        def test_aims(turret, angle):
            turret.send(f"X{angle}.")
            turret.expect(servo=angle, within=0.05, of="X*.")

        def test_fails(turret):
            turret.send("X110")
            turret.expect(servo=110, within=0.05)

        def test_golden(virtual_turret):
            virtual_turret.matches("aim.jsonl")
            virtual_turret.send("X45.", at=1.5).run(until=2)
        """
    )
    result = pytester.runpytest(
        "-n2", "--turret-update", "--junitxml=report.xml", f"--turret-artifacts={tmp_path}/kept"
    )
    result.assert_outcomes(passed=13, failed=1)
    result.stdout.fnmatch_lines(["*the turret's session*", f"picture: {tmp_path}/kept/*.svg"])
    result.stdout.fnmatch_lines(["aim.jsonl: updated"])
    report = (pytester.path / "report.xml").read_text()
    assert "servo 110 within 50 ms failed" in report


@pytest.mark.parametrize(
    ("marker", "text"),
    [
        (
            'firmwar="classic"',
            "*expected one of baud, *, found 'firmwar'; did you mean 'firmware'?",
        ),
        ('"classic"', "*takes settings by name, for example turret(firmware=*), found 'classic'"),
        ('firmware="clasic"', "*ended with status 64:"),
        ('program="/nonexistent"', "*/nonexistent cannot be started: No such file or directory"),
    ],
)
def test_a_turret_that_cannot_start_is_an_error_in_a_few_lines(
    pytester: Pytester, marker: str, text: str
) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.turret({marker})
        def test_aims(turret):
            pass
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([text])
    assert len(result.outlines) < 25
    assert "pytest_plugin.py" not in result.stdout.str()


def test_a_bench_that_dies_is_an_error_of_the_test(pytester: Pytester) -> None:
    pytester.makepyfile(
        """
        import os, signal

        def test_dies(turret):
            turret.send("X110.")
            turret.expect(servo=110)
            os.kill(turret._session._bench._process.pid, signal.SIGKILL)
            turret.expect(servo=20)

        def test_dies_unseen(turret):
            os.kill(turret._session._bench._process.pid, signal.SIGKILL)

        def test_next(turret):
            turret.send("X110.")
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        ["E *TurretError: * was ended by SIGKILL", "*the turret's session*", "5 bytes: *"]
    )


def test_turrets_end_when_a_fixture_fails_or_the_run_is_interrupted(
    pytester: Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = pytester.path / "private"
    private.mkdir()
    monkeypatch.setenv("TMPDIR", str(private))
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def broken(turret):
            raise ZeroDivisionError

        def test_setup(broken):
            pass

        def test_interrupted(turret):
            raise KeyboardInterrupt
        """
    )
    # In a separate process, because this one would be interrupted too.
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*KeyboardInterrupt*"])
    assert list(private.glob("sentrybench-*")) == []


def test_a_turret_that_the_test_ends_itself_is_not_ended_again(pytester: Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from sentrybench import TurretFailure

        def test_ends(turret):
            turret.ends(servo=12)
            with pytest.raises(TurretFailure):
                turret.end()

        def test_with(turret_factory):
            with turret_factory() as turret:
                turret.send("X110.")
                turret.expect(servo=110)
        """
    )
    pytester.runpytest().assert_outcomes(passed=2)


@pytest.mark.parametrize("is_found", [True, False])
@pytest.mark.parametrize("is_option", [True, False])
def test_the_plugin_can_be_named_whether_or_not_the_package_is_installed(
    pytester: Pytester, monkeypatch: pytest.MonkeyPatch, is_found: bool, is_option: bool
) -> None:
    """Sources on PYTHONPATH are no installed package: pytest does not find their plugin."""
    plugin = "sentrybench.pytest_plugin"
    source = pathlib.Path(sentrybench.__file__).parent.parent
    monkeypatch.setenv("PYTHONPATH", str(source))
    if not is_found:
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    if not is_option:
        pytester.makeconftest(f"pytest_plugins = [{plugin!r}]")
    pytester.makepyfile(
        """
        def test_aims(virtual_turret):
            virtual_turret.send("X45.", at=1.5).run(until=2)
            virtual_turret.expect(servo=45, within=0.05, of="X45.")
        """
    )
    options = ["-p", plugin] if is_option else []
    pytester.runpytest_subprocess(*options).assert_outcomes(passed=1)
