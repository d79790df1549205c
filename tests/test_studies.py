"""Studies: the printed numbers are those of the papers, measures see games rightly, verdicts follow one rule."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from outflank.arena.statistics.measured import Measured
from outflank.board import VARIANTS, Color, Position, Rules
from outflank.errors import BadSpec
from outflank.formats import read_transcript
from outflank.game import Game, MoveNote, Spent, Termination
from outflank.game_loop import play as play_one
from outflank.studies import BEYOND, FUTURE_WORK, PAPERS, learned, named_study
from outflank.studies.compare import compare, judge, printed_sample
from outflank.studies.document import document
from outflank.studies.findings import findings_of
from outflank.studies.flat_montecarlo import printed_margins
from outflank.studies.he_lin_rate import ALONE, likelihood, playouts_in
from outflank.studies.he_reversed import late_moves
from outflank.studies.phan_synytsia_games import BOTH, LOSES, MADE, NONE, NOT_MADE, clocked
from outflank.studies.results import Played, Results
from outflank.studies.run import pairs_of, plan_of, read_scale, seconds_left
from outflank.studies.study import Pairing, Printed, Study, read_printed, read_rows
from support import reference

ALL = (*PAPERS, FUTURE_WORK, *BEYOND, "he-lin-seconds")


SMALL = Rules(4)


def stored(moves: str, notes: tuple[MoveNote, ...] = (), points: float = 1.0) -> Game:
    spent = Spent(0, 1.5, 10, 0, 3, 0.5)
    return replace(
        read_transcript(moves, SMALL),
        black="a",
        white="b",
        termination=Termination.NORMAL,
        points=points,
        spent=(spent, spent),
        notes=notes,
        tags={"key": "k", "pair": "p"},
    )


# --------------------------------------------------------------------------------------------------- printed numbers


@pytest.mark.parametrize(
    ("ours", "theirs", "tables"),
    [("phan_synytsia.csv", "phan_synytsia.json", range(10)), ("he_lin.csv", "he_lin.json", range(3))],
)
def test_printed_numbers_are_those_of_the_papers(ours: str, theirs: str, tables: Sequence[int]) -> None:
    """Every number stands in the paper's table at the line that is named."""
    found = json.loads(reference(theirs).read_text())
    expected = sorted((cell["printed"], str(cell["line"])) for i in tables for cell in found["tables"][i]["cells"])
    assert sorted((cell.printed, cell.line) for cell in read_printed(ours) if cell.table != "Text") == expected


@pytest.mark.parametrize("name", ["phan_synytsia.csv", "he_lin.csv"])
def test_values_are_what_is_printed(name: str) -> None:
    for cell in read_printed(name):
        if cell.table == "Text":
            continue
        printed = float(cell.printed.rstrip("%"))
        if cell.printed.endswith("%"):
            printed /= 100
        if cell.table == "Table 10":
            printed /= 6
        assert cell.value == pytest.approx(printed, abs=5e-5), cell


_NOT_THE_AUTHORS = {"lost character", "OCR", "figures"}
"""Notes on the text version of a paper, not on what its authors wrote."""


REFERENCES = [
    ("phan-synytsia", "phan_synytsia.json"),
    ("he-lin", "he_lin.json"),
    ("flat-montecarlo", "pure_vs_heuristic_mcts.json"),
    ("he-reversed", "he_reversed_minimax.json"),
    ("tenshi", "tenshi_reversed_mcts.json"),
]


@pytest.mark.parametrize(("study", "theirs"), REFERENCES)
def test_every_known_contradiction_of_a_paper_is_among_its_errata(study: str, theirs: str) -> None:
    notes = json.loads(reference(theirs).read_text())["notes"]
    known = {" ".join(map(str, note["lines"])) for note in notes if note["kind"] not in _NOT_THE_AUTHORS}
    assert known <= {erratum.lines for erratum in named_study(study).errata}


@pytest.mark.parametrize(("study", "theirs"), REFERENCES)
def test_every_number_of_a_text_is_compared_or_an_input_or_told_why_not(study: str, theirs: str) -> None:
    """None is missing, and what is compared stands in a table or claim of that name."""
    one, found = named_study(study), json.loads(reference(theirs).read_text())
    known = {(str(value["line"]), value["printed"]) for value in found["text_values"]} | set(_inputs_of(found))
    assert {(number.line, number.printed) for number in one.text_numbers} == known
    tables = {table.table for table in one.paper_tables}
    for number in one.text_numbers:
        assert number.where and number.what in ("compared", "input", "not compared")
        if number.what == "compared" and not number.where.startswith("claim: "):
            assert re.split(r"[,;:]", number.where)[0] in tables


def _inputs_of(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Lines and numbers of matrices, of tables that have no results (notations, versions), and of lists of games."""
    for matrix in found.get("weights", {}).get("matrices", {}).values():
        for place, row in enumerate(matrix["printed_rows"] or ()):
            yield str(matrix["lines"][0] + place), row
    for table in found["tables"]:
        for row in table.get("rows", ()) if table["id"] in ("T1", "T2") else ():
            texts = [row["printed"]] if isinstance(row["printed"], str) else row["printed"]
            yield from ((str(row["line"]), text) for text in texts if re.search(r"\d", text))
        yield from ((str(game["line"]), " ".join(game["printed"])) for game in table.get("games", ()))


def test_the_tables_of_the_other_papers_are_complete() -> None:
    """Those of Zean He, and of the paper on flat Monte Carlo, line by line."""
    tables = {table["id"]: table for table in json.loads(reference("he_reversed_minimax.json").read_text())["tables"]}
    expected = {(cell["printed"], str(cell["line"])) for cell in tables["T3"]["cells"]}
    expected |= {(row["printed"].replace(r"\pm", "±"), str(row["line"])) for row in tables["T4"]["rows"]}
    expected |= {(text, str(row["line"])) for row in tables["T5"]["rows"] for text in row["printed"]}
    assert expected <= {(cell.printed, cell.line) for cell in read_printed("he_reversed.csv")}
    thousand, sixty = json.loads(reference("pure_vs_heuristic_mcts.json").read_text())["tables"]
    cells = [cell for cell in read_printed("flat_montecarlo.csv") if cell.table == "1000 games"]
    assert [(cell.printed, cell.line) for cell in cells] == [
        (cell["printed"], str(cell["line"])) for cell in thousand["cells"]
    ]
    assert [tuple(map(int, row.values())) for row in read_rows("sixty_games.csv")] == [
        (game["game"], game["line"], game["heuristic_pieces"], game["pure_pieces"]) for game in sixty["games"]
    ]


def test_errata_with_numbers_are_those_of_the_tables() -> None:
    """7.5 million in the text is 745,303 in the table, and the turned discs of one game need 62 placements."""
    nodes = next(cell for cell in read_printed("phan_synytsia.csv") if cell.printed == "745303")
    assert nodes.line in next(one for one in named_study("phan-synytsia").errata if "7.5" in one.says).lines
    cells = {cell.column: cell.value for cell in read_printed("he_reversed.csv") if cell.row == "position"}
    turned_for, turned_away = cells["discs turned of ancestor"], cells["discs turned of final"]
    assert cells["discs of final"] - 2 - turned_for + turned_away == 62


def test_sixty_games_add_up() -> None:
    cells = {(cell.row, cell.column): cell for cell in read_printed("flat_montecarlo.csv") if cell.table == "60 games"}
    assert cells["total", "wins of heuristic"].value == pytest.approx(50 / 60, abs=1e-6)
    assert cells["total", "discs of heuristic"].value == pytest.approx(38.25)
    assert cells["total", "discs of pure"].value == pytest.approx(25.7333, abs=1e-4)
    margins = printed_margins()
    assert len(margins) == 60 and sum(margin > 0 for margin in margins) == 50
    assert sum(margins) / 60 == pytest.approx(38.25 - 25.7333, abs=1e-4)


# ------------------------------------------------------------------------------------------------------ declarations


@pytest.mark.parametrize("name", ALL)
def test_every_printed_number_has_a_measure_and_nothing_breaks_without_games(name: str) -> None:
    one = named_study(name)
    empty = Results({}, {})
    assert {comparison.verdict for comparison in compare(one, empty)} <= {"not played"}
    assert all(judgement.outcome == "undecided" for judgement in judge(one, empty))
    assert document([findings_of(one, lambda _: empty)], {}).title


@pytest.mark.parametrize("name", ALL)
def test_every_printed_number_is_measured_once_all_pairings_have_games(name: str) -> None:
    """Also a measure that reads games wrongly, or a row that is no pairing's name, is found without playing a study."""
    one = named_study(name)
    sizes = {pairing.rules for pairing in one.pairings}
    finished = {
        rules: replace(play_one("random", "random", Position.start(rules)), tags={"key": "k"}) for rules in sizes
    }
    games = {pairing.name: [Played(finished[pairing.rules], color) for color in Color] for pairing in one.pairings}
    results = Results(games, {timing.name: [1.0, 2.0, 3.0] for timing in one.timings})
    unmeasured = [cell.printed for cell in compare(one, results) if cell.ours is None]
    assert not unmeasured, "the measure of its PaperTable finds no games: is the row or column misspelt?"
    assert len(judge(one, results)) == len(one.claims)
    found = findings_of(one, lambda _: results)
    assert sum(len(table.wrong) for table in found.tables) == sum(len(swap.tables) for swap in one.swaps)
    assert all(any(gains.values()) or gains for reading in found.readings for gains in reading.gains.values())


def test_late_moves_are_told_from_nodes_at_the_pace_of_table_4() -> None:
    """A search of 1000 nodes takes 33.6 ms there: 5 s are 148,810 nodes."""
    notes = tuple(MoveNote(nodes=number) for number in (149_000, 999_999, 10, 999_999, 15_000))
    game = Played(stored("c4b4a1d2d4", notes), Color.BLACK)
    counted = {"nodes with five terms": [0.0, 60_000.0, 0.0]}
    results = Results({"final against position": [game]}, counted)
    assert [getattr(late_moves(results, slower), "value", None) for slower in (0.5, 1, 10)] == [0, 1, 2]
    assert (
        late_moves(Results({}, counted)) is None and late_moves(Results({"final against position": [game]}, {})) is None
    )


def test_every_printed_time_is_measured_from_a_timing() -> None:
    one = named_study("he-reversed")
    results = Results({}, {timing.name: [1.0, 2.0] for timing in one.timings})
    timed = [cell for cell in compare(one, results) if cell.printed.table in ("Table 3", "Table 4")]
    assert timed and all(cell.ours is not None for cell in timed)
    assert next(found for found in judge(one, results) if "order" in found.claim.text).evidence.count("ms") == 2


@pytest.mark.parametrize("name", ALL)
def test_every_pairing_can_be_planned(name: str) -> None:
    plan = plan_of([named_study(name)], "quick")
    keys = [slot.key for slot in plan.slots()]
    assert len(keys) == len(set(keys)) == plan.games


def test_a_larger_scale_has_the_games_of_a_smaller_one() -> None:
    for name in ("flat-montecarlo", "he-reversed", "tenshi"):  # those whose plans are made in a moment
        one = named_study(name)
        scales = ("quick", 1.0, 2.0, "large")
        quick, paper, double, large = ({slot.key for slot in plan_of([one], scale).slots()} for scale in scales)
        assert quick <= paper <= double and len(paper) < len(double)
        assert paper <= large


def test_large_has_400_games_a_cell_unless_a_game_takes_more_than_a_second() -> None:
    for name in PAPERS:
        for pairing in named_study(name).pairings:
            assert 2 * pairs_of(pairing, "large") >= (400 if pairing.seconds <= 1 else max(pairing.games, 12)), pairing


def test_matches_of_networks_are_recorded_for_every_board_and_ask_what_the_papers_asked() -> None:
    tables = {table.name: table for table in learned.tables(Results({}, {}))}
    rows = tables["networks"].rows
    assert {row[0] for row in rows} == {f"{variant} {size}x{size}" for variant in VARIANTS for size in (6, 8)}
    assert {row[3] for row in rows} >= {
        "equal playouts",
        "equal time",
        "10 times the playouts",
        "100 times the playouts",
    }
    assert all("of" in str(row[4]) and "games" in str(row[4]) for row in rows)
    games = [int(str(row[1]).replace(",", "")) for row in tables["growth of networks"].rows if row[0] == "standard 6x6"]
    assert games == sorted(games) and len(games) == 5


def test_large_is_planned_to_take_less_than_half_an_hour_of_two_cores() -> None:
    """By the seconds that are declared for every pairing."""
    assert seconds_left([named_study(name) for name in (*PAPERS, FUTURE_WORK)], "large", ()) < 2 * 30 * 60


def test_phan_synytsia_plays_288_games_at_paper_scale() -> None:
    plan = plan_of([replace(named_study("phan-synytsia"), swaps=(), readings=())], 1.0)
    assert plan.games == 288
    assert {pairing.pairs for pairing in plan.pairings} == {3}


@pytest.mark.parametrize("text", ["", "fast", "0", "-1", "nan", "inf", "1e9"])
def test_scales_that_are_none(text: str) -> None:
    with pytest.raises(BadSpec):
        read_scale(text)


def test_pairings_of_one_name_are_refused() -> None:
    pairing = Pairing("m", "random", "greedy", 2)
    with pytest.raises(BadSpec, match="called the same"):
        Study("s", "t", "c", "s", (pairing, pairing))


def test_numbers_that_nothing_measures_are_refused() -> None:
    cell = Printed("Table 1", "r", "c", "1", 1.0, "share", "1", 1, None)
    with pytest.raises(BadSpec, match="nothing measures"):
        Study("s", "t", "c", "s", (), printed=(cell,))


# ---------------------------------------------------------------------------------------------------------- measures


def test_speeds_are_not_compared() -> None:
    cell = Printed("T", "r", "c", "30 s", 30.0, "seconds", "1", 24, None)
    assert printed_sample(cell, Measured("speed", 0.001, 10)) is None


def test_a_spread_that_is_not_printed_is_ours() -> None:
    cell = Printed("T", "r", "c", "40", 40.0, "discs", "1", 25, None)
    found = printed_sample(cell, Measured("mean", 41.0, 400, 10.0))
    assert found is not None and (found.error, found.degrees) == (2.0, 399)
    exact = printed_sample(replace(cell, games=None, spread=0.5), Measured("mean", 41.0, 400, 10.0))
    assert exact is not None and (exact.error, exact.degrees) == (0.5, math.inf)


# ------------------------------------------------------------------------------------------------------------- games


def test_played_is_seen_by_the_first_agent() -> None:
    moves = "c4b4a1d2d4d3a2c1a4a3b1pad1"
    game = stored(moves, points=1.0)
    black, white = Played(game, Color.BLACK), Played(game, Color.WHITE)
    assert (black.won, white.won) == (True, False)
    assert black.own == white.opposing == game.discs[0]
    assert black.effort().moves + black.effort(False).moves == 12  # the pass is no move
    placed = [move for move in black.moves if move != 16]
    assert black.turned(True) + black.turned(False) == sum(
        abs(black.after(i + 1).discs(Color.BLACK) - black.after(i).discs(Color.BLACK)) - (color is Color.BLACK)
        for i, (color, move) in enumerate(black.colored_moves())
        if move in placed
    )


def test_games_are_replayed_to_their_first_pass_and_their_choices_counted() -> None:
    game = Played(stored("c4b4a1d2d4d3a2c1a4a3b1pad1"), Color.BLACK)
    assert game.first_pass == game.after(11) and [move.is_pass for move in game.first_pass.moves] == [True]
    assert Played(stored("c4b4a1"), Color.BLACK).first_pass == game.after(3)
    positions = [game.after(ply) for ply in (*range(11), 12)]
    assert game.choices == sum(len(position.moves) for position in positions) / 12


def test_the_clock_of_phan_and_synytsia_cuts_games() -> None:
    """Ten nodes a move at 100 s a node: black's second move passes 30 minutes, however the clock is read."""
    moves = "c4b4a1d2d4"
    game = Played(stored(moves, notes=(MoveNote(0.0, depth=3, nodes=10),) * 5, points=0.0), Color.BLACK)
    free = clocked(game, (1.0, 1.0))
    assert not free.stopped and not free.won and free.nodes == (30, 20) and free.moves == (3, 2)
    cut = clocked(game, (100.0, 1.0), NOT_MADE)
    assert cut.stopped and cut.nodes == (20, 10) and cut.moves == (2, 1)
    assert cut.won is (game.after(2).score(Color.BLACK, "nobody") > 0)  # the late move is not made
    made = clocked(game, (100.0, 1.0), MADE)
    assert made.won is (game.after(3).score(Color.BLACK, "nobody") > 0)
    later = clocked(game, (100.0, 1.0))  # white answers, and black is not asked again
    assert later.stopped and later.nodes == (20, 20) and later.moves == (2, 2)
    assert later.won is (game.after(4).score(Color.BLACK, "nobody") > 0)
    assert clocked(game, (100.0, 1.0), LOSES).won is False and clocked(game, (1.0, 200.0), LOSES).won is True
    assert not clocked(game, (100.0, 1.0), NONE).stopped
    both = clocked(game, (60.0, 60.0), BOTH)
    assert both.stopped and both.nodes == (20, 20)
    other = clocked(game, (1.0, 200.0), NOT_MADE)
    assert other.stopped and other.nodes == (10, 10)


def test_the_fit_finds_the_speed_that_made_the_table() -> None:
    """On a curve made from Table I itself at 300 playouts a second, 300 is far likelier than 30 or 3000."""
    cells = {cell.row: cell.value for cell in read_printed("he_lin.csv") if cell.column == "win rate"}
    curve = [(max(1, round(300 * s)), min(0.99, cells[f"UCT {s:g} s"])) for s in ALONE if 300 * s > 1]
    assert likelihood(300, curve) > likelihood(30, curve) + 5
    assert likelihood(300, curve) > likelihood(3000, curve) + 5
    assert playouts_in(2) == 400
