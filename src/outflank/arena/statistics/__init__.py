"""What one match says: score, Elo and normalised Elo with 95 % intervals, and the sequential test. All of A against B.

The unit is the *pair*: two games from one opening with colours swapped. An opening that favours a side gives each
player one easy game, so the two results lean against each other, and intervals from single games come out too wide.
The points of a pair, halved, are one of 0, ¼, ½, ¾, 1; their five counts are called pentanomial. The functions take
`Counts`, worst result first: five of pairs, or three of games (losses, draws, wins) where there are no pairs.

`pairs` counts, `estimates` gives numbers with intervals, `elo_scale` turns scores into Elo, `sprt` decides. Studies
have numbers of their own beside printed ones: `measured` makes them, `comparisons` gives verdicts by one rule.
"""
