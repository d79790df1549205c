"""Everybody against everybody: ratings in Elo with 95 % intervals, and who is surely stronger than whom."""

from itertools import pairwise

import outflank

AGENTS = ["random", "greedy", "minimax(depth=2)", "uct(playouts=100)", "heuristic"]

if __name__ == "__main__":
    ratings = outflank.tournament(AGENTS, games=20, rules=outflank.Rules(6))
    print(ratings)
    print()
    for better, worse in pairwise(line.player for line in ratings.lines):
        names = [text.partition("(")[0] for text in (better, worse)]
        print(f"{names[0]} is above {names[1]} with {ratings.above(better, worse):.0%} probability")
