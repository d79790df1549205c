"""What plays random games here: the processor, and a GPU if there is one; random games on a GPU."""

import itertools
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Position, Rules
from outflank.errors import BadSpec, DeviceFailed, OutflankError, require
from outflank.inputs import expect, shown
from outflank.kernels.policy import Cutoff, Guided, Policy, Uniform, add_cuts
from outflank.kernels.sliced import GROUP

DEVICES = ("cpu", "gpu", "auto")
_LAUNCH = {1: 1 << 19, 4: 1 << 20}
"""Units of one launch by words of a board: some hundredths of a second, because a card at work hears no Ctrl-C."""
_MOST_GAMES = 10**10
_MOST_CUTS = 1 << 22
"""Playouts of a batch that end in an evaluation, each of which comes back."""


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
def card_faults() -> Iterator[None]:
    """Failures of a card inside as errors for people."""
    from outflank.kernels.games_cuda import failures

    try:
        yield
    except failures() as error:
        problem = _name_of(error)
        hint = "fewer games at once, or a card that no other program uses"
        if "MEMORY" not in problem.upper():
            hint = "a card that answers (see nvidia-smi), and the program begun again"
        raise DeviceFailed(f"the GPU failed with {problem}; expected {hint}") from None


def _name_of(error: Exception) -> str:
    """What CUDA calls a failure, where its name is in the text of the error."""
    name = re.search(r"CUDA_ERROR_\w+", str(error))
    return name.group() if name else shown(" ".join(str(error).split()))


class CardGames:
    """Random games of some rules on the GPU: game `number` of a seed is the one that the processor plays."""

    def __init__(self, rules: Rules) -> None:
        check_gpu("playing")
        from outflank.kernels import games_cuda

        self.rules, self._card = rules, games_cuda
        self._kind: Any = np.int8 if rules.words == 1 else np.int16
        self._staging: Any = None
        self._copying: Any = None
        with card_faults():
            self._kernel = games_cuda.games_kernel(rules.size)

    def differences(self, position: Position, games: int, seed: int = 0, first: int = 0) -> npt.NDArray[np.int16]:
        """The discs of the side to move minus those of the other at the end of games `first`, `first + 1`, …"""
        expect(int, games=games, seed=seed, first=first)
        if not 1 <= games <= _MOST_GAMES:
            raise BadSpec(f"games={shown(games)} is not possible; expected 1 to {_MOST_GAMES}")
        me, opp, _ = position.boards
        card, found = self._card, np.empty(games, self._kind)
        with card_faults():
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
        with card_faults():
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
        with card_faults():
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


class CardPlayouts:
    """Playouts of a policy from many positions at once on the GPU, the same as on the processor.

    Positions are written into `own`, `other`, `seeds`, `firsts` and `sides`; `send` begins their playouts and returns,
    `receive` waits for what they paid. Several of these keep a card busy while the next positions are found.
    """

    own: npt.NDArray[np.uint64]
    """[tasks, words]: discs of the side to move."""
    other: npt.NDArray[np.uint64]
    seeds: npt.NDArray[np.uint64]
    """[tasks]"""
    firsts: npt.NDArray[np.uint64]
    """[tasks]: the number of the first playout."""
    sides: npt.NDArray[np.uint64]
    """[tasks]: 1 where the side to move is the one that searches, otherwise 0."""

    def __init__(self, rules: Rules, policy: Policy, tasks: int) -> None:
        """Room for so many positions; `policy` is what `PlayoutPolicy.build` gives, without code of a person's own."""
        check_gpu("playing")
        from outflank.kernels import games_cuda

        self.rules, self.policy, self.tasks, self._card = rules, policy, tasks, games_cuda
        self._full = Position.start(rules).boards[2]
        length = (2 * rules.words + 3) * tasks
        with card_faults():
            self._launch = self._launcher()
            self._stream, self._done = games_cuda.new_stream(), games_cuda.new_event()
            self._here, self._there = games_cuda.pinned(length, np.uint64), games_cuda.room(length, np.uint64)
            self._counts = games_cuda.pinned((tasks, games_cuda.TOTALS), np.int64)
            self._totals = games_cuda.room((tasks, games_cuda.TOTALS), np.int64)
        self._here[:] = 0
        self._tasks = self._parts(self._there)
        self.own, self.other, self.seeds, self.firsts, self.sides = self._parts(self._here)
        self._number = self._each = 0
        self._cuts: Any = None

    def _parts(self, words: Any) -> list[Any]:
        """The arrays of the tasks in one piece of memory, which travels at once."""
        boards, tasks = self.tasks * self.rules.words, self.tasks
        starts = [0, boards, 2 * boards, 2 * boards + tasks, 2 * boards + 2 * tasks, 2 * boards + 3 * tasks]
        parts = [words[begin:end] for begin, end in itertools.pairwise(starts)]
        return [part.reshape(tasks, self.rules.words) for part in parts[:2]] + parts[2:]

    @property
    def most(self) -> int:
        """Playouts that a batch may have in all."""
        return _MOST_CUTS if isinstance(self.policy, Cutoff) else _MOST_GAMES

    def _launcher(self) -> Callable[[int, int, int], None]:
        """Begins the playouts of units `begin` to `end`, `each` to a position."""
        card, rules, policy = self._card, self.rules, self.policy
        if isinstance(policy, Uniform):
            kernel = card.games_kernel(rules.size)
            nothing = card.put(np.zeros(0, np.int8 if rules.words == 1 else np.int16))

            def launch(each: int, begin: int, end: int) -> None:
                own, other, seeds, firsts, _ = self._tasks
                play = kernel[card.blocks_for(end - begin), card.BLOCK, self._stream]
                play(own, other, self._full, seeds, firsts, each, begin, end, nothing, self._totals)

            return launch
        if not isinstance(policy, Guided | Cutoff) or getattr(policy, "plug", None) is not None:
            raise BadSpec("a GPU does not play functions of a person's own; expected device=cpu")
        guided = card.guided_kernel() if isinstance(policy, Guided) else card.cut_kernel()
        there = card.to_card(policy._replace(draw=0.5))

        def launch_guided(each: int, begin: int, end: int) -> None:
            own, other, seeds, firsts, sides = self._tasks
            play = guided[card.blocks_for(end - begin), card.BLOCK, self._stream]
            play(own, other, self._full, seeds, firsts, sides, each, begin, end, there, self._cuts, self._totals)

        return launch_guided

    def send(self, number: int, each: int) -> None:
        """Begins `each` playouts of the first `number` positions."""
        card, stream = self._card, self._stream
        groups = isinstance(self.policy, Uniform) and self.rules.words == 1
        units = number * (-(-each // GROUP) if groups else each)
        most = _LAUNCH[self.rules.words if isinstance(self.policy, Uniform) else 4]
        self._number, self._each = number, each
        with card_faults():
            self._make_cuts(number * each)
            self._there.copy_to_device(self._here, stream=stream)
            card.clear(self._totals, stream)
            for begin in range(0, units, most):
                self._launch(each, begin, min(begin + most, units))
            self._totals.copy_to_host(self._counts, stream=stream)
            self._done.record(stream)

    def _make_cuts(self, games: int) -> None:
        """Room for what is evaluated, where the policy does that."""
        wanted = games if isinstance(self.policy, Cutoff) else 0
        if self._cuts is None or len(self._cuts) < wanted:
            self._cuts = self._card.room(max(1, wanted), np.int64)

    def receive(self, points: npt.NDArray[np.float64], placed: npt.NDArray[np.int64]) -> None:
        """Waits, and adds what was paid: `points` [number, 2] of the side to move and the other, `placed` [number]."""
        with card_faults():
            self._done.synchronize()
        counts, policy, number = self._counts[: self._number], self.policy, self._number
        placed[:number] += counts[:, self._card.PLACED]
        if isinstance(policy, Cutoff):
            with card_faults():
                cuts = self._cuts[: number * self._each].copy_to_host()
            add_cuts(cuts, self._each, policy, points[:number])
            return
        won, drawn, lost = counts[:, self._card.WON], counts[:, self._card.DRAWN], counts[:, self._card.LOST]
        if isinstance(policy, Uniform) and policy.sign < 0:
            won, lost = lost, won
        points[:number, 0] += won + policy.draw * drawn
        points[:number, 1] += lost + policy.draw * drawn
