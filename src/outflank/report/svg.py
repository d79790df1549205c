"""A picture of `report.figures` inside a page: the page's colours, ids of its own, words for who cannot see it."""

import re
from html import escape

from outflank.report.figures import GRID, INK, PALETTE, PAPER

_HEAD = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_OPENING = re.compile(r"<svg[^>]*?>", re.DOTALL)
_VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_REFERENCE = re.compile(r'(\bid="|href="#|url\(#)')
_COLOURS = {INK: "ink", GRID: "grid", PAPER: "paper"} | {colour: f"series{i}" for i, colour in enumerate(PALETTE)}
"""Colours as matplotlib writes them, in small letters, and their names in `report.style`."""
_PIXELS_PER_POINT = 4 / 3


def inline(picture: str, name: str, title: str, words: str = "") -> str:
    """An SVG of ours for use inside a page: with title and description, ids of its own and the page's colours."""
    body = _METADATA.sub("", _HEAD.sub("", picture))
    body = _REFERENCE.sub(rf"\g<1>{name}-", body)
    for colour, name_in_page in _COLOURS.items():
        body = body.replace(colour.lower(), f"var(--{name_in_page})")
    view = _VIEW.search(body)
    assert view is not None
    wide, high = (float(side) * _PIXELS_PER_POINT for side in view.groups())
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view.group(0)} '
        f'width="{wide:.0f}" height="{high:.0f}" role="img" aria-labelledby="{name}-title {name}-words">\n'
        f'<title id="{name}-title">{escape(title)}</title>\n<desc id="{name}-words">{escape(words or title)}</desc>'
    )
    return _OPENING.sub(lambda _: opening, body, count=1).strip()
