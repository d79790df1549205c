"""The games behind a report's numbers: pages that list them, each game with a link that opens it on the board.

Every pairing has a page, and so has every group of pairings that a number or a claim is measured from, or a column of a
table with a wrong agent. The board is that of `outflank play --report DIR`, which serves the report below itself: pages
hold no scripts and no games twice.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from outflank.agents.names import short_name
from outflank.board import Color
from outflank.game import Game
from outflank.report.document import Cell, Document, Section, Table, Value, code, slug
from outflank.report.links import board_link
from outflank.studies.findings import Source, StudyFindings
from outflank.studies.results import Played, distinct
from outflank.studies.study import Pairing

_FOLDER = "games"
_BOARD = "../../../"
"""The server's first page, seen from `/reports/NAME/games/PAGE.html`."""
_OPENING = (
    "A game opens on the board where the report is read through `outflank play --report DIR`, with the directory of "
    "the report; `games.db` there has all of them by their keys."
)
_RESULTS = {1.0: "won", 0.5: "draw", 0.0: "lost"}


def address(one: Source, pairings: Iterable[str]) -> str:
    """Where a report lists the games of these pairings; empty while none has been played."""
    played = _played(one, pairings)
    return f"{_page_name(one, played)}.html" if played else ""


def game_pages(found: Iterable[StudyFindings]) -> dict[str, Document]:
    """Every page that `address` leads to, by its name."""
    pages: dict[str, Document] = {}
    for one in found:
        for source, names in _asked(one):
            group = _played(source, names)
            name = _page_name(source, group)
            if group and name not in pages:
                pages[name] = _pairing_page(source, group[0]) if len(group) == 1 else _group(source, group)
    return pages


def behind(one: Source, table: str, column: str | None = None) -> list[str]:
    """The pairings behind a column of a printed table, or behind all of it."""
    measured = next(each for each in one.study.paper_tables if each.table == table)
    cells = [cell for cell in one.study.printed if cell.table == table and column in (None, cell.column)]
    return [name for cell in cells for name in measured.behind(cell).pairings]


def on_board(game: Game) -> str:
    """The address of a game on the board, from a page of games.

    >>> from outflank.board import Position
    >>> on_board(Game.of(Position.start("standard 4x4"), "b1a1", black="random", white="minimax(depth=2)"))
    '../../../#view=analyse&rules=standard-4x4&moves=b1a1&black=random&white=minimax%28depth%3D2%29'
    """
    black, white = (_name(who) if who else "" for who in (game.black, game.white))
    return f"{_BOARD}{board_link(game, names=(black, white))}"


_name = lru_cache(maxsize=256)(short_name)


def _played(one: Source, pairings: Iterable[str]) -> tuple[str, ...]:
    """Those of the pairings that have games, in the order of the study."""
    wanted = set(pairings)
    return tuple(each.name for each in one.study.pairings if each.name in wanted and one.results[each.name])


def _page_name(one: Source, pairings: Sequence[str]) -> str:
    digest = hashlib.blake2b("\n".join(pairings).encode(), digest_size=4).hexdigest()
    return f"{_FOLDER}/{slug(one.study.name)}-{digest}"


def _asked(one: StudyFindings) -> Iterator[tuple[Source, Iterable[str]]]:
    """Pairings that belong together: each alone, those behind a number, a claim, or a column with a wrong agent."""
    study = one.study
    tables = {table.table: table for table in study.paper_tables}
    yield from ((one, tables[cell.table].behind(cell).pairings) for cell in study.printed)
    yield from ((one, claim.behind.pairings) for claim in study.claims)
    for source in one.swapped.values():
        places = {(cell.table, column) for cell in source.study.printed for column in (cell.column, None)}
        yield from ((source, behind(source, *place)) for place in places)
    for source in (one, *one.swapped.values()):
        yield from ((source, [pairing.name]) for pairing in source.study.pairings)


def _group(one: Source, pairings: Sequence[str]) -> Document:
    rows: list[list[Value]] = []
    for name in pairings:
        games, link = one.results[name], address(one, [name]).removeprefix(f"{_FOLDER}/")
        rows.append([Cell(name, link=link), len(games), distinct(games)])
    table = Table(["pairing", "games", "different"], rows, "Pairings, each with its games")
    lead = f"Games of {len(pairings)} pairings are behind this number, claim or row. [The report](../index.html)"
    return Document(one.study.title, lead, [Section("Games", [table])])


def _pairing_page(one: Source, name: str) -> Document:
    pairing, games = next(each for each in one.study.pairings if each.name == name), one.results[name]
    rows = [_row(number, game) for number, game in enumerate(games, start=1)]
    columns = ["game", "black is", "discs", "first agent", "moves", "ending", "seed", "key"]
    note = "Discs of black and white at the end; moves after the opening, without passes."
    table = Table(columns, rows, f"{len(games):,} games, {distinct(games):,} of them different", note)
    lead = f"{_agents(pairing)}, {pairing.rules}, openings {code(pairing.openings)}. [The report](../index.html)"
    return Document(f"{one.study.title}: {name}", f"{lead}\n\n{_OPENING}", [Section("Games", [table])])


def _agents(pairing: Pairing) -> str:
    return f"First agent {code(pairing.a)}, second agent {code(pairing.b)}"


def _row(number: int, played: Played) -> list[Value]:
    game, (black, white) = played.game, played.game.discs
    return [
        Cell(str(number), link=on_board(game)),
        "first" if played.color is Color.BLACK else "second",
        f"{black}:{white}",
        _RESULTS[played.points],
        sum(effort.moves for effort in played.efforts),
        str(game.termination),
        str(game.seed),
        game.tags["key"],
    ]
