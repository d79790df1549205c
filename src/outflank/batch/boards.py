"""Boards as arrays: packed words to planes and back, and the eight symmetries of words, planes and actions.

A packed board is the last axis of a `uint64` array: one word up to 8x8, four words above. The square in row r and
column c, both from 0 at a1, is bit `stride * r + c`, counted from the lowest bit of the first word on; `stride` is 8
with one word and 16 with four. A plane is a byte a square, 0 or 1, with the last two axes [rows, columns]. An action is
the number of a square, `size * r + c`, or the pass, `size²`; policies and masks have them on their last axis.

A symmetry is a number from 0 to 7, as in `Position.transform`: bit 0 mirrors columns, bit 1 rows, bit 2 swaps both.
"""

import math
from functools import cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from outflank.board import Rules
from outflank.board.rules import image_of, shared_rules
from outflank.errors import BadSpec
from outflank.inputs import is_whole, shown
from outflank.kernels import batch as kernels

Boards = npt.NDArray[np.uint64]
Planes = npt.NDArray[np.uint8]
Anything = TypeVar("Anything", bound=np.generic)


def planes_of(boards: Boards, size: int) -> Planes:
    """Packed boards [..., words] as planes [..., size, size].

    >>> planes_of(np.array([0b101], np.uint64), 4)[0].tolist()
    [1, 0, 1, 0]
    """
    rules = _rules(size)
    rows = _packed(boards, rules)
    planes = np.empty((len(rows), rules.cells), np.uint8)
    kernels.to_planes(rows, rules.full_board, size, planes)
    return planes.reshape(*boards.shape[:-1], size, size)


def boards_of(planes: npt.ArrayLike) -> Boards:
    """Planes [..., size, size] as packed boards [..., words]; every number but 0 is a disc.

    >>> int(boards_of([[1, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])[0]) == 1 << 0 | 1 << 2 | 1 << 16
    True
    """
    given = np.asarray(planes)
    if given.ndim < 2 or given.shape[-1] != given.shape[-2]:
        raise BadSpec(f"an array of the shape {given.shape} has no planes; expected last axes [rows, columns]")
    rules = _rules(given.shape[-1])
    rows = for_kernels(given.reshape(math.prod(given.shape[:-2]), rules.cells) != 0, np.uint8)
    boards = np.empty((len(rows), rules.words), np.uint64)
    kernels.to_boards(rows, rules.full_board, rules.size, boards)
    return boards.reshape(*given.shape[:-2], rules.words)


def transform_boards(boards: Boards, size: int, number: int) -> Boards:
    """The images of packed boards [..., words] under a symmetry.

    >>> int(transform_boards(np.array([0b1], np.uint64), 4, 1)[0])
    8
    """
    rows = _packed(boards, _rules(size))
    out = np.empty_like(rows)
    kernels.images(rows, _image_tables(size, _symmetry(number)), out)
    return out.reshape(boards.shape)


def transform_planes(planes: npt.NDArray[Anything], number: int) -> npt.NDArray[Anything]:
    """The images of planes [..., rows, columns] under a symmetry: a view, nothing is copied.

    >>> transform_planes(np.arange(4).reshape(2, 2), 4).tolist()
    [[0, 2], [1, 3]]
    """
    _symmetry(number)
    if number & 1:
        planes = planes[..., ::-1]
    if number & 2:
        planes = planes[..., ::-1, :]
    return planes.swapaxes(-1, -2) if number & 4 else planes


def transform_actions(values: npt.NDArray[Anything], number: int) -> npt.NDArray[Anything]:
    """Masks, policies or whatever belongs to actions [..., size² + 1], moved as a symmetry moves the squares.

    >>> mask = np.zeros(17, bool)
    >>> mask[[1, 16]] = True
    >>> transform_actions(mask, 1).nonzero()[0].tolist()
    [2, 16]
    """
    size = math.isqrt(values.shape[-1])
    if size * size + 1 != values.shape[-1]:
        raise BadSpec(f"{values.shape[-1]} values are not those of all actions; expected size² + 1, such as 65 on 8x8")
    moved = np.empty_like(values)
    moved[..., action_images(size, number)] = values
    return moved


def action_images(size: int, number: int) -> npt.NDArray[np.int64]:
    """[size² + 1]: where a symmetry takes each action; `action_images(size, number)[actions]` moves actions.

    >>> action_images(4, 1)[[0, 1, 16]].tolist()
    [3, 2, 16]
    """
    rules = _rules(size)
    return np.array([rules.image(action, _symmetry(number)) for action in range(rules.cells + 1)], np.int64)


def _rules(size: int) -> Rules:
    return shared_rules(size, "standard")


def _symmetry(number: int) -> int:
    if not is_whole(number) or not 0 <= number <= 7:
        raise BadSpec(f"symmetry {shown(number)} is not known; expected 0 to 7")
    return number


def _packed(boards: Boards, rules: Rules) -> Boards:
    """Boards in rows [boards, words], as kernels take them."""
    if boards.dtype != np.uint64 or boards.shape[-1:] != (rules.words,):
        raise BadSpec(
            f"an array of {boards.dtype} with the shape {boards.shape} has no boards of {rules.size}x{rules.size}; "
            f"expected uint64 with a last axis of {rules.words}"
        )
    return for_kernels(boards.reshape(math.prod(boards.shape[:-1]), rules.words), np.uint64)


def for_kernels(values: npt.NDArray[Any], kind: type[Any]) -> npt.NDArray[Any]:
    """Values of a kind in one piece and writable: numba would compile kernels anew for arrays that are not."""
    return np.require(values, kind, ["C", "W"])


@cache
def _image_tables(size: int, number: int) -> Boards:
    """[bytes of a board, 256, words]: the image of every value of every byte."""
    rules = _rules(size)
    return np.array(
        [
            [rules.board(image_of(size, number, value << 8 * byte)) for value in range(256)]
            for byte in range(8 * rules.words)
        ],
        np.uint64,
    )
