"""A bot as Botzone's page on Reversi describes it; with an argument it asks to be kept running."""

import json
import sys

STEPS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]


class Board:
    def __init__(self):
        self.at = [[0] * 8 for _ in range(8)]
        self.at[3][4] = self.at[4][3] = 1
        self.at[3][3] = self.at[4][4] = -1

    def place(self, x, y, color, check=False):
        if x < 0 or self.at[x][y]:
            return False
        found = []
        for a, b in STEPS:
            i, j, line = x + a, y + b, []
            while 0 <= i < 8 and 0 <= j < 8 and self.at[i][j] == -color:
                line.append((i, j))
                i, j = i + a, j + b
            if line and 0 <= i < 8 and 0 <= j < 8 and self.at[i][j] == color:
                found += line
        if found and not check:
            for i, j in [*found, (x, y)]:
                self.at[i][j] = color
        return bool(found)

    def choose(self, color):
        legal = [(x, y) for x in range(8) for y in range(8) if self.place(x, y, color, check=True)]
        return max(legal, key=lambda p: ((p[0] in (0, 7)) + (p[1] in (0, 7)), p)) if legal else (-1, -1)


def say(x, y, **more):
    print(json.dumps({"response": {"x": x, "y": y}, **more}))


full = json.loads(input())
board = Board()
color = 1 if full["requests"][0]["x"] < 0 else -1
for turn, request in enumerate(full["requests"]):
    board.place(request["x"], request["y"], -color)
    if turn < len(full["responses"]):
        board.place(full["responses"][turn]["x"], full["responses"][turn]["y"], color)
x, y = board.choose(color)
board.place(x, y, color)
asked = int(full.get("data", "0")) + 1
say(x, y, data=str(asked), debug="asked %d times" % asked)
while len(sys.argv) > 1:
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
    request = json.loads(input())
    board.place(request["x"], request["y"], -color)
    x, y = board.choose(color)
    board.place(x, y, color)
    say(x, y)
