"""A JUnit report of the fleet, in the same form as that of `sentrybench verify --junit`."""

import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import quoteattr

from sentrybench.fleet import status
from sentrybench.fleet.result import Result

#: The characters that XML 1.0 cannot contain.
_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report(
    results: Sequence[Result], elapsed: float, command: str = "verify", kind: str = "traces"
) -> Iterator[str]:
    """Yields the report in parts. `elapsed` is the duration of the run, in seconds."""
    failures = sum(result.status == status.DISAGREE for result in results)
    errors = sum(result.status not in (status.AGREE, status.DISAGREE) for result in results)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    yield f'  <testsuite name="sentrybench {command}" tests="{len(results)}" '
    yield f'failures="{failures}" errors="{errors}" time="{elapsed:.3f}">\n'
    for result in results:
        yield _case(result, kind)
    yield "  </testsuite>\n</testsuites>\n"


def _case(result: Result, kind: str) -> str:
    opening = f'    <testcase classname="{kind}" name={_attribute(result.trace)} '
    opening += f'time="{result.seconds:.3f}"'
    if result.status == status.AGREE:
        return opening + "/>\n"
    fault = "failure" if result.status == status.DISAGREE else "error"
    wrong = f"      <{fault} message={_attribute(result.message)}"
    wrong += f">{_text(result.text)}</{fault}>\n" if result.text else "/>\n"
    return f"{opening}>\n{wrong}    </testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(_ILLEGAL.sub("\ufffd", text))


def _text(text: str) -> str:
    text = _ILLEGAL.sub("\ufffd", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
