"""The result of one trace, as a row of a table."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sentrybench.fleet import status
from sentrybench.fleet.recipe import Aliases
from sentrybench.fleet.storage import printable
from sentrybench.fleet.traces import Trace

#: The longest text of a result, in characters. One of the program's reports has about 2000.
TEXT_MAX = 64 << 10


@dataclass(frozen=True)
class Result:
    """What is known about one trace. The fields are the columns of the Parquet file."""

    trace: str
    size: int
    #: A digest that changes with the trace; empty if changes cannot be detected.
    version: str
    #: A digest of the program, the options and their files.
    recipe: str
    status: int
    #: agrees, disagrees, undecided or error.
    verdict: str
    matched: int = 0
    moved: int = 0
    missing: int = 0
    extra: int = 0
    #: The largest error of an output's time, in seconds.
    worst: float = 0
    #: How long it took to verify, in seconds.
    seconds: float = 0
    #: The problem in one line; empty if there is none.
    message: str = ""
    #: The full description of the problem, as verify prints it.
    text: str = ""
    #: The line that verify --json prints.
    report: str = ""
    #: The address of the worker.
    worker: str = ""


def failed(trace: Trace, recipe: str, code: int, message: str, worker: str = "") -> Result:
    """Returns the result of a trace that the program could not verify."""
    message = message[:TEXT_MAX]
    line = {"file": printable(trace.name), "verdict": "error", "status": code, "message": message}
    return Result(
        printable(trace.name),
        trace.size,
        trace.version,
        recipe,
        code,
        "error",
        message=message,
        report=json.dumps(line, ensure_ascii=False),
        worker=worker,
    )


def parse(
    traces: Sequence[Trace], aliases: Aliases, output: str, junit: str, recipe: str, worker: str
) -> list[Result] | None:
    """Returns the results of a run of the program, from its output with --json and its JUnit
    report; None if these do not match the traces, for example because the program died."""
    lines = aliases.restore(output, _quoted).removesuffix("\n").split("\n")
    try:
        cases = list(ET.fromstring(junit).iter("testcase"))
        if not len(cases) == len(lines) == len(traces):
            return None
        # The program reports traces in the order of their short names.
        return [
            _result(trace, line, case, aliases, recipe, worker)
            for trace, line, case in zip(traces, lines, cases, strict=True)
        ]
    except (ET.ParseError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _result(
    trace: Trace,
    line: str,
    case: ET.Element,
    aliases: Aliases,
    recipe: str,
    worker: str,
) -> Result:
    report: dict[str, Any] = json.loads(line)
    name = printable(trace.name)
    if report["file"] != name:
        raise ValueError("a report of another trace")
    wrong = next(iter(case), None)
    message, text = "", ""
    if wrong is not None:
        message = aliases.restore(wrong.get("message", ""))
        text = aliases.restore(wrong.text or "")
    return Result(
        trace=name,
        size=trace.size,
        version=trace.version,
        recipe=recipe,
        status=int(report["status"]),
        verdict=str(report["verdict"]),
        matched=int(report.get("matched", 0)),
        moved=int(report.get("moved", 0)),
        missing=int(report.get("missing", 0)),
        extra=int(report.get("extra", 0)),
        worst=float(report.get("worst", 0)),
        seconds=float(case.get("time", 0)),
        message=message[:TEXT_MAX],
        text=text[:TEXT_MAX],
        report=line[:TEXT_MAX],
        worker=worker,
    )


def _quoted(name: str) -> str:
    """Returns the name as it is written inside a JSON string."""
    return json.dumps(name, ensure_ascii=False)[1:-1]


def exit_status(results: Sequence[Result]) -> int:
    """Returns the status that a run with these results ends with."""
    return status.worst(result.status for result in results)
