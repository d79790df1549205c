"""The patterns of a board and their trained weights.

A kind of pattern is a list of squares, and all its images under the symmetries of the board share its weights. Kinds
that are their own mirror image (an edge, a diagonal) have one weight for a pattern and its mirrored twin; files keep
one of the two. The kinds follow Buro (Logistello, 1997), cut for every size: corner of 3x3, edge with its X squares,
triangle of ten, block of 2x5, inner rows, diagonals of four squares or more. The worth of having the move is a weight
of its own, by number of discs: in the reversed game it is two to three discs for whoever will not play last.

Weights are trained by `outflank.learn`; those in `weights/` come with a card that says how. A file of weights may have
kinds of its own (`learn/tuples.py` makes some): its card then lists them, each by its squares. Networks of such kinds
that the package has are files in `weights/networks`, and known by a name.
"""

import hashlib
import io
import json
import math
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Rules
from outflank.errors import BadNotation, BadRules, BadSpec
from outflank.inputs import open_file, put_file, shown
from outflank.kernels.patterns import SCALE, Patterns

FIRST_DISCS = 4
"""Discs at the beginning of the first phase."""
_LARGEST = 10
"""Squares of a pattern at most, because its number must fit 16 bits."""


def _kinds(n: int) -> dict[str, tuple[tuple[int, int], ...]]:
    """The squares of every kind as rows and columns, in the upper left of the board."""
    wings = ((1, 1), (1, n - 2)) if n + 2 <= _LARGEST else ()
    kinds = {
        "corner": tuple((row, column) for row in range(3) for column in range(3)),
        "edge": (*tuple((0, column) for column in range(n)), *wings),
        "triangle": tuple((row, column) for row in range(4) for column in range(4 - row)),
        "block": tuple((row, column) for row in range(2) for column in range(5)),
    }
    kinds |= {f"row {i + 1}": tuple((i, column) for column in range(n)) for i in range(1, n // 2)}
    return kinds | {f"diagonal {k}": tuple((i, i + n - k) for i in range(k)) for k in range(n, 3, -1)}


@dataclass(frozen=True)
class PatternSet:
    """The patterns of a board size.

    >>> patterns = pattern_set(8)
    >>> len(patterns.instances), patterns.weights
    (50, 226379)
    """

    size: int
    kinds: Mapping[str, tuple[int, ...]]
    """Squares of each kind, the most significant digit first."""

    @cached_property
    def instances(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Every kind at every place of the board: its name and squares."""
        return tuple((name, image) for name, squares in self.kinds.items() for image in _images(squares, self.size))

    def placed(self) -> list[tuple[tuple[int, ...], int]]:
        """The bit numbers of the squares of every instance, and where the weight of its empty pattern stands."""
        rules = Rules(self.size)
        bits = [tuple(rules.bit(square).bit_length() - 1 for square in squares) for _, squares in self.instances]
        return list(zip(bits, self.centers().tolist(), strict=True))

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Where the weights of each kind begin."""
        ends = np.cumsum([0, *(3 ** len(squares) for squares in self.kinds.values())])
        return dict(zip(self.kinds, ends.tolist(), strict=False))

    @property
    def tempo(self) -> int:
        """Where the worth of having the move begins, one weight for every number of discs."""
        return sum(3 ** len(squares) for squares in self.kinds.values())

    @property
    def weights(self) -> int:
        """How many weights a phase has."""
        return self.tempo + self.size**2 + 1

    @cached_property
    def twins(self) -> npt.NDArray[np.int32]:
        """[weights]: for every pattern its mirrored twin; itself where it has none."""
        twins = [offset + _twins(self.kinds[name], self.size) for name, offset in self.offsets.items()]
        twins.append(np.arange(self.tempo, self.weights))
        return np.concatenate(twins).astype(np.int32)

    @cached_property
    def canonical(self) -> npt.NDArray[np.int32]:
        """[weights]: for every pattern the lower of itself and its mirrored twin."""
        return np.minimum(np.arange(self.weights, dtype=np.int32), self.twins)

    def centers(self) -> npt.NDArray[np.int32]:
        """[instances]: where the weight of the empty pattern of each instance stands."""
        centers = [self.offsets[name] + 3 ** len(squares) // 2 for name, squares in self.instances]
        return np.array(centers, np.int32)

    def rows(self) -> npt.NDArray[np.int16]:
        """[bytes, 256, instances]: what the squares set in each byte of a board add to the number of each instance."""
        rules = Rules(self.size)
        digits = np.zeros((64 * rules.words, len(self.instances)), np.int16)
        for i, (_, squares) in enumerate(self.instances):
            for power, square in enumerate(reversed(squares)):
                digits[rules.bit(square).bit_length() - 1, i] += 3**power
        bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.int16)
        return np.ascontiguousarray(np.einsum("vb,jbi->jvi", bits, digits.reshape(-1, 8, len(self.instances))))


@cache
def pattern_set(size: int) -> PatternSet:
    """The patterns for boards of this size, from 6x6 on."""
    if size < 6:
        raise BadSpec(f"there are no patterns for {size}x{size}; expected 6x6 or larger")
    if size > _LARGEST:
        raise BadSpec(f"there are no patterns for {size}x{size}; expected {_LARGEST}x{_LARGEST} or smaller")
    return PatternSet(size, {name: tuple(r * size + c for r, c in places) for name, places in _kinds(size).items()})


_MOST_KINDS, _MOST_WEIGHTS = 256, 2**21
"""Of a set of patterns that a file brings along, so that nobody's file fills the memory."""
_SQUARE = re.compile("[a-z][0-9]{1,2}")


def set_of_squares(size: int, kinds: Iterable[str]) -> PatternSet:
    """The patterns whose kinds are given by their squares, each at all its places on a board up to 10x10.

    >>> pairs = set_of_squares(8, ["a1b1", "c2d3"])
    >>> len(pairs.instances), pairs.weights - pairs.tempo, pairs.kinds["c2d3"]
    (16, 65, (10, 19))
    >>> set_of_squares(8, ["a1a1"])
    Traceback (most recent call last):
    outflank.errors.BadSpec: a pattern 'a1a1' is not possible on 8x8; expected 1 to 10 different squares such as a1b2
    """
    if size > _LARGEST:
        raise BadSpec(f"there are no patterns for {size}x{size}; expected {_LARGEST}x{_LARGEST} or smaller")
    found = {name: _squares_named(size, name) for name in kinds}
    weights = sum(3 ** len(squares) for squares in found.values())
    if not 1 <= len(found) <= _MOST_KINDS or weights > _MOST_WEIGHTS:
        raise BadSpec(
            f"{len(found):,} kinds of patterns with {weights:,} weights are not possible; expected 1 to {_MOST_KINDS} "
            f"with at most {_MOST_WEIGHTS:,}"
        )
    return PatternSet(size, found)


def _squares_named(size: int, name: str) -> tuple[int, ...]:
    parts = _SQUARE.findall(name) if len(name) <= 3 * _LARGEST else []
    try:
        squares = tuple(int(Rules(size).square(part)) for part in parts)
    except BadNotation:
        squares = ()
    good = 1 <= len(set(squares)) == len(squares) <= _LARGEST and "".join(parts) == name
    if not good or len(_own_images(squares, size)) > 2:
        expected = f"expected 1 to {_LARGEST} different squares such as a1b2"
        raise BadSpec(f"a pattern {shown(name)} is not possible on {size}x{size}; {expected}")
    return squares


def _own_images(squares: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """The images of a pattern on its own squares, itself first: at most two, or one weight would have several twins."""
    return list(dict.fromkeys(image for image in _symmetric(squares, size) if set(image) == set(squares)))


def _symmetric(squares: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """The squares under the eight symmetries of the board, the identity first."""
    rules = Rules(size)
    return [tuple(int(rules.image(square, number)) for square in squares) for number in range(8)]


def _images(squares: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """All places of a pattern; of images on the same squares the first."""
    images = {frozenset(image): image for image in reversed(_symmetric(squares, size))}
    return sorted(images.values())


def _twins(squares: tuple[int, ...], size: int) -> npt.NDArray[np.int64]:
    """For every number of a pattern, from the lowest, that of the same discs mirrored; itself where none is."""
    n = len(squares)
    twin = _own_images(squares, size)[-1]
    digits = np.array(np.unravel_index(np.arange(3**n), (3,) * n))
    return np.asarray(np.ravel_multi_index(digits[[squares.index(square) for square in twin]], (3,) * n))


# --- weights --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PatternWeights:
    """Trained weights of a board and variant, and how they were made.

    >>> weights = shipped_weights(Rules(8))
    >>> weights.values.shape, weights.card["rules"]
    ((20, 226379), 'standard 8x8')
    """

    rules: Rules
    values: npt.NDArray[np.int16]
    """[phases, weights] in 1/SCALE discs."""
    card: Mapping[str, Any]
    own_patterns: PatternSet | None = None
    """Which patterns they are for; None for the usual ones."""

    @property
    def patterns(self) -> PatternSet:
        """The patterns that they are for."""
        return self.own_patterns or pattern_set(self.rules.size)

    @property
    def phase_length(self) -> int:
        """Discs that are added in a phase."""
        return -(-(self.rules.cells - 4) // len(self.values))

    @property
    def in_discs(self) -> npt.NDArray[np.float32]:
        """The values in discs."""
        return np.asarray(self.values / np.float32(SCALE), np.float32)

    def build(self) -> Patterns:
        """What the kernels take."""
        patterns = self.patterns
        return Patterns(
            patterns.rows(), patterns.centers(), self.values, patterns.tempo, FIRST_DISCS, self.phase_length
        )

    def write(self, path: Path) -> None:
        """Writes the file that `read_weights` reads: one weight for a pattern and its mirrored twin."""
        canonical = self.patterns.canonical
        kept = self.values[:, canonical == np.arange(len(canonical))]
        card = dict(self.card) | ({"kinds": list(self.own_patterns.kinds)} if self.own_patterns else {})
        packed = io.BytesIO()
        np.savez_compressed(packed, weights=kept, card=np.array(json.dumps(card)))
        put_file(path, packed.getvalue())


def quantised(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.int16]:
    """Weights in discs as the kernels take them."""
    return np.clip(np.rint(weights * SCALE), -(2**15) + 1, 2**15 - 1).astype(np.int16)


MOST_IN_WEIGHTS = 64 * 2**20
"""Bytes of a file of weights, and of what it unpacks to."""
MOST_PHASES = 64
_MOST_IN_CARD = 2**20


def read_weights(path: Path, rules: Rules) -> PatternWeights:
    """The weights of a file for these rules; BadSpec says what is wrong with a file that has none."""
    return _parsed(archive_content(path), str(path), rules)


def read_usual_weights(path: Path, rules: Rules) -> PatternWeights:
    """The weights of a file for these rules and the usual patterns; BadSpec where it has patterns of its own."""
    weights = read_weights(path, rules)
    if weights.own_patterns is not None:
        raise BadSpec(f"{path} has weights of other patterns; expected those of corners, edges, rows and diagonals")
    return weights


def weights_in(path: Path) -> PatternWeights:
    """The weights of a file, for the rules that its card names."""
    content = archive_content(path)
    with archive_members(content, str(path)) as archive:
        rules = rules_of_card(archived_card(archive), str(path))
    return _parsed(content, str(path), rules)


def file_digest(path: Path) -> str:
    """What tells the weights of a file from any others: a part of the identity of who uses them."""
    return hashlib.blake2b(archive_content(path), digest_size=5).hexdigest()


def archive_content(path: Path) -> bytes:
    """The bytes of a file that may hold weights."""
    if path.suffix != ".npz":
        raise BadSpec(f"{shown(str(path))} is no file of weights; expected the name of one, such as weights.npz")
    try:
        with open_file(path) as file:
            content = file.read(MOST_IN_WEIGHTS + 1)
    except OSError as error:
        raise BadSpec(f"cannot read weights from {path}: {error.strerror}; expected a file of outflank learn") from None
    if len(content) > MOST_IN_WEIGHTS:
        raise BadSpec(f"{path} has more than {MOST_IN_WEIGHTS:,} bytes; expected a file of outflank learn")
    return content


@contextmanager
def archive_members(content: bytes, name: str) -> Iterator[zipfile.ZipFile]:
    """The file as an archive; whatever is wrong with it becomes a BadSpec."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield archive
    except BadSpec as error:
        raise BadSpec(f"{name} has no weights: {error}; expected a file of outflank learn") from None
    except Exception:  # a damaged archive makes its readers raise many things
        raise BadSpec(f"{name} has no weights: it cannot be unpacked; expected a file of outflank learn") from None


def archived_array(archive: zipfile.ZipFile, name: str, most: int) -> npt.NDArray[Any]:
    """An array of the archive. Its header is believed only where so many bytes are there."""
    info = archive.getinfo(f"{name}.npy")
    if info.file_size > most:
        raise BadSpec(f"{name} would take {info.file_size:,} bytes, at most {most:,} are possible")
    unpacked = io.BytesIO(archive.read(info))
    if np.lib.format.read_magic(unpacked) != (1, 0):
        raise BadSpec(f"{name} is written in another format than numpy's first")
    shape, _, dtype = np.lib.format.read_array_header_1_0(unpacked)
    if math.prod(shape) * dtype.itemsize > info.file_size:
        raise BadSpec(f"{name} is cut off")
    unpacked.seek(0)
    return np.asarray(np.load(unpacked, allow_pickle=False))


def archived_card(archive: zipfile.ZipFile) -> dict[str, Any]:
    """The card of the archive."""
    card = json.loads(str(archived_array(archive, "card", _MOST_IN_CARD)))
    if not isinstance(card, dict):
        raise BadSpec("its card is no table")
    return card


def rules_of_card(card: Mapping[str, Any], name: str) -> Rules:
    """The rules that a card names."""
    try:
        return Rules.parse(str(card.get("rules")))
    except BadRules:
        raise BadSpec(f"{name}: its card does not say for which rules its weights are") from None


def _parsed(content: bytes, name: str, rules: Rules) -> PatternWeights:
    with archive_members(content, name) as archive:
        card = archived_card(archive)
        kept = archived_array(archive, "weights", MOST_IN_WEIGHTS)
    made_for = rules_of_card(card, name)
    if made_for != rules:
        raise BadSpec(f"{name} has weights for {made_for}; expected weights for {rules}")
    own = _own_patterns(card, rules.size, name)
    canonical = (own or pattern_set(rules.size)).canonical
    places = np.cumsum(canonical == np.arange(len(canonical))) - 1
    expected = places[-1] + 1
    if kept.dtype != np.int16 or kept.ndim != 2 or kept.shape[1] != expected or not 1 <= len(kept) <= MOST_PHASES:
        raise BadSpec(
            f"{name} has weights of the shape {kept.shape} in {kept.dtype}; expected 1 to {MOST_PHASES} phases of "
            f"{expected} in int16"
        )
    return PatternWeights(rules, np.ascontiguousarray(kept[:, places[canonical]]), card, own)


def _own_patterns(card: Mapping[str, Any], size: int, name: str) -> PatternSet | None:
    """The patterns that a card lists; None where it has the usual ones."""
    kinds = card.get("kinds")
    if kinds is None:
        return None
    try:
        if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
            raise BadSpec("its card lists no patterns; expected squares such as a1b2")
        return set_of_squares(size, kinds)
    except BadSpec as error:
        raise BadSpec(f"{name}: {error}") from None


# --- those of the package ----------------------------------------------------------------------------------------

_SHIPPED = resources.files("outflank") / "weights"


@cache
def shipped_weights(rules: Rules) -> PatternWeights:
    """The weights of the package for these rules; an error where there are none."""
    with resources.as_file(_SHIPPED / f"{rules.variant}-{rules.size}x{rules.size}.npz") as path:
        if path.exists():
            return read_weights(path, rules)
    known = " or ".join(name.removesuffix(".npz").replace("-", " ") for name in _shipped())
    raise BadSpec(f"there are no trained patterns for {rules}; expected {known}; five_terms plays on any board")


def _shipped() -> list[str]:
    return sorted(file.name for file in _SHIPPED.iterdir() if file.name.endswith(".npz"))


_NETWORKS = _SHIPPED / "networks"


def _networks() -> dict[str, dict[str, str]]:
    """The networks of the package: by name, the file for every rules that it is for."""
    found: dict[str, dict[str, str]] = {}
    for file in sorted(file.name for file in _NETWORKS.iterdir() if file.name.endswith(".npz")):
        name, variant, board = file.removesuffix(".npz").rsplit("-", 2)
        found.setdefault(name, {})[f"{variant} {board}"] = file
    return found


def weights_called(name: str, rules: Rules) -> PatternWeights:
    """The weights that a text names, for these rules: a file, or a network of the package.

    >>> len(weights_called("pairs", Rules(8)).patterns.kinds)
    32
    """
    if name.endswith(".npz"):
        return read_weights(Path(name), rules)
    known = _network(name)
    if str(rules) not in known:
        raise BadSpec(f"there is no network {name} for {rules}; expected {' or '.join(known)}")
    with resources.as_file(_NETWORKS / known[str(rules)]) as path:
        return read_weights(path, rules)


def digest_called(name: str) -> str:
    """What tells the weights that a text names from any others: a part of the identity of who uses them."""
    if name.endswith(".npz"):
        return file_digest(Path(name))
    digest = hashlib.blake2b(digest_size=5)
    for file in _network(name).values():
        digest.update((_NETWORKS / file).read_bytes())
    return digest.hexdigest()


def _network(name: str) -> dict[str, str]:
    known = _networks()
    if name not in known:
        expected = f"expected the name of a file such as weights.npz, or {' or '.join(known)}"
        raise BadSpec(f"{shown(name)} is no file of weights; {expected}")
    return known[name]


@cache
def weights_digest() -> str:
    """What tells the weights of this package from any others: a part of the identity of who uses them."""
    digest = hashlib.blake2b(digest_size=5)
    for name in [*_shipped(), "probcut.toml"]:
        digest.update((_SHIPPED / name).read_bytes())
    return digest.hexdigest()
