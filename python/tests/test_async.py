"""A turret for asyncio."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any

import pytest

from benches import folder_of, has_left_nothing, process_of
from sentrybench import AsyncTurret, TurretError, TurretFailure


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


def test_it_does_what_a_turret_does(tmp_path: Any) -> None:
    async def session() -> None:
        async with AsyncTurret() as turret:
            await turret.never("lost", "junk")
            await turret.ends(servo=135)
            await turret.send("X110.")
            await turret.expect(servo=110, within=0.05, of="X110.")
            assert (await turret.state())["servo"] == 110
            assert (await turret.counts())["received"] == 5
            assert [event.values[0] for event in await turret.events("servo")] == [90, 110]
            assert "1 terminator" in await turret.explain()
            assert (await turret.plot()).startswith("<svg ")
            await turret.record(tmp_path / "a.jsonl")
            await turret.lines(dtr=False)
            await turret.speed(9600)
            await turret.reset(dead=0.01)
            await turret.ready()
            await turret.send("X135.")
            await turret.expect(servo=135)
            for address in (turret.port, turret.websocket, turret.tcp[0], turret.rfc2217):
                assert address
            report = await turret.end()
        assert (report.status, report.holds) == (0, 4)

    run(session())


def test_a_sender_and_expectations_run_at_once() -> None:
    script = "import os; open(os.environ['SENTRY_PORT'], 'wb', 0).write(b'X110.X45.')"

    async def session() -> None:
        async with AsyncTurret() as turret:
            process, *_ = await asyncio.gather(
                asyncio.create_subprocess_exec(sys.executable, "-c", script, env=turret.env),
                turret.expect(servo=110),
                turret.expect(servo=45),
            )
            assert await process.wait() == 0

    run(session())


def test_a_failure_has_the_place_of_its_call() -> None:
    async def session() -> None:
        async with AsyncTurret() as turret:
            await turret.send("X20.")
            await turret.expect(servo=30, within=0.05)

    with pytest.raises(TurretFailure) as raised:
        run(session())
    line = session.__code__.co_firstlineno + 3
    assert f"test_async.py:{line}: servo 30 within 50 ms failed" in str(raised.value)


def test_a_rule_at_the_end_fails_the_with() -> None:
    async def session() -> None:
        async with AsyncTurret() as turret:
            await turret.ends(servo=20)

    with pytest.raises(TurretFailure, match="ends servo 20 failed"):
        run(session())


def test_a_wait_can_be_cancelled() -> None:
    async def session() -> None:
        async with AsyncTurret() as turret:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(turret.expect(servo=20), 0.05)
            assert (await turret.state())["servo"] == 90

    run(session())


def test_nothing_is_left_after_an_error_or_when_its_task_is_cancelled() -> None:
    left: list[tuple[int, str]] = []

    async def session(event: asyncio.Event) -> None:
        async with AsyncTurret() as turret:
            left.append((process_of(turret._started), folder_of(turret._started)))
            event.set()
            await turret.expect(servo=20)

    async def cancelled() -> None:
        event = asyncio.Event()
        task = asyncio.create_task(session(event))
        await event.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(cancelled())
    assert has_left_nothing(*left[0])


def test_it_starts_with_async_with() -> None:
    async def session() -> None:
        with pytest.raises(TurretError, match="has not started"):
            await AsyncTurret().send("X20.")
        with pytest.raises(TurretError, match="cannot be started"):
            async with AsyncTurret(program="/nonexistent"):
                pass

    run(session())
