"""What plays random games here: the processor, and a GPU if there is one; random games on a GPU."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Position, Rules
from outflank.errors import BadSpec, OutflankError, require
from outflank.inputs import expect, shown
from outflank.kernels.sliced import GROUP

DEVICES = ("cpu", "gpu", "auto")
_LAUNCH = {1: 1 << 19, 4: 1 << 20}
"""Units of one launch by words of a board: some hundredths of a second, because a card at work hears no Ctrl-C."""
_MOST_GAMES = 10**10


@dataclass(frozen=True)
class Device:
    """Something that plays, or why it does not."""

    kind: str
    """`cpu` or `gpu`."""
    name: str
    usable: bool
    note: str
    """What it has, or what is missing and how to get it."""


def check_gpu(what: str) -> str:
    """The name of the GPU that is used; an error for people where none can be: no library, no driver, no card.

    `what` needs it: "training".
    """
    require("numba.cuda", f"{what} on a GPU needs numba-cuda", "gpu")
    from outflank.kernels.cuda import SIMULATED, card_name

    if not SIMULATED:
        require("numba_cuda", f"{what} on a GPU needs numba-cuda", "gpu")
    name, problem = card_name()
    if problem:
        raise OutflankError(f"there is no GPU for {what}: {shown(problem)}; expected an NVIDIA card with its driver")
    return name


def devices() -> list[Device]:
    """The processor and the GPU, usable or not.

    >>> [device.kind for device in devices()]
    ['cpu', 'gpu']
    """
    found = [Device("cpu", "processor", True, f"{os.cpu_count() or 1} threads")]
    try:
        name = check_gpu("playing")
    except OutflankError as error:
        return [*found, Device("gpu", "none", False, str(error))]
    from outflank.kernels.cuda import SIMULATED, free_memory

    note = "simulated by numba, slow" if SIMULATED else f"{free_memory() / 2**30:.0f} GiB free"
    return [*found, Device("gpu", name, True, note)]


def on_gpu(device: str | None) -> bool:
    """Whether to play on the GPU: `gpu` raises where there is none, `auto` then takes the processor.

    >>> on_gpu("cpu"), on_gpu(None)
    (False, False)
    """
    if device not in (None, *DEVICES):
        raise BadSpec(f"device={shown(device)} is not known; expected one of: {', '.join(DEVICES)}")
    if device == "auto":
        try:
            check_gpu("playing")
        except OutflankError:
            return False
        return True
    if device == "gpu":
        check_gpu("playing")
    return device == "gpu"


@contextmanager
def _told() -> Iterator[None]:
    """Failures of a card as errors for people."""
    from outflank.kernels.games_cuda import failures

    try:
        yield
    except failures() as error:
        problem = " ".join(str(error).split())
        hint = "fewer games at once, or a card that no other program uses" if "MEMORY" in problem.upper() else ""
        raise OutflankError(
            f"the GPU failed: {shown(problem)}; expected {hint or 'a card that answers; see nvidia-smi'}"
        ) from None


class CardGames:
    """Random games of some rules on the GPU: game `number` of a seed is the one that the processor plays."""

    def __init__(self, rules: Rules) -> None:
        check_gpu("playing")
        from outflank.kernels import games_cuda

        self.rules, self._card = rules, games_cuda
        self._kind: Any = np.int8 if rules.words == 1 else np.int16
        self._staging: Any = None
        self._copying: Any = None
        with _told():
            self._kernel = games_cuda.games_kernel(rules.size)

    def differences(self, position: Position, games: int, seed: int = 0, first: int = 0) -> npt.NDArray[np.int16]:
        """The discs of the side to move minus those of the other at the end of games `first`, `first + 1`, …"""
        expect(int, games=games, seed=seed, first=first)
        if not 1 <= games <= _MOST_GAMES:
            raise BadSpec(f"games={shown(games)} is not possible; expected 1 to {_MOST_GAMES}")
        me, opp, _ = position.boards
        card, found = self._card, np.empty(games, self._kind)
        with _told():
            out, nothing = card.room(games, self._kind), card.put(np.zeros((0, 4), np.int64))
            if self._staging is None:
                self._staging = card.pinned(self._games(_LAUNCH[self.rules.words]), self._kind)
                self._copying = card.new_stream()
            waiting: list[tuple[int, int, Any]] = []
            for launched in self._launches([me], [opp], [seed], [first], games, out, nothing):
                self._fetch(out, found, waiting)
                waiting = [launched]
            self._fetch(out, found, waiting)
        return found

    def play(self, position: Position, games: int, seed: int = 0) -> None:
        """Plays games whose results stay on the card: what the kernels take, for measurements."""
        me, opp, _ = position.boards
        with _told():
            out, nothing = self._card.room(games, self._kind), self._card.put(np.zeros((0, 4), np.int64))
            ends = [done for _, _, done in self._launches([me], [opp], [seed], [0], games, out, nothing)]
            ends[-1].synchronize()

    def _games(self, units: int) -> int:
        """Games of so many units."""
        return units * (GROUP if self.rules.words == 1 else 1)

    def _fetch(self, out: Any, found: npt.NDArray[Any], launched: list[tuple[int, int, Any]]) -> None:
        """Brings the results of a launch back, while the next one runs."""
        for begin, end, done in launched:
            at, stop = self._games(begin), min(self._games(end), len(found))
            done.synchronize()
            staged = self._staging[: stop - at]
            out[at:stop].copy_to_host(staged, stream=self._copying)
            self._copying.synchronize()
            found[at:stop] = staged

    def totals(
        self,
        own: Any,
        other: Any,
        seeds: Any,
        firsts: Any,
        each: int,
        stop: Callable[[], bool] | None = None,
    ) -> npt.NDArray[np.int64]:
        """[tasks, 4]: games that the side to move ended with more discs, as many, fewer; and discs placed in them.

        A task is a position, as rows of words, with `each` games of a seed from a number on. Once `stop()` is true
        between two launches, what is left is not played.
        """
        with _told():
            totals = self._card.put(np.zeros((len(own), 4), np.int64))
            nothing = self._card.put(np.zeros(0, self._kind))
            for _, _, done in self._launches(own, other, seeds, firsts, each, nothing, totals):
                done.synchronize()
                if stop is not None and stop():
                    break
            found: npt.NDArray[np.int64] = totals.copy_to_host()
        return found

    def _launches(
        self, own: Any, other: Any, seeds: Any, firsts: Any, each: int, out: Any, totals: Any
    ) -> Iterator[tuple[int, int, Any]]:
        """(first unit, the one after its last, what tells its end) of every launch, once it is begun."""
        card, full, words = self._card, Position.start(self.rules).boards[2], self.rules.words
        boards = [card.put(np.array(rows, np.uint64).reshape(-1, words)) for rows in (own, other)]
        numbers = [card.put(np.array([int(n) % 2**64 for n in rows], np.uint64)) for rows in (seeds, firsts)]
        units = card.units_of(self.rules.size, each) * len(boards[0])
        stream = card.new_stream()
        for begin in range(0, units, _LAUNCH[words]):
            end, done = min(begin + _LAUNCH[words], units), card.new_event()
            launch = self._kernel[card.blocks_for(end - begin), card.BLOCK, stream]
            launch(*boards, full, *numbers, each, begin, end, out, totals)
            done.record(stream)
            yield begin, end, done
