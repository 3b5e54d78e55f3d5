"""What the fleet prints: the summary in the style of verify, and the progress."""

from collections.abc import Sequence

from sentrybench.fleet import status
from sentrybench.fleet.result import Result


def summary(results: Sequence[Result], elapsed: float, earlier: int, left: int = 0) -> str:
    """Returns one line about the run. `elapsed` is in seconds; `earlier` results are from an
    earlier run, and `left` traces were not verified before the run ended."""
    agree = sum(result.status == status.AGREE for result in results)
    disagree = sum(result.status == status.DISAGREE for result in results)
    other = len(results) - agree - disagree
    events = sum(result.matched for result in results)
    worst = max((result.worst for result in results), default=0.0)
    if agree == len(results):
        parts = [f"{count(agree, 'trace')} {'agrees' if agree == 1 else 'agree'}"]
    else:
        is_one = agree == 1 or len(results) == 1
        parts = [f"{agree} of {count(len(results), 'trace')} {'agrees' if is_one else 'agree'}"]
    if disagree:
        parts.append(f"{disagree} disagree{'s' if disagree == 1 else ''}")
    if other:
        parts.append(f"{other} could not be verified")
    if left:
        parts.append(f"{left} not verified yet")
    if events:
        parts.append(f"{count(events, 'event')} matched, at most {readable(worst)} off")
    if earlier:
        parts.append(f"{earlier} verified before")
    return ", ".join(parts) + f" ({elapsed:.3f} s)"


def readable(seconds: float) -> str:
    """Returns a short time as verify prints it, for example 1.035 ms."""
    microseconds = round(seconds * 1e6)
    if microseconds < 1000:
        return f"{microseconds} us"
    scale, unit = (1000, "ms") if microseconds < 1_000_000 else (1_000_000, "s")
    return f"{microseconds / scale:.6f}".rstrip("0").rstrip(".") + f" {unit}"


def progress(
    done: int,
    total: int,
    done_size: int,
    total_size: int,
    workers: int,
    elapsed: float,
    noun: str = "trace",
) -> str:
    """Returns one line for a terminal. Sizes are in bytes, `elapsed` in seconds."""
    parts = [f"{done} of {count(total, noun)}"]
    share = done_size / total_size if total_size else 1.0
    parts.append(f"{share:.0%}")
    parts.append(count(workers, "worker"))
    if 0.02 < share < 1 and elapsed > 2:
        parts.append(f"about {_clock(elapsed / share - elapsed)} left")
    return ", ".join(parts)


def escaped(text: str) -> str:
    """Returns the text with control characters made visible, except for the ends of lines."""
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in text
    )


def _clock(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
