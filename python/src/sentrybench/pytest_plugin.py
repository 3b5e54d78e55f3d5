"""The plugin for pytest: gives each test its own turret."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pytest

from .artifacts import Artifacts
from .errors import TurretError, TurretFailure
from .settings import BoardSettings, TurretSettings, mistaken
from .turret import BaseTurret, Turret
from .virtual import VirtualTurret

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")

MARKER = "turret"
UPDATED = "sentrybench_updated"
"""The name of the user property that lists the golden traces that a test has written."""


class TurretFactory(Protocol):
    """Starts turrets. Settings that a call leaves out are those of the test's marker."""

    def __call__(self, **settings: Unpack[TurretSettings]) -> Turret:
        """Starts a turret."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sentrybench", "turrets of sentrybench")
    group.addoption(
        "--turret-update",
        action="store_true",
        help="write the golden traces that are missing or that a session disagrees with",
    )
    group.addoption(
        "--turret-artifacts",
        metavar="DIR",
        help="keep the trace, picture and explanation of each failed test's session in this folder "
        "(default: pytest's temporary folder)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{MARKER}(firmware=..., device=..., reset_on_open=..., ready=..., ...): the settings of "
        "the test's turret",
    )


class Turrets:
    """The turrets of a test. Their sessions end when the test function returns."""

    def __init__(self, item: pytest.Item, temporary: pytest.TempPathFactory) -> None:
        self._item = item
        self._temporary = temporary
        self._turrets: list[BaseTurret] = []
        self.sections: list[tuple[str, str]] = []
        """The titles and texts that are added to the report of a failed test."""

    def settings(self, stated: dict[str, Any], kind: type[BoardSettings]) -> Any:
        """Returns the settings of a turret: those of the markers, overridden by `stated`."""
        settings: dict[str, Any] = {
            "folder": self._item.path.parent,
            "update": self._item.config.getoption("--turret-update"),
        }
        for marker in reversed(list(self._item.iter_markers(MARKER))):
            if marker.args:
                pytest.fail(
                    f"the marker {MARKER!r} takes settings by name, for example "
                    f'{MARKER}(firmware="classic"), found {marker.args[0]!r}',
                    pytrace=False,
                )
            settings |= marker.kwargs
        settings |= stated
        mistake = mistaken(settings, kind)
        if mistake:
            pytest.fail(f"the settings of the turret: {mistake}", pytrace=False)
        return settings

    def keep(self, turret: BaseTurret) -> None:
        """Adds a turret that has started."""
        turret._session.keeps_folder = True
        self._turrets.append(turret)

    def judge(self) -> None:
        """Ends the sessions, and fails the test if a rule fails."""
        failures: list[str] = []
        errors: list[TurretError | OSError] = []
        for turret in self._turrets:
            try:
                if not turret._is_closed:
                    turret.end()
            except TurretFailure as failure:
                failures.append(str(failure))
            except (TurretError, OSError) as error:
                errors.append(error)
            for path in turret._session.updated:
                self._item.user_properties.append((UPDATED, path))
        if failures or errors:
            self.report()
        if failures:
            # These rules failed at the end, not at a line of the test, so none is shown.
            pytest.fail("\n\n".join(failures), pytrace=False)
        if errors:
            raise errors[0]

    def report(self) -> None:
        """Ends the sessions, and adds a section about each to the test's report."""
        for index, turret in enumerate(self._turrets, 1):
            with suppress(TurretError):
                if not turret._is_closed:
                    turret.settle()
            turret.close()
            session = turret._session
            title, folder = "the turret's session", self._folder()
            if len(self._turrets) > 1:
                title, folder = f"the session of turret {index}", f"{folder}-{index}"
            artifacts = Artifacts(folder)
            try:
                test = self._item.nodeid + (f", turret {index}" if len(self._turrets) > 1 else "")
                artifacts.write(
                    session.program, session.recording, session.said(), test, session.goldens
                )
                kept = artifacts.summary()
            except OSError as error:
                kept = f"the session is not kept in {folder}: {error.strerror}"
            except TurretError as error:
                kept = f"the session is not kept: {error}"
            self.sections.append((title, "\n\n".join([*session.untold(), kept])))

    def _folder(self) -> str:
        """Returns the folder for the test's artifacts."""
        name = re.sub(r"[^\w.]+", "-", self._item.nodeid, flags=re.ASCII).strip("-")[-120:]
        # Different tests have different folders, even if their shortened names are equal.
        name += "-" + hashlib.sha256(self._item.nodeid.encode()).hexdigest()[:6]
        stated = self._item.config.getoption("--turret-artifacts")
        if stated is None:
            return str(self._temporary.getbasetemp() / name)
        return os.path.join(self._item.config.invocation_params.dir, stated, name)

    def remove(self) -> None:
        """Ends the benches that still run, and removes the private folders."""
        for turret in self._turrets:
            turret._session.remove()


_TURRETS = pytest.StashKey[Turrets]()


@pytest.fixture
def _turrets(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Turrets]:
    turrets = Turrets(request.node, tmp_path_factory)
    request.node.stash[_TURRETS] = turrets
    try:
        yield turrets
    finally:
        turrets.remove()


def _started(start: Callable[[], T]) -> T:
    """Starts a turret. If it cannot start, fails the test without a traceback of this plugin."""
    try:
        return start()
    except TurretError as error:
        text = str(error)
    pytest.fail(text, pytrace=False)


@pytest.fixture
def turret_factory(_turrets: Turrets) -> TurretFactory:
    """A function that starts turrets with the settings of the test's marker and of each call."""

    def start(**settings: Unpack[TurretSettings]) -> Turret:
        __tracebackhide__ = True
        turret = Turret(**_turrets.settings({**settings}, TurretSettings))
        _turrets.keep(turret)
        return turret

    return start


@pytest.fixture
def turret(turret_factory: TurretFactory) -> Turret:
    """The test's own turret, in real time, with the sketch guarded, which already listens.

    The marker changes that: with ``@pytest.mark.turret(firmware="classic", ready=False)``, the
    turret has the published sketch, and the test begins while the sketch starts up.
    """
    return _started(turret_factory)


@pytest.fixture
def virtual_turret(_turrets: Turrets) -> VirtualTurret:
    """The test's own turret, in virtual time."""
    settings = _turrets.settings({}, BoardSettings)
    turret = _started(lambda: VirtualTurret(**settings))
    _turrets.keep(turret)
    return turret


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Ends the sessions within the test call, so that their failures fail the test itself."""
    turrets = item.stash.get(_TURRETS, None)
    try:
        result = yield
    except (pytest.skip.Exception, pytest.exit.Exception, KeyboardInterrupt):
        raise
    except BaseException:
        if turrets is not None:
            turrets.report()
        raise
    if turrets is not None:
        turrets.judge()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the turrets' sections to the report of a failed test."""
    report = yield
    turrets = item.stash.get(_TURRETS, None)
    if call.when == "call" and turrets is not None:
        report.sections += turrets.sections
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    written = {
        str(value)
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in report.user_properties
        if name == UPDATED
    }
    for path in sorted(written):
        terminalreporter.write_line(f"{os.path.relpath(path)}: updated")
