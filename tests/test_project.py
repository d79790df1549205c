"""Promises about the project itself: versions agree, everything public is documented by example."""

import importlib
import inspect
import re

import pytest

import outflank
from support import ROOT


def test_the_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## \[?([0-9][^\]\s]*)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert versions[0] == outflank.__version__


@pytest.mark.parametrize("name", [name for name in outflank.__all__ if name != "__version__"])
def test_public_names_have_a_docstring_and_a_doctest(name: str) -> None:
    thing = getattr(outflank, name)
    assert inspect.getdoc(thing)
    if not issubclass(thing if inspect.isclass(thing) else object, Exception):
        assert ">>>" in (thing.__doc__ or "")


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(AttributeError, match=r"it offers:.*Position"):
        _ = outflank.Nonsense
    assert set(dir(outflank)) == set(outflank.__all__)
    for name, module in outflank._HOME.items():
        assert hasattr(importlib.import_module(f"outflank.{module}"), name)


def test_tracked_text_names_no_machine() -> None:
    pattern = re.compile(r"/(?:home|root|work)/|https?://(?:pypi|files\.pythonhosted)")
    for path in [*ROOT.glob("*.md"), *ROOT.glob("requirements/*"), *ROOT.glob("docs/**/*.md")]:
        assert not pattern.search(path.read_text()), path


def test_the_readme_has_the_summary_of_the_studies() -> None:
    """Both are made by docs/generate.py from one report."""
    readme, page = (ROOT / "README.md").read_text(), (ROOT / "docs" / "studies.md").read_text()
    block = re.search(r"<!-- studies.*?-->\n(.*?)<!-- end of studies -->", readme, re.DOTALL)
    assert block is not None and "Minimax for the reversed game" in block.group(1)
    lead, table = block.group(1).split("\n\n", 1)
    assert lead in page and table in page
