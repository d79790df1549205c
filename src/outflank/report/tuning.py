"""The report of a tuning: what was gained and how sure that is, the path, the games spent, the noise, the control."""

from collections.abc import Iterator, Mapping, Sequence

from outflank import __version__
from outflank.agents.names import short_name
from outflank.learn.generations import Measure
from outflank.learn.tuning import AgainstAnchor, Course, Tuning, Verdict
from outflank.report.document import Cell, Document, Drawing, Figure, Part, Section, Table, Tone, Value
from outflank.report.figures import Scales, Series, lines, points_with_intervals

_MOST_POINTS = 25
"""Of a path: more make pictures heavy and no clearer."""
_TONES: dict[str, Tone] = {"gain": "good", "loss": "bad", "undecided": "warn", "unchanged": "muted"}
_WORDS = {
    "gain": "it is stronger than the start",
    "loss": "it is weaker than the start",
    "undecided": "no gain is shown",
    "unchanged": "it ended where it began",
}


def tuning_document(tuning: Tuning, facts: Mapping[str, str]) -> Document:
    """The report of a tuning."""
    plan, found, first = tuning.plan, tuning.found, tuning.verdicts[0]
    numbers = len(plan.space.dimensions)
    lead = (
        f"{numbers} number{'s' * (numbers > 1)} of `{short_name(plan.agent)}` tuned for {plan.rules} by {found.method} "
        f"with {found.games:,} games. In {first.games:,} games on fresh openings the answer is "
        f"**{first.elo_text} Elo** from the start: {_WORDS[first.word]}."
    )
    sections = [
        Section("What was gained", [verdict_table(tuning.verdicts), *_curve(tuning), *_anchors(tuning.anchors)]),
        Section("The numbers", [numbers_table(tuning), path_figure(tuning)]),
        Section("Chance", [chance_table(tuning), *_lucky(tuning)]),
        Section("The agent", [f"`{tuning.agent}`"]),
    ]
    settings = {name: str(value) for name, value in plan.facts().items()}
    spent = {"processor seconds": f"{tuning.seconds:,.0f}"}
    return Document("Tuning", lead, sections, {**facts, **settings, **spent, "made by": f"outflank {__version__}"})


def verdict_table(verdicts: Sequence[Verdict]) -> Table:
    """A line for every match that decides."""
    rows: list[list[Value]] = [
        [f"{one.first} against {one.second}", one.games, _share(one.measure), one.elo_text, _cell(one)]
        for one in verdicts
    ]
    note = "On openings that no game of tuning began from; 95 % intervals. A gain is an interval above 0."
    return Table(["match", "games", "points", "Elo", "verdict"], rows, "Matches that decide", note, "verdicts")


def _cell(one: Verdict) -> Cell:
    return Cell(one.word, _TONES[one.word])


def _share(measure: Measure | None) -> str | None:
    if measure is None:
        return None
    value, low, high = measure.score
    return f"{100 * value:.1f} % [{100 * (low or 0):.1f}, {100 * (1 if high is None else high):.1f}]"


def _anchors(anchors: Sequence[AgainstAnchor]) -> list[Part]:
    rows: list[list[Value]] = []
    for one in anchors:
        games = one.start.wins + one.start.draws + one.start.losses
        rows.append([one.start.opponent, games, _share(one.start), _share(one.answer)])
    note = "Both on the same openings, 95 % intervals: whoever learns to beat itself may not be stronger elsewhere."
    heads = ["against", "games of each", "points of the start", "points of the answer"]
    return [Table(heads, rows, "Against others", note, "anchors")] if rows else []


def numbers_table(tuning: Tuning) -> Table:
    """A line for every number that was tuned."""
    control = tuning.control
    rows: list[list[Value]] = []
    for place, one in enumerate(tuning.plan.space.dimensions):
        values = [one.start, tuning.found.values[place], *([control.values[place]] if control else [])]
        rows.append([one.name, str(one.range), *(f"{value:g}" for value in values)])
    heads = ["number", "range", "start", f"by {tuning.found.method}", *(["by random search"] if control else [])]
    return Table(heads, rows, "Numbers", name="numbers")


def chance_table(tuning: Tuning) -> Table:
    """How much of what a tuner saw was chance."""
    courses = [tuning.found, *([tuning.control] if tuning.control else [])]
    rows: list[list[Value]] = [
        [
            course.method,
            course.games,
            sum(len(one.scores) for one in course.rounds),
            2 * course.pairs,
            f"± {100 * course.noise:.1f} %",
            f"{100 * course.luckiest:.1f} %",
            f"{100 * course.luck:.1f} %",
        ]
        for course in courses
    ]
    heads = ["method", "games", "duels", "games of a duel", "noise of a duel", "luckiest duel", "luckiest by chance"]
    note = (
        "The noise is one standard deviation. The last column is what the luckiest of as many duels between equals "
        "can be expected to score: whoever takes the luckiest candidate takes that for strength."
    )
    return Table(heads, rows, "Games spent, and chance", note, "chance")


# --- pictures -----------------------------------------------------------------------------------------------------


def _curve(tuning: Tuning) -> list[Part]:
    if not tuning.curve:
        return []
    found = [point.measure.score for point in tuning.curve]
    ends = [low for _, low, _ in found], [high for _, _, high in found]
    series = Series("the answer so far", [point.games for point in tuning.curve], [value for value, *_ in found], *ends)
    scales = Scales("games of tuning", "points against the start", share=True)
    caption = (
        "Points of the tuner's answer so far against the start, in matches on openings of their own that teach it "
        "nothing, with 95 % intervals. All points share their openings."
    )
    return [Figure("tuning-curve", caption, points_with_intervals([series], scales, joined=True))]


def path_figure(tuning: Tuning) -> Figure:
    """The numbers of the answer by games of tuning, a panel for every option."""
    panels = [*_panels(tuning)]
    size = (3.4 * min(3, len(panels)) + 3.0 * (len(panels) == 1), 3.6 * -(-len(panels) // 3))
    return Figure("tuning-path", "The numbers that the tuner would have answered with, by games.", panels, size=size)


def _panels(tuning: Tuning) -> Iterator[Drawing]:
    every = -(-len(tuning.found.rounds) // _MOST_POINTS)
    rounds, groups = tuning.found.rounds[every - 1 :: every], dict[tuple[str, ...], list[int]]()
    for place, one in enumerate(tuning.plan.space.dimensions):
        groups.setdefault(one.path, []).append(place)
    games = [0, *(one.games for one in rounds)]
    for path, places in groups.items():
        chosen = [tuning.plan.space.dimensions[place] for place in places]
        series = [
            Series(one.name.removeprefix(path[-1]).strip("[]") or one.name, games, [one.start, *values])
            for one, values in zip(chosen, ([turn.centre[place] for turn in rounds] for place in places), strict=True)
        ]
        yield lines(series, Scales("games", title=path[-1], log_y=all(one.range.log for one in chosen)))


def _lucky(tuning: Tuning) -> list[Part]:
    """Scores of the best candidates round by round, where a duel has more than a pair of games."""
    courses = [one for one in (tuning.found, tuning.control) if one is not None and one.pairs > 1]
    if not courses:
        return []
    scales = Scales("games of tuning", "points of the round's best candidate", share=True)
    caption = (
        "The best score of every round, from the tuner's view. Each is the luckiest of a dozen or more: this is not "
        "what was gained."
    )
    return [Figure("tuning-luck", caption, points_with_intervals([_best(one) for one in courses], scales, joined=True))]


def _best(course: Course) -> Series:
    games = [one.games for one in course.rounds]
    return Series(course.method, games, [max(one.scores) for one in course.rounds])
