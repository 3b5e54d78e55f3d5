"""What ends the program, said to people, with the exit status for scripts."""

USAGE = 64
MALFORMED = 65
NO_INPUT = 66
UNAVAILABLE = 69
IO_FAILED = 74
INTERRUPTED = 130
NO_READER = 141
TERMINATED = 143


class Trouble(Exception):
    """A plain sentence, and a status as sysexits has them."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class ReaderGone(Exception):
    """Nobody reads standard output any more."""
