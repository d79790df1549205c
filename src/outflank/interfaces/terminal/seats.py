"""Who sits at the board: a person, a level by name, or any agent by its text."""

from dataclasses import dataclass

from outflank.agents import Agent, agent
from outflank.agents.levels import Level, agent_text, level_named, levels
from outflank.board import Rules
from outflank.errors import BadSpec

PERSON = "person"


@dataclass
class Seat:
    """A player with the name it is shown by, which of a level is the level's; a person is a seat without an agent."""

    name: str
    player: Agent | None = None

    def renew(self) -> None:
        """Begins anew after a search was cut off, because its player may be in any state."""
        if self.player is not None:
            self.player.close()
            self.player = agent(self.player.label)

    def begin(self, rules: Rules) -> None:
        """A new game: a level plays by another agent where the board asks for one."""
        if self.player is None:
            return
        level = level_named(self.name)
        if level and self.player.label != level.text_on(rules):
            self.player.close()
            self.player = agent(level.text_on(rules))
        self.player.new_game()


def middle_level() -> Level:
    """The level to meet when nothing else is said."""
    return levels()[len(levels()) // 2]


def read_seat(text: str, rules: Rules) -> Seat:
    """Who is meant by `person`, the name of a level, or the text of an agent, in a game under these rules.

    >>> read_seat("person", Rules(8)), read_seat(levels()[-1].name.upper(), Rules(8)).name == levels()[-1].name
    (Seat(name='person', player=None), True)
    >>> read_seat("nobody", Rules(8))
    Traceback (most recent call last):
    outflank.errors.BadSpec: 'nobody' is neither person nor a level (...); as an agent: no agent is called 'nobody' ...
    """
    word = text.strip()
    if word.casefold() == PERSON:
        return Seat(PERSON)
    level = level_named(word)
    try:
        return Seat(level.name if level else word, agent(agent_text(word, rules)))
    except BadSpec as error:
        names = ", ".join(level.name for level in levels())
        raise BadSpec(f"{word!r} is neither {PERSON} nor a level ({names}); as an agent: {error}") from None
