// A bot of the interface stdio in JavaScript: takes a corner if it can, else the move that turns most discs (fewest when
// reversed).
//
//     outflank match 'stdio(cmd="node examples/bots/greedy.js")' random --games 20

const readline = require("readline");

function turned(board, size, me, row, column) {
  if (board[row * size + column] !== "-") return 0;
  const at = (r, c) => (r >= 0 && r < size && c >= 0 && c < size ? board[r * size + c] : "-");
  let total = 0;
  for (const down of [-1, 0, 1]) {
    for (const right of [-1, 0, 1]) {
      if (!down && !right) continue;
      let r = row + down;
      let c = column + right;
      let run = 0;
      while (at(r, c) !== "-" && at(r, c) !== me) {
        r += down;
        c += right;
        run += 1;
      }
      if (run && at(r, c) === me) total += run;
    }
  }
  return total;
}

function choose(board, me, reverse) {
  const size = Math.round(Math.sqrt(board.length));
  let best = null;
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const discs = turned(board, size, me, row, column);
      if (!discs) continue;
      const worth = discs + (row % (size - 1) === 0 && column % (size - 1) === 0 ? 100 : 0);
      const value = reverse ? -worth : worth;
      if (best === null || value > best.value) {
        best = { value, square: String.fromCharCode(97 + column) + (row + 1) };
      }
    }
  }
  return best.square;
}

let me = "X";
let reverse = false;
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, ...rest] = line.trim().split(/\s+/);
  if (word === "game") {
    reverse = rest[0] === "reversed";
    me = rest[2];
  } else if (word === "move") {
    console.log(choose(rest[0], me, reverse));
  }
});
