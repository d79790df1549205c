"""New texts out of good ones: tokens spliced, replaced and repeated, characters flipped; the same for the same seed."""

import random
import re
from collections.abc import Callable, Sequence

MOST_LENGTH = 2_000_000
"""Characters of a text, at any moment while it is made: twice what the most patient reader takes."""
_MOST_TOKENS = 200_000
_ENOUGH = 20_000
"""Characters of a text after which it is not changed any more: changes multiply, and time ends."""
_TOKEN = re.compile(r"[A-Za-z_]+|\d+|[ \t]+|\0+|\n|.", re.DOTALL)
_NUMBERS = (
    *("0", "1", "2", "3", "4", "6", "8", "10", "16", "17", "64", "255", "256", "500", "1000", "2147483648"),
    *("9007199254740993", "9223372036854775808", "9" * 40, "9" * 41, "9" * 400, "0.5", "1.5", "-1", "1e3", "1e309"),
    *("1e-400", "nan", "inf", "00", "0x10", "1_000", "٣", "²"),
)
_STRANGE = (
    *(
        "\0",
        "\x07",
        "\x1b",
        "\r",
        "\x85",
        "\u2028",
        "\ufeff",
        "\ud800",
        "\udcff",
        "é",
        "ſ",
        "K",
        "İ",
        "ß",
        "😀",
        "\x7f",
    ),
    *("(", ")", "[", "]", "{", "}", '"', "'", "\\", ";", ":", "=", ",", ".", "-", "+", "*", "/", "#", "%", "?", "@"),
    *(" ", "\t", "\n", "\r\n", "(;", ";)", "--", "pa", "pass", "a1", "h8", "p16", "X", "O", "0"),
)

Tokens = list[str]


def tokens_of(text: str) -> Tokens:
    """Words, numbers, blanks and single characters.

    >>> tokens_of("uct(c=1.5)")
    ['uct', '(', 'c', '=', '1', '.', '5', ')']
    """
    return _TOKEN.findall(text)


class Mutator:
    """Texts made out of examples and of words that the reader knows.

    >>> maker = Mutator(["uct(c=1)", "random"], ["greedy"], random.Random(1))
    >>> len({maker.text() for _ in range(100)}) > 30
    True
    """

    def __init__(self, examples: Sequence[str], words: Sequence[str], rng: random.Random) -> None:
        self.rng = rng
        self.examples = [tokens_of(example) for example in examples]
        self.words = [*words, *(token for tokens in self.examples[:50] for token in tokens[:50])]
        self.changes: list[Callable[[Tokens], None]] = [
            *(self._number, self._number, self._word, self._word, self._blank, self._blank, self._case),
            *(self._cut_end, self._cut_end, self._cut_start, self._delete, self._double, self._swap),
            *(self._splice, self._strange, self._strange, self._flip, self._repeat),
        ]

    def text(self) -> str:
        """An example with a few changes: none now and then, mostly one or two."""
        rng = self.rng
        tokens = list(rng.choice(self.examples))
        for _ in range(rng.choice((0, 1, 1, 1, 1, 1, 2, 2, 3, 6))):
            rng.choice(self.changes)(tokens)
            if sum(map(len, tokens)) > _ENOUGH:
                break
        return "".join(tokens)

    def _place(self, tokens: Tokens) -> int:
        return self.rng.randrange(len(tokens)) if tokens else 0

    def _put(self, tokens: Tokens, token: str) -> None:
        """Replaces a token, or adds one."""
        at = self._place(tokens)
        tokens[at : at + self.rng.randrange(2)] = [token]

    def _number(self, tokens: Tokens) -> None:
        places = [at for at, token in enumerate(tokens) if token.isdigit()]
        if places:
            tokens[self.rng.choice(places)] = self.rng.choice(_NUMBERS)

    def _word(self, tokens: Tokens) -> None:
        places = [at for at, token in enumerate(tokens) if token.isalpha()]
        if places:
            tokens[self.rng.choice(places)] = self.rng.choice(self.words)

    def _blank(self, tokens: Tokens) -> None:
        tokens.insert(self._place(tokens), self.rng.choice((" ", "  ", "\t", "\n", "")))

    def _case(self, tokens: Tokens) -> None:
        tokens[:] = [token.upper() if self.rng.random() < 0.5 else token.lower() for token in tokens]

    def _cut_end(self, tokens: Tokens) -> None:
        del tokens[self._place(tokens) :]

    def _cut_start(self, tokens: Tokens) -> None:
        del tokens[: self._place(tokens)]

    def _delete(self, tokens: Tokens) -> None:
        at = self._place(tokens)
        del tokens[at : at + self.rng.choice((1, 1, 2, 8))]

    def _double(self, tokens: Tokens) -> None:
        at = self._place(tokens)
        self._insert(tokens, at, tokens[at : at + self.rng.choice((1, 2, 4, 16))], 1)

    def _insert(self, tokens: Tokens, at: int, part: Tokens, times: int) -> None:
        """Puts a part in so many times, or as often as it fits: nothing is built that is too long, and then cut."""
        length = MOST_LENGTH - sum(map(len, tokens))
        room = min(length // max(1, sum(map(len, part))), (_MOST_TOKENS - len(tokens)) // max(1, len(part)))
        tokens[at:at] = part * min(times, room)

    def _swap(self, tokens: Tokens) -> None:
        if tokens:
            one, other = self._place(tokens), self._place(tokens)
            tokens[one], tokens[other] = tokens[other], tokens[one]

    def _splice(self, tokens: Tokens) -> None:
        """The beginning of one text and the end of another."""
        other = self.rng.choice(self.examples)
        tokens[self._place(tokens) :] = other[self._place(other) :]

    def _strange(self, tokens: Tokens) -> None:
        self._put(tokens, self.rng.choice(_STRANGE))

    def _flip(self, tokens: Tokens) -> None:
        if tokens:
            at = self._place(tokens)
            token = tokens[at]
            place = self.rng.randrange(len(token)) if token else 0
            changed = chr(ord(token[place]) ^ 1 << self.rng.randrange(7)) if token else "\x01"
            tokens[at] = token[:place] + changed + token[place + 1 :]

    def _repeat(self, tokens: Tokens) -> None:
        """A part over and over: thousands of characters seldom, more than any reader takes hardly ever."""
        at, rng = self._place(tokens), self.rng
        part = tokens[at : at + rng.choice((1, 2, 3))]
        times = rng.choice((2, 3, 5, 20)) if rng.random() < 0.97 else rng.choice((300, 2000))
        self._insert(tokens, at, part, times if rng.random() < 0.999 else 60_000)
