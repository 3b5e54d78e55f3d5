"""The errors that end the program: a message for people and an exit status for scripts."""

USAGE = 64
MALFORMED = 65
NO_INPUT = 66
UNAVAILABLE = 69
IO_FAILED = 74
INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143


class ExitError(Exception):
    """A sentence for people, and a status as in sysexits.h."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class BrokenPipe(Exception):
    """The reader of standard output has closed it."""


class WindowClosed(Exception):
    """The user has closed the window, which ends the program."""
