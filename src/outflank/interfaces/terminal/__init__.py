"""A game in the terminal, in colours or without.

`board` is the game and a place in it, with a way back and forth. `seats` says who plays, `screen` how it looks,
`session` whose turn it is to act, `commands` what a person can type. Rules are `Position`'s, thinking is the agents'.
"""
