/**
 * The rules of the game, so that the board answers at once and goes on when the server does not.
 *
 * A move puts a disc on an empty square and turns every unbroken run of opposing discs that it closes against a disc
 * of its own colour; it must turn at least one. A side that cannot move passes; when neither can, the game is over and
 * the most discs win, or the fewest in the reversed game. Squares are numbered row by row from a1 = 0; the number after
 * the last square is the pass. The tests compare this file with the Python package, square by square.
 *
 * @typedef {"black" | "white"} Side
 * @typedef {{size: number, variant: string}} Rules
 * @typedef {object} Position
 * @property {string} cells n² characters: X black, O white, - empty
 * @property {Side} turn
 * @property {Map<number, number[]>} legal what each legal square turns; empty in a pass and at the end
 * @property {number} black discs
 * @property {number} white discs
 * @property {boolean} over
 * @property {boolean} mustPass
 * @property {Side | "draw" | null} winner of a finished game
 */

const STEPS = [
  [-1, -1],
  [-1, 0],
  [-1, 1],
  [0, -1],
  [0, 1],
  [1, -1],
  [1, 0],
  [1, 1],
];
const LETTERS = "abcdefghijklmnop";

/** @param {Side} side @returns {Side} */
export const other = (side) => (side === "black" ? "white" : "black");
/** @param {Side} side */
export const sign = (side) => (side === "black" ? "X" : "O");

/** "reversed 6x6" or "reversed-6x6" as rules; null when the text means nothing. @returns {Rules | null} */
export function parseRules(text) {
  const [, variant, size, again] = /^(standard|reversed)[ -](\d+)x(\d+)$/.exec(text) ?? [];
  const valid = size === again && size >= 4 && size <= 16 && size % 2 === 0;
  return valid ? { variant, size: Number(size) } : null;
}

/** @param {Rules} rules */
export const rulesText = (rules) => `${rules.variant} ${rules.size}x${rules.size}`;

/** The name of a square such as d3, or "pass". */
export function squareName(move, size) {
  return move === size * size ? "pass" : `${LETTERS[move % size]}${Math.floor(move / size) + 1}`;
}

/** The moves written in a transcript such as f5d6pa; text that is no move is passed over. @returns {number[]} */
export function parseMoves(text, size) {
  const names = text.toLowerCase().match(/pa|[a-p]\d{1,2}/g) ?? [];
  return names.map((name) =>
    name === "pa" ? size * size : (Number(name.slice(1)) - 1) * size + LETTERS.indexOf(name[0]),
  );
}

/** Moves as a transcript with passes written, so that it needs no rules to be read. */
export const transcript = (moves, size) =>
  moves.map((move) => (move === size * size ? "pa" : squareName(move, size))).join("");

/** The position before the first move: n² squares, a blank and the side to move, or the usual start for null. */
export function startPosition(rules, line) {
  const [cells, side] = (line ?? usualLine(rules.size)).split(" ");
  return positionOf(rules, cells, side === "O" ? "white" : "black");
}

/** The usual start as a line: white on the falling diagonal of the centre, black to move. */
export function usualLine(size) {
  const cells = Array(size * size).fill("-");
  const corner = (size / 2 - 1) * (size + 1);
  cells[corner] = cells[corner + size + 1] = "O";
  cells[corner + 1] = cells[corner + size] = "X";
  return `${cells.join("")} X`;
}

/** A position with everything the board shows of it. @param {Rules} rules @returns {Position} */
export function positionOf(rules, cells, turn) {
  const legal = legalMoves(cells, turn, rules.size);
  const stuck = legal.size === 0;
  const over = stuck && legalMoves(cells, other(turn), rules.size).size === 0;
  const black = count(cells, "X");
  const white = count(cells, "O");
  const winner = over ? winnerOf(rules, black - white) : null;
  return { cells, turn, legal, black, white, over, mustPass: stuck && !over, winner };
}

function winnerOf(rules, margin) {
  if (margin === 0) return "draw";
  return margin > 0 === (rules.variant === "standard") ? "black" : "white";
}

const count = (cells, wanted) => [...cells].filter((cell) => cell === wanted).length;

function legalMoves(cells, turn, size) {
  const legal = new Map();
  for (let square = 0; square < cells.length; square++) {
    const flips = cells[square] === "-" ? flipsOf(cells, turn, size, square) : [];
    if (flips.length) legal.set(square, flips);
  }
  return legal;
}

function flipsOf(cells, turn, size, square) {
  return STEPS.flatMap(([down, right]) => runTowards(cells, turn, size, square, down, right));
}

/** The opposing discs from a square in one direction up to the first disc of the side to move; none without it. */
function runTowards(cells, turn, size, square, down, right) {
  const run = [];
  let row = Math.floor(square / size) + down;
  let column = (square % size) + right;
  for (; row >= 0 && row < size && column >= 0 && column < size; row += down, column += right) {
    const cell = cells[row * size + column];
    if (cell === "-") return [];
    if (cell === sign(turn)) return run;
    run.push(row * size + column);
  }
  return [];
}

/** The position after a legal move; null for any other. @param {Position} position @returns {Position | null} */
export function play(rules, position, move) {
  if (move === rules.size * rules.size) {
    return position.mustPass ? positionOf(rules, position.cells, other(position.turn)) : null;
  }
  const flips = position.legal.get(move);
  if (!flips) return null;
  const cells = [...position.cells];
  for (const square of [move, ...flips]) cells[square] = sign(position.turn);
  return positionOf(rules, cells.join(""), other(position.turn));
}

/** Where symmetry `number` (0 to 7) takes a square: bit 0 mirrors columns, bit 1 rows, bit 2 swaps them. */
export function image(square, size, number) {
  if (square === size * size) return square;
  const row = Math.floor(square / size);
  const column = square % size;
  const y = number & 2 ? size - 1 - row : row;
  const x = number & 1 ? size - 1 - column : column;
  return number & 4 ? x * size + y : y * size + x;
}
