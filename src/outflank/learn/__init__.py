"""Learners: game files of self-play, positions with labels, regression of pattern weights."""
