"""A game in the terminal, in colours or without.

`game` is the game on the table: moves with a way back and forth. `seats` says who plays, `screen` how it looks,
`session` whose turn it is to act, `commands` what a person can type. Rules are `Position`'s, thinking is the agents'.
"""
