"""The failures that an attack found, each with the command to repeat it, and a summary."""
import collections

from running import Failed

FAILURES_MAX = 100
SHOWN = 3  # failures of one kind that are shown in full


class Findings:
    """`repeat` is the command that repeats the attack."""

    def __init__(self, repeat):
        self.repeat = repeat
        self.counts = collections.Counter()

    def add(self, where, what, error, again=""):
        """Prints and counts a failure. `again` are the arguments that repeat only this part."""
        kind = what, str(error).partition("\n")[0]
        self.counts[kind] += 1
        if self.counts[kind] <= SHOWN:
            print(
                f"FAILED: {where}: {what}: {error}\n    to repeat: {self.repeat} {again}",
                flush=True,
            )
        if self.counts.total() >= FAILURES_MAX:
            self.conclude()

    def conclude(self):
        """Fails if anything was found."""
        if not self.counts:
            return
        print("Failures:")
        for (what, error), count in self.counts.most_common():
            print(f"{count:5}  {what}: {error}")
        raise Failed(f"{self.counts.total()} failures")
