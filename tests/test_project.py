"""Promises about the project itself: versions agree, everything public is documented by example."""

import importlib
import inspect
import pkgutil
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
    for name, module in outflank._HOMES.items():
        assert hasattr(importlib.import_module(module), name)


def test_every_name_of_the_front_door_is_listed_once_and_offered() -> None:
    source = (ROOT / "src/outflank/__init__.py").read_text()
    listed = re.findall(r"^    from outflank\S* import (\w+)", source, re.MULTILINE)
    assert len(listed) == len(set(listed)) > 50
    assert set(outflank.__all__) == {"__version__", *listed}


def packages() -> list[str]:
    found = pkgutil.walk_packages(outflank.__path__, "outflank.")
    return ["outflank", *(module.name for module in found if module.ispkg)]


@pytest.mark.parametrize("package", packages())
def test_no_public_function_hides_a_module_of_the_same_name(package: str) -> None:
    home = importlib.import_module(package)
    for module in pkgutil.iter_modules(home.__path__):
        if module.name != "__main__":
            found = importlib.import_module(f"{package}.{module.name}")
            assert getattr(home, module.name) is found


def test_tracked_text_names_no_machine() -> None:
    pattern = re.compile(r"/(?:home|root|work)/|https?://(?:pypi|files\.pythonhosted)")
    for path in [*ROOT.glob("*.md"), *ROOT.glob("requirements/*"), *ROOT.glob("docs/**/*.md")]:
        assert not pattern.search(path.read_text()), path


def test_the_readme_has_the_summary_of_the_studies() -> None:
    """Both are made by docs/generate.py from one report."""
    readme, page = (ROOT / "README.md").read_text(), (ROOT / "docs" / "studies.md").read_text()
    block = re.search(r"<!-- studies.*?-->\n(.*?)<!-- end of studies -->", readme, re.DOTALL)
    assert block is not None and "Minimax for the reversed game" in block.group(1)
    lead, rest = block.group(1).split("\n\n", 1)
    assert lead in page and rest.split("\n\n")[0] in page
