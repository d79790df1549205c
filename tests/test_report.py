"""Reports: awkward content in Markdown, HTML and CSV, pictures byte for byte, the report of a real tournament."""

import csv
import io
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from outflank.agents import agent
from outflank.agents.names import short_name
from outflank.arena.match import NARROW, MatchResult
from outflank.arena.ratings import collect, rate, tallies
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Plan
from outflank.arena.statistics.elo_scale import elo
from outflank.arena.statistics.estimates import Estimate, superiority
from outflank.arena.statistics.pairs import Tally, tally
from outflank.arena.statistics.sprt import Sprt
from outflank.arena.store import Store, players
from outflank.arena.tournament import plan_of, read_control, read_tournament
from outflank.errors import BadSpec, MissingExtra, OutflankError
from outflank.execute import Here
from outflank.facts import ratings_facts
from outflank.interfaces.cli.live import match_table, sprt_bar
from outflank.report import figures, terminal
from outflank.report.arena import arena_document, cross_table
from outflank.report.arena import match_table as arena_match_table
from outflank.report.document import Cell, Document, Figure, Names, Part, Section, Table, Value, named_figures
from outflank.report.html import to_html
from outflank.report.markdown import markdown_table, to_markdown
from outflank.report.names import numbered
from outflank.report.style import CSS
from outflank.report.survey import Survey, survey
from outflank.report.write import to_csv, write

AWKWARD = [
    "a|b",
    "<script>alert(1)</script>",
    "x & y",
    'say "hi"',
    "naïve ♞ 漢字",
    "two\nlines",
    "**not bold**",
    "`",
    "",
]
VOID = {"meta", "br", "img", "hr", "link", "input"}


# --- helpers --------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Reads a page with a stack of open tags; anything that is not well-formed fails."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def ids(self) -> Counter[str]:
        return Counter(value for _, attrs in self.tags if (value := attrs.get("id")))


def picture(name: str = "line", text: str = "a <b> & c") -> Figure:
    series = figures.Series("ours", [1, 2, 3], [0.2, 0.5, 0.9], [0.1, None, 0.8], [0.3, None, 1.0])
    published = figures.Series("published", [1, 2, 3], [0.3, None, 0.8], published=True)
    return Figure(name, text, figures.points_with_intervals([series, published], figures.Scales("x", "y", share=True)))


def awkward_document() -> Document:
    rows: list[list[Value]] = [[text, Cell(text, "good", text), 1.5] for text in AWKWARD]
    table = Table(["|", "<b>", "number & more"], rows, "caption **bold** <i>", "note `a|b` [link](https://example.org)")
    nested = Section("Deeper <deep>", ["- one\n- **two** <br>", picture(), Table([], []), Table(["a"], [], "Empty")])
    parts: list[Part] = ["# no heading\n\nwords [bad](javascript:alert(1)) <b>&amp;", table, nested]
    return Document(
        "Title & <more>", "", [Section("Same", parts), Section("Same", [picture()])], {"command": "a | b <c>"}
    )


def small_plan() -> Plan:
    agents = ["random", "greedy", "heuristic"]
    return plan_of({"agents": agents, "sizes": [4], "variants": ["standard", "reversed"], "pairs": 4, "seed": 3})


@pytest.fixture(scope="module")
def store_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "games.db"
    with Store(path) as store:
        run_plan(small_plan(), store, Here())
    return path


@pytest.fixture(scope="module")
def counts(store_file: Path) -> Survey:
    with Store(store_file) as store:
        return survey(store.games())


# --- documents ------------------------------------------------------------------------------------------------


def test_the_page_is_well_formed_and_shows_awkward_text_as_it_is() -> None:
    page = Page(to_html(awkward_document()))
    text = "".join(page.words)
    for awkward in AWKWARD:
        for line in awkward.splitlines():
            assert line in text
    assert "script" not in {tag for tag, _ in page.tags}
    assert page.ids() and max(page.ids().values()) == 1, "an id was given twice"
    hints = [attrs.get("title") for _, attrs in page.tags if attrs.get("title")]
    assert AWKWARD[1] in hints, "a hint was changed"


def test_the_page_needs_nothing_from_outside() -> None:
    text = to_html(awkward_document())
    for _, attrs in Page(text).tags:
        assert not {"src", "srcset", "data", "background"} & set(attrs)
        assert not any(name.startswith("on") for name in attrs)
        for name in ("href", "xlink:href"):
            target = attrs.get(name) or "#"
            assert target.startswith(("#", "https://example.org")), f"{name} leads to {target}"
    assert "@import" not in text and not re.search(r"url\((?!#)", text) and "javascript:" not in text


def test_the_page_is_semantic() -> None:
    page = Page(to_html(awkward_document()))
    tags = Counter(tag for tag, _ in page.tags)
    assert tags["h1"] == 1 and tags["h2"] >= 2 and tags["h3"] == 1 and tags["main"] == tags["nav"] == 1
    assert {attrs["scope"] for tag, attrs in page.tags if tag == "th"} == {"col", "row"}
    pictures = [attrs for tag, attrs in page.tags if tag == "svg"]
    assert len(pictures) == 2 and all(attrs["role"] == "img" for attrs in pictures)
    labels = " ".join(attrs["aria-labelledby"] or "" for attrs in pictures).split()
    assert len(labels) == 4 and set(labels) <= set(page.ids())
    links = {(attrs["href"] or "")[1:] for tag, attrs in page.tags if tag == "a" and (attrs["href"] or "")[0] == "#"}
    assert links and links <= set(page.ids()), "the contents lead nowhere"


def test_the_page_follows_light_and_dark() -> None:
    defined = re.findall(r"--([a-z0-9-]+):", CSS)
    used = set(re.findall(r"var\(--([a-z0-9-]+)\)", to_html(awkward_document())))
    assert used <= set(defined) and all(defined.count(name) == 2 for name in used), "not defined for both schemes"
    assert "series0" in used, "pictures keep the colours of paper"


def light_of(colour: str) -> float:
    """Relative luminance, as the WCAG define it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read(scheme: int) -> None:
    half = CSS.split("prefers-color-scheme: dark")[scheme]
    colours = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", half))
    papers = {"ink": "paper", "soft": "card", "link": "paper"} | {x: f"{x}-paper" for x in ("good", "bad", "warn")}
    for text, paper in papers.items():
        dark, bright = sorted((light_of(colours[text]), light_of(colours[paper])))
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, f"{text} on {paper}"


def cells_of(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line)[1:-1]


def test_markdown_tables_keep_their_shape() -> None:
    text = to_markdown(awkward_document())
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + len(AWKWARD) + 3
    for row in rows[: 2 + len(AWKWARD)]:
        assert len(cells_of(row)) == 3 and len(row) == len(rows[0]), row
    assert rows[1].rstrip(" |").endswith("-:"), "numbers are set flush right"
    assert "<script>" not in text and "<b>" not in text and "\\# no heading" in text
    assert "![a &lt;b&gt; &amp; c](figures/line.svg)" in text and "(figures/line-2.svg)" in text
    assert "nothing to show" in text and "✓ a\\|b" in text


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=4))
def test_any_text_fits_into_any_table(rows: list[list[str]]) -> None:
    table = Table(["a", "b"], rows)
    lines = markdown_table(table).split("\n")
    assert len(lines) == 2 + len(rows) and {len(cells_of(line)) for line in lines} == {2}
    if not any("\x00" in text for row in rows for text in row):  # no character of HTML
        Page(to_html(Document("t", "", [Section("s", [table])])))
    ends = str.maketrans({"\r": "\n"})
    want = [[text.replace("\r\n", "\n").translate(ends) for text in row] for row in rows]
    assert list(csv.reader(io.StringIO(to_csv(table), newline="")))[1:] == want


def test_csv_has_numbers_and_plain_text() -> None:
    rows: list[list[Value]] = [[text, Cell(text, "bad"), 1234567.5] for text in AWKWARD]
    read = list(csv.reader(io.StringIO(to_csv(Table(["a", "b", "c"], rows)), newline="")))
    assert read[1:] == [[text, text, "1234567.5"] for text in AWKWARD]


def test_tables_and_cells_say_what_is_wrong() -> None:
    with pytest.raises(BadSpec, match="a row of 1 in 2 columns"):
        Table(["a", "b"], [["x"]], "Wrong")
    with pytest.raises(BadSpec, match="tone 'red' is not known"):
        Cell("x", "red")  # type: ignore[arg-type]


def test_which_columns_are_numbers() -> None:
    row: list[Value] = [
        "1 random",
        3,
        "0.81 [0.78, 0.84]",
        "3.2 s",
        "at least +12",
        "5 agents",
        Cell("x", "muted"),
        "▲",
    ]
    assert Table(["?"] * len(row), [row]).numeric == [False, True, True, True, True, False, False, False]


def test_names_are_given_once() -> None:
    names = Names()
    assert [names.take(wish) for wish in ("A b", "a-b", "A b", "a-b-2")] == ["a-b", "a-b-2", "a-b-3", "a-b-2-2"]


# --- pictures -------------------------------------------------------------------------------------------------


def drawings() -> list[Figure]:
    words = figures.Series("ours", ["4x4", "8x8 with a long name", "12x12"], [0.1, 0.5, 0.8])
    bars = [
        figures.Bar("best", 120, None, None, True),
        figures.Bar("x", 3, -5, 8),
        figures.Bar("$y_1$", -99, -120, -70),
    ]
    return [
        picture(),
        Figure("lines", "c", figures.lines([words, words], figures.Scales(log_y=True, y_range=(0.01, 1)))),
        Figure("log", "c", figures.lines([figures.Series("a", [1, 10, 1000], [1, 2, 3])], figures.Scales(log_x=True))),
        Figure("ranking", "c", figures.ranking(bars, "Elo")),
        Figure("panels", "c", [figures.histogram({-64: 1, -1: 2, 0: 3, 1: 4, 64: 5})] * 4),
        Figure("pie", "c", figures.pie({"won": 3, "drawn": 0, "lost": 1}, "$ and %")),
        Figure("empty", "c", [figures.histogram({}), figures.ranking([]), figures.lines([])]),
    ]


def test_pictures_are_the_same_byte_for_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    first = [figures.draw(figure) for figure in drawings()]
    monkeypatch.setitem(matplotlib.rcParams, "font.size", 30)  # a person's own settings change nothing
    again = [figures.draw(figure) for figure in drawings()]
    for figure, one, two in zip(drawings(), first, again, strict=True):
        assert one.svg == two.svg and one.png == two.png, figure.name
        assert one.png.startswith(b"\x89PNG") and b"matplotlib" not in one.png.lower()
        assert not re.search(r"\d{4}-\d\d-\d\dT", one.svg), "a date"
    assert "1,000" in first[2].svg, "numbers outside of the scale"
    assert "$y_1$" in first[3].svg, "text was taken for mathematics"
    assert matplotlib.rcParams["font.size"] == 30, "our style leaked"


def test_pictures_do_not_share_names_in_a_page() -> None:
    document = Document("t", "", [Section("s", [picture(), drawings()[3], picture()])])
    assert list(named_figures(document)) == ["line", "ranking", "line-2"]
    page = Page(to_html(document))
    assert max(page.ids().values()) == 1
    targets = {(attrs.get("xlink:href") or "")[1:] for tag, attrs in page.tags if tag == "use"}
    assert targets and targets <= set(page.ids()), "a marker is defined nowhere"


def test_a_histogram_shows_every_game_and_keeps_draws_apart() -> None:
    from matplotlib.figure import Figure as Canvas

    axes: Any = Canvas().subplots()
    figures.histogram({-64: 1, -4: 2, -1: 2, 0: 3, 1: 4, 4: 1, 5: 7}, width=4)(axes)
    bars = {round(bar.get_x() + bar.get_width() / 2, 1): bar.get_height() for bar in axes.patches}
    assert bars == {-62.5: 1, -2.5: 4, 0: 3, 2.5: 5, 6.5: 7}


def test_a_missing_matplotlib_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("outflank.errors.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'outflank\[report\]'"):
        write(Document("t", "", []), tmp_path)
    assert not list(tmp_path.iterdir())


# --- files ----------------------------------------------------------------------------------------------------


def test_everything_is_written_and_can_be_written_again(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    page = write(awkward_document(), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    names = {str(path.relative_to(tmp_path)) for path in before}
    assert page == tmp_path / "index.html" and {"index.html", "report.md", "mine.txt"} <= names
    assert {"figures/line.svg", "figures/line.png", "figures/line-2.svg", "figures/line-2.png"} <= names
    assert "tables/caption-bold-i.csv" in names and not any(name.split("/")[-1].startswith(".") for name in names)
    write(awkward_document(), tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_page_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<html>my own</html>")
    with pytest.raises(OutflankError, match="was not written by Outflank"):
        write(awkward_document(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


# --- the arena ------------------------------------------------------------------------------------------------


def test_a_survey_counts_what_is_stored(store_file: Path, counts: Survey) -> None:
    with Store(store_file) as store:
        games = list(store.games())
    assert counts.games == len(games) == 48 == counts.results.games and counts.itself == 0
    assert set(counts.settings) == {"standard 4x4", "reversed 4x4"}
    assert sum(results.games for results in counts.settings.values()) == 48
    assert counts.distinct_games == len({(game.start, game.moves) for game in games})
    assert sum(counts.margins["random #1"].values()) == 32 and counts.endings["normal"] == 48
    assert all(counter.total() == 32 for counter in counts.margins.values())
    ahead = sum(games * margin for counter in counts.margins.values() for margin, games in counter.items())
    assert ahead == 0, "what one is ahead the other is behind"


def test_tallies_agree_with_counting_games(store_file: Path, counts: Survey) -> None:
    with Store(store_file) as store:
        rows = [row for row in store.results() if {row[2], row[3]} == {"random #1", "greedy(ties=random) #1"}]
    seen = [(row[1], row[2] == "random #1", row[4] if row[2] == "random #1" else 1 - row[4]) for row in rows]
    matches = tallies(counts.results)
    assert matches["random #1", "greedy(ties=random) #1"] == tally(seen)
    assert matches["greedy(ties=random) #1", "random #1"] == tally(seen).swapped


def test_the_cross_table_marks_what_is_sure() -> None:
    games = [("A", "B", 1.0, i) for i in range(20)] + [("B", "A", 0.0, i) for i in range(18)]
    games += [("A", "C", float(i % 2), i) for i in range(20)] + [("C", "A", float(i % 2), i) for i in range(20)]
    table = cross_table(tallies(collect(games)), {"A": "1 A", "B": "2 B", "C": "3 C"})
    cells = [list(row[1:]) for row in table.rows]
    assert isinstance(cells[0][1], Cell) and isinstance(cells[1][0], Cell) and isinstance(cells[0][2], Cell)
    assert (cells[0][1].shown, cells[0][1].tone) == ("▲ 100 % (38)", "good")
    assert (cells[1][0].shown, cells[1][0].tone) == ("▼ 0 % (38)", "bad")
    assert (cells[0][2].shown, cells[0][2].tone) == ("50 % (40)", "")
    assert cells[0][0] is None and cells[1][2] is None, "themselves, and who never met"


def test_the_report_of_a_tournament(counts: Survey, tmp_path: Path) -> None:
    ratings = rate(counts.results, advantage=True)
    document = arena_document("Small", counts, ratings, {"command": "outflank tournament small.toml"})
    page = write(document, tmp_path)
    text = "".join(Page(page.read_text()).words)
    for word in ("48 games of 3 agents in 2 settings", "reversed 4x4", "outflank tournament small.toml", "normal"):
        assert word in text
    assert re.search(r"outflank [\d.]+, \S+, Python", text), "what made the games"
    files = {path.name for path in tmp_path.rglob("*.*")}
    assert {"ratings.png", "margins.svg", "score-by-setting.png", "cross-table.csv", "ratings.csv"} <= files
    with (tmp_path / "tables" / "ratings.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["games"] for row in rows] == ["32"] * 3 and sum(float(row["points"]) for row in rows) == 48


def test_a_match_has_one_difference_with_one_interval(tmp_path: Path) -> None:
    """Whatever shows the games of two, it shows the difference and the ends of the match."""
    games = [("A", "B", float(i % 4 > 0), i) for i in range(30)] + [("B", "A", float(i % 3 == 0), i) for i in range(30)]
    both = tallies(collect(games))["A", "B"]
    difference = elo(both.counts)
    assert difference.low is not None and difference.high is not None
    for advantage in (False, True):
        half, ends = rate(collect(games), advantage=advantage), (difference.low, difference.high)
        assert half["A"].elo.value == pytest.approx(difference.value / 2)
        assert (half["A"].elo.low, half["A"].elo.high) == pytest.approx([end / 2 for end in ends])
        assert (half["B"].elo.high, half["B"].elo.low) == pytest.approx([-end / 2 for end in ends])
        whole = rate(collect(games), anchor=("B", 1000.0), advantage=advantage)["A"].elo
        assert (whole.value, whole.low, whole.high) == pytest.approx([1000 + x for x in (difference.value, *ends)])
        assert half.above("A", "B") == pytest.approx(superiority(both.counts))


def test_the_report_of_a_match_has_one_interval(store_file: Path) -> None:
    with Store(store_file) as store:
        pair = {"random #1", "greedy(ties=random) #1"}
        counts = survey(game for game in store.games() if set(players(game)) == pair)
    both = tallies(counts.results)["random #1", "greedy(ties=random) #1"]
    found = MatchResult("random", "greedy", 16, both, Estimate(1.0, 0.5, 2.0), {"normal": 16}, 16, 8)
    text = to_markdown(arena_document("Two", counts, rate(counts.results), {}, found))
    assert f"{found.elo:+.1f}" in text and "## Ratings" not in text and "## Cross table" not in text
    shown = re.findall(r"\[[-+]\d+\.?\d*, [-+]\d+\.?\d*\]", text)
    assert len(shown) == len(set(shown)) <= 3, "Elo, normalised Elo and discs, once each"


def test_a_rating_that_is_a_bound_is_shown_as_one() -> None:
    """At its bound, with an arrow into the open; the fitted number beyond it is the model's fancy."""
    from matplotlib.figure import Figure as Canvas

    core = [("B", "C", float(i % 2), i) for i in range(20)] + [("C", "B", float(i % 3 == 0), i) for i in range(20)]
    lost = [game for i in range(10) for game in (("D", "B", 0.0, i), ("B", "D", 1.0, i))]
    ratings = rate(collect(core + lost))
    worst = ratings["D"].elo
    assert worst.bounded and worst.low is None and worst.value == worst.high and f"{worst:.0f}".startswith("at most")
    bars = [
        figures.Bar(line.player, line.elo.value, line.elo.low, line.elo.high, line.elo.bounded)
        for line in ratings.lines
    ]
    axes: Any = Canvas().subplots()
    figures.ranking(bars)(axes)
    drawn = [x for line in axes.lines for x in line.get_xdata() if x == x]
    assert min(drawn) == pytest.approx(worst.high), "nothing is drawn beyond the bound"
    [arrow] = axes.texts
    assert arrow.xy == (worst.high, 2) and arrow.get_position()[0] < 0, "the arrow points to the left"
    facts = ratings_facts(ratings)["ratings"][-1]
    assert facts["elo"] is None and facts["elo_interval"] == [None, worst.high]


def test_the_report_of_nothing_and_of_an_agent_alone(tmp_path: Path) -> None:
    nothing = survey([])
    assert Page(to_html(arena_document("Nothing", nothing, rate(nothing.results), {}))).tags
    with Store(tmp_path / "games.db") as store:
        from outflank.arena.schedule import Conditions, plan_match
        from outflank.board import Rules

        run_plan(plan_match("random", "random", Rules(4), 4, "random(2)", Conditions()), store, Here())
        alone = survey(store.games())
    assert alone.itself == alone.games == 4
    assert "against themselves" in to_markdown(arena_document("Alone", alone, rate(alone.results), {}))


def test_short_names_mean_the_same_agent() -> None:
    texts = ["minimax(depth=3, eval=discs)", "uct(playouts=7)", "phan-synytsia-mcts(100)", "tenshi", 'gtp(cmd="x y")']
    for text in texts:
        full = agent(text).text
        assert len(short_name(full)) <= len(full) and agent(short_name(full)).text == full
    assert short_name("own.module:Player(level=3)") == "own.module:Player(level=3)"
    assert short_name("no such agent (") == "no such agent ("
    assert numbered(["random"]) == {"random": "1 random"}


# --- terminals ------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_tables_have_colours_in_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TERM", "xterm-256color"), ("COLUMNS", "80")):
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    table = Table(["who", "score"], [["[bold]x[/]", Cell("61 %", "good", sign="▲")]], "Cap **b**", "A note")
    watched, piped = Terminal(), io.StringIO()
    terminal.show([table, table], watched)
    terminal.show([table, table], piped)
    assert "\x1b[" in watched.getvalue() and "▲ 61 %" in watched.getvalue() and "[bold]x[/]" in watched.getvalue()
    assert piped.getvalue() == "\n\n".join(["Cap b\nwho          score\n[bold]x[/]  ▲ 61 %\nA note"] * 2) + "\n"


def test_tables_for_readers_without_our_signs() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="latin-1")
    terminal.show([Table(["a"], [[Cell("漢", "good", sign="▲")]])], out)
    out.flush()
    assert raw.getvalue() == b"a\n^ ?\n"


def result(llr_wins: int = 3) -> MatchResult:
    score = Tally(llr_wins, 1, 2, (0, 0, 1, llr_wins // 2, 0)) if llr_wins > 2 else Tally()
    return MatchResult("A", "B", 10, score, Estimate(1.0, None, None), {"normal": 5}, 5, 3, Sprt(0, 10))


@pytest.mark.parametrize("so_far", [result(), result(0)], ids=["some games", "none"])
def test_the_live_table_has_what_people_look_for(so_far: MatchResult) -> None:
    console = Console(file=io.StringIO(), width=110)
    with console.capture() as seen:
        console.print(match_table("random", "[greedy]", so_far, rate=2.5, seconds=3671))
    for word in ("[greedy]", f"{so_far.tally.games} of at most 10", "2.5 games/s", "1:01:11 gone", "A's pairs"):
        assert word in seen.get()
    for word in ("score of A", "Elo of A over B", "SPRT, 0 to 10 normalised Elo", "left", "●"):
        assert word in seen.get()


def test_bots_go_by_their_names_in_the_tables_of_a_match() -> None:
    named = replace(result(), a='cs303(file="ada.py", name="Ada")', b='cs303(file="ben.py", name="Ben")')
    console = Console(file=io.StringIO(), width=110)
    with console.capture() as seen:
        console.print(match_table("ada.py", "ben.py", named, rate=2.5, seconds=3671))
    assert "Elo of Ada over Ben" in seen.get() and "Ada  ada.py" in seen.get()
    written = arena_match_table(named)
    assert "Elo, Ada relative to Ben" in str(named) and " A " not in str(named)
    assert written.caption == "Ada against Ben"
    alone = replace(named, b="greedy")
    assert alone.who() == [("A", "Ada"), ("B", "greedy")] and "Elo, A relative to B" in str(alone)


@pytest.mark.parametrize(("llr", "place"), [(-9, 0), (-2.95, 0), (0, 20), (1.5, 30), (2.95, 40), (99, 40)])
def test_the_sprt_bar_points_at_the_ratio(llr: float, place: int) -> None:
    test = Sprt(0, 10)
    bar = sprt_bar(test, llr).plain
    assert bar.index("●") - len("-2.94 ") == place
    assert bar.endswith("10 rather than 0" if llr > 2.94 else "0 rather than 10" if llr < -2.94 else "undecided")


def test_repeated_games_are_told_beside_the_intervals() -> None:
    again = replace(result(), distinct_games=2)
    assert dict(result().lines())["different openings, games"] == "3, 5; 1 repeated, which count again: " + NARROW
    assert "4 repeated" in dict(again.lines())["different openings, games"]
    assert NARROW not in str(replace(result(), distinct_games=6))


def test_a_match_in_lines() -> None:
    lines = dict(result().lines())
    assert lines["games"] == "6 of 10" and lines["SPRT, 0 to 10 normalised Elo"].endswith("undecided")


# --- tournaments ----------------------------------------------------------------------------------------------


def test_every_limit_is_a_setting(tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text(
        'agents = ["random", "greedy"]\nsizes = [4, 6]\npairs = 2\nlimits = ["", "nodes=100", "nodes=1000"]\n'
    )
    plan = read_tournament(file)
    slots = list(plan.slots())
    assert plan.games == len(slots) == len({slot.key for slot in slots}) == 2 * 2 * 2 * 3
    assert Counter(slot.conditions.limits.nodes for slot in slots) == {None: 8, 100: 8, 1000: 8}
    assert len({slot.opening for slot in slots}) == 4, "settings share their openings"
    single = plan_of({"agents": ["random", "greedy"], "sizes": [4, 6], "pairs": 2, "nodes": 100})
    assert {slot.key for slot in single.slots()} < {slot.key for slot in slots}, (
        "one limit of several is the same games"
    )


def test_clocks_of_a_tournament() -> None:
    settings = {"agents": ["random", "greedy"], "clock": "60+0.5", "move_seconds": 2, "stop_after": 9}
    rules = {"stop_clock": "game_total", "stop_rule": "exceeder_loses"}
    control = plan_of(settings | rules).conditions.control
    assert (control.game_seconds, control.increment, control.move_seconds) == (60.0, 0.5, 2.0)
    assert (control.stop_after, control.stop_clock, control.stop_rule) == (9.0, "game_total", "exceeder_loses")
    assert plan_of(settings).conditions.text == plan_of(settings | {"stop_after": 9.0}).conditions.text
    assert read_control({}) == plan_of({"agents": ["random", "greedy"]}).conditions.control


def test_a_gauntlet_of_several() -> None:
    agents = ["random", "greedy", "heuristic", "minimax(depth=1)"]
    plan = plan_of({"agents": agents, "format": "gauntlet", "seeds": 2, "pairs": 1})
    assert len(plan.pairings) == 4
    assert len(plan_of({"agents": agents, "format": "gauntlet", "pairs": 1}).pairings) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"limits": ["nodes=1"], "nodes": 1}, "nodes and limits; expected one of the two"),
        ({"limits": []}, "expected a list of 1 or more, each a text"),
        ({"limits": [5]}, "expected a text"),
        ({"limits": ["nodes=5", "nodes=5"]}, "names one twice"),
        ({"limits": ["speed=5"]}, "limit has no option 'speed'"),
        ({"clock": "soon"}, "clock 'soon' is not possible"),
        ({"clock": "-5"}, "game_seconds=-5.0 is not possible"),
        ({"clock": 60}, "expected a text"),
        ({"move_seconds": 0}, "move_seconds = 0 is not possible"),
        ({"stop_after": "1"}, "expected a number above 0"),
        ({"stop_after": True}, "expected a number above 0"),
        ({"stop_clock": "move"}, "without stop_after"),
        ({"stop_after": 1.0, "stop_clock": "sun"}, "expected player_total | game_total | move"),
        ({"stop_after": 1.0, "stop_rule": "mercy"}, "expected majority | exceeder_loses"),
        ({"seeds": 1}, "for a gauntlet only"),
        ({"format": "gauntlet", "seeds": 0}, "1 or more"),
        ({"format": "gauntlet", "seeds": 2}, "expected 1 to 1"),
        ({"clocks": "60"}, "'clocks' is not known, did you mean clock?"),
    ],
    ids=str,
)
def test_bad_settings(change: dict[str, Any], message: str) -> None:
    with pytest.raises(OutflankError, match=re.escape(message)):
        plan_of({"agents": ["random", "greedy"], **change})


# --- commands -------------------------------------------------------------------------------------------------


def outflank(*args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([sys.executable, "-m", "outflank", *args], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def test_a_match_with_a_report_and_stop_rules(tmp_path: Path) -> None:
    place, path = tmp_path / "report", str(tmp_path / "games.db")
    command = ["match", "random", "greedy", "--games", "4", "--size", "4", "--openings", "random(2)", "--store", path]
    command += ["--stop-after", "1e-9", "--stop-rule", "exceeder_loses", "--report", str(place), "--workers", "1"]
    done = outflank(*command)
    assert done.stdout.splitlines()[-1] == f"report: {place / 'index.html'}" and "stopped 4" in done.stdout
    text = "".join(Page((place / "index.html").read_text()).words)
    for words in ("stop_rule=exceeder_loses", "random against greedy", "--stop-after 1e-9"):
        assert words in text
    facts = json.loads(outflank(*command, "--json").stdout)
    assert facts["report"] == str(place / "index.html") and facts["terminations"] == {"stopped": 4}


def test_ratings_with_a_report_and_an_anchor_as_people_write_it(store_file: Path, tmp_path: Path) -> None:
    done = outflank("rate", str(store_file), "--anchor", "greedy=100", "--report", str(tmp_path / "out"))
    assert re.search(r"\d greedy +\+100 +anchor", done.stdout) and "16 games each" in done.stdout
    assert done.stdout.splitlines()[-1] == f"report: {tmp_path / 'out' / 'index.html'}"
    assert "\x1b" not in done.stdout


def test_bad_input_of_reports(store_file: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    match = ["match", "random", "greedy", "--store", str(tmp_path / "games.db")]
    assert "was not written by Outflank" in outflank(*match, "--report", str(tmp_path), code=2).stderr
    assert not (tmp_path / "games.db").exists(), "games were played before the report was found impossible"
    assert "without stop_after" in outflank(*match, "--stop-rule", "majority", code=2).stderr
    assert "expected one of" in outflank("rate", str(store_file), "--anchor", "minimax=3", code=2).stderr
    assert "is not AGENT=ELO" in outflank("rate", str(store_file), "--anchor", "greedy=much", code=2).stderr


def test_a_long_table_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of games have hundreds of rows: a look at all cells for every row took minutes."""
    looks: list[int] = []

    def numeric(table: Table) -> list[bool]:
        looks.append(len(table.rows))
        return [False, True]

    monkeypatch.setattr(Table, "numeric", property(numeric))
    to_html(Document("Long", "", [Section("Games", [Table(["game", "discs"], [["a", 1]] * 500)])]))
    assert looks == [500]
