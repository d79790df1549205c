"""Going on with what an earlier run left: the same command may, another may not."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from outflank.errors import BadSpec
from outflank.inputs import MOST_IN_TEXT, open_file, shown


def check_same(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raises BadSpec where what lies at `path` was made with other settings than those wanted now.

    >>> check_same(Path("games.txt"), {"seed": 1}, {"seed": 2})
    Traceback (most recent call last):
    outflank.errors.BadSpec: games.txt was made with seed=1, not 2; expected the same command as before, or another name
    """
    for key, value in wanted.items():
        if found.get(key) != value:
            raise BadSpec(
                f"{path} was made with {key}={shown(found.get(key), 200)}, not {shown(value, 200)}; expected the same "
                "command as before, or another name"
            )


def read_facts(path: Path, command: str) -> dict[str, Any]:
    """The JSON object in a file that this command of ours wrote.

    >>> read_facts(Path("/dev/null"), "outflank selfplay")
    Traceback (most recent call last):
    outflank.errors.BadSpec: /dev/null is a pipe or a device; expected a plain file
    """
    with open_file(path) as file:
        content = file.read(MOST_IN_TEXT)
    try:
        found = json.loads(content)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise BadSpec(f"{path} is damaged; expected what {command} wrote, or no file")
    return found
