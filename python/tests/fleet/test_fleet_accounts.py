"""What another account of this computer can do with the ports of a fleet."""

import asyncio
import contextlib
import json
import os
import pathlib
import pwd
import subprocess
import sys
from typing import Any

import pytest
from fleets import LIMIT, start, two_workers, wait_for, write_trace

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can run a program as another account"),
    pytest.mark.skipif(not pathlib.Path("/proc/net/tcp").exists(), reason="ports are in /proc"),
]

STRANGER = pwd.getpwnam("nobody")

#: How long an attack on a port takes at most, in seconds.
PATIENCE = 5

#: Pages that Dask serves to whoever asks.
PAGES = ["/", "/status", "/metrics", "/health", "/json/counts.json", "/info/main/workers.html"]


def attack(ports: list[int]) -> list[str]:
    """Does what a stranger can: has each port run a function, with TLS and without it, and asks for
    pages. Returns what worked."""
    # The scheduler and the workers use these names for the same request.
    return asyncio.run(_attack([*ports], ["run", "run_function"]))


async def _attack(ports: list[int], requests: list[str]) -> list[str]:
    from distributed import Security, rpc
    from distributed.protocol.pickle import dumps

    own: dict[str, dict[str, Any]] = {
        "tcp": {},
        "tls": Security.temporary().get_connection_args("client"),
    }

    async def run(port: int, scheme: str, request: str) -> str | None:
        address = f"{scheme}://127.0.0.1:{port}"
        with contextlib.suppress(Exception):  # Each port refuses in a way of its own.
            async with rpc(address, connection_args=own[scheme], timeout=PATIENCE) as other:
                answer = await asyncio.wait_for(
                    getattr(other, request)(
                        function=dumps(os.getuid), args=dumps(()), kwargs=dumps({}), wait=True
                    ),
                    PATIENCE,
                )
            if isinstance(answer, dict) and answer.get("status") == "OK":
                return f"{port}: ran as {answer['result']}"
        return None

    async def get(port: int, page: str) -> str | None:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET {page} HTTP/1.0\r\n\r\n".encode())
            answer = await asyncio.wait_for(reader.read(), PATIENCE)
            writer.close()
        except (OSError, TimeoutError, asyncio.TimeoutError):
            return None
        return f"{port}: {page}" if answer.startswith(b"HTTP/1.1 200") else None

    found = await asyncio.gather(
        *(run(port, s, r) for port in ports for s in ("tcp", "tls") for r in requests),
        *(get(port, page) for port in ports for page in PAGES),
    )
    return [each for each in found if each]


def attacked(ports: set[int]) -> list[str]:
    """Attacks the ports as another account, in a process of its own."""
    here = pathlib.Path(__file__)
    # Everything is loaded first, because the account need not be able to read it.
    program = f"""
import json, os, sys
sys.path[:0] = {[str(here.parent), *sys.path]!r}
import distributed, distributed.comm.tcp, cryptography.x509
from cryptography.hazmat.primitives.asymmetric import rsa
import {here.stem} as attacker
distributed.Security.temporary()
os.setgroups([]); os.setgid({STRANGER.pw_gid}); os.setuid({STRANGER.pw_uid}); os.chdir("/")
print(json.dumps(attacker.attack({sorted(ports)!r})))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr
    answer: list[str] = json.loads(done.stdout)
    return answer


def children(pid: int) -> list[int]:
    """The process and all that it has started and that still run."""
    found = [pid]
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            for child in task.read_text().split():
                found += children(int(child))
    return found


def listening(pids: list[int]) -> set[int]:
    """The TCP ports at which these processes listen."""
    inodes = set()
    for pid in pids:
        with contextlib.suppress(OSError):  # It has ended.
            for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):  # It was closed.
                    inodes.add(os.readlink(link))
    ports = set()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in inodes:
                ports.add(int(fields[1].rpartition(":")[2], 16))
    return ports


@pytest.fixture
def corpus(tmp_path: pathlib.Path, program: str) -> pathlib.Path:
    """Traces that two workers verify for about half a minute."""
    for index in range(1500):
        write_trace(tmp_path / "corpus" / f"{index:04}.jsonl", "takes long")
    return tmp_path / "corpus"


def test_another_account_runs_nothing_on_the_fleets_own_cluster(
    corpus: pathlib.Path, tmp_path: pathlib.Path, program: str
) -> None:
    fleet = start(corpus, "--workers", 2, "--results", tmp_path / "results")
    try:
        wait_for(pathlib.Path(program).parent, "*.of-*")
        pids = children(fleet.pid)
        ports = listening(pids)
        # The scheduler, and for each worker itself and its nanny; HTTP for all but the nannies.
        assert len(ports) == 8
        assert attacked(ports) == []
        # The key is not where other accounts could read it.
        lines = subprocess.run(["ps", "axww", "-o", "args"], capture_output=True, check=True)
        assert b"sentrybench.fleet" in lines.stdout and b"PRIVATE KEY" not in lines.stdout
        assert fleet.poll() is None
    finally:
        fleet.terminate()
        _, err = fleet.communicate(timeout=LIMIT)
    assert (fleet.returncode, err) == (143, "")


def test_another_account_runs_code_on_a_cluster_without_a_secret(tmp_path: pathlib.Path) -> None:
    with two_workers(tmp_path) as (address, one):
        ports = listening(children(os.getpid()))
        done = attacked(ports)
        scheduler, worker = int(address.rpartition(":")[2]), listening([one.pid])
    ran = {int(each.split(":")[0]) for each in done if each.endswith(": ran as 0")}
    assert scheduler in ran and worker & ran
    assert any(each.endswith(": /info/main/workers.html") for each in done)


def test_what_another_account_has_prepared_in_the_temporary_folder_is_not_used(
    tmp_path: pathlib.Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    prepared = shared / "dask-scratch-space"
    prepared.mkdir()
    prepared.chmod(0o777)
    os.chown(prepared, STRANGER.pw_uid, STRANGER.pw_gid)
    monkeypatch.setenv("TMPDIR", str(shared))
    for index in range(200):
        write_trace(tmp_path / "corpus" / f"{index}.jsonl", "takes long")
    fleet = start(tmp_path / "corpus", "--workers", 1)
    wait_for(pathlib.Path(program).parent, "*.of-*")
    used = {path.name: path.stat() for path in shared.iterdir()}
    assert not any(prepared.iterdir())
    out, err = fleet.communicate(timeout=LIMIT)
    assert (fleet.returncode, err) == (0, "")
    assert out.startswith("200 traces agree")
    private = [status for name, status in used.items() if name.startswith("sentrybench-fleet-")]
    assert [(each.st_uid, each.st_mode & 0o777) for each in private] == [(0, 0o700)]
    assert [path.name for path in shared.iterdir()] == ["dask-scratch-space"]
