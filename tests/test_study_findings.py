"""Verdicts and reports of studies: wrong agents are caught, every number leads to its games and its provenance."""

import json
import re
import runpy
from dataclasses import replace
from html import escape
from os.path import normpath
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from outflank.agents import identity
from outflank.arena.statistics.measured import Measured
from outflank.arena.store import Store, made_by
from outflank.board import Color, Position, Rules
from outflank.errors import BadSpec
from outflank.execute import Here
from outflank.game import Game
from outflank.game_loop import play as play_one
from outflank.report.html import to_html
from outflank.report.markdown import to_markdown
from outflank.report.write import write
from outflank.studies import PAPERS, named_study
from outflank.studies.compare import Comparison, _gain, compare, tally
from outflank.studies.document import document, documents
from outflank.studies.findings import StudyFindings, findings_of, headline
from outflank.studies.games import address, game_pages, on_board
from outflank.studies.phan_synytsia import _with_options
from outflank.studies.provenance import provenance_facts
from outflank.studies.results import Played, Results
from outflank.studies.run import play, results_of, views_of
from outflank.studies.study import Printed, Study
from support import ROOT


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
        games = views_of(store)
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


def part_of(name: str, table: str, swap: str, rows: str, columns: str, games: int) -> Study:
    """Some rows and columns of a printed table, with so many games of every pairing and one wrong agent."""
    one = named_study(name)
    measured = next(each for each in one.paper_tables if each.table == table)
    cells = [
        cell
        for cell in one.printed
        if cell.table == table and re.fullmatch(rows, cell.row) and re.fullmatch(columns, cell.column)
    ]
    behind = {pairing for cell in cells for pairing in measured.behind(cell).pairings}
    return replace(
        one,
        pairings=tuple(replace(each, games=games) for each in one.pairings if each.name in behind),
        printed=tuple(cells),
        swaps=tuple(replace(each, tables=(table,)) for each in one.swaps if each.name == swap),
        claims=(),
        readings=(),
    )


def right_and_wrong(part: Study) -> tuple[StudyFindings, StudyFindings]:
    """What is found with the right agents, and what would be found were the wrong ones taken for them."""
    with Store(":memory:") as store:
        play([part], 1.0, store, Here())
        games = views_of(store)
    [swap] = part.swaps
    right, wrong = (
        findings_of(one, lambda each: results_of(each, 1.0, games, {})) for one in (part, part.swapped(swap))
    )
    return right, wrong


PARTS = [
    ("phan-synytsia", "Table 6", "random for minimax", "8x8", "depth [34]", 6),
    ("phan-synytsia", "Table 8", "100 iterations for every number", "8x8", "iterations (10|1000)", 6),
    ("phan-synytsia", "Table 9", "random for minimax", "8x8, depth [3-6]", "iterations 100?", 24),
    ("he-lin", "Table III", "random for minimax", "UCT 2 s, complex [456]", ".*", 26),
    ("flat-montecarlo", "1000 games", "random for the formula", ".*", ".*", 200),
    ("he-reversed", "Table 5", "random for minimax", ".*", ".*", 20),
]
"""Study, table, wrong agent, rows, columns, games a pairing."""


@pytest.mark.parametrize("part", PARTS, ids=lambda part: f"{part[0]}, {part[1]}")
def test_wrong_agents_pass_in_no_table(part: tuple[str, str, str, str, str, int]) -> None:
    """Under the wrong agent less than a tenth of the informative cells pass, and the headline is gone."""
    right, wrong = right_and_wrong(part_of(*part))
    [table] = right.tables
    [tried] = table.wrong
    assert tried.caught and tried.ratio > 5 and 10 * tried.tally.equivalent <= tried.tally.informative
    found, without = headline([right]), headline([wrong])
    assert 10 * without["equivalent"] <= without["informative"]
    assert found["equivalent"] >= found["informative"] / 2
    if any(cell.counts for cell in right.comparisons):  # numbers that were fitted are in no headline
        assert without["differ"] + without["uninformative_differ"] > found["differ"] + found["uninformative_differ"]


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
    assert list(pages) == ["index", "he-lin", "again", "numbers"]
    first = write(whole, tmp_path, pages).read_text()
    assert first.index("agreement-he-lin") < first.index("agreement-again") < first.index("<table")
    for name in ("he-lin", "again"):
        assert f'href="{name}.html"' in first and f'href="{name}.html#{name}-table-ii"' in first
        assert 'class="bad"' not in first and "with random for minimax" in (tmp_path / f"{name}.html").read_text()
    assert "](" not in first and "Zhengxian Lin" in first and 'href="numbers.html"' in first
    assert "Table II" in (tmp_path / "report.md").read_text()
    alone, pages = documents([minimax_against_random], {})
    assert list(pages) == ["index", "numbers"] and pages["index"] is alone


def test_every_printed_number_is_found_as_it_is_printed_and_every_link_leads_somewhere(
    minimax_against_random: StudyFindings, tmp_path: Path
) -> None:
    """By a search in the page of all numbers, which has its verdict in words, and in its table."""
    one = minimax_against_random
    other = replace(one, study=replace(one.study, name="again"))
    whole, pages = documents([one, other], {})
    write(whole, tmp_path, {**pages, **game_pages([one, other])})
    rows = re.findall(r"<tr>.*?</tr>", (tmp_path / "numbers.html").read_text())
    table = (tmp_path / "he-lin.html").read_text()
    for cell in one.comparisons:
        place = f"{cell.printed.table}: {cell.printed.row}, {cell.printed.column}"
        found = [row for row in rows if f">{escape(place)}</a>" in row]
        assert len(found) == 2 and all(f">{cell.printed.printed}</th>" in row for row in found)  # one in each study
        assert all(cell.verdict in row and str(cell.printed.line) in row for row in found)
        assert f"printed {cell.printed.printed}<br>accepted" in table.replace("\u00a0", " ")
    files = {path.relative_to(tmp_path).as_posix(): path.read_text() for path in tmp_path.rglob("*.html")}
    places = {(name, place) for name, text in files.items() for place in ("", *re.findall(r' id="([^"]+)"', text))}
    for name, text in files.items():
        for link in {*re.findall(r' href="([^"]+)"', text)} - {*re.findall(r' href="(\.\./\.\./\.\./#[^"]+)"', text)}:
            page, _, place = link.partition("#")
            assert (normpath((Path(name).parent / page).as_posix()) if page else name, place) in places, (name, link)


def test_a_table_of_fitted_numbers_claims_no_agreement(minimax_against_random: StudyFindings) -> None:
    one = minimax_against_random
    printed = tuple(replace(cell, fitted="chose the reading") for cell in one.study.printed)
    study = replace(one.study, printed=printed, swaps=())
    page = document([findings_of(study, lambda _: one.results)], {})
    assert "**No printed number is informative" in page.lead
    text = to_markdown(page)
    assert "none of which counts" in text and "within the margin.\n" not in text and "but all of them" not in text


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


def test_every_row_of_a_wrong_agent_leads_to_its_games(minimax_against_random: StudyFindings, tmp_path: Path) -> None:
    one = minimax_against_random
    whole, pages = documents([one], {})
    page = write(whole, tmp_path, {**pages, **game_pages([one])}).read_text()
    for swap in one.study.swaps:
        source = one.swapped[swap.name]
        row = re.search(rf"<tr>(?:(?!<tr>).)*with {swap.name}.*?</tr>", page, re.DOTALL)
        assert row is not None
        [link] = {*re.findall(r"href=\"(games/[^\"]+)\"", row[0])}  # both columns come from the same games
        names = [pairing.name for pairing in source.study.pairings]
        assert link == address(source, names) and "he-lin-with-" in link
        listed = (tmp_path / link).read_text() if len(names) == 1 else ""
        for name in names:
            listed += (tmp_path / address(source, [name])).read_text()
        assert all(listed.count(escape(on_board(each.game))) for name in names for each in source.results[name])
        assert all(pairing.a in listed for pairing in source.study.pairings)


def test_a_number_of_several_pairings_leads_to_a_page_that_names_them() -> None:
    one = named_study("phan-synytsia")
    finished = replace(play_one("random", "random", Position.start(Rules(4))), tags={"key": "k"})
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
