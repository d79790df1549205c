"""Every compiled function of Outflank, and nothing else.

Kernels know integers and arrays. A board is a tuple of 64-bit words, from the view of the side to move:
`me`, `opp` and `full`, the mask of squares that exist. Colours, names and errors live above.

| module | what it holds |
|---|---|
| `jit` | the numba policy: decorator, disk cache, what the CPU offers, how much has been compiled |
| `native` | machine instructions that Python cannot say, as LLVM code |
| `bitboard` | boards as words: counting, picking, legal moves, flips; the only module that knows the layout |
| `rules` | playing and counting: the one make-move (`after`), `PASS`, final difference, perft |
| `playout` | the random generator and random games, one at a time or side by side |
| `policy` | playouts by policy: heuristic, weighted, cut off by an evaluation |
| `evaluate` | evaluations: a weighted sum of terms by phase |
| `plug` | the one plug for code of a person's own |
| `table` | the transposition table: hash, entries, check words |
| `batch` | many games side by side in arrays: steps, masks, planes, symmetries |
| `lanes` | quick games of self-play by patterns, one source for CPU and GPU |
| `cuda` | those games and the training of patterns on a GPU |
| `sliced` | random games, 32 of them in every word |
| `games_cuda` | those games and playouts of all policies on a GPU |
| `batch_cuda` | the games of `batch` on a GPU |
| `alphabeta` | minimax to a fixed depth, resumable at any node |
| `uct` | tree search by playouts |
| `leaves` | its leaves in batches, for whoever plays them out |
| `shallow` | the last squares of an exact endgame, without a table |
| `near_end` | exact search of the last dozen squares, with a small table |
| `outlook` | stable discs, and a rough worth of positions of boards without trained patterns |
"""
