"""Checks of the oracle itself: hand-made positions and published numbers.

The published numbers are the known node counts and game values of Reversi, and the outputs of the reference
programs of the two random generators.
"""

from itertools import islice

import pytest

from naive import (
    OTHER,
    Board,
    counts,
    divide,
    from_line,
    is_over,
    legal_moves,
    line,
    perft,
    play,
    random_game,
    score,
    solve,
    splitmix64,
    start,
    stream,
    symmetries,
    xoroshiro128plus,
)

SIZES = range(4, 17, 2)
PERFT = {
    4: [4, 12, 44, 128, 424, 1256, 3624, 9116, 20044, 36540],
    6: [4, 12, 56, 244, 1364, 7604, 47740],
    8: [4, 12, 56, 244, 1396, 8200, 55092],
    10: [4, 12, 56, 244, 1396, 8200, 55180],
    12: [4, 12, 56, 244, 1396, 8200],
    14: [4, 12, 56, 244, 1396, 8200],
    16: [4, 12, 56, 244, 1396, 8200],
}
PERFECT_GAME = (
    "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1"
    "f7e2g3h4f1e1f2g1b1f8g8b3h3b2h5b7a3a4a1a2c1h2h1g2b8a8g7h8h7h6"
)
WIPE_OUT = "e6f4e3f6g5d6e7f5c5"
# Black must pass, then White turns b1 or b3; nothing is left to either side after both.
TWO_AFTER_PASS: Board = ("OX--", "----", "OX--", "----")
# Black may turn two discs on d1 (White answers d3: 4-3) or one on a3 (White passes, Black d1: 7-0).
TWO_WAYS: Board = ("XOO-", "----", "-OX-", "----")


def squares(transcript: str, n: int = 8) -> list[int]:
    """The square numbers of a transcript with one-digit rows."""
    pairs = zip(transcript[::2], transcript[1::2], strict=True)
    return [(int(row) - 1) * n + "abcdefgh".index(column) for column, row in pairs]


def replay(board: Board, side: str, plies: list[int]) -> list[Board]:
    """All boards of a game, the first one included; the sides alternate and passes are written."""
    boards = [board]
    for ply in plies:
        boards.append(play(boards[-1], side, ply))
        side = OTHER[side]
    return boards


def with_discs(n: int, discs: dict[int, str]) -> Board:
    """An n x n board that holds only these discs."""
    cells = "".join(discs.get(square, "-") for square in range(n * n))
    return from_line(cells + " X")[0]


def exchanged(board: Board) -> Board:
    """The board with the colours exchanged."""
    return tuple(row.translate(str.maketrans("XO", "OX")) for row in board)


# --- the board ---------------------------------------------------------------------------------------


def test_start_on_8x8() -> None:
    board = start(8)
    assert board[3] == "---OX---" and board[4] == "---XO---"
    assert [row for row in board if row != "-" * 8] == [board[3], board[4]]
    assert legal_moves(board, "X") == squares("d3c4f5e6")
    assert legal_moves(board, "O") == squares("e3f4c5d6")


@pytest.mark.parametrize("n", SIZES)
def test_start_on_every_size(n: int) -> None:
    board, h = start(n), n // 2
    assert len(board) == n and {len(row) for row in board} == {n}
    assert board[h - 1][h - 1] == board[h][h] == "O" and board[h - 1][h] == board[h][h - 1] == "X"
    assert counts(board) == (2, 2, n * n - 4)
    assert not is_over(board)


@pytest.mark.parametrize("n", [0, 2, 5, 7, 18])
def test_start_refuses_other_sizes(n: int) -> None:
    with pytest.raises(AssertionError):
        start(n)


def test_line_and_back() -> None:
    assert line(start(4), "X") == "-----OX--XO----- X"
    assert from_line("XXXXOOOO----XO-- O") == (("XXXX", "OOOO", "----", "XO--"), "O")
    for n in SIZES:
        for side in "XO":
            assert from_line(line(start(n), side)) == (start(n), side)


@pytest.mark.parametrize(
    "text", ["-----OX--XO----- -", "-----OX--XO---- X", "-----OX--XO---.- X", "-----OX--XO------ X", "OXXO X"]
)
def test_from_line_refuses_nonsense(text: str) -> None:
    with pytest.raises(AssertionError):
        from_line(text)


def test_a_published_position() -> None:
    board, side = from_line("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X")  # FFO 40
    assert side == "X" and counts(board) == (12, 32, 20)
    assert set(squares("a2c7")) <= set(legal_moves(board, side))


# --- moves -------------------------------------------------------------------------------------------


def test_a_move_turns_the_runs_of_all_eight_directions_and_nothing_else() -> None:
    before: Board = (
        "X--X--XO",
        "-O-O-O--",
        "--OOO---",
        "XOO-OOOX",
        "--OOO---",
        "-O-O-O--",
        "X--O--O-",
        "OO-X-O-X",
    )
    after: Board = (
        "X--X--XO",
        "-X-X-X--",
        "--XXX---",
        "XXXXXXXX",
        "--XXX---",
        "-X-X-X--",
        "X--X--X-",
        "OO-X-O-X",
    )
    assert 27 in legal_moves(before, "X")
    assert play(before, "X", 27) == after
    assert play(exchanged(before), "O", 27) == exchanged(after)


def test_open_and_broken_runs_turn_nothing() -> None:
    before: Board = (  # around d4: runs that meet the edge or a gap, and own discs without a run
        "O--O--X-",
        "-O-O-O--",
        "--OOX---",
        "XXX-O-OX",
        "--OOO---",
        "-O---O--",
        "O--X----",
        "-------X",
    )
    assert 27 not in legal_moves(before, "X")
    with pytest.raises(AssertionError):
        play(before, "X", 27)


def test_a_run_ends_at_the_first_own_disc() -> None:
    board: Board = ("-OXOX-", *["------"] * 5)
    assert play(board, "X", 0)[0] == "XXXOX-"


def test_turned_discs_do_not_turn_others() -> None:
    board: Board = ("-OX---", "-O----", "-X----", "------", "------", "------")
    assert play(board, "X", 0) == ("XXX---", "-O----", "-X----", "------", "------", "------")


@pytest.mark.parametrize("n", SIZES)
def test_the_longest_run(n: int) -> None:
    row = "-" + "O" * (n - 2) + "X"
    board = (row, *["-" * n] * (n - 1))
    for image in symmetries(board):
        (move,) = legal_moves(image, "X")
        assert counts(play(image, "X", move)) == (n, 0, n * n - n)


def test_runs_do_not_wrap_by_hand() -> None:
    board: Board = ("--XO", "----", "OX--", "----")  # a2 would join d1, c1; d2 would join a3, b3
    assert legal_moves(board, "X") == []
    assert legal_moves(board, "O") == [1, 10]


@pytest.mark.parametrize("n", [4, 6, 8, 16])
def test_runs_do_not_wrap_anywhere(n: int) -> None:
    """One white and one black disc, at steps of one and two along the flat board, wrapped or not."""
    for square in range(n * n):
        for step in (1, n - 1, n, n + 1, -1, 1 - n, -n, -n - 1):
            white, black = (square + step) % (n * n), (square + 2 * step) % (n * n)
            pairs = [(square, white), (white, black)]
            near = all(abs(a // n - b // n) <= 1 and abs(a % n - b % n) <= 1 for a, b in pairs)
            board = with_discs(n, {white: "O", black: "X"})
            assert (square in legal_moves(board, "X")) == near, (square, step)


@pytest.mark.parametrize("square", [0, 27, 28, 63, -1, 65, 64])
def test_illegal_moves_at_the_start_are_refused(square: int) -> None:
    with pytest.raises(AssertionError):
        play(start(8), "X", square)


@pytest.mark.parametrize("square", [0, 2])
def test_an_occupied_square_is_refused(square: int) -> None:
    board: Board = ("XOX-", "----", "----", "----")  # both X see a white run closed by a black disc
    with pytest.raises(AssertionError):
        play(board, "X", square)


@pytest.mark.parametrize("square", range(16))
def test_play_accepts_exactly_the_legal_moves(square: int) -> None:
    board = play(start(4), "X", 1)
    if square in legal_moves(board, "O"):
        assert counts(play(board, "O", square))[2] == 10
    else:
        with pytest.raises(AssertionError):
            play(board, "O", square)


def test_the_perfect_game_is_drawn() -> None:
    boards = replay(start(8), "X", squares(PERFECT_GAME))
    assert [is_over(board) for board in boards] == [False] * 60 + [True]
    assert counts(boards[-1]) == (32, 32, 0)
    assert score(boards[-1], "X", "standard", "winner") == 0


# --- passes and ends ---------------------------------------------------------------------------------


def test_forced_pass() -> None:
    board: Board = ("OX--", "----", "----", "----")
    assert legal_moves(board, "X") == [] and legal_moves(board, "O") == [2]
    assert not is_over(board)
    assert play(board, "X", 16) == board
    with pytest.raises(AssertionError):
        play(board, "O", 16)
    assert divide(board, "X", 1) == {16: 1} and divide(board, "X", 2) == {16: 1}
    assert random_game(board, "X", 1, 1) == (("OOO-", "----", "----", "----"), [16, 2])


def test_a_game_is_not_over_while_only_one_side_can_move() -> None:
    assert not is_over(("OX--", "----", "----", "----"))
    assert not is_over(("XO--", "----", "----", "----"))


def test_wipe_out_ends_the_game() -> None:
    boards = replay(start(8), "X", squares(WIPE_OUT))
    assert [is_over(board) for board in boards] == [False] * 9 + [True]
    assert counts(boards[-1]) == (13, 0, 51)
    assert [score(boards[-1], "X", "standard", empties) for empties in ("nobody", "winner")] == [13, 64]
    assert [score(boards[-1], "X", "reversed", empties) for empties in ("nobody", "winner")] == [-13, -64]


@pytest.mark.parametrize("board", [("XX--", "----", "----", "--OO"), ("XOXO",) * 4, ("----",) * 4])
def test_nobody_can_move(board: Board) -> None:
    assert is_over(board)
    for side in "XO":
        assert legal_moves(board, side) == []
        with pytest.raises(AssertionError):
            play(board, side, 16)
        assert [perft(board, side, depth) for depth in range(4)] == [1, 1, 1, 1]
        assert divide(board, side, 3) == {}
        assert random_game(board, side, 5, 6) == (board, [])
        assert solve(board, side, "standard", "winner") == 0


# --- scores ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "nobody", "winner"),
    [
        (("XXXO", "OOOO", "OOOO", "OO--"), -8, -10),
        (("XXXX", "OOO-", "----", "----"), 1, 10),
        (("XXX-", "OOO-", "----", "----"), 0, 0),
        (("OOOO",) * 4, -16, -16),
        (("X---", "----", "----", "----"), 1, 16),
    ],
)
def test_scores(board: Board, nobody: int, winner: int) -> None:
    for empties, margin in [("nobody", nobody), ("winner", winner)]:
        assert score(board, "X", "standard", empties) == margin
        assert score(board, "O", "standard", empties) == -margin
        assert score(board, "X", "reversed", empties) == -margin
        assert score(board, "O", "reversed", empties) == margin


@pytest.mark.parametrize("words", [("-", "standard", "winner"), ("X", "most", "winner"), ("X", "standard", "black")])
def test_score_refuses_unknown_words(words: tuple[str, str, str]) -> None:
    with pytest.raises(AssertionError):
        score(start(4), *words)


def test_counts_are_in_the_order_black_white_empty() -> None:
    assert counts(("XXXO", "OOOO", "OOOO", "OO--")) == (3, 11, 2)


# --- symmetries --------------------------------------------------------------------------------------


def test_the_eight_images_by_hand() -> None:
    board: Board = ("XO--", "-X--", "----", "---O")
    expected: set[Board] = {
        ("XO--", "-X--", "----", "---O"),  # itself
        ("---X", "--XO", "----", "O---"),  # a quarter turn clockwise
        ("O---", "----", "--X-", "--OX"),  # a half turn
        ("---O", "----", "OX--", "X---"),  # a quarter turn counter-clockwise
        ("--OX", "--X-", "----", "O---"),  # left and right exchanged
        ("---O", "----", "-X--", "XO--"),  # top and bottom exchanged
        ("X---", "OX--", "----", "---O"),  # rows and columns exchanged
        ("O---", "----", "--XO", "---X"),  # the same in the other diagonal
    }
    images = symmetries(board)
    assert len(images) == 8 and images[0] == board
    assert set(images) == expected


def test_symmetric_positions_have_equal_perft() -> None:
    board = replay(start(6), "X", squares("e4e3", 6))[-1]
    images = symmetries(board)
    assert len(set(images)) == 8
    assert {perft(image, "X", 4) for image in images} == {perft(board, "X", 4)}
    assert len(set(symmetries(start(6)))) == 2


def test_different_positions_up_to_symmetry_on_8x8() -> None:
    level, side, found = {start(8)}, "X", []
    for _ in range(6):
        after = [play(board, side, move) for board in level for move in legal_moves(board, side)]
        level = {min(symmetries(board)) for board in after}
        side = OTHER[side]
        found.append(len(level))
    assert found == [1, 3, 14, 60, 322, 1773]


# --- counting and solving ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_perft(n: int) -> None:
    board = start(n)
    assert perft(board, "X", 0) == 1
    assert [perft(board, "X", depth + 1) for depth in range(len(PERFT[n]))] == PERFT[n]


@pytest.mark.parametrize(("depth", "leaves"), [(14, 59980), (20, 60060)])
def test_perft_of_4x4_to_the_end(depth: int, leaves: int) -> None:
    assert divide(start(4), "X", depth) == dict.fromkeys([1, 4, 11, 14], leaves // 4)


def test_divide_on_8x8() -> None:
    assert divide(start(8), "X", 1) == dict.fromkeys([19, 26, 37, 44], 1)
    assert divide(start(8), "X", 5) == dict.fromkeys([19, 26, 37, 44], 349)
    after = play(start(8), "X", 19)
    assert divide(after, "O", 1) == dict.fromkeys(squares("c3e3c5"), 1)
    assert sum(divide(after, "O", 4).values()) == perft(after, "O", 4) == 349
    with pytest.raises(AssertionError):
        divide(start(4), "X", 0)


def test_perft_through_a_pass() -> None:
    assert [perft(TWO_AFTER_PASS, "X", depth) for depth in range(5)] == [1, 1, 2, 2, 2]
    assert [perft(TWO_AFTER_PASS, "O", depth) for depth in range(5)] == [1, 2, 2, 2, 2]
    assert divide(TWO_AFTER_PASS, "X", 2) == {16: 2}
    assert divide(TWO_AFTER_PASS, "O", 2) == {2: 1, 10: 1}


@pytest.mark.parametrize(
    ("variant", "empties", "value"),
    [
        ("standard", "nobody", -8),
        ("standard", "winner", -10),
        ("reversed", "nobody", 3),
        ("reversed", "winner", 4),
    ],
)
def test_4x4_is_solved(variant: str, empties: str, value: int) -> None:
    assert solve(start(4), "X", variant, empties) == value


def test_solve_by_hand() -> None:
    assert legal_moves(TWO_WAYS, "X") == [3, 8]
    assert solve(TWO_WAYS, "X", "standard", "nobody") == 7
    assert solve(TWO_WAYS, "X", "standard", "winner") == 16
    assert solve(TWO_WAYS, "X", "reversed", "nobody") == -1
    assert solve(TWO_WAYS, "X", "reversed", "winner") == -10


def test_solve_through_passes() -> None:
    for empties, margin in [("nobody", 6), ("winner", 16)]:
        assert solve(TWO_AFTER_PASS, "X", "standard", empties) == -margin
        assert solve(TWO_AFTER_PASS, "O", "standard", empties) == margin
        assert solve(TWO_AFTER_PASS, "O", "reversed", empties) == -margin


def test_the_end_of_the_perfect_game_is_perfect() -> None:
    boards = replay(start(8), "X", squares(PERFECT_GAME))
    for ply in range(53, 61):
        assert solve(boards[ply], "XO"[ply % 2], "standard", "winner") == 0


# --- random numbers and games ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]),
        (1234567, [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]),
    ],
)
def test_splitmix64_against_published_numbers(seed: int, expected: list[int]) -> None:
    assert list(islice(splitmix64(seed), 4)) == expected


def test_xoroshiro128plus_against_published_numbers() -> None:
    assert list(islice(xoroshiro128plus(1, 2), 10)) == [
        3,
        412333834243,
        2360170716294286339,
        9295852285959843169,
        2797080929874688578,
        6019711933173041966,
        3076529664176959358,
        3521761819100106140,
        7493067640054542992,
        920801338098114767,
    ]


@pytest.mark.parametrize(  # from a separate program in C
    ("seed", "game", "expected"),
    [
        (0, 0, [0x509946A41CD733A3, 0xD805FCAC6824536E, 0xDADC02F3E3CF7BE3, 0x622E4DD99D2720E5]),
        (1234567, 0, [0x8612C09C535D0C2A, 0xAE23EF4292C98064, 0x062393570AC5E1BC, 0xEDB385F191F83898]),
        (2026, 7, [0xFDAF32137513F3AF, 0xD84A81BF274A34C8, 0xBDFA65695689A821, 0xDE9CC50A4CD41C8B]),
        (2**64 - 1, 10**6, [0x95ED3D51AFD789A7, 0x4A297CF2016A62CD, 0xA3727738BBEB7F86, 0x5D4E02C54DCC2134]),
    ],
)
def test_stream(seed: int, game: int, expected: list[int]) -> None:
    assert list(islice(stream(seed, game), 4)) == expected


def test_streams_differ_by_seed_and_by_game() -> None:
    assert len({next(stream(seed, game)) for seed in range(30) for game in range(30)}) == 900


@pytest.mark.parametrize("n", SIZES)
def test_random_games_follow_the_stream(n: int) -> None:
    """The rule of the random game, spelled out once more, passes included."""
    passes = 0
    for game in range(80 // n):
        final, plies = random_game(start(n), "X", n, game)
        numbers, board, side = stream(n, game), start(n), "X"
        for ply in plies:
            r, moves = next(numbers), legal_moves(board, side)
            if moves:
                assert ply == moves[(r >> 32) * len(moves) >> 32]
            else:
                assert ply == n * n
                passes += 1
            assert not is_over(board)
            board, side = play(board, side, ply), OTHER[side]
        assert is_over(board) and board == final
        black, white, empty = counts(final)
        assert black + white == 4 + sum(ply < n * n for ply in plies) == n * n - empty
        assert random_game(start(n), "X", n, game) == (final, plies)
    assert passes > 0


def test_a_forced_pass_draws_a_number() -> None:
    """After Black's pass the second number chooses White's move; without a pass the first one does."""
    differ = 0
    for game in range(40):
        first, second = islice(stream(9, game), 2)
        assert random_game(TWO_AFTER_PASS, "X", 9, game)[1][:2] == [16, [2, 10][second >> 63]]
        assert random_game(TWO_AFTER_PASS, "O", 9, game)[1][0] == [2, 10][first >> 63]
        differ += first >> 63 != second >> 63
    assert 0 < differ < 40


def test_a_random_game_by_hand() -> None:
    """Seed 2026, game 7: the top bytes FD, D8, BD, DE choose the last of 4, 3, 3 and 2 moves, and so on."""
    final, plies = random_game(start(4), "X", 2026, 7)
    assert plies == [14, 15, 11, 13, 0, 2, 1, 7, 3, 4, 8, 16, 12]
    assert final == ("XXXX", "XXXO", "XXOO", "XOOO")


def test_first_random_moves_are_spread_evenly() -> None:
    first = [random_game(start(4), "X", 3, game)[1][0] for game in range(400)]
    assert set(first) == {1, 4, 11, 14}
    assert all(70 <= first.count(move) <= 130 for move in set(first))
