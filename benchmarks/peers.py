"""Measure the public peer libraries that come as packages, on one core.

Run it in an environment with the packages of requirements/peers.in; it needs nothing of Outflank itself.
With --json it prints one object keyed by peer, {"version": ..., "measures": {name: {value, unit, how}}};
a peer that is not installed is {"missing": reason}.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import random
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple

PERFT = (1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288)
MIDGAME = "d3c3f5e3c2d2d1f6b3c5"
WIN = 1 << 20
# The example matrix of rust-reversi's own documentation, symmetric: its upper left quarter.
QUARTER = ((100, -20, 10, 5), (-20, -50, -2, -2), (10, -2, -1, -1), (5, -2, -1, -1))

Measures = dict[str, dict[str, Any]]


class Effort(NamedTuple):
    """How long to measure: the repeats, the seconds each lasts at least, and the sizes of UCT search."""

    repeats: int
    seconds: float
    playouts: tuple[int, ...]


FULL = Effort(5, 1.0, (10_000, 100_000))
QUICK = Effort(2, 0.2, (10_000,))


def one_core() -> None:
    """Keep this process, and the thread pools of what it imports later, to one core."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ["JAX_PLATFORMS"] = "cpu"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def measure(value: float, unit: str, how: str) -> dict[str, Any]:
    """One entry of a peer's measures."""
    return {"value": value, "unit": unit, "how": how}


def best_rate(work: Callable[[], int], effort: Effort) -> float:
    """Units of work per second: the best repeat, each of which calls work until its seconds are over."""
    best = 0.0
    for _ in range(effort.repeats):
        done, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < effort.seconds:
            done += work()
        best = max(best, done / spent)
    return best


def best_time(work: Callable[[], object], effort: Effort) -> float:
    """Seconds that one call takes, the best of the repeats or of as many as the same time allows."""
    times: list[float] = []
    while len(times) < effort.repeats or sum(times) < effort.repeats * effort.seconds:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def perft_measure(perft: Callable[[int], int], how: str, effort: Effort, deepest: int = 9) -> dict[str, Any]:
    """Leaves per second at the first depth that fills one repeat, every count checked on the way."""
    once = effort._replace(repeats=1, seconds=0.0)
    for depth in range(1, deepest + 1):
        leaves = perft(depth)  # also the warm-up: pgx compiles here
        if leaves != PERFT[depth]:
            raise ValueError(f"perft({depth}) gave {leaves}, not {PERFT[depth]}: {how}")
        if best_time(partial(perft, depth), once) > effort.seconds / 3:
            break
    value = best_rate(partial(perft, depth), effort)
    return measure(value, "leaves/s", f"{how}; depth {depth}, {PERFT[depth]} leaves")


def rust_random_game() -> int:
    """One random game by a Python loop; a pass shows as the exception of get_random_move."""
    from rust_reversi import Board

    board = Board()
    do_move, pick, do_pass, is_game_over = (
        board.do_move,
        board.get_random_move,
        board.do_pass,
        board.is_game_over,
    )
    while True:
        try:
            while True:
                do_move(pick())
        except ValueError:
            if is_game_over():
                return 1
            do_pass()


def rust_perft(board: Any, depth: int, bulk: bool) -> int:
    """Leaves below a board; in bulk the last ply is the count of the legal moves."""
    if depth == 0:
        return 1
    if bulk and depth == 1:
        return board.get_legal_moves().bit_count() or 1
    if board.is_pass():
        if board.is_game_over():
            return 1
        board.do_pass()
        return rust_perft(board, depth - 1, bulk)
    children = board.get_child_boards()
    if depth == 1:
        return len(children)
    return sum(rust_perft(child, depth - 1, bulk) for child in children)


def rust_midgame() -> Any:
    """The board of the alpha-beta measures: squares count from a1 = 0, along the rows."""
    from rust_reversi import Board

    board = Board()
    for at in range(0, len(MIDGAME), 2):
        board.do_move("abcdefgh".index(MIDGAME[at]) + 8 * (int(MIDGAME[at + 1]) - 1))
    return board


def rust_alphabeta(effort: Effort) -> Measures:
    """Seconds of full-window alpha-beta for each evaluator, at 10 plies and at 11."""
    from rust_reversi import AlphaBetaSearch, Board, LegalNumEvaluator, MatrixEvaluator, PieceEvaluator

    rows = [[*row, *reversed(row)] for row in QUARTER]
    evaluators = {
        "": (PieceEvaluator(), "PieceEvaluator: own discs - opponent's discs"),
        "_matrix": (
            MatrixEvaluator([*rows, *reversed(rows)]),
            f"MatrixEvaluator: sum of weights, own - opponent's, upper left quarter {QUARTER}, mirrored",
        ),
        "_mobility": (LegalNumEvaluator(), "LegalNumEvaluator: own legal moves only, no difference"),
    }
    # The constructor's depth counts the plies below the root's moves: depth 0 already plays one ply.
    extra = int(AlphaBetaSearch(PieceEvaluator(), 0, WIN).get_search_score(Board()) != 0)
    board, found = rust_midgame(), {}
    for plies in (10, 11):
        for name, (evaluator, words) in evaluators.items():
            search = AlphaBetaSearch(evaluator, plies - extra, WIN)
            how = (
                f"AlphaBetaSearch(evaluator, depth={plies - extra}, win_score={WIN}).get_move, in fact "
                f"{plies} plies (a pass costs no depth), after {MIDGAME}; {words}, of the side to move at "
                f"the leaf; game over is +-win_score or 0; score found {search.get_search_score(board):g}"
            )
            seconds = best_time(partial(search.get_move, board), effort)
            found[f"alphabeta{name}_depth{plies}_s"] = measure(seconds, "s", how)
    return found


def rust_uct(effort: Effort) -> Measures:
    """Playouts per second of MctsSearch, which takes a number of playouts and has no cutoff of its own."""
    from rust_reversi import Board, MctsSearch

    found, board = {}, Board()
    for count in effort.playouts:
        for threshold, name in ((1, "uct"), (10, "uct_expand10")):
            search = MctsSearch(count, 1.0, threshold)
            how = f"MctsSearch(n_playout={count}, c=1.0, expand_threshold={threshold}) from the start"
            seconds = best_time(partial(search.get_move, board), effort)
            found[f"{name}_playouts_per_s_{count}"] = measure(count / seconds, "playouts/s", how)
    return found


def measure_rust_reversi(effort: Effort) -> Measures:
    """rust-reversi: a Rust core; its only native playout is the one inside MctsSearch."""
    from rust_reversi import Board, MctsSearch

    count = 2_000
    rollouts = MctsSearch(count, 1.0, 1 << 40)
    native = best_rate(lambda: count if rollouts.get_move(Board()) >= 0 else 0, effort)
    how = (
        f"native: MctsSearch(n_playout={count}, c=1.0, expand_threshold=2**40), which never grows past "
        "the root, so each game is a random playout after a first move that UCB picks among the four"
    )
    loop = best_rate(rust_random_game, effort)
    return {
        "random_games_per_s": measure(native, "games/s", how),
        "random_games_python_per_s": measure(loop, "games/s", "Python loop over get_random_move and do_move"),
        "perft_leaves_per_s": perft_measure(
            lambda depth: rust_perft(Board(), depth, False), "Python recursion over get_child_boards", effort
        ),
        "perft_bulk_leaves_per_s": perft_measure(
            lambda depth: rust_perft(Board(), depth, True),
            "Python recursion over get_child_boards, the last ply counted from get_legal_moves",
            effort,
        ),
        **rust_uct(effort),
        **rust_alphabeta(effort),
    }


def spiel_random_game(game: Any) -> int:
    """One random game by a Python loop."""
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))
    return 1


def spiel_steps(game: Any) -> int:
    """The moves of one random game, each with the mask of the legal ones, by a Python loop."""
    state, steps = game.new_initial_state(), 0
    while not state.is_terminal():
        state.legal_actions_mask()
        state.apply_action(random.choice(state.legal_actions()))
        steps += 1
    return steps


def spiel_perft(state: Any, depth: int, bulk: bool) -> int:
    """Leaves below a state; a pass is an action like another."""
    if depth == 0 or state.is_terminal():
        return 1
    actions = state.legal_actions()
    if bulk and depth == 1:
        return len(actions)
    return sum(spiel_perft(state.child(action), depth - 1, bulk) for action in actions)


def measure_open_spiel(effort: Effort) -> Measures:
    """OpenSpiel: a C++ core; its rollout evaluator is reached through MCTSBot alone."""
    import pyspiel

    game = pyspiel.load_game("othello")

    def search(simulations: int, rollouts: int) -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=rollouts, seed=1)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 2000, False, 1, False)
        bot.mcts_search(game.new_initial_state())
        return simulations * rollouts

    # The first simulation evaluates the root itself, so with one simulation the rollouts are whole games.
    native = best_rate(lambda: search(1, 500), effort)
    found = {
        "random_games_per_s": measure(
            native,
            "games/s",
            "native: MCTSBot with max_simulations=1, RandomRolloutEvaluator(n_rollouts=500)",
        ),
        "random_games_python_per_s": measure(
            best_rate(lambda: spiel_random_game(game), effort),
            "games/s",
            "Python loop over legal_actions and apply_action",
        ),
        "mask_steps_per_s": measure(
            best_rate(lambda: spiel_steps(game), effort),
            "moves/s",
            "Python loop over legal_actions_mask, legal_actions and apply_action, one game at a time",
        ),
        "perft_leaves_per_s": perft_measure(
            lambda depth: spiel_perft(game.new_initial_state(), depth, False),
            "Python recursion over legal_actions and child",
            effort,
        ),
        "perft_bulk_leaves_per_s": perft_measure(
            lambda depth: spiel_perft(game.new_initial_state(), depth, True),
            "Python recursion over legal_actions and child, the last ply counted from legal_actions",
            effort,
        ),
    }
    for count in effort.playouts:
        repeats = effort._replace(repeats=2 if count > 10_000 else effort.repeats)
        seconds = best_time(partial(search, count, 1), repeats)
        how = (
            f"C++ MCTSBot(uct_c=2.0, max_simulations={count}, max_memory_mb=2000, solve=False) with "
            "RandomRolloutEvaluator(n_rollouts=1), mcts_search from the start"
        )
        found[f"uct_playouts_per_s_{count}"] = measure(count / seconds, "playouts/s", how)
    return found


def pgx_player(env: Any, batch: int) -> Callable[[int], Any]:
    """A compiled function of a seed that plays a batch of random games to their ends, and counts them."""
    import jax
    import jax.numpy as jnp

    step = jax.vmap(env.step)

    def body(carry: tuple[Any, Any]) -> tuple[Any, Any]:
        state, key = carry
        key, sub = jax.random.split(key)
        mask = state.legal_action_mask
        pick = jnp.floor(jax.random.uniform(sub, (batch, 1)) * mask.sum(1, keepdims=True))
        return step(state, jnp.argmax(jnp.cumsum(mask, 1) > pick, 1)), key

    def play(seed: int) -> Any:
        key, sub = jax.random.split(jax.random.PRNGKey(seed))
        state = jax.vmap(env.init)(jax.random.split(sub, batch))
        state, _ = jax.lax.while_loop(lambda carry: ~carry[0].terminated.all(), body, (state, key))
        return state.terminated.sum()

    compiled: Callable[[int], Any] = jax.jit(play)
    return compiled


def pgx_random(env: Any, effort: Effort) -> dict[str, Any]:
    """Random games per second at the best batch size; the first call, which compiles, is not timed."""
    rates: dict[int, float] = {}
    players: dict[int, Callable[[int], Any]] = {}
    seeds = itertools.count()

    def games(batch: int) -> int:
        return int(players[batch](next(seeds)))

    for batch in (16, 64, 256, 1024, 4096):
        players[batch] = pgx_player(env, batch)
        games(batch)
        rates[batch] = best_rate(partial(games, batch), effort._replace(repeats=2))
    batch = max(rates, key=rates.__getitem__)
    value = max(rates[batch], best_rate(partial(games, batch), effort))
    tried = ", ".join(f"{size}: {rate:.0f}" for size, rate in rates.items())
    how = f"jitted while_loop over vmapped step, uniform legal actions, batch {batch} (by batch {tried})"
    return measure(value, "games/s", how)


def pgx_steps(env: Any, effort: Effort) -> dict[str, Any]:
    """Moves per second of a batch whose finished games begin anew, at the best batch size."""
    import jax
    import jax.numpy as jnp
    from pgx.experimental import auto_reset

    step, rounds = jax.vmap(auto_reset(env.step, env.init)), 64
    rates: dict[int, float] = {}
    for batch in (64, 256, 1024, 4096):

        def body(_: int, carry: tuple[Any, Any], batch: int = batch) -> tuple[Any, Any]:
            state, key = carry
            key, pick, renew = jax.random.split(key, 3)
            mask = state.legal_action_mask
            rank = jnp.floor(jax.random.uniform(pick, (batch, 1)) * mask.sum(1, keepdims=True))
            action = jnp.argmax(jnp.cumsum(mask, 1) > rank, 1)
            return step(state, action, jax.random.split(renew, batch)), key

        advance = jax.jit(lambda carry, body=body: jax.lax.fori_loop(0, rounds, body, carry))
        start = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch))
        carry = [advance((start, jax.random.PRNGKey(1)))]

        def steps(batch: int = batch, carry: list[Any] = carry, advance: Any = advance) -> int:
            carry[0] = jax.block_until_ready(advance(carry[0]))
            return batch * rounds

        steps()
        rates[batch] = best_rate(steps, effort._replace(repeats=max(2, effort.repeats // 2)))
    batch = max(rates, key=rates.__getitem__)
    tried = ", ".join(f"{size}: {rate:.0f}" for size, rate in rates.items())
    how = f"jitted fori_loop over vmapped auto_reset(step), uniform legal actions, batch {batch} (by batch {tried})"
    return measure(rates[batch], "moves/s", how)


def pgx_perft(env: Any) -> Callable[[int], int]:
    """Perft level by level, a level one batch: its legal masks give the next level's parents and actions."""
    import jax
    import numpy as np

    root = jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), 1))

    def expand_level(states: Any, parents: Any, actions: Any) -> Any:
        return jax.vmap(env.step)(jax.tree_util.tree_map(lambda part: part[parents], states), actions)

    expand = jax.jit(expand_level)

    def perft(depth: int) -> int:
        states = root
        for _ in range(depth):
            states = expand(states, *np.nonzero(np.asarray(states.legal_action_mask)))
        return len(states.terminated.block_until_ready())

    return perft


def measure_pgx(effort: Effort) -> Measures:
    """pgx: JAX on the processor, compile time left out."""
    import pgx

    env = pgx.make("othello")
    how = "level by level, each level one batch of the jitted vmapped step"  # deeper levels run slower
    return {
        "random_games_per_s": pgx_random(env, effort),
        "batch_steps_per_s": pgx_steps(env, effort),
        "perft_leaves_per_s": perft_measure(pgx_perft(env), how, effort, deepest=7),
    }


def measure_creversi(_effort: Effort) -> Measures:
    """creversi: nothing is measured, as no released package of it builds."""
    raise ImportError("creversi 0.0.1, its only release, is a source package without its C++ headers")


# Each peer: its measuring function, the modules it imports, and the packages whose versions to report.
PEERS: dict[str, tuple[Callable[[Effort], Measures], tuple[str, ...], tuple[str, ...]]] = {
    "rust-reversi": (measure_rust_reversi, ("rust_reversi",), ("rust-reversi",)),
    "open_spiel": (measure_open_spiel, ("pyspiel",), ("open_spiel",)),
    "pgx": (measure_pgx, ("jax", "pgx"), ("pgx", "jax")),
    "creversi": (measure_creversi, (), ()),
}


def report(name: str, effort: Effort) -> dict[str, Any]:
    """What one peer shows, or why it shows nothing."""
    work, modules, packages = PEERS[name]
    try:
        for module in modules:
            importlib.import_module(module)
        measures = work(effort)
    except ImportError as reason:
        return {"missing": str(reason)}
    versions = [version(package) for package in packages]
    extra = [f"{package} {number}" for package, number in zip(packages[1:], versions[1:], strict=True)]
    return {"version": " with ".join([versions[0], *extra]), "measures": measures}


def main() -> None:
    """Measure the peers that were asked for and print what was found."""
    parser = argparse.ArgumentParser(description="Measure the public Reversi libraries on one core.")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument("--quick", action="store_true", help="shorter, and no UCT of 100,000 playouts")
    parser.add_argument("--only", choices=PEERS, help="measure this peer alone")
    options = parser.parse_args()
    one_core()
    effort = QUICK if options.quick else FULL
    found = {name: report(name, effort) for name in ([options.only] if options.only else PEERS)}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, peer in found.items():
        print(name, peer.get("version", f"missing: {peer.get('missing')}"))
        for label, entry in peer.get("measures", {}).items():
            print(f"  {label:36} {entry['value']:>14,.4g} {entry['unit']}")


if __name__ == "__main__":
    main()
