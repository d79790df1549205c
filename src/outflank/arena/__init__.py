"""Matches and tournaments: schedules, games on many workers, results that survive, and what they prove."""
