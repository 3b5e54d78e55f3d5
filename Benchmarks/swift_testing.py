"""Measures SentryBenchTesting: tests in Swift with a turret each, compared with empty ones."""
import os
import re
import shutil

from common import HERE, ROOT, Failed, run

COUNT = 50
PACKAGE = os.path.join(HERE, "swift-testing")


def measure(table, options):
    print("tests in Swift, with a turret each")
    # As in .ci/swift-testing, the products of `make run` are shared.
    shutil.copy(os.path.join(ROOT, "Package.resolved"), PACKAGE)
    shared = ["--package-path", PACKAGE, "--scratch-path", os.path.join(ROOT, ".build", "run")]
    run(["swift", "build", *shared, "--build-tests"])
    suites = ("EmptyTests", "TurretTests", "AimTests", "VirtualTests")
    seconds = {suite: float("inf") for suite in suites}
    for _ in range(max(2, options.runs // 3)):
        for suite in suites:
            output = run(["swift", "test", *shared, "--skip-build", "--filter", suite])[1]
            # SwiftPM takes seconds to start.
            passed = re.search(rf"with {COUNT} test cases passed after ([0-9.]+) seconds", output)
            if not passed:
                raise Failed(f"{suite}: expected {COUNT} cases that pass, found\n{output}")
            seconds[suite] = min(seconds[suite], float(passed[1]))

    def overhead(suite):
        return (seconds[suite] - seconds["EmptyTests"]) / COUNT * 1e3

    table.row("a turret, more than an empty test, ms", overhead("TurretTests"), 20, at_most=True)
    table.note(f"{COUNT} tests in a debug build, one after the other; {overhead('AimTests'):.1f} ms "
               "with a command and its rule, of which 4.2 ms are the line's")
    table.row("a virtual turret that aims, ms", overhead("VirtualTests"))
