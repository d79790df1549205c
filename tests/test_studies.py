"""Studies: the printed numbers are those of the papers, measures see games rightly, verdicts follow one rule."""

import csv
import json
import math
import re
import runpy
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from outflank.agents import identity
from outflank.arena.statistics.measured import Measured, share
from outflank.arena.store import Store, made_by
from outflank.board import Color, Position, Rules
from outflank.errors import BadSpec
from outflank.execute import Here
from outflank.formats import read_transcript
from outflank.game import Game, MoveNote, Spent, Termination
from outflank.game_loop import play as play_one
from outflank.interfaces.cli import main
from outflank.report.html import to_html
from outflank.report.markdown import to_markdown
from outflank.report.write import write
from outflank.studies import FUTURE_WORK, PAPERS, named_study
from outflank.studies.compare import Comparison, _gain, compare, judge, printed_sample, tally
from outflank.studies.document import document, documents
from outflank.studies.findings import StudyFindings, findings_of, headline
from outflank.studies.flat_montecarlo import printed_margins
from outflank.studies.games import address, game_pages, on_board
from outflank.studies.he_lin import ALONE, likelihood, playouts_in
from outflank.studies.he_reversed import late_moves
from outflank.studies.phan_synytsia import BOTH, LOSES, MADE, NONE, NOT_MADE, _with_options, clocked
from outflank.studies.provenance import provenance_facts
from outflank.studies.reproduction import cell_of
from outflank.studies.results import Played, Results
from outflank.studies.run import _different, pairs_of, plan_of, play, read_scale, results_of, seconds_left
from outflank.studies.study import Pairing, PaperTable, Printed, Study, read_printed
from outflank.studies.toml import MEASURES, study_from
from support import ROOT, reference

ALL = (*PAPERS, FUTURE_WORK, "he-lin-seconds")


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
    one = named_study(study)
    known = {
        (str(value["line"]), value["printed"]) for value in json.loads(reference(theirs).read_text())["text_values"]
    }
    assert {(number.line, number.printed) for number in one.text_numbers} == known
    tables = {table.table for table in one.paper_tables}
    for number in one.text_numbers:
        assert number.where and number.what in ("compared", "input", "not compared")
        if number.what == "compared" and not number.where.startswith("claim: "):
            assert re.split(r"[,;:]", number.where)[0] in tables


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
    for name in PAPERS:
        one = named_study(name)
        scales = ("quick", 1.0, 2.0, "large")
        quick, paper, double, large = ({slot.key for slot in plan_of([one], scale).slots()} for scale in scales)
        assert quick <= paper <= double and len(paper) < len(double)
        assert paper <= large


def test_large_has_400_games_a_cell_unless_a_game_takes_more_than_a_second() -> None:
    for name in PAPERS:
        for pairing in named_study(name).pairings:
            assert 2 * pairs_of(pairing, "large") >= (400 if pairing.seconds <= 1 else max(pairing.games, 12)), pairing


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


# -------------------------------------------------------------------------------------------------------- wrong agents


@pytest.fixture(scope="module")
def minimax_against_random() -> StudyFindings:
    """Some rows of He & Lin's Table II, with 300 games a cell, and wrong agents in their place."""
    one = named_study("he-lin")
    names = ["simple 2", "simple 3", "complex 3", "complex 4"]
    part = replace(
        one,
        pairings=tuple(replace(p, games=300) for p in one.pairings if p.name in names),
        printed=tuple(cell for cell in one.printed if cell.table == "Table II" and cell.row in names),
        swaps=tuple(replace(swap, tables=("Table II",)) for swap in one.swaps if "Table II" in swap.tables),
        claims=(),
        readings=(),
    )
    with Store(":memory:") as store:
        play([part], 1.0, store, Here())
        games = {game.tags["key"]: game for game in store.games()}
    return findings_of(part, lambda study: results_of(study, 1.0, games, {}))


def test_the_right_agents_stand_and_random_ones_collapse(minimax_against_random: StudyFindings) -> None:
    [table] = minimax_against_random.tables
    right = tally(table.cells)
    assert right.informative >= 3 and right.equivalent >= right.informative / 2 and not right.differ
    random = next(wrong for wrong in table.wrong if wrong.name == "random for minimax")
    assert random.tally.informative >= 3 and random.tally.equivalent < 0.1 * random.tally.informative
    assert random.caught and random.ratio > 100
    shown = headline([minimax_against_random])
    assert shown["equivalent"] == right.equivalent and shown["uninformative_differ"] == 0


def test_which_wrong_agents_are_caught_is_told(minimax_against_random: StudyFindings) -> None:
    [table] = minimax_against_random.tables
    caught = {wrong.name: wrong.caught for wrong in table.wrong}
    assert set(caught) == {"random for minimax", "simple for complex", "depth 3 for every depth"}
    facts = headline([minimax_against_random])
    assert (facts["caught"], facts["wrong_agents"], facts["fitted"]) == (sum(caught.values()), 3, 0)
    page = document([minimax_against_random], {})
    assert f"caught in {facts['caught']} of 3 trials" in page.lead
    assert "with random for minimax: caught" in to_markdown(page)


def test_several_studies_have_a_page_each_and_the_first_has_their_pictures(
    minimax_against_random: StudyFindings, tmp_path: Path
) -> None:
    other = replace(minimax_against_random, study=replace(minimax_against_random.study, name="again", title="Again"))
    whole, pages = documents([minimax_against_random, other], {})
    assert list(pages) == ["index", "he-lin", "again"]
    first = write(whole, tmp_path, pages).read_text()
    assert first.index("agreement-he-lin") < first.index("agreement-again") < first.index("<table")
    for name in ("he-lin", "again"):
        assert f'href="{name}.html"' in first
        assert "Table II" in (tmp_path / f"{name}.html").read_text() and "Table II" not in first
    assert "Table II" in (tmp_path / "report.md").read_text()
    alone, pages = documents([minimax_against_random], {})
    assert pages == {"index": alone}


def test_every_cell_leads_to_its_games_and_they_open_on_the_board(
    minimax_against_random: StudyFindings, tmp_path: Path
) -> None:
    one = minimax_against_random
    whole, pages = documents([one], {})
    page = write(whole, tmp_path, {**pages, **game_pages([one])}).read_text()
    for cell in one.comparisons:
        link = address(one, [cell.printed.row])
        assert page.count(f'href="{link}"') >= 2  # in the printed table and in the list of all games
        listed = re.findall(r'href="(\.\./\.\./\.\./#[^"]*)"', (tmp_path / link).read_text())
        games = [played.game for played in one.results[cell.printed.row]]
        assert listed == [escape(on_board(game)) for game in games] and len(games) == cell.ours.games  # type: ignore[union-attr]
    parts = dict(parse_qsl(on_board(games[0]).partition("#")[2]))
    assert Game.of(Position.start(parts["rules"].replace("-", " ")), parts["moves"]).moves == games[0].moves


def test_a_number_of_several_pairings_leads_to_a_page_that_names_them() -> None:
    one = named_study("phan-synytsia")
    finished = replace(play_one("random", "random", Position.start(SMALL)), tags={"key": "k"})
    results = Results({pairing.name: [Played(finished, Color.BLACK)] for pairing in one.pairings}, {})
    found = findings_of(replace(one, swaps=(), readings=()), lambda _: results)
    pages = game_pages([found])
    cell = next(cell for cell in one.printed if cell.table == "Table 2")
    names = next(table for table in one.paper_tables if table.table == "Table 2").behind(cell).pairings
    text = to_html(pages[address(found, names).removesuffix(".html")])
    assert len(names) == 4 and all(name in text for name in names)
    linked = re.findall(r'href="(phan-synytsia-\w+)\.html"', "".join(map(to_html, pages.values())))
    assert linked and {f"games/{each}" for each in linked} <= set(pages)
    assert address(found, []) == address(found, ["nobody against nobody"]) == ""


def test_every_number_has_its_provenance(minimax_against_random: StudyFindings) -> None:
    one = minimax_against_random
    facts = json.loads(json.dumps(provenance_facts(one)))
    assert [number["games"] for number in facts["numbers"]] == [
        cell.ours.games for cell in one.comparisons if cell.ours
    ]
    for number in facts["numbers"]:
        [name] = number["pairings"]
        source, pairing = facts["pairings"][name], next(each for each in one.study.pairings if each.name == name)
        assert [source["first"], source["second"]] == [identity(pairing.a), identity(pairing.b)]
        assert source["games"] == len(source["seeds"]) == len(set(source["keys"])) == 300
        assert source["different"] == number["different"] <= 300 and source["made"] == {made_by(): 300}
    text = to_markdown(document([one], {}))
    assert "[Games and provenance](#he-lin-games)" in text and '<a id="he-lin-games"></a>' in text
    assert made_by() in text


def test_numbers_of_timings_name_them() -> None:
    one = named_study("he-reversed")
    results = Results({}, {timing.name: [1.0, 2.0] for timing in one.timings})
    facts = provenance_facts(findings_of(replace(one, swaps=(), readings=()), lambda _: results))
    named = {number["row"]: number["timings"] for number in facts["numbers"] if number["table"] == "Table 4"}
    assert named["positional / none"] == ["order positional", "order none"]
    assert facts["timings"]["order none"]["samples"] == [1.0, 2.0] and facts["timings"]["order none"]["machine"]


def test_documents_are_renewed_from_a_report(minimax_against_random: StudyFindings, tmp_path: Path) -> None:
    """docs/generate.py keeps the picture of every paper, and its links lead inside the document."""
    generate = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    other = replace(minimax_against_random, study=replace(minimax_against_random.study, name="again"))
    report = to_markdown(document([minimax_against_random, other], {}))
    page, summary = generate["studies_page"](report), generate["summary"](report)
    assert page.count("](pictures/agreement-") == 2 and "](figures/" not in page
    assert "(#he-lin)" in page and '<a id="he-lin">' in page and ".html)" not in page
    assert "](docs/pictures/agreement-he-lin.svg)" in summary and summary.count("\n|") >= 4


def test_a_reading_with_fewer_games_is_no_worse_for_that() -> None:
    """The same share of fewer games explains a printed number as well: both are taken to have the fewer."""
    printed = Printed("T", "r", "c", "50 %", 0.5, "share", "1", 50, None)
    many, few, other = (
        Comparison(printed, Measured("share", value, games), "compatible", None, "")
        for value, games in ((0.5, 400), (0.5, 20), (0.8, 400))
    )
    assert _gain(many, few) == pytest.approx(0.0)
    assert (_gain(many, other) or 0.0) < -5
    far = Printed("T", "r", "c", "154", 154.0, "discs", "1", 1, None)
    many, few = (Comparison(far, Measured("mean", 66.0, games, 6.0), "differs", None, "") for games in (40, 10))
    assert _gain(many, few) == pytest.approx(0.0)  # 15 deviations off, whichever has more games


def test_fitted_numbers_are_no_evidence() -> None:
    """With a game for every pairing nothing that chose a reading, or is a sum or copy, is counted."""
    for name in PAPERS:
        one = named_study(name)
        for cell in compare(one, Results({}, {})):
            assert not cell.counts
        assert any(cell.fitted for cell in one.printed)
    sums = {cell.fitted for cell in named_study("phan-synytsia").printed if cell.column == "average"}
    assert sums == {"the mean of its row"}


def test_other_options_of_phan_and_synytsia_begin_with_their_presets() -> None:
    """What a reading changes is the option alone."""
    plain, one = _with_options(), named_study("phan-synytsia")
    agents = {pairing.name: (identity(pairing.a), identity(pairing.b)) for pairing in one.pairings}
    assert all(agents[pairing.name] == (identity(pairing.a), identity(pairing.b)) for pairing in plain.pairings)
    free = _with_options(minimax=", pass_costs_depth=no").pairings[0]
    assert "pass_costs_depth=no" in identity(free.a) and identity(free.b) == agents[free.name][1]


def test_wrong_agents_keep_the_names_of_the_right_ones() -> None:
    for name in PAPERS:
        one = named_study(name)
        assert one.swaps
        for swap in one.swaps:
            changed = one.swapped(swap)
            assert [pairing.name for pairing in changed.pairings] == [pairing.name for pairing in one.pairings]
            assert changed.pairings != one.pairings
    with pytest.raises(BadSpec, match="unknown tables"):
        replace(one, swaps=(replace(one.swaps[0], tables=("Table 99",)),))


# ----------------------------------------------------------------------------------------------------- from end to end

_TOML = """
title = "Greed"
summary = "Does greed pay?"
[[pairings]]
name = "greedy against random"
a = "greedy"
b = "random"
games = 20
size = 4
openings = "start"
[[printed]]
pairing = "greedy against random"
measure = "wins"
value = 0.5
games = 10
[[printed]]
pairing = "greedy against random"
measure = "discs"
value = 15.9
games = 1000
[[claims]]
text = "Greed pays"
above = ["greedy against random"]
"""


def test_a_study_of_ones_own_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "greed.toml").write_text(_TOML)
    out = tmp_path / "out"
    command = [
        "study",
        str(tmp_path / "greed.toml"),
        "--scale",
        "paper",
        "--out",
        str(out),
        "--workers",
        "1",
        "--json",
    ]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["report"] == str(out / "index.html")
    [one] = found["studies"]
    assert [cell["games"] for cell in one["printed"]] == [20, 20]
    assert one["printed"][1]["verdict"] == "differs"
    assert len(one["printed"][0]["accepted"]) == 2
    assert one["conclusions"][0]["claim"] == "Greed pays"
    assert json.loads((out / "summary.json").read_text())["numbers"] == found["numbers"]
    page = (out / "index.html").read_text()
    assert "Greed pays" in page and "greedy against random" in page
    assert json.loads((out / "games" / "greed.json").read_text())["numbers"][0]["games"] == 20
    with (out / "tables" / "greed-games.csv").open() as file:
        assert next(csv.DictReader(file))["games"] == "20"
    with Store(out / "games.db") as store:
        before = store.count()
    assert main(command) == 0
    with Store(out / "games.db") as store:
        assert store.count() == before == 20


def test_the_same_numbers_after_an_interruption(tmp_path: Path) -> None:
    """Games stored in two runs, the first broken off, give the numbers of one run."""

    class Enough(Exception):
        pass

    def stop_after(games: int) -> object:
        left = games

        def on_game() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise Enough

        return on_game

    pairing = Pairing("m", "greedy", "random", 30, Rules(4))
    printed = (Printed("T", "m", "wins", "0.6", 0.6, "share", "1", 30, None),)
    measure = PaperTable("T", "t", lambda results, row, column: share([game.won for game in results[row]]))
    one = Study("s", "t", "c", "s", (pairing,), (measure,), printed)

    def numbers(path: Path) -> list[dict[str, object]]:
        with Store(path) as store:
            games = {game.tags["key"]: game for game in store.games()}
        return [comparison.facts() for comparison in compare(one, results_of(one, 1.0, games, {}))]

    with Store(tmp_path / "whole.db") as store:
        play([one], 1.0, store, Here())
    with Store(tmp_path / "broken.db") as store:
        with pytest.raises(Enough):
            play([one], 1.0, store, Here(), stop_after(11))  # type: ignore[arg-type]
        assert store.count() == 11
        play([one], 1.0, store, Here())
    assert numbers(tmp_path / "whole.db") == numbers(tmp_path / "broken.db")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"titel": "x"}, "titel"),
        ({"title": 3}, "title"),
        ({"pairings": [{"name": "m"}]}, "missing"),
        ({"pairings": [{"name": "m", "a": "random", "b": "random", "games": 0}]}, "games = 0 is not possible"),
        ({"printed": [{"pairing": "x", "measure": "wins", "value": 1}]}, "'x' is not known"),
        ({"printed": [{"pairing": "m", "measure": "luck", "value": 1}]}, "luck"),
        ({"printed": [{"pairing": "m", "measure": "wins", "value": 3, "games": 2}]}, "from 0 to 1"),
        ({"claims": [{"text": "t", "above": ["m", "m", "m"]}]}, "one or two"),
        ({"claims": [{"text": "t", "above": []}]}, "above = []"),
        ({"titel": "x"}, "did you mean title"),
        ({"printed": [{"pairing": "m", "measure": "discs", "value": float("nan")}]}, "a number from 0"),
        ({"printed": [{"pairing": "m", "measure": "discs", "value": 30, "spread": -1}]}, "above 0"),
        ({"printed": [{"pairing": "m", "measure": "discs", "value": 30}] * 2}, "twice"),
    ],
)
def test_bad_studies_are_explained(change: dict[str, object], message: str) -> None:
    good = {"title": "t", "pairings": [{"name": "m", "a": "random", "b": "greedy", "games": 2}]}
    with pytest.raises(BadSpec, match=re.escape(message)):
        study_from(good | change, "s")


def test_pairs_play_both_colours() -> None:
    assert pairs_of(Pairing("m", "a", "b", 25), 1.0) == 13
    assert pairs_of(Pairing("m", "a", "b", 25, quick=4), "quick") == 2
    assert pairs_of(Pairing("m", "a", "b", 1), 0.001) == 1


def test_the_documented_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "writing-a-study.md").read_text()
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert example is not None
    (tmp_path / "depth.toml").write_text(example.group(1))
    file = str(tmp_path / "depth.toml")
    assert main(["study", file, "--scale", "0.02", "--out", str(tmp_path / "out"), "--workers", "1"]) == 0
    assert "report:" in capsys.readouterr().out
    assert all(f"`{name}`" in text for name in MEASURES)


def test_one_cell_is_played_on_demand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["reproduce", "--study", "phan-synytsia", "--cell", "Table 9/4x4, depth 3/iterations 10", "--games", "30"]
    assert main([*command, "--out", str(out), "--workers", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["games"], found["printed"], found["line"]) == (30, "33.33%", "273")
    assert found["pairings"] == ["4x4, depth 3, iterations 10"] and found["verdict"] in ("compatible", "differs")
    with Store(out / "games.db") as store:
        assert store.count() == 30
    again = ["--games", "32", "--out", str(out), "--workers", "1"]
    assert main([*command[:-2], *again]) == 0
    assert "32 games" in capsys.readouterr().out
    with Store(out / "games.db") as store:
        assert store.count() == 32


def test_every_printed_number_but_times_can_be_played_on_demand() -> None:
    for name in PAPERS:
        one = named_study(name)
        for printed in one.printed:
            if printed.unit not in ("milliseconds", "ratio", "simulations"):
                part = cell_of(one, f"{printed.table}/{printed.row}/{printed.column}", 10)
                assert part.printed == (printed,) and 1 <= len(part.pairings) <= 4, printed


def test_repeated_games_are_no_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two agents that never draw lots play two games from the start, however many are asked for."""
    (tmp_path / "again.toml").write_text(
        'title = "Again"\n[[pairings]]\nname = "m"\na = "minimax(depth=2)"\nb = "minimax(depth=1)"\n'
        'games = 20\nsize = 4\nopenings = "start"\n'
        '[[printed]]\npairing = "m"\nmeasure = "wins"\nvalue = 0.5\ngames = 10\n'
    )
    command = ["study", str(tmp_path / "again.toml"), "--scale", "paper", "--out", str(tmp_path / "out")]
    assert main([*command, "--workers", "1", "--json"]) == 0
    printed = capsys.readouterr()
    [cell] = json.loads(printed.out)["studies"][0]["printed"]
    assert cell["games"] == 2
    assert "only 2 of 20 games are different" in printed.err
    with (tmp_path / "out" / "numbers.csv").open() as file:
        assert [row["verdict"] for row in csv.DictReader(file)] == [cell["verdict"]]


def test_chance_repetitions_all_count() -> None:
    same, other = stored("c4b4a1d2d4"), stored("c4b4a1d2d4d3")
    games = [Played(game, Color.BLACK) for game in (same, same, same, other)]
    assert len(_different(games)) == 4
    assert len(_different(games[:3])) == 1
