"""How a corpus is cut into batches, and in which order they are sent."""

import random

import pytest

from sentrybench.fleet import batching
from sentrybench.fleet.batching import COUNT_MAX, LARGEST, Batch, batches, cost, pieces
from sentrybench.fleet.dispatch import DEPTH, Dispatch
from sentrybench.fleet.traces import Trace

SEED = 20_260_101


def made(sizes: list[int]) -> list[Trace]:
    return [Trace(f"/{index}.jsonl", size) for index, size in enumerate(sizes)]


def load(batch: Batch) -> int:
    return sum(map(cost, batch.traces))


def test_each_trace_is_in_one_batch_and_no_batch_is_too_large() -> None:
    print(f"seed {SEED}")
    source = random.Random(SEED)
    for _ in range(200):
        sizes = [int(10 ** source.uniform(0, 9)) for _ in range(source.randrange(60))]
        sizes += [0] * source.randrange(40)
        threads = source.choice([0, 1, 2, 64])
        largest = source.choice([1 << 20, LARGEST])
        found = batches(made(sizes), threads, largest)
        names = [trace.name for batch in found for trace in batch.traces]
        assert sorted(names) == sorted(trace.name for trace in made(sizes))
        assert all(len(batch.traces) == 1 or load(batch) <= largest for batch in found)
        assert all(0 < len(batch.traces) <= COUNT_MAX for batch in found)


def test_no_traces_are_no_batches() -> None:
    assert batches([], 2) == []


def test_the_biggest_traces_are_sent_first_and_the_last_batches_are_small() -> None:
    found = batches(made([7_000] * 100_000 + [500 << 20]), threads=2)
    assert found[0].traces[0].size == 500 << 20
    assert load(found[1]) > 20 * load(found[-1])
    # So two workers finish at almost the same time, compared with the whole run.
    assert load(found[-1]) < sum(map(load, found)) / 1000


def test_a_batch_that_died_is_cut_down_to_one_trace() -> None:
    batch = Batch(tuple(made([1] * 500)))
    sizes = []
    while len(batch.traces) > 1:
        parts = pieces(batch)
        assert sum((part.traces for part in parts), ()) == batch.traces
        batch = parts[0]
        sizes.append(len(batch.traces))
    assert sizes == [63, 8, 1]
    assert batch.deaths == 3


def test_two_batches_wait_or_run_for_each_thread() -> None:
    dispatch = Dispatch(Batch((trace,)) for trace in made([1] * 10))
    assert len(dispatch.next(threads=2)) == 2 * DEPTH
    assert dispatch.next(threads=2) == []
    assert len(dispatch.next(threads=3)) == DEPTH


@pytest.mark.parametrize("kills", ["worker", "program"])
def test_a_trace_that_kills_each_time_fails_and_all_others_are_verified(kills: str) -> None:
    everything = made([1] * 100)
    culprit = everything[42]
    dispatch = Dispatch([Batch(tuple(everything[i : i + 20])) for i in range(0, 100, 20)])
    verified: list[Trace] = []
    failed: list[Trace] = []
    deaths = 0
    while not dispatch.is_done:
        running = dispatch.next(threads=1)
        for batch in running:
            if culprit not in batch.traces:
                dispatch.finished(batch)
                verified += batch.traces
                continue
            deaths += 1
            died = dispatch.worker_died if kills == "worker" else dispatch.program_died
            failed += [trace] if (trace := died(batch)) else []
    assert failed == [culprit]
    assert len(verified) == 99
    assert deaths == 3


def test_a_trace_that_was_on_a_worker_with_another_is_tried_alone_before_it_fails() -> None:
    one, two = (Batch((trace,)) for trace in made([1, 1]))
    dispatch = Dispatch([one, two])
    assert dispatch.next(threads=1) == [one, two]
    assert dispatch.worker_died(one) is None
    assert dispatch.next(threads=9) == []  # not while the other one runs
    dispatch.finished(two)
    [alone] = dispatch.next(threads=9)
    assert alone.traces == one.traces
    dispatch.finished(alone)
    assert dispatch.is_done


def test_a_limit_below_the_smallest_batch_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "SMALLEST", 4 << 20)
    assert all(load(batch) <= 1 << 20 for batch in batches(made([90_000] * 99), 2, 1 << 20))
