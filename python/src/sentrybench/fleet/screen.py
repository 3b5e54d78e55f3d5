"""The terminal: results on standard output; progress and notes on standard error."""

import sys
import time
from collections.abc import Sequence

from sentrybench.fleet import status, summary
from sentrybench.fleet.result import Result

#: The most traces that do not agree to print in full. All of them are in the report files.
REPORTS_MAX = 100
#: The interval at which the progress is shown, in seconds.
SHOWN_EVERY = 0.2


class Screen:
    """Prints the output of a run."""

    def __init__(self, is_quiet: bool, is_json: bool) -> None:
        self._is_quiet = is_quiet
        self._is_json = is_json
        self._reported = 0
        self._done = self._total = self._done_size = self._total_size = 0
        self._started = self._shown = time.monotonic()
        self._shows_progress = not is_quiet and sys.stderr.isatty()
        self._is_visible = False
        self._noun = "trace"
        self.has_started = False

    def note(self, text: str) -> None:
        if not self._is_quiet:
            self._print(text, sys.stderr)

    def report(self, result: Result) -> None:
        """Prints a result that does not agree."""
        if result.status == status.AGREE or self._is_json:
            return
        self._reported += 1
        if self._reported > REPORTS_MAX:
            return
        is_verdict = result.status == status.DISAGREE
        self._print(result.text or result.message, sys.stdout if is_verdict else sys.stderr)

    def say(self, text: str) -> None:
        """Prints a line of the result."""
        self._print(text, sys.stdout)

    def start(self, total: int, size: int, noun: str = "trace") -> None:
        """Notes that the cluster starts with this many traces, and their total size in bytes."""
        self.has_started = True
        self._noun = noun
        self._total, self._total_size = total, size
        self._started = time.monotonic()

    def progress(self, count: int, size: int, workers: int) -> None:
        """Adds finished traces and their size in bytes, and shows the progress."""
        self._done += count
        self._done_size += size
        now = time.monotonic()
        if not self._shows_progress or now - self._shown < SHOWN_EVERY:
            return
        self._shown = now
        self._is_visible = True
        text = summary.progress(
            self._done,
            self._total,
            self._done_size,
            self._total_size,
            workers,
            now - self._started,
            self._noun,
        )
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Removes the progress from the terminal."""
        if self._is_visible:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._is_visible = False

    def end(self, results: Sequence[Result], elapsed: float, earlier: int, left: int) -> None:
        """Prints the results as JSON, or how many agree. `left` traces are not verified."""
        if self._is_json:
            for result in results:
                print(result.report)
        elif not self._is_quiet:
            if self._reported > REPORTS_MAX:
                more = self._reported - REPORTS_MAX
                self._print(f"{more} more do not agree; --junit or --parquet lists all", sys.stdout)
            self._print(summary.summary(results, elapsed, earlier, left), sys.stdout)
        sys.stdout.flush()

    def _print(self, text: str, file: object) -> None:
        self.clear()
        print(summary.escaped(text), file=file)  # type: ignore[call-overload]
