"""What this machine does: kernels, searches and start times, games of the arena, stores of a million games."""

from outflank.benchmark.machine import cpu_name, measure, own_moves, table

__all__ = ["cpu_name", "measure", "own_moves", "table"]
