"""Renews what the documentation says of the studies, from a report: `python docs/generate.py reproduction`.

`docs/studies.md` becomes the report, with one picture for every paper and without the others, and the README's table of
studies its summary. The pictures are copied to `docs/pictures`.
"""

import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).parent
BEGIN, END = "<!-- studies: made by docs/generate.py -->", "<!-- end of studies -->"
_PICTURE = re.compile(r"^!\[(.*?)\]\(figures/([\w-]+)\.svg\)\n(?:\n\*.*\n)?", re.MULTILINE)
_PAGE = re.compile(r"\(([a-z-]+)\.html\)")
KEPT = "agreement-"


def studies_page(report: str) -> str:
    """The report with the pictures that are kept; links to its pages become links inside."""
    return re.sub(r"\n{3,}", "\n\n", _PAGE.sub(r"(#\1)", _PICTURE.sub(_kept, report)))


def _kept(found: re.Match[str]) -> str:
    if not found.group(2).startswith(KEPT):
        return ""
    return found.group(0).replace("figures/", "pictures/", 1)


def summary(report: str) -> str:
    """The lead of the report, its first table, and the picture of the first study."""
    lead = report.split("\n\n")[1]
    table = re.search(r"(?:^\|.*\n)+", report, re.MULTILINE)
    assert table is not None
    kept = [found for found in _PICTURE.finditer(report) if found.group(2).startswith(KEPT)]
    pictures = [f"![Ours beside every printed number](docs/pictures/{found.group(2)}.svg)\n" for found in kept[:1]]
    return f"{BEGIN}\n{lead}\n\n{table.group(0)}" + "".join(f"\n{picture}" for picture in pictures) + END


def main(directory: str) -> None:
    """Renews both files and the pictures."""
    place = Path(directory)
    report = (place / "report.md").read_text(encoding="utf-8")
    for picture in sorted((place / "figures").glob(f"{KEPT}*.svg")):
        shutil.copy(picture, DOCS / "pictures" / picture.name)
    (DOCS / "studies.md").write_text(studies_page(report), encoding="utf-8")
    readme = DOCS.parent / "README.md"
    text = readme.read_text(encoding="utf-8")
    renewed = re.sub(f"{BEGIN}.*?{END}", lambda _: summary(report), text, flags=re.DOTALL)
    readme.write_text(renewed, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
