"""Many games side by side in arrays: play a move in each, draw random ones, show boards as bytes.

A game is a row. What the kernels work on stays packed (boards of `bitboard`, from the view of the side to move); what
people read is written beside it in the same pass, a byte a square, while the board is still in the registers.

Every game has the random stream of its number (`playout`), of which each ply takes one draw, whoever chooses the move.
The games of a row are numbered in steps of `NEXT_IN_ROW`, so that they do not depend on how many rows there are.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import (
    ZERO,
    both,
    count,
    is_empty,
    load,
    moves,
    ranked,
    row_step,
    single,
    store,
)
from outflank.kernels.jit import Board, Word, Words, inlined, kernel, routine
from outflank.kernels.playout import advance, choose, stream
from outflank.kernels.rules import PASS, after
from outflank.kernels.shallow import final_score

Bytes = npt.NDArray[np.uint8]
Actions = npt.NDArray[np.int64]

NEXT_IN_ROW = 1 << 32
"""From the number of a game to that of the next one in its row."""
ALL_LEGAL = -1
_SIX, _EIGHT, _LOW_6, _LOW_8 = Word(6), Word(8), Word(63), Word(255)
_PRIZE = 1
"""Empty squares count for the winner."""


class Rows(NamedTuple):
    """The games, a row each."""

    own: Words
    """[games, words]: discs of the side to move."""
    opposing: Words
    moves: Words
    """[games, words]: squares that the side to move may play."""
    streams: Words
    """[games, 2]: the state of the generator before the draw of this ply."""
    numbers: Actions
    """[games]: which game of the seed it is."""
    plies: Actions
    """[games]: how many were played in it."""
    turn: Bytes
    """[games]: 0 where black is to move, 1 for white."""
    legal: Bytes
    """[games, squares + 1]: 1 where an action is legal, the pass last."""
    planes: Bytes
    """[games, 2, squares]: discs of the side to move, then of the other."""
    done: Bytes
    """[games]: whether the last step ended the game; where games do not begin anew, whether it is over."""
    rewards: npt.NDArray[np.float32]
    """[games]: the result of a game that the last step ended, for the side that moved: 1, 0 or -1; otherwise 0."""
    scores: npt.NDArray[np.int16]
    """[games]: its score for that side."""


class Setting(NamedTuple):
    """What all games of a batch have in common."""

    me: Board
    """Discs of the side to move in the first position."""
    opp: Board
    full: Board
    turn: int
    """0 if black begins."""
    sign: int
    """1, or -1 for the reversed game."""
    size: int
    seed: Word
    anew: int
    """1 if a new game takes the place of one that is over."""
    bits: Actions
    """[squares + 1]: the bit number of every action, `PASS` for the pass."""
    actions: Actions
    """[bits]: the action of every bit number on the board."""


# --- boards as bytes ----------------------------------------------------------------------------------------------


_BITS_OF_BYTE = np.array([[value >> bit & 1 for bit in range(8)] for value in range(256)], np.uint8)


@inlined
def _spread_rows(boards: Words, index: int, like: Board, size: int, out: Bytes) -> None:
    """Writes board `index` into the first squares of `out`, row by row, 1 where there is a disc."""
    step = row_step(like)
    for row in range(size):
        at = Word(row) * step
        line = boards[index, at >> _SIX] >> (at & _LOW_6)
        for column in range(min(size, 8)):
            out[size * row + column] = _BITS_OF_BYTE[line & _LOW_8, column]
        for column in range(8, size):
            out[size * row + column] = _BITS_OF_BYTE[line >> _EIGHT & _LOW_8, column - 8]


@routine
def _spread(boards: Words, index: int, like: Board, size: int, out: Bytes) -> None:
    """`_spread_rows` with a size that the compiler knows, so that it copies eight squares of the table at once.

    A board takes 4 ns on 8x8 and 11 ns on 16x16, in place of 18 and 32 with any size (AMD EPYC).
    """
    if len(like) == 1:
        if size == 8:
            _spread_rows(boards, index, like, 8, out)
        elif size == 6:
            _spread_rows(boards, index, like, 6, out)
        else:
            _spread_rows(boards, index, like, 4, out)
    else:
        if size == 10:
            _spread_rows(boards, index, like, 10, out)
        elif size == 12:
            _spread_rows(boards, index, like, 12, out)
        elif size == 14:
            _spread_rows(boards, index, like, 14, out)
        else:
            _spread_rows(boards, index, like, 16, out)


@kernel
def to_planes(boards: Words, like: Board, size: int, planes: Bytes) -> None:
    """Writes every board of [boards, words] as bytes of [boards, squares]; `like` is any board of the layout."""
    for index in range(len(boards)):
        _spread(boards, index, like, size, planes[index])


@kernel
def to_boards(planes: Bytes, like: Board, size: int, boards: Words) -> None:
    """The inverse of `to_planes`: a square is set where its byte is not 0."""
    step = row_step(like)
    for index in range(len(planes)):
        for word in range(len(like)):
            boards[index, word] = ZERO
        for row in range(size):
            at, line = Word(row) * step, ZERO
            for column in range(size):
                line |= Word(planes[index, size * row + column] != 0) << Word(column)
            boards[index, at >> _SIX] |= line << (at & _LOW_6)


@kernel
def images(boards: Words, tables: Words, out: Words) -> None:
    """Writes what a symmetry makes of every board of [boards, words].

    `tables` [bytes of a board, 256, words] has the image of every value of every byte, lowest byte first.
    """
    words = boards.shape[1]
    for index in range(len(boards)):
        for word in range(words):
            out[index, word] = ZERO
        for byte in range(8 * words):
            value = boards[index, byte >> 3] >> Word((byte & 7) << 3) & _LOW_8
            for word in range(words):
                out[index, word] |= tables[byte, value, word]


# --- games --------------------------------------------------------------------------------------------------------


@inlined
def _show(rows: Rows, game: int, setting: Setting, over: bool) -> None:
    """Writes what people read of a game whose boards and moves are stored."""
    _spread(rows.moves, game, setting.full, setting.size, rows.legal[game])
    _spread(rows.own, game, setting.full, setting.size, rows.planes[game, 0])
    _spread(rows.opposing, game, setting.full, setting.size, rows.planes[game, 1])
    forced = is_empty(load(rows.moves, game, setting.full)) and not over
    rows.legal[game, setting.size * setting.size] = np.uint8(forced)


@inlined
def _begin(rows: Rows, game: int, setting: Setting, number: int) -> None:
    """Puts the first position and the stream of a number into a row; its moves are still those before."""
    store(rows.own, game, setting.me)
    store(rows.opposing, game, setting.opp)
    rows.turn[game] = np.uint8(setting.turn)
    rows.plies[game] = 0
    rows.numbers[game] = number
    rows.streams[game, 0], rows.streams[game, 1] = stream(setting.seed, Word(number))


@kernel
def begin_games(rows: Rows, setting: Setting, chosen: Bytes, numbers: Actions) -> None:
    """Begins the game of its number in every chosen row."""
    for game in range(len(chosen)):
        if chosen[game]:
            _begin(rows, game, setting, numbers[game])


@kernel
def show_games(rows: Rows, setting: Setting) -> None:
    """Finds the moves of all boards, which may have been put there from outside, and writes what people read."""
    for game in range(len(rows.turn)):
        me, opp = load(rows.own, game, setting.full), load(rows.opposing, game, setting.full)
        squares = moves(me, opp, setting.full)
        store(rows.moves, game, squares)
        _show(rows, game, setting, is_empty(squares) and is_empty(moves(opp, me, setting.full)))


@inlined
def is_legal(rows: Rows, setting: Setting, game: int, action: int) -> bool:
    """Whether an action may be played; where the game is over, any action, which is then not played."""
    if rows.done[game] and not setting.anew:
        return True
    if action < 0 or action >= len(setting.bits):
        return False
    squares, bit = load(rows.moves, game, setting.full), setting.bits[action]
    if bit == PASS:
        return is_empty(squares)
    return not is_empty(both(squares, single(bit, squares)))


@inlined
def _play(rows: Rows, setting: Setting, game: int, bit: int) -> None:
    """Plays a legal action and tells what comes of it."""
    full = setting.full
    me, opp = load(rows.own, game, full), load(rows.opposing, game, full)
    if bit == PASS:
        me, opp = opp, me
    else:
        me, opp = after(me, opp, bit)
    squares = moves(me, opp, full)
    over = is_empty(squares) and is_empty(moves(opp, me, full))
    score = 0
    if over:
        mine, theirs = count(opp), count(me)
        score = final_score(mine - theirs, count(full) - mine - theirs, setting.sign, _PRIZE)
    rows.done[game] = np.uint8(over)
    rows.scores[game] = np.int16(score)
    rows.rewards[game] = np.float32((score > 0) - (score < 0))
    if over and setting.anew:
        _begin(rows, game, setting, rows.numbers[game] + NEXT_IN_ROW)
        squares = moves(setting.me, setting.opp, full)
    else:
        store(rows.own, game, me)
        store(rows.opposing, game, opp)
        rows.turn[game] = np.uint8(1) - rows.turn[game]
        rows.plies[game] += 1
        rows.streams[game, 0], rows.streams[game, 1] = advance(rows.streams[game, 0], rows.streams[game, 1])
    store(rows.moves, game, squares)
    _show(rows, game, setting, over and not setting.anew)


@inlined
def play_or_skip(rows: Rows, setting: Setting, game: int, action: int) -> None:
    """Plays a legal action; none where the game is over and stays so."""
    if rows.done[game] and not setting.anew:
        rows.rewards[game], rows.scores[game] = np.float32(0), np.int16(0)
    else:
        _play(rows, setting, game, setting.bits[action])


@kernel
def step_games(rows: Rows, setting: Setting, actions: Actions) -> int:
    """Plays an action in every game; where one is not legal, plays none and returns its game, otherwise `ALL_LEGAL`."""
    for game in range(len(actions)):
        if not is_legal(rows, setting, game, actions[game]):
            return game
    for game in range(len(actions)):
        play_or_skip(rows, setting, game, actions[game])
    return ALL_LEGAL


@inlined
def random_action(rows: Rows, setting: Setting, game: int) -> int:
    """A legal action of a game, each as likely; the pass where there is none."""
    squares = load(rows.moves, game, setting.full)
    if is_empty(squares):
        return setting.size * setting.size
    number = rows.streams[game, 0] + rows.streams[game, 1]
    return int(setting.actions[ranked(squares, choose(number, count(squares)))])


@kernel
def random_actions(rows: Rows, setting: Setting, actions: Actions) -> None:
    """Writes a random action of every game."""
    for game in range(len(actions)):
        actions[game] = random_action(rows, setting, game)
