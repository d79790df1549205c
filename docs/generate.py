"""Renews what the documentation says of the studies, from a report: `python docs/generate.py reproduction`.

`docs/studies.md` becomes the report without its pictures, and the README's table of studies its summary.
"""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
BEGIN, END = "<!-- studies: made by docs/generate.py -->", "<!-- end of studies -->"
_PICTURE = re.compile(r"^!\[.*?\]\(.*?\)\n(?:\n.*\n)?", re.MULTILINE)


def studies_page(report: str) -> str:
    """The report without pictures."""
    return re.sub(r"\n{3,}", "\n\n", _PICTURE.sub("", report))


def summary(report: str) -> str:
    """The lead of the report and its first table."""
    lead = report.split("\n\n")[1]
    table = re.search(r"(?:^\|.*\n)+", report, re.MULTILINE)
    assert table is not None
    return f"{BEGIN}\n{lead}\n\n{table.group(0)}{END}"


def main(directory: str) -> None:
    """Renews both files."""
    report = (Path(directory) / "report.md").read_text(encoding="utf-8")
    (DOCS / "studies.md").write_text(studies_page(report), encoding="utf-8")
    readme = DOCS.parent / "README.md"
    text = readme.read_text(encoding="utf-8")
    renewed = re.sub(f"{BEGIN}.*?{END}", lambda _: summary(report), text, flags=re.DOTALL)
    readme.write_text(renewed, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
