/** Pictures of a game to share, drawn here: the board as PNG, the whole game as a GIF that moves. */

const CELL = 44; // pixels of a square
const ROOM = 24; // for letters and numbers
const EDGE = 4;
const COLOURS = {
  page: "#f4f3ee",
  ink: "#4a524e",
  edge: "#174f39",
  felt: "#2c8a62",
  line: "#1b6145",
  black: "#16191a",
  white: "#f7f5ef",
  mark: "#ffc53d",
};
const MOVE_TIME = 70; // hundredths of a second
const LAST_TIME = 400;

const sideOf = (size) => ROOM + 2 * EDGE + size * CELL + EDGE;
const cornerOf = (index) => ROOM + EDGE + index * CELL;

function disc(context, size, square, colour) {
  const [x, y] = [cornerOf(square % size), cornerOf(Math.floor(square / size))];
  context.fillStyle = COLOURS[colour];
  context.beginPath();
  context.arc(x + CELL / 2, y + CELL / 2, CELL * 0.41, 0, 2 * Math.PI);
  context.fill();
}

/** Draws a position. @param {number | null} last the square of the last move */
function draw(context, { cells }, size, last) {
  const side = sideOf(size);
  const board = size * CELL;
  context.fillStyle = COLOURS.page;
  context.fillRect(0, 0, side, side);
  context.fillStyle = COLOURS.edge;
  context.fillRect(ROOM, ROOM, board + 2 * EDGE, board + 2 * EDGE);
  context.fillStyle = COLOURS.felt;
  context.fillRect(cornerOf(0), cornerOf(0), board, board);
  context.fillStyle = COLOURS.line;
  for (let i = 1; i < size; i++) {
    context.fillRect(cornerOf(i) - 1, cornerOf(0), 1, board);
    context.fillRect(cornerOf(0), cornerOf(i) - 1, board, 1);
  }
  context.fillStyle = COLOURS.ink;
  context.font = `${ROOM * 0.55}px sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let i = 0; i < size; i++) {
    context.fillText("abcdefghijklmnop"[i], cornerOf(i) + CELL / 2, ROOM / 2);
    context.fillText(String(i + 1), ROOM / 2, cornerOf(i) + CELL / 2);
  }
  [...cells].forEach((cell, square) => {
    if (cell !== "-") disc(context, size, square, cell === "X" ? "black" : "white");
  });
  if (last === null || last >= size * size) return;
  const [x, y] = [cornerOf(last % size), cornerOf(Math.floor(last / size))];
  context.fillStyle = COLOURS.mark;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + CELL / 4, y);
  context.lineTo(x, y + CELL / 4);
  context.fill();
}

function canvasFor(size) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = sideOf(size);
  return canvas;
}

/** The position of a node as a PNG. @returns {Promise<Blob>} */
export function png({ position, move }, size) {
  const canvas = canvasFor(size);
  draw(canvas.getContext("2d"), position, size, move);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** The game as a GIF, a frame for every position. @param {import("./tree.js").Node[]} line @returns {Blob} */
export function gif(line, size) {
  const canvas = canvasFor(size);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const palette = paletteOf();
  const bytes = [..."GIF89a"].map((letter) => letter.charCodeAt(0));
  const word = (number) => bytes.push(number & 255, number >> 8);
  word(canvas.width);
  word(canvas.height);
  bytes.push(0x80 | (BITS - 1), 0, 0, ...palette.flat());
  bytes.push(0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((letter) => letter.charCodeAt(0)), 3, 1, 0, 0, 0); // for ever
  line.forEach(({ position, move }, i) => {
    draw(context, position, size, move);
    const { x, y, width, height } = i ? changed(line[i - 1], line[i], size) : whole(canvas);
    const pixels = context.getImageData(x, y, width, height).data;
    bytes.push(0x21, 0xf9, 4, 4);
    word(i === line.length - 1 ? LAST_TIME : MOVE_TIME);
    bytes.push(0, 0, 0x2c);
    for (const number of [x, y, width, height]) word(number);
    bytes.push(0);
    compress(indices(pixels, palette), bytes);
  });
  bytes.push(0x3b);
  return new Blob([new Uint8Array(bytes)], { type: "image/gif" });
}

const whole = ({ width, height }) => ({ x: 0, y: 0, width, height });

/** The part of the picture that differs between a position and the one before it: discs, and the mark of the move. */
function changed(before, after, size) {
  const squares = [...after.position.cells].flatMap((cell, i) => (cell === before.position.cells[i] ? [] : [i]));
  squares.push(...[before.move, after.move].filter((move) => move !== null && move < size * size));
  if (!squares.length) squares.push(0);
  const columns = squares.map((square) => square % size);
  const rows = squares.map((square) => Math.floor(square / size));
  const [left, top] = [Math.min(...columns), Math.min(...rows)];
  return {
    x: cornerOf(left),
    y: cornerOf(top),
    width: (Math.max(...columns) - left + 1) * CELL,
    height: (Math.max(...rows) - top + 1) * CELL,
  };
}

const BITS = 6; // 64 colours
const STEPS = 8;

/** The colours of a board and what lies between those that meet, for smooth edges. @returns {number[][]} */
function paletteOf() {
  const rgb = (name) => [1, 3, 5].map((at) => Number.parseInt(COLOURS[name].slice(at, at + 2), 16));
  const between = ([one, other]) =>
    Array.from({ length: STEPS }, (_, i) =>
      rgb(one).map((part, at) => Math.round(part + ((rgb(other)[at] - part) * (i + 1)) / (STEPS + 1))),
    );
  const meet = [
    ["felt", "black"],
    ["felt", "white"],
    ["page", "ink"],
    ["felt", "mark"],
    ["line", "black"],
    ["line", "white"],
  ];
  return [...Object.keys(COLOURS).map(rgb), ...meet.flatMap(between)].concat(
    Array.from({ length: 2 ** BITS - Object.keys(COLOURS).length - meet.length * STEPS }, () => [0, 0, 0]),
  );
}

/** Pixels as numbers of the nearest colours. */
function indices(pixels, palette) {
  const known = new Map();
  const nearest = (red, green, blue) => {
    const distances = palette.map(([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2);
    return distances.indexOf(Math.min(...distances));
  };
  return Uint8Array.from({ length: pixels.length / 4 }, (_, i) => {
    const [red, green, blue] = pixels.subarray(4 * i, 4 * i + 3);
    const key = (red << 16) | (green << 8) | blue;
    if (!known.has(key)) known.set(key, nearest(red, green, blue));
    return known.get(key);
  });
}

/** Packs numbers below 2^BITS as GIF wants them: codes for runs seen before (LZW), in blocks of at most 255 bytes. */
function compress(numbers, bytes) {
  const clear = 2 ** BITS;
  const packed = [];
  let [held, heldBits, width, next] = [0, 0, BITS + 1, clear + 2];
  let codes = new Map();
  const emit = (code) => {
    held |= code << heldBits;
    for (heldBits += width; heldBits >= 8; heldBits -= 8, held >>>= 8) packed.push(held & 255);
  };
  emit(clear);
  let run = numbers[0];
  for (const number of numbers.subarray(1)) {
    const longer = (run << 8) | number;
    if (codes.has(longer)) {
      run = codes.get(longer);
      continue;
    }
    emit(run);
    run = number;
    if (next === 4096) {
      emit(clear);
      [codes, width, next] = [new Map(), BITS + 1, clear + 2];
      continue;
    }
    if (next >= 2 ** width) width += 1;
    codes.set(longer, next++);
  }
  emit(run);
  emit(clear + 1);
  if (heldBits) packed.push(held & 255);
  bytes.push(BITS);
  for (let at = 0; at < packed.length; at += 255) {
    const block = packed.slice(at, at + 255);
    bytes.push(block.length, ...block);
  }
  bytes.push(0);
}
