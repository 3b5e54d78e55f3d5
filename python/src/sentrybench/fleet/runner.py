"""Sends batches to a Dask cluster and takes their results, as `Dispatch` decides."""

import logging
import queue
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

import dask
import fsspec
from distributed import Client, KilledWorker, LocalCluster, Security
from distributed.client import Future

from sentrybench.fleet import status, storage, worker
from sentrybench.fleet.batching import Batch
from sentrybench.fleet.dispatch import Dispatch
from sentrybench.fleet.recipe import Recipe
from sentrybench.fleet.status import FleetError
from sentrybench.fleet.storage import printable
from sentrybench.fleet.traces import Trace, is_held_here
from sentrybench.fleet.worker import Outcome

Row = TypeVar("Row")
Task = Callable[[Sequence[Trace], Recipe, Mapping[str, bytes]], Outcome[Row]]
"""Runs a batch on a worker. The last argument has what the client has read for it."""

#: How long the scheduler has to answer, in seconds.
CONNECT = 10.0
#: The largest trace that the client reads for the workers, in bytes.
UPLOAD_MAX = 256 << 20
#: The interval at which the workers are counted, in seconds.
LOOK_EVERY = 1.0
#: How many worker processes on this computer can die before Dask gives up on a batch.
LOCAL_FAILURES = 1


@contextmanager
def local(workers: int) -> Iterator[Client]:
    """A cluster of this many processes on this computer, with one thread each.

    A program that reaches a port of Dask runs code as the user of the cluster, and every account of
    this computer reaches loopback. So the ports require a certificate that exists only in these
    processes. Dask always opens HTTP as well, without encryption; nothing is served there.
    """
    # Dask's own folder in /tmp has a name that another account can take first.
    with tempfile.TemporaryDirectory(
        prefix="sentrybench-fleet-",
        dir=dask.config.get("temporary-directory", None),
        ignore_cleanup_errors=True,
    ) as folder:
        settings = {
            "distributed.scheduler.allowed-failures": LOCAL_FAILURES,
            # The program is a separate process, whose memory Dask does not count.
            "distributed.worker.memory.terminate": False,
            "distributed.scheduler.http.routes": [],
            "distributed.worker.http.routes": [],
            "temporary-directory": folder,
        }
        with (
            dask.config.set(settings),
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                security=Security.temporary(),
                # Not the default port, which only one cluster can use.
                scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                silence_logs="CRITICAL",
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client


@contextmanager
def remote(address: str) -> Iterator[Client]:
    """A cluster whose scheduler has this address."""
    # A lost scheduler is reported by this package, so Dask must not log it as well.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=CONNECT)
    except (OSError, ValueError, TypeError) as error:
        raise FleetError(
            status.UNAVAILABLE,
            f"the scheduler {address} is not available: {error}; "
            "start one with `dask scheduler`, or leave out --scheduler",
        ) from None
    try:
        yield client
    finally:
        client.close(timeout=2)


class Runner(Generic[Row]):
    """One run on a cluster. It ends if there has been no worker for `patience` seconds."""

    def __init__(
        self,
        client: Client,
        recipe: Recipe,
        task: Task[Row],
        spoiled: Callable[[Trace, str], Row],
        patience: float,
        uploads: bool = False,
    ) -> None:
        """`task` runs a batch on a worker. `spoiled` is the result of what can never be run, with
        the reason."""
        self._task = task
        self._spoiled = spoiled
        self._client = client
        self._recipe = recipe
        self._uploads = uploads
        self._has_worked = False
        self._patience = patience
        self._done: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._batches: dict[Future, Batch] = {}
        self._workers: dict[str, int] = {}
        self._looked = 0.0
        self._seen = time.monotonic()

    @property
    def workers(self) -> int:
        """The number of workers when they were last counted."""
        return len(self._workers)

    @property
    def threads(self) -> int:
        return sum(self._workers.values())

    def start(self) -> None:
        """Waits for the first worker, and checks the program on each."""
        while not self._look():
            time.sleep(0.1)
        try:
            answers = self._client.run(worker.check, self._recipe.version, on_error="return")
        except Exception as error:  # For example if a worker cannot import this package.
            raise _unusable(error) from error
        problems = []
        for address, answer in sorted(answers.items()):
            if isinstance(answer, OSError):  # This worker has gone and gets no batch.
                continue
            if isinstance(answer, BaseException):
                raise _unusable(answer)
            if answer:
                problems.append(f"worker {address}: {answer}")
        if problems:
            more = f"\nand {len(problems) - 5} other workers" if len(problems) > 5 else ""
            raise FleetError(status.UNAVAILABLE, "\n".join(problems[:5]) + more)

    def run(self, dispatch: Dispatch) -> Iterator[list[Row]]:
        """Runs all batches. Yields results as they arrive, and at least every 0.2 s."""
        while not dispatch.is_done:
            for batch in dispatch.next(self.threads):
                self._send(batch)
            results: list[Row] = []
            try:
                results = self._finish(self._done.get(timeout=0.2), dispatch)
            except queue.Empty:
                pass
            self._has_worked = self._has_worked or bool(results)
            yield results
            self._look()

    def _send(self, batch: Batch) -> None:
        contents = {
            printable(trace.name): data
            for trace in batch.traces
            if self._uploads or is_held_here(trace.name)
            if (data := _contents(trace)) is not None
        }
        arguments = (batch.traces, self._recipe, contents)
        # Dask counts the deaths of workers by key, so each attempt has its own key.
        future = self._client.submit(self._task, *arguments, pure=False)
        self._batches[future] = batch
        future.add_done_callback(self._done.put)

    def _finish(self, future: Future, dispatch: Dispatch) -> list[Row]:
        """Returns the results of a batch, or those of traces that have failed for good."""
        batch = self._batches.pop(future)
        code = future.status
        if code == "finished":
            outcome = future.result()
            if not outcome.death:
                dispatch.finished(batch)
                return list(outcome.results)
            trace, why = dispatch.program_died(batch), outcome.death
        elif code == "error":
            error = future.exception()
            if isinstance(error, FleetError):
                raise error
            if isinstance(error, ImportError | AttributeError):
                raise _unusable(error)
            if isinstance(error, KilledWorker):
                trace, why = dispatch.worker_died(batch), "its worker died each time"
            else:
                trace, why = dispatch.program_died(batch), f"{type(error).__name__}: {error}"
        else:
            raise self._lost()
        if trace is None:
            return []
        return [self._spoiled(trace, why)]

    def _look(self) -> bool:
        """Counts the workers if that is due. Returns whether there are any."""
        now = time.monotonic()
        if self._client.status != "running":
            raise self._lost()
        if now - self._looked >= LOOK_EVERY:
            self._looked = now
            try:
                self._workers = self._client.nthreads()
            except (OSError, TimeoutError):
                raise self._lost() from None
        if self._workers:
            self._seen = now
        elif now - self._seen >= self._patience:
            raise FleetError(
                status.UNAVAILABLE if not self._has_worked else status.INTERRUPTED,
                f"there has been no worker for {self._patience:g} s; start one with "
                "`dask worker`, and run this command again",
            )
        return bool(self._workers)

    def _lost(self) -> FleetError:
        return FleetError(
            status.INTERRUPTED,
            "the scheduler was lost; run this command again when it is back",
        )


def _contents(trace: Trace) -> bytes | None:
    """Returns the contents of a trace; None if it cannot be read, which its worker then reports."""
    if trace.size > UPLOAD_MAX:
        return None
    with suppress(FleetError), storage.errors(trace.name), fsspec.open(trace.name, "rb") as file:
        return bytes(file.read())
    return None


def _unusable(error: BaseException) -> FleetError:
    return FleetError(
        status.UNAVAILABLE,
        f"a worker cannot run the fleet: {error}; "
        "install sentrybench[fleet] in the same version on each worker",
    )
