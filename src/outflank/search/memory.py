"""Memory that people ask for by an option: refused in words where the machine has less."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from outflank.errors import BadSpec

MOST_MEGABYTES = 1 << 16
"""No search can use more: nodes of a tree are counted in 32 bits."""


def machine_megabytes() -> float:
    """The memory of this machine; infinite where it is not told.

    >>> machine_megabytes() > 100
    True
    """
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (AttributeError, OSError, ValueError):
        return float("inf")


@contextmanager
def memory_for(option: str, megabytes: float) -> Iterator[None]:
    """Takes so much memory inside; BadSpec where the machine has less, or does not give it.

    >>> with memory_for("hash_mb", 1e9):
    ...     pass
    Traceback (most recent call last):
    outflank.errors.BadSpec: hash_mb=1000000000 is more than the ... megabytes of this machine; expected less
    """
    most = machine_megabytes()
    if megabytes > most:
        raise BadSpec(f"{option}={megabytes:.10g} is more than the {most:.0f} megabytes of this machine; expected less")
    try:
        yield
    except MemoryError:
        raise BadSpec(f"{option}={megabytes:.10g} megabytes are not free on this machine; expected less") from None
