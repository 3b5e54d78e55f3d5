"""The errors: a rule has failed, or the bench cannot do what was requested."""


class TurretFailure(AssertionError):
    """A rule has failed. Its text is the program's: the rule, what happened, and the events."""


class TurretError(Exception):
    """The bench cannot start, has ended, or refuses a request. The text says what to do."""
