"""What can go wrong: a rule that fails, and a bench that cannot do what it is asked."""


class TurretFailure(AssertionError):
    """A rule has failed. Its text is the program's: the rule, what happened, and the events."""


class TurretError(Exception):
    """The bench cannot start, has ended, or refuses a request. The text says what to do."""
