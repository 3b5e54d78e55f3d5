"""Decides which batches are sent to the workers, and when a trace has failed."""

from collections import deque
from collections.abc import Iterable

from sentrybench.fleet.batching import Batch, pieces
from sentrybench.fleet.traces import Trace

#: A trace has failed when it is alone in a batch and this many batches with it have died.
DEATHS_MAX = 2
#: Batches for each thread of a worker: one that runs, and one that waits for its turn.
DEPTH = 2


class Dispatch:
    """The batches that wait, those that run, and those under suspicion.

    If a worker dies, Dask automatically runs its batch again. It gives up after a few attempts,
    although another batch on the same worker may have been the cause. So a batch that Dask has
    given up on is cut into pieces, and each piece runs alone once all others are done.
    """

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._waiting = deque(batches)
        self._suspects: deque[Batch] = deque()
        self._running: set[Batch] = set()

    @property
    def is_done(self) -> bool:
        return not (self._waiting or self._suspects or self._running)

    def next(self, threads: int) -> list[Batch]:
        """Returns the batches to send now. `threads` is the number of threads of all workers."""
        chosen: list[Batch] = []
        while self._waiting and len(self._running) < max(threads, 1) * DEPTH:
            chosen.append(self._waiting.popleft())
            self._running.add(chosen[-1])
        if not self._running and self._suspects:
            chosen.append(self._suspects.popleft())
            self._running.add(chosen[-1])
        return chosen

    def finished(self, batch: Batch) -> None:
        self._running.discard(batch)

    def worker_died(self, batch: Batch) -> Trace | None:
        """Notes that Dask gave up on a batch. Returns the trace that failed for good, if any."""
        return self._died(batch, self._suspects)

    def program_died(self, batch: Batch) -> Trace | None:
        """Notes that the program died or took too long, or that verifying raised an error. The
        worker is alive, so this batch must be the cause. Returns the trace that has failed for
        good, if any."""
        return self._died(batch, self._waiting)

    def lost(self, batch: Batch) -> None:
        """Notes that the scheduler no longer has the batch, so that it is sent again."""
        self._running.discard(batch)
        self._waiting.appendleft(batch)

    def _died(self, batch: Batch, queue: deque[Batch]) -> Trace | None:
        self._running.discard(batch)
        if len(batch.traces) == 1 and batch.deaths + 1 >= DEATHS_MAX:
            return batch.traces[0]
        queue.extend(pieces(batch))
        return None
