"""Inputs chosen by what they reach: atheris, libFuzzer for Python, where it is installed (`pip install atheris`)."""

import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import outflank.kernels


def search(names: Sequence[str], seconds: float) -> int:
    """Lets atheris search one target after the other, in a process each; 1 where something broke, 2 without it."""
    if find_spec("atheris") is None:
        sys.stderr.write("fuzz: atheris is not installed, so nothing is guided by coverage: pip install atheris\n")
        return 2
    share = max(1, int(seconds / len(names)))
    commands = [[sys.executable, "-m", "fuzz.coverage", name, str(share)] for name in names]
    return int(any(subprocess.run(command).returncode for command in commands))


def main(name: str, seconds: str) -> None:
    """Searches one target; a text that breaks it is written to the present directory."""
    import atheris

    for kernels in pkgutil.iter_modules(outflank.kernels.__path__, "outflank.kernels."):
        import_module(kernels.name)  # as they are: numba cannot read what atheris makes of them
    with atheris.instrument_imports(include=["outflank"]):
        from fuzz.targets import TARGETS, kept
        from outflank.errors import OutflankError
    target = TARGETS[name]

    def once(data: bytes) -> None:
        try:
            target.read(data.decode("utf-8", "replace"))
        except OutflankError:
            pass

    with tempfile.TemporaryDirectory() as directory:
        for number, example in enumerate([*target.examples(), *kept(name)]):
            Path(directory, str(number)).write_text(example, encoding="utf-8", errors="replace")
        options = [f"-max_total_time={seconds}", "-timeout=10", "-max_len=2000", "-print_final_stats=1"]
        atheris.Setup([name, directory, *options], once)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
