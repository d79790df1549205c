"""Evaluations against obvious ones, tables against the printed matrices, a person's own function."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_search as slow
from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.evaluation import EvaluationSpec, read_evaluation, read_table
from outflank.kernels.evaluate import TERMS, evaluation_of
from support import EFFORT, every_size, from_naive
from test_kernels import arbitrary_board, boards

OWN = """
from outflank.kernels.bitboard import count, moves

def twice(own, opp, size):
    return 2 * (count(own) - count(opp)) + size

def broken(own, opp, size):
    return own.nonsense
"""


def worth(spec: EvaluationSpec, position: Position) -> int:
    return evaluation_of(*position.boards, *spec.build(position.rules))


OBVIOUS = {term: getattr(slow, term) for term in TERMS}
OBVIOUS["position"] = lambda board, side: slow.position(board, side, slow.nested(len(board)))


@pytest.mark.parametrize("term", TERMS)
@settings(max_examples=int(400 * EFFORT), deadline=None)
@given(board=boards, side=st.sampled_from("XO"))
def test_every_term_equals_the_obvious_one(term: str, board: naive.Board, side: str) -> None:
    assert worth(read_evaluation(f"terms({term}=1)"), from_naive(board, side)) == OBVIOUS[term](board, side)


@settings(max_examples=int(200 * EFFORT), deadline=None)
@given(board=boards, side=st.sampled_from("XO"), weights=st.tuples(*[st.integers(-9, 9)] * 2 * len(TERMS)))
def test_phases_and_the_reversed_game(board: naive.Board, side: str, weights: tuple[int, ...]) -> None:
    size = len(board) ** 2
    limit = size // 2
    lists = [f"{term}=[{weights[2 * i]}, {weights[2 * i + 1]}]" for i, term in enumerate(TERMS)]
    spec = read_evaluation(f"terms({', '.join(lists)}, phase_ends=[{limit}])")
    phase = int(size - naive.counts(board)[2] > limit)
    values = {term: evaluate(board, side) for term, evaluate in OBVIOUS.items()}
    expected = [weights[2 * i + phase] * values[term] for i, term in enumerate(TERMS)]
    assert worth(spec, from_naive(board, side)) == sum(expected)
    turned = [value if term == "mobility" else -value for value, term in zip(expected, TERMS, strict=True)]
    assert worth(spec, from_naive(board, side, "reversed")) == sum(turned)


@every_size
def test_named_evaluations_equal_their_definitions(size: int) -> None:
    for seed in range(int(60 * EFFORT)):
        board = arbitrary_board(size, seed, (0.2, 1.0, 3.0)[seed % 3])
        position = from_naive(board, "O")
        cells = "".join(board)
        assert worth(read_evaluation("discs"), position) == slow.discs(board, "O")
        positional = 10 * slow.position(board, "O", slow.nested(size)) + 5 * slow.mobility(board, "O")
        assert worth(read_evaluation("positional"), position) == positional
        value = {"O": 0, "X": 0, "-": 0}
        for square, sign in enumerate(cells):
            on_edge = sum(square in edge for edge in slow.edges(size))
            value[sign] += (1, 4, 100)[on_edge]
        assert worth(read_evaluation("corners"), position) == value["O"] - value["X"]
        assert worth(read_evaluation("league"), position) == slow.position(board, "O", slow.counter(size))


def test_the_nested_table_reproduces_the_printed_matrices() -> None:
    assert read_table("nested").squares(4).tolist() == slow.MATRIX_4
    twelve = read_table("nested").squares(12).reshape(12, 12)
    assert twelve[:6, :6].tolist() == slow.QUARTER_12
    assert (twelve == twelve[::-1]).all() and (twelve == twelve.T).all()
    eight = read_table("nested").squares(8).reshape(8, 8)
    assert eight[0].tolist() == [120, -20, 20, 5, 5, 20, -20, 120] and eight[1, 1] == -40 and eight[2, 2] == 15


def test_tables_as_lists() -> None:
    assert read_table((9, 1, 2)).squares(4).tolist() == [9, 1, 1, 9, 1, 2, 2, 1, 1, 2, 2, 1, 9, 1, 1, 9]
    assert read_table(tuple(range(16))).squares(4).tolist() == list(range(16))
    with pytest.raises(BadSpec, match="a 6x6 board has 36 squares"):
        read_table(tuple(range(16))).squares(6)
    for bad in ("nonsense", (1, 2), 7):
        with pytest.raises(BadSpec, match="expected nested"):
            read_table(bad)
    for third in (3.5, 2**31, True):
        with pytest.raises(BadSpec, match="expected whole numbers from -1000000 to 1000000"):
            read_table((1, 2, third))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("terms(position=[1, 2])", "position has 2 weights; expected 1"),
        ("terms(discs=1, phase_ends=[40, 20])", r"phase_ends \[40, 20\] do not rise"),
        ("discs(depth=1)", "discs has no option 'depth'"),
        ("disc", "no evaluation is called 'disc', did you mean discs"),
        ("nomodule:f", "cannot import module 'nomodule'"),
        ("math:nothing", "module 'math' has no 'nothing'"),
        ("positional(squares=square)", "option squares=square: expected nested"),
    ],
)
def test_bad_evaluations(text: str, message: str) -> None:
    with pytest.raises(BadSpec, match=message):
        read_evaluation(text).load()


@pytest.mark.parametrize("size", [8, 12])
def test_a_function_of_a_persons_own(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_evaluation.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "own_evaluation", raising=False)
    board = arbitrary_board(size, 5, 1.0)
    position = from_naive(board, "X")
    assert worth(read_evaluation("own_evaluation:twice"), position) == 2 * slow.discs(board, "X") + size
    assert Rules(size) == position.rules
