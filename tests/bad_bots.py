"""Ten bots that break what a bot may do, each bounded: a hole in the sandbox costs a test and not the machine.

They are files of TJHSST's tournament server, made for a place and a port: `write_all` writes them.
"""

from pathlib import Path

_FRAME = """
import json, os, signal, socket, sys, time

class Strategy:
    def best_strategy(self, board, player, best_move, still_running):
{body}
"""

BODIES = {
    "hang": """
        began = time.time()
        while time.time() < began + 60:
            pass
    """,
    "crash": """
        os._exit(3)
    """,
    "forker": """
        for _ in range(300):
            if os.fork() == 0:
                os.setsid()
                time.sleep(60)
                os._exit(0)
        time.sleep(60)
    """,
    "memory": """
        taken = []
        for _ in range(60):
            taken.append(bytearray(os.urandom(1 << 10) * (20 << 10)))
        time.sleep(60)
    """,
    "writer": """
        with open({written!r}, "w") as file:
            file.write("here I was")
    """,
    "network": """
        socket.create_connection(("127.0.0.1", {port}), timeout=60).send(b"help me")
    """,
    "flood": """
        for _ in range(2000):
            print("x" * 10_000)
    """,
    "illegal": """
        best_move.value = 0
    """,
    "slow": """
        time.sleep(60)
        best_move.value = board.index(".")
    """,
    "patcher": """
        try:
            os.kill(os.getppid(), signal.SIGKILL)
        except OSError:
            pass
        json.dumps = lambda *_, **__: '{{"won": true}}'
        best_move.value = board.index(".")
    """,
}

REASONS = {
    "hang": ("timeout", "no answer within"),
    "crash": ("crash", "ended with exit code 3"),
    "forker": ("failure", "had more than 16 processes"),
    "memory": ("failure", "used more than 150 MB of memory"),
    "writer": ("crash", "Error: "),
    "network": ("crash", "Error: "),
    "flood": ("failure", "wrote more than 4194304 bytes"),
    "illegal": ("illegal move", "cannot play a1"),
    "slow": ("timeout", "no answer within"),
    "patcher": ("failure", "expected a move"),
}
"""How every one of them loses, and what is said of it."""


def write_all(directory: Path, written: Path, port: int) -> dict[str, Path]:
    """The files of all bad bots by name."""
    found = {}
    for name, body in BODIES.items():
        found[name] = directory / f"{name}.py"
        lines = body.strip("\n").rstrip().format(written=str(written), port=port)
        found[name].write_text(_FRAME.format(body=lines))
    return found
