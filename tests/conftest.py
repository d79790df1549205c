"""What holds for all tests: the processes they start find package and tests; what was skipped is listed at the end."""

import os
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
collect_ignore_glob = ["bots/*"]  # programs of people, which run when they are imported
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT / "src"), str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    terminalreporter.section("skipped, and why" if reasons else "nothing was skipped")
    for reason, tests in sorted(reasons.items()):
        terminalreporter.line(f"{tests:4} {'test' if tests == 1 else 'tests'}: {reason}")
