"""The report of a match, a tournament or a whole store: how strong everybody is, against whom, where, and what made it.

Pure functions from a `Survey` to tables, figures and a `Document`; the command line prints the same tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from outflank import __version__
from outflank.agents.identities import behaviour_of, text_of
from outflank.agents.names import short_names
from outflank.arena.match import NARROW, MatchResult, percent
from outflank.arena.ratings import Ratings, ResultCounts, tallies
from outflank.arena.statistics.estimates import CONFIDENCE, Estimate, score
from outflank.arena.statistics.pairs import Tally
from outflank.report import figures
from outflank.report.document import Cell, Document, Figure, Section, Table, Tone, Value
from outflank.report.names import clipped, numbered
from outflank.report.survey import Survey

_SURE = f"{CONFIDENCE:.0%}".replace("%", " %")
_MOST_PANELS = 6
_MOST_OPENINGS = 20
_ZERO = "Zero is the mean of all ratings that are no bounds."
Names = Mapping[str, str]


def arena_document(
    title: str,
    survey: Survey,
    ratings: Ratings,
    facts: Mapping[str, str],
    match: MatchResult | None = None,
    tables: Sequence[Table] = (),
) -> Document:
    """The report of the games of a survey.

    `facts` such as the command go into its provenance; `tables` come first, each a section: standings, why games were
    lost.
    """
    names = numbered([line.player for line in ratings.lines])
    sections = [
        *(Section(table.caption, [replace(table, caption="")]) for table in tables),
        *_who_is_stronger(survey, ratings, names, match),
        *([_by_setting(survey, names)] if len(survey.settings) > 1 else []),
        _margins(survey, names),
        *([Section("Openings", [openings_table(survey)])] if set(survey.openings) - {""} else []),
        Section("How games ended", [endings_table(survey, names)]),
        Section("Agents", [_agents(names)]),
    ]
    return Document(title, _lead(survey, ratings, names), sections, {**facts, **_provenance(survey)})


def _lead(survey: Survey, ratings: Ratings, names: Names) -> str:
    counted = (
        f"{survey.games:,} games of {len(names)} agents in {_number(len(survey.settings), 'setting')}: "
        f"{survey.distinct_games:,} different games from {_number(survey.distinct_openings, 'different opening')}."
    )
    repeated = survey.games - survey.distinct_games
    if repeated:
        counted += f" The {_number(repeated, 'repeated game')} count again: {NARROW}."
    if not ratings.lines:
        return f"{counted} No two different agents have played each other."
    best = ratings.lines[0]
    leader = f"In front: **{short_names(names)[best.player]}** with {best.points:g} of {best.games:,} points."
    return f"{counted} {leader}"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


# ------------------------------------------------------------------------------------------------------- strength


def _who_is_stronger(survey: Survey, ratings: Ratings, names: Names, match: MatchResult | None) -> list[Section]:
    """A match is one difference with one interval; ratings on a common scale and a cross table are for several."""
    if match is not None:
        return [Section("The match", [match_table(match)])]
    return [_strength(ratings, names), _crossing(survey, ratings, names)]


def _strength(ratings: Ratings, names: Names) -> Section:
    bars = [
        figures.Bar(clipped(names[line.player]), line.elo.value, line.elo.low, line.elo.high, line.elo.bounded)
        for line in ratings.lines
    ]
    figure = Figure(
        "ratings",
        f"Ratings in Elo with {_SURE} intervals; an arrow begins at a bound: no game says how far beyond it.",
        figures.ranking(bars, "Elo"),
        alt="; ".join(f"{names[line.player]} {line.elo:+.0f}" for line in ratings.lines),
        size=(6.4, 1.4 + 0.34 * len(bars)),
    )
    return Section("Ratings", [ratings_table(ratings, names), figure] if bars else ["No games between agents."])


def ratings_table(ratings: Ratings, names: Names) -> Table:
    """Everybody's Elo, best first; groups that no games connect are told apart."""
    groups = len(ratings.groups) > 1
    rows: list[list[Value]] = [
        [
            names[line.player],
            *([str(line.group + 1)] if groups else []),
            f"{line.elo:+.0f}" if line.elo.bounded else f"{line.elo.value:+.0f}",
            _interval(line.elo),
            f"{line.points:g}",
            line.games,
            f"{100 * line.points / line.games:.1f} %",
        ]
        for line in ratings.lines
    ]
    columns = ["agent", *(["group"] if groups else []), "Elo", f"{_SURE} interval", "points", "games", "score"]
    return Table(columns, rows, "Ratings in Elo", " ".join(_remarks(ratings)), "ratings")


def _remarks(ratings: Ratings) -> list[str]:
    """What holds for all; that a line is only a bound is said in the line."""
    players = tuple(f"{name}: " for name in short_names(line.player for line in ratings.lines).values())
    remarks = [f"{warning}." for warning in ratings.warnings if not warning.startswith(players)]
    if not any(line.elo.note == "anchor" for line in ratings.lines):
        remarks.append(_ZERO if len(ratings.groups) == 1 else f"In each group {_ZERO[0].lower()}{_ZERO[1:]}")
    return [*remarks, *([f"Black's advantage in Elo: {ratings.advantage:+.0f}."] if ratings.advantage else [])]


def _interval(elo: Estimate) -> Value:
    if elo.low is None or elo.high is None:
        return None
    return Cell(elo.note, "muted") if elo.note else f"[{elo.low:+.0f}, {elo.high:+.0f}]"


# ----------------------------------------------------------------------------------------------------- cross table


def _crossing(survey: Survey, ratings: Ratings, names: Names) -> Section:
    matches = tallies(survey.results)
    parts = [cross_table(matches, names), colour_table(matches, names)] if ratings.lines else ["No games."]
    return Section("Cross table", parts)


def cross_table(matches: Mapping[tuple[str, str], Tally], names: Names) -> Table:
    """The score of every row against every column, in the order of `names`."""
    counts = {match.games for match in matches.values()}
    alike = len(counts) == 1
    number = f"{min(counts):,} games each" if alike else "with the number of games"
    return Table(
        ["agent", *(str(place) for place in range(1, len(names) + 1))],
        [
            [name, *(_score_cell(matches.get((row, column)), not alike) for column in names)]
            for row, name in names.items()
        ],
        f"Score of the row against the column, {number}",
        f"▲ above and ▼ below one half, each with {_SURE} confidence; without a sign it could be either.",
        "cross-table",
    )


def _score_cell(match: Tally | None, with_games: bool) -> Value:
    if match is None:
        return None
    share = score(match.counts)
    low, high = share.low or 0.0, 1.0 if share.high is None else share.high
    tone: Tone = "good" if low > 0.5 else "bad" if high < 0.5 else ""
    text = f"{100 * match.points / match.games:.0f} %" + (f" ({match.games:,})" if with_games else "")
    hint = f"{match.wins} wins, {match.draws} draws, {match.losses} losses; {100 * low:.0f} to {100 * high:.0f} %"
    return Cell(text, tone, hint, {"good": "▲", "bad": "▼"}.get(tone, ""))


def colour_table(matches: Mapping[tuple[str, str], Tally], names: Names) -> Table:
    """The score of every row with black and with white."""
    return Table(
        ["agent", *(str(place) for place in range(1, len(names) + 1))],
        [[name, *(_colours(matches.get((row, column))) for column in names)] for row, name in names.items()],
        "The same by colour: score of the row with black / with white, in per cent",
        "",
        "cross-table-by-colour",
    )


def _colours(match: Tally | None) -> Value:
    if match is None:
        return None
    return " / ".join(percent(triple) for triple in (match.as_black, match.as_white))


# ----------------------------------------------------------------------------------------- settings, margins, ends


def _by_setting(survey: Survey, names: Names) -> Section:
    shares = {setting: _scores(results) for setting, results in survey.settings.items()}
    table = Table(
        ["setting", *names.values()],
        [
            [setting, *(f"{of[agent]:.0%}" if agent in of else None for agent in names)]
            for setting, of in shares.items()
        ],
        f"Score of each agent against all others, by setting, with {_SURE} intervals",
        name="by-setting",
    )
    figure = Figure(
        "score-by-setting",
        f"Score against all others by setting, with {_SURE} intervals.",
        figures.lines(
            [_series(name, agent, shares) for agent, name in names.items()], figures.Scales(y="score", share=True)
        ),
        size=(7.2, 4.4),
    )
    return Section("Score by setting", [table, figure])


def _scores(results: ResultCounts) -> dict[str, Estimate]:
    """Everybody's share of the points in all of their games."""
    total: dict[str, Tally] = {}
    for (agent, _), match in tallies(results).items():
        total[agent] = total.get(agent, Tally()) + match
    return {agent: score(match.counts) for agent, match in total.items()}


def _series(name: str, agent: str, shares: Mapping[str, Mapping[str, Estimate]]) -> figures.Series:
    there = {setting: of[agent] for setting, of in shares.items() if agent in of}
    estimates = list(there.values())
    return figures.Series(
        clipped(name, 24),
        list(there),
        [one.value for one in estimates],
        [one.low for one in estimates],
        [one.high for one in estimates],
    )


def _margins(survey: Survey, names: Names) -> Section:
    agents = list(names)[: 1 if len(names) == 2 else _MOST_PANELS]
    panels = [
        figures.histogram(survey.margins[agent], "discs more than the other", clipped(names[agent], 24))
        for agent in agents
    ]
    if not panels:
        return Section("Margins", ["No games between agents."])
    others = "" if len(names) <= _MOST_PANELS else f" The first {_MOST_PANELS} of {len(names)} agents."
    figure = Figure(
        "margins",
        "How many discs more than the other an agent had at the end; in the reversed game fewer win." + others,
        panels,
        size=(7.2, 3.2 if len(panels) <= 3 else 5.4),
    )
    return Section("Margins", [figure])


def openings_table(survey: Survey) -> Table:
    """The openings that players know by a name, the most frequent first, and how black fared in them."""
    named = sorted(((name, scores) for name, scores in survey.openings.items() if name), key=lambda one: -len(one[1]))
    rows: list[list[Value]] = [_opening_row(name, scores) for name, scores in named[:_MOST_OPENINGS]]
    others = [score for _, scores in named[_MOST_OPENINGS:] for score in scores]
    if others:
        rows.append(_opening_row(f"{_number(len(named) - _MOST_OPENINGS, 'other opening')}", others))
    if survey.openings.get(""):
        rows.append(_opening_row("without a name", survey.openings[""]))
    note = "A game has the name of the last of its positions that has one, mirror images and other orders of moves too."
    return Table(["opening", "games", "black's score", "black's discs"], rows, note=note, name="openings")


def _opening_row(name: str, scores: Sequence[int]) -> list[Value]:
    points = sum((score > 0) + (score == 0) / 2 for score in scores)
    return [name, len(scores), f"{100 * points / len(scores):.0f} %", f"{sum(scores) / len(scores):+.1f}"]


def endings_table(survey: Survey, names: Names) -> Table:
    """How games ended, and who lost by it where that is a fault."""
    rows: list[list[Value]] = [
        [ending, games, f"{100 * games / survey.games:.1f} %", _faults(survey.faults.get(ending, {}), names)]
        for ending, games in survey.endings.most_common()
    ]
    return Table(["ending", "games", "share", "lost by"], rows, name="endings")


def _faults(faults: Mapping[str, int], names: Names) -> Value:
    if not faults:
        return ""
    return Cell("\n".join(f"{names.get(agent, agent)}: {games:,}" for agent, games in faults.items()), "warn")


def _agents(names: Names) -> Table:
    rows: list[list[Value]] = [[name, behaviour_of(agent), text_of(agent)] for agent, name in names.items()]
    return Table(["name here", "behaviour", "full text"], rows, "Every agent with all of its options", name="agents")


def _provenance(survey: Survey) -> dict[str, str]:
    made = "\n".join(f"{text} ({_number(games, 'game')})" for text, games in survey.made.most_common())
    itself = {"against themselves": _number(survey.itself, "game")} if survey.itself else {}
    return {
        "games": f"{survey.games:,}, {survey.distinct_games:,} of them different",
        "openings": f"{survey.distinct_openings:,} different",
        "settings": "\n".join(survey.settings) or "none",
        **itself,
        "played by": made,
        "report by": f"outflank {__version__}",
    }


# ------------------------------------------------------------------------------------------------- a match of two


def match_table(result: MatchResult) -> Table:
    """A match in lines; every number is from the view of the first."""
    a, b = result.names
    lines = [list(line) for line in (*result.who(), *result.lines())]
    return Table([f"from {a}'s view", "value"], lines, f"{a} against {b}", name="match")
