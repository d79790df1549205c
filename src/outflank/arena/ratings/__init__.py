"""Ratings of many players from all games among them: Bradley & Terry's model, in Elo with 95 % intervals.

Elo = θ·400/ln 10. Newton's method finds the maximum of the likelihood in a handful of steps of some milliseconds. A GLM
of statsmodels gives the same to nine digits, but takes 2 s to import and 150 MB with pandas; choix gives no intervals.

`counts` reduces games to counts, `connection` says who can be compared, `fit` finds the strengths, `intervals` how sure
they are, `table` shows them; `rate` in `bradley_terry` does all of it. Where somebody would be infinitely strong, every
pairing that only one side took points from gets `pseudo_draws`.
"""

from outflank.arena.ratings.bradley_terry import rate
from outflank.arena.ratings.counts import CrossTable, ResultCounts, collect, cross_table, tallies
from outflank.arena.ratings.table import Rating, Ratings

__all__ = ["CrossTable", "Rating", "Ratings", "ResultCounts", "collect", "cross_table", "rate", "tallies"]
