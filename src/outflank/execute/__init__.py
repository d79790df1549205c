"""Runs keyed tasks: here, in processes of this machine, or on a cluster. Knows no games.

A task is `(key, payload)`; the work is a function named `module:function`, so that every worker imports it for itself
and objects of ours never travel. An executor yields `(key, result)` in any order, each key once. The unfinished tasks
of a worker that dies are run again, one at a time so that the culprit is found; the work can be told, and take care. A
task whose worker died `MAX_DEATHS` times is given up and yields `Lost`. An error that the work raises is no death: it
would be raised again and again, so it ends the run and is raised to the caller.

Tasks go out in batches that take about a fifth of a second, so that short tasks are not eaten by the traffic.
`tasks` has what all executors share, `local` the ones of this machine, `cluster` the one for Dask.
"""

from outflank.execute.local import Here, Processes
from outflank.execute.tasks import MAX_DEATHS, Executor, Job, Lost, Task, TaskFailed, resolve

__all__ = ["MAX_DEATHS", "Executor", "Here", "Job", "Lost", "Processes", "Task", "TaskFailed", "resolve"]
