"""Names of agents that people can read."""

from collections import Counter
from collections.abc import Iterable

from outflank.agents.identities import behaviour_of, text_of
from outflank.agents.registry import agent_signatures
from outflank.errors import OutflankError
from outflank.schema import Signature
from outflank.spec import Call, Value, parse


def short_name(text: str) -> str:
    """An agent's text or identity without what it would be anyway, also inside its options, and without its behaviour.

    >>> from outflank.agents import canonical
    >>> short_name(canonical("uct(playouts=200, final=win_rate)"))
    'uct(final=win_rate, playouts=200)'
    >>> short_name(canonical("minimax(depth=4, eval=five_terms(discs=0))"))
    'minimax(depth=4, eval=five_terms(discs=[0]))'
    >>> short_name('cs303(file="bots/ada.py", name="Ada")')
    'Ada'
    """
    text = text_of(text)
    try:
        call = parse(text)
        signature = agent_signatures()[call.name]
        if named := _given(call):
            return named
        usual = _options(signature, Call(call.name))
        kept = tuple((key, _short(signature, key, value)) for key, value in call.options if usual.get(key) != value)
    except (OutflankError, KeyError):  # a person's own player, or one that this version does not know
        return text
    return str(Call(call.name, call.values, kept))


def given_name(text: str) -> str | None:
    """What people call a bot, by its text or identity; None where it has no name of its own.

    >>> given_name('cs303(file="bots/ada.py", name="Ada")'), given_name("greedy")
    ('Ada', None)
    """
    try:
        return _given(parse(text_of(text)))
    except OutflankError:
        return None


def short_names(agents: Iterable[str]) -> dict[str, str]:
    """The short name of every identity; where two have one text their behaviour is told.

    >>> short_names(["random #1", "greedy(ties=first) #1", "greedy(ties=first) #2"])["greedy(ties=first) #2"]
    'greedy(ties=first), behaviour 2'
    """
    names = {who: short_name(who) for who in agents}
    met = Counter(names.values())
    return {who: f"{name}, behaviour {behaviour_of(who)}" if met[name] > 1 else name for who, name in names.items()}


def _given(call: Call) -> str | None:
    named = dict(call.options).get("name")
    return "".join(named) if isinstance(named, str) else None


def _options(signature: Signature, call: Call) -> dict[str, Value]:
    """The options of a call as its canonical text has them."""
    return dict(parse(str(signature.fill(call))).options)


def _short(signature: Signature, key: str, value: Value) -> Value:
    """An option that is a call itself, such as an evaluation, without what it would be anyway."""
    if not isinstance(value, Call) or ":" in value.name:
        return value
    bare = _options(signature, Call(signature.name, (), ((key, value.name),)))[key]
    usual = dict(bare.options) if isinstance(bare, Call) else {}
    kept = tuple((name, inner) for name, inner in value.options if usual.get(name) != inner)
    return Call(value.name, value.values, kept) if kept or value.values else value.name
