"""Who sits at the board: a person, a level by name, or any agent by its text."""

from dataclasses import dataclass

from outflank.agents import Agent, agent
from outflank.agents.levels import Level, levels
from outflank.errors import BadSpec

PERSON = "person"


@dataclass
class Seat:
    """A player with the name it is shown by; a person is a seat without an agent."""

    name: str
    player: Agent | None = None

    def renew(self) -> None:
        """Begins anew after a search was cut off, because its player may be in any state."""
        if self.player is not None:
            self.player.close()
            self.player = agent(self.player.label)


def middle_level() -> Level:
    """The level to meet when nothing else is said."""
    return levels()[len(levels()) // 2]


def read_seat(text: str) -> Seat:
    """Who is meant by `person`, the name of a level, or the text of an agent.

    >>> read_seat("person"), read_seat(levels()[-1].name.upper()).name == levels()[-1].name
    (Seat(name='person', player=None), True)
    >>> read_seat("nobody")
    Traceback (most recent call last):
    outflank.errors.BadSpec: 'nobody' is neither person nor a level (...); as an agent: no agent is called 'nobody' ...
    """
    word = text.strip()
    if word.casefold() == PERSON:
        return Seat(PERSON)
    for level in levels():
        if word.casefold() == level.name.casefold():
            return Seat(level.name, agent(level.text))
    try:
        return Seat(word, agent(word))
    except BadSpec as error:
        names = ", ".join(level.name for level in levels())
        raise BadSpec(f"{word!r} is neither {PERSON} nor a level ({names}); as an agent: {error}") from None
