"""Files of networks that `puct` searches with: weights in half precision, and a card that says how they were made."""

import hashlib
import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.inputs import is_whole, put_file, shown
from outflank.kernels.network import HIDDEN, NARROW, PLANES, TOGETHER, Net
from outflank.patterns import (
    archive_content,
    archive_members,
    archived_array,
    archived_card,
    file_digest,
    rules_of_card,
)

SIZES = (4, 6, 8)
"""Boards that a network can be for."""
MOST_CHANNELS, MOST_BLOCKS = 256, 40
_MOST_WEIGHTS = 2**25


@dataclass(frozen=True)
class Shape:
    """How large a network is.

    >>> Shape(6, 32, 4).weights
    94349
    >>> Shape(8, 20, 4)
    Traceback (most recent call last):
    outflank.errors.BadSpec: 20 channels are not possible; expected a multiple of 16 up to 256
    """

    size: int
    channels: int
    blocks: int

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise BadSpec(f"networks are not possible on {self.size}x{self.size}; expected 4x4, 6x6 or 8x8")
        if not is_whole(self.channels) or self.channels % TOGETHER or not 0 < self.channels <= MOST_CHANNELS:
            expected = f"expected a multiple of {TOGETHER} up to {MOST_CHANNELS}"
            raise BadSpec(f"{shown(self.channels)} channels are not possible; {expected}")
        if not is_whole(self.blocks) or not 0 < self.blocks <= MOST_BLOCKS:
            raise BadSpec(f"{shown(self.blocks)} blocks are not possible; expected 1 to {MOST_BLOCKS}")

    @property
    def parts(self) -> dict[str, tuple[int, ...]]:
        """The arrays of `Net` in the order of the file."""
        squares, many = self.size**2, self.channels
        return {
            "stem": (3, 3, PLANES, many),
            "convolutions": (2 * self.blocks, 3, 3, many, many),
            "biases": (1 + 2 * self.blocks, many),
            "policy": (many,),
            "places": (squares,),
            "narrow": (many, NARROW),
            "narrow_bias": (NARROW,),
            "hidden": (squares, NARROW, HIDDEN),
            "hidden_bias": (HIDDEN,),
            "last": (HIDDEN + 1,),
        }

    @property
    def weights(self) -> int:
        """How many there are."""
        return sum(math.prod(shape) for shape in self.parts.values())


@dataclass(frozen=True)
class Network:
    """A trained network for some rules, and how it was made."""

    rules: Rules
    shape: Shape
    weights: npt.NDArray[np.float16]
    """[shape.weights]: all parts one after the other."""
    card: Mapping[str, Any]

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """Its parts by name, in their shapes."""
        found, begin, weights = {}, 0, self.weights.astype(np.float32)
        for name, shape in self.shape.parts.items():
            end = begin + math.prod(shape)
            found[name], begin = weights[begin:end].reshape(shape), end
        return found

    def build(self) -> Net:
        """What the kernels take."""
        flat = {name: np.ascontiguousarray(array).ravel() for name, array in self.arrays().items()}
        return Net(self.shape.size, self.shape.channels, self.shape.blocks, **flat)

    @staticmethod
    def of(rules: Rules, shape: Shape, arrays: Mapping[str, npt.NDArray[Any]], card: Mapping[str, Any]) -> "Network":
        """The network of these parts; numbers beyond what half precision holds become the largest that it does."""
        parts = [np.asarray(arrays[name], np.float32).reshape(dims).ravel() for name, dims in shape.parts.items()]
        most = float(np.finfo(np.float16).max)
        return Network(rules, shape, np.clip(np.concatenate(parts), -most, most).astype(np.float16), card)

    def write(self, path: Path) -> None:
        """Writes the file that `read_network` reads, whole or not at all."""
        told = {"rules": str(self.rules), "channels": self.shape.channels, "blocks": self.shape.blocks}
        packed = io.BytesIO()
        np.savez_compressed(packed, network=self.weights, card=np.array(json.dumps({**self.card, **told})))
        put_file(path, packed.getvalue())


def read_network(path: Path, rules: Rules | None = None) -> Network:
    """The network of a file; BadSpec says what is wrong with a file that has none, or one for other rules."""
    name = str(path)
    with archive_members(archive_content(path), name) as archive:
        card = archived_card(archive)
        if "network.npy" not in archive.namelist():
            raise BadSpec("it is no file of outflank learn network")
        weights = archived_array(archive, "network", 2 * _MOST_WEIGHTS)
    made_for = rules_of_card(card, name)
    if rules is not None and made_for != rules:
        raise BadSpec(f"{name} has a network for {made_for}; expected one for {rules}")
    try:
        shape = Shape(made_for.size, card.get("channels", 0), card.get("blocks", 0))
    except BadSpec as error:
        raise BadSpec(f"{name}: {error}") from None
    if weights.dtype != np.float16 or weights.shape != (shape.weights,) or not np.isfinite(weights).all():
        raise BadSpec(f"{name} has weights {weights.shape} in {weights.dtype}; expected {shape.weights} finite float16")
    return Network(made_for, shape, weights, card)


# --- those of the package ----------------------------------------------------------------------------------------

_SHIPPED = resources.files("outflank") / "weights" / "puct"


def _shipped() -> list[str]:
    return sorted(file.name for file in _SHIPPED.iterdir() if file.name.endswith(".npz")) if _SHIPPED.is_dir() else []


@cache
def shipped_network(rules: Rules) -> Network:
    """The network of the package for these rules; an error where there is none."""
    with resources.as_file(_SHIPPED / f"{rules.variant}-{rules.size}x{rules.size}.npz") as path:
        if path.exists():
            return read_network(path, rules)
    known = " or ".join(name.removesuffix(".npz").replace("-", " ") for name in _shipped()) or "a file"
    expected = f"expected {known}, or network=FILE of outflank learn network"
    raise BadSpec(f"there is no trained network for {rules}; {expected}")


def network_called(name: str, rules: Rules) -> Network:
    """The network that a text names, for these rules: a file, or without a name that of the package."""
    return read_network(Path(name), rules) if name else shipped_network(rules)


def network_digest(name: str) -> str:
    """What tells the network that a text names from any other: a part of the identity of who uses it."""
    if name:
        return file_digest(Path(name))
    digest = hashlib.blake2b(digest_size=5)
    for file in _shipped():
        digest.update((_SHIPPED / file).read_bytes())
    return digest.hexdigest()
