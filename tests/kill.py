"""Kills a match with kill -9 at random moments, parent or worker, and resumes it each time; run by `make kill`.

At the end the table must be that of an undisturbed match, with no game lost and none twice.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from test_arena import exported

MATCH = ["match", "random", "uct(playouts=20)", "--quiet", "--json", "--workers", "2"]


def outflank(store: Path, games: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "outflank", *MATCH, "--games", str(games), "--store", str(store)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def workers_of(parent: int) -> list[int]:
    """The processes whose parent is `parent`."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(status.parent.name))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--games", type=int, default=6000)
    args = parser.parse_args()
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as directory:
        quiet, killed = Path(directory) / "quiet.db", Path(directory) / "killed.db"
        kills = {"parent": 0, "worker": 0}
        while sum(kills.values()) < args.kills:
            with outflank(killed, args.games) as process:
                time.sleep(rng.uniform(1.4, 2.8))  # a second or so to start, then somewhere in the games
                victims = workers_of(process.pid)
                while victims and rng.random() < 0.5 and sum(kills.values()) < args.kills - 1:
                    os.kill(rng.choice(victims), signal.SIGKILL)
                    kills["worker"] += 1
                    time.sleep(rng.uniform(0.1, 0.6))
                    victims = workers_of(process.pid)
                if process.poll() is not None:
                    raise SystemExit(f"the match ended after {kills}: more --games are needed")
                process.kill()
                kills["parent"] += 1
        found = json.loads(outflank(killed, args.games).communicate()[0])
        expected = json.loads(outflank(quiet, args.games).communicate()[0])
        same = found == expected and exported(killed) == exported(quiet)
        sys.stdout.write(f"{kills}, {found['games']} games, the same table and log: {same}\n")
        raise SystemExit(not same)


if __name__ == "__main__":
    main()
