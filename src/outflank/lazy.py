"""`lazy`: a property that is computed once, without a lock.

`functools.cached_property` of Python 3.11 holds one lock for all objects of a class while it computes, so that threads
wait for each other at every new position, and all of them for one that compiles. What is computed here is the same
each time: two threads that compute it at once do no harm.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):
    """Makes a method a property that is computed when it is first asked for, and kept.

    >>> class Sum:
    ...     @lazy
    ...     def value(self) -> int:
    ...         print("computing")
    ...         return 3
    >>> once = Sum()
    >>> once.value, once.value
    computing
    (3, 3)
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute, self.name, self.__doc__ = compute, compute.__name__, compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "lazy[T]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> "lazy[T] | T":
        """The value; what is kept in the object hides this property from then on."""
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value
