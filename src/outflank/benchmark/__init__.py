"""What this machine does: kernels, searches and start times, games of the arena, stores of a million games."""

from outflank.benchmark.machine import measure, own_moves, table

__all__ = ["measure", "own_moves", "table"]
