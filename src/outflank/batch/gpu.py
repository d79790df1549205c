"""`GpuGames`: the games of `Games` on a GPU, where learners read them without a copy; and pattern values there.

Arrays are `CardArray`s: `torch.from_dlpack(games.planes)` and `jax.dlpack.from_dlpack(games.planes)` are the same
memory, which every step writes anew. Extra: `outflank[gpu]`.
"""

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.batch.games import Games
from outflank.board import Position, Rules
from outflank.devices import card_faults, check_gpu
from outflank.errors import BadSpec
from outflank.patterns import PatternWeights, shipped_weights

_CUDA, _CPU = 2, 1
"""Kinds of devices in DLPack."""
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}


# --- arrays that others read ----------------------------------------------------------------------------------------


class _Tensor(ctypes.Structure):
    """DLTensor, and what belongs to it: the layout of dlpack.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_lent: dict[int, Any] = {}
"""What a reader still holds, by the address of its tensor."""


def _forget(address: int) -> None:
    _lent.pop(address, None)


_give_back = _DELETER(_forget)


_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


class CardArray:
    """An array on the card, for whoever reads DLPack or `__cuda_array_interface__`; `numpy()` copies it here."""

    def __init__(self, array: Any, kind: npt.DTypeLike | None = None, shape: tuple[int, ...] | None = None) -> None:
        """`array` is one of numba's; `kind` and `shape` are how it is read."""
        self._array = array
        self.shape = tuple(map(int, array.shape if shape is None else shape))
        self.dtype: np.dtype[Any] = np.dtype(array.dtype if kind is None else kind)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"CardArray{self.shape} of {self.dtype}"

    def numpy(self) -> npt.NDArray[Any]:
        """A copy here."""
        with card_faults():
            copy: npt.NDArray[Any] = self._array.copy_to_host()
        return copy.view(self.dtype).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """For numpy, which always gets a copy."""
        if copy is False:
            raise ValueError("an array on a card is copied to be read here")
        return self.numpy().astype(dtype or self.dtype, copy=False)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        interface = dict(self._array.__cuda_array_interface__)
        return interface | {"shape": self.shape, "typestr": self.dtype.str, "strides": None}

    @property
    def _address(self) -> int:
        """Where it begins; numba's simulator has its arrays in the memory of the computer."""
        from outflank.kernels.cuda import SIMULATED

        return int(self._array._ary.ctypes.data if SIMULATED else self._array.__cuda_array_interface__["data"][0])

    def __dlpack_device__(self) -> tuple[int, int]:
        from outflank.kernels.cuda import SIMULATED, card_number

        return (_CPU, 0) if SIMULATED else (_CUDA, card_number())

    def __dlpack__(self, *, stream: Any = None, **_wanted: Any) -> Any:
        """A capsule that holds the array until its reader is done; whatever was begun on it is finished first."""
        from outflank.kernels.cuda import wait

        del stream  # everything is waited for, so that any stream may read
        with card_faults():
            wait()
        shape = (ctypes.c_int64 * len(self.shape))(*self.shape)
        kind, number = self.__dlpack_device__()
        tensor = _Tensor(
            data=self._address,
            device_type=kind,
            device_id=number,
            ndim=len(self.shape),
            code=_CODES[self.dtype.kind],
            bits=8 * self.dtype.itemsize,
            lanes=1,
            shape=shape,
            deleter=ctypes.cast(_give_back, ctypes.c_void_p),
        )
        address = ctypes.addressof(tensor)
        _lent[address] = tensor, shape, self._array
        return _new_capsule(address, b"dltensor", None)


def _as_array(given: Any) -> Any:
    """An array of numba's where it lies on the card, which is not copied, and of numpy's elsewhere."""
    if isinstance(given, CardArray):
        return given._array
    if hasattr(given, "__cuda_array_interface__"):
        from outflank.kernels.cuda import as_on_card

        return as_on_card(given)
    return np.ascontiguousarray(given)


# --- games ----------------------------------------------------------------------------------------------------------


class GpuGames:
    """The games of `Games`, with the same options, on a GPU: all arrays are `CardArray`s, and written by every step.

    Actions may lie on the card, as int64, and are then not copied. Where games are begun or loaded, which is rare, the
    processor does it.
    """

    def __init__(
        self,
        count: int,
        start: Position | Rules | str = "standard 8x8",
        seed: int = 0,
        *,
        first: int = 0,
        auto_reset: bool = True,
    ) -> None:
        check_gpu("playing")
        from outflank.kernels import batch_cuda, games_cuda

        self._here, self._card = Games(count, start, seed, first=first, auto_reset=auto_reset), games_cuda
        self.rules, self.count = self._here.rules, count
        with card_faults():
            self._kernels = batch_cuda.batch_kernels()
            self._none_wrong = games_cuda.put(np.array([batch_cuda.NONE_WRONG]))
            self._wrong, self._drawn = games_cuda.room(1, np.int64), games_cuda.room(count, np.int64)
            self._rows = games_cuda.to_card(self._here._rows)
            self._tables = games_cuda.to_card(self._here._setting)
        self._grid = games_cuda.blocks_for(count), games_cuda.BLOCK
        rows, size = self._rows, self.rules.size
        self.own, self.opposing, self.turn = CardArray(rows.own), CardArray(rows.opposing), CardArray(rows.turn)
        self.planes = CardArray(rows.planes, shape=(count, 2, size, size))
        self.legal, self.done = CardArray(rows.legal, np.bool_), CardArray(rows.done, np.bool_)
        self.rewards, self.scores = CardArray(rows.rewards), CardArray(rows.scores)
        self.plies, self.numbers = CardArray(rows.plies), CardArray(rows.numbers)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"{self._here!r} on a GPU"

    def step(self, actions: Any) -> None:
        """Plays one action in every game; where one is not legal, none is played and the error says which."""
        given = self._given(actions)
        with card_faults():
            self._wrong.copy_to_device(self._none_wrong)
            self._kernels.check[self._grid](self._rows, self._tables, given, self._wrong)
            self._kernels.step[self._grid](self._rows, self._tables, given, self._wrong)
            wrong = int(self._wrong.copy_to_host()[0])
        if wrong < self.count:
            self._fetch()
            self._here.step(given.copy_to_host())  # raises

    def random_actions(self) -> CardArray:
        """A legal action for every game, each as likely; the array is the same in every call."""
        with card_faults():
            self._kernels.draw[self._grid](self._rows, self._tables, self._drawn)
        return CardArray(self._drawn)

    def reset(self, seed: int | None = None, which: npt.ArrayLike | None = None) -> None:
        """As `Games.reset`."""
        self._fetch()
        self._here.reset(seed, which)
        self._put()

    def load(self, own: npt.ArrayLike, opposing: npt.ArrayLike, turn: npt.ArrayLike = 0) -> None:
        """As `Games.load`."""
        self._fetch()
        self._here.load(own, opposing, turn)
        self._put()

    def position(self, game: int) -> Position:
        """The position of one game."""
        self._fetch()
        return self._here.position(game)

    def _given(self, actions: Any) -> Any:
        """Actions as an array of numba's: without a copy where they lie on the card."""
        given = _as_array(actions)
        if isinstance(given, np.ndarray) and given.dtype.kind in "iu" and given.shape == (self.count,):
            return self._card.put(given.astype(np.int64))
        if tuple(given.shape) != (self.count,) or given.dtype != np.int64:
            raise BadSpec(
                f"actions of {given.dtype} with the shape {tuple(given.shape)} cannot be played in {self.count} games; "
                "expected a whole number for each, int64 on a card"
            )
        return given

    def _fetch(self) -> None:
        """Brings all rows here."""
        with card_faults():
            for here, there in zip(self._here._rows, self._rows, strict=True):
                there.copy_to_host(here)

    def _put(self) -> None:
        """Writes the rows from here into those of the card."""
        with card_faults():
            for here, there in zip(self._here._rows, self._rows, strict=True):
                there.copy_to_device(here)
            self._tables = self._tables._replace(seed=self._here._setting.seed)


# --- values ---------------------------------------------------------------------------------------------------------


class GpuPatterns:
    """Values of many positions by trained patterns on a GPU, as the engine sees them: hundredths of a disc."""

    def __init__(self, rules: Rules | str = "standard 8x8", weights: PatternWeights | None = None) -> None:
        """The weights of the package unless told."""
        check_gpu("evaluating")
        from outflank.kernels import batch_cuda, games_cuda
        from outflank.kernels.cuda import Pattern

        self.rules = rules if isinstance(rules, Rules) else Rules.parse(rules)
        self._card, chosen = games_cuda, weights or shipped_weights(self.rules)
        if chosen.rules != self.rules:
            raise BadSpec(f"weights of {chosen.rules} cannot evaluate {self.rules}")
        built = chosen.build()
        with card_faults():
            self._kernel = batch_cuda.values_kernel(tuple(Pattern(*each) for each in chosen.patterns.placed()))
            there = games_cuda.to_card(built)
        nothing = games_cuda.put(np.zeros((1, 1, 1), np.int16)), games_cuda.put(np.zeros(1, np.int32))
        self._patterns, self._full = there._replace(rows=nothing[0], centers=nothing[1]), self.rules.full_board

    def values(self, own: Any, opposing: Any) -> CardArray:
        """[positions]: what each is worth to its side to move; boards are packed [positions, words], here or there."""
        boards = [self._boards(each) for each in (own, opposing)]
        if boards[0].shape != boards[1].shape:
            raise BadSpec(f"own has {len(boards[0])} positions and opposing {len(boards[1])}; expected as many")
        with card_faults():
            out = self._card.room(boards[0].shape[0], np.int32)
            grid = self._card.blocks_for(boards[0].shape[0]), self._card.BLOCK
            self._kernel[grid](*boards, self._full, self._patterns, out)
        return CardArray(out)

    def _boards(self, given: Any) -> Any:
        boards = _as_array(given)
        words = self.rules.words
        if boards.dtype != np.uint64 or len(boards.shape) != 2 or boards.shape[1] != words or not boards.shape[0]:
            raise BadSpec(
                f"boards of {boards.dtype} with the shape {tuple(boards.shape)} are not packed; "
                f"expected [positions, {words}] of uint64"
            )
        if isinstance(boards, np.ndarray):
            with card_faults():
                return self._card.put(boards)
        return boards
