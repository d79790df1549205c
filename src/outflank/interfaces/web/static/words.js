/** The sentences of the page about the game: what is going on, what was played, who has won. */
import { capital, plural } from "./dom.js";
import { other, squareName } from "./rules.js";
import { isThinking } from "./match.js";
import { table } from "./table.js";

/** What is said while code is compiled. */
export const PREPARING = "preparing (first time only)";

/** The same with what is compiled and how far it is; nothing for another reply. */
export const preparingText = ({ kind, what, done, total }) =>
  kind === "preparing" ? `${capital(PREPARING)}: ${what}${total > 1 ? `, ${done} of ${total}` : ""}.` : "";

/** What a player is called. @param {import("./table.js").Player} player */
export const playerName = (player) => player.name ?? "Person";

/** The result of the game at the position on screen; null while it goes on. */
export function result() {
  const { position, node } = table;
  if (node.end) {
    const reason = node.end.reason === "time" ? "ran out of time" : "resigned";
    return { title: `${capital(other(node.end.loser))} wins`, more: `${capital(node.end.loser)} ${reason}.` };
  }
  if (!position.over) return null;
  if (position.winner === "draw") return { title: "A draw", more: `Both have ${plural(position.black, "disc")}.` };
  const mine = position[position.winner];
  const theirs = position[other(position.winner)];
  return { title: `${capital(position.winner)} wins ${mine} to ${theirs}`, more: "Neither side can move any more." };
}

/** The rules of the game on the table: "Reversed 6 × 6, fewest discs win". */
export function rulesLine() {
  const { size, variant } = table.tree.rules;
  return `${capital(variant)} ${size} × ${size}, ${variant === "reversed" ? "fewest" : "most"} discs win`;
}

/** How far it was looked ahead, and how surely nothing was overlooked: "18 at 73 %"; nothing without a depth. */
export const depthText = ({ depth, confidence }) =>
  !depth ? "" : confidence < 100 ? `${depth} at ${confidence}\u00a0%` : String(depth);

/** A value with its unit where the text has none: "−1.3 points". */
export const withUnit = ({ value_text: text, unit }) =>
  unit === "points" && text ? `${minus(text)} points` : minus(text);

/** A value without a unit that is told elsewhere: "−6 discs, exact" → "−6 exact". */
export const withoutUnit = (text) => minus(text).replace(/ discs?,?/, "");

/** The same text with a real minus sign. */
const minus = (text) => text.replace(/^-/, "−");

/** Title and explanation of the position on screen. */
export function status() {
  const side = capital(table.position.turn);
  const ended = result();
  if (ended) return ended;
  if (table.position.mustPass) return { title: `${side} must pass`, more: passText(side) };
  return { title: `${side} to move`, more: moveText() };
}

function passText(side) {
  const byHand = table.view !== "play" || table.mover.kind === "person";
  return `${side} has no legal move.${byHand ? " Press “Pass” to go on." : ""}`;
}

/** Whether a side has just passed. */
export const hasPassed = (side) => table.node.move === table.tree.pass && table.node.parent.position.turn === side;

function moveText() {
  const passed = hasPassed(other(table.position.turn));
  return `${passed ? `${capital(other(table.position.turn))} had no legal move and passed. ` : ""}${moveWords()}`;
}

function moveWords() {
  const { view, mover, position, paused, node } = table;
  const legal = plural(position.legal.size, "legal move");
  if (view !== "play") return `${capital(legal)}. Another move than before makes a variation.`;
  if (mover.kind === "person") return `${legal}, marked by rings. Point at one to see what it turns.`;
  if (paused) return "Paused. “Go on” lets the game run, “Step” makes one move.";
  if (node.children.length)
    return "You are looking back at a finished move. “Redo” leads on, “Undo” further back.";
  if (!isThinking()) return `${mover.name} waits for the connection and moves as soon as it is back.`;
  return `${mover.name} is ${table.preparing ? PREPARING : "thinking"}.`;
}

/** What was just played, for people who listen. */
export function moveSpoken(from) {
  const { node, tree, position } = table;
  const side = capital(from.position.turn);
  const flips = from.position.legal.get(node.move);
  const what = flips
    ? `${side} plays ${squareName(node.move, tree.rules.size)} and turns ${plural(flips.length, "disc")}.`
    : `${side} passes.`;
  return `${what} Black ${position.black}, white ${position.white}. ${status().title}.`;
}

/** Where in the game the screen is. */
export function placeSpoken() {
  const { node, tree } = table;
  return node.ply
    ? `Move ${node.ply}, ${squareName(node.move, tree.rules.size)}. ${status().title}.`
    : `Start. ${status().title}.`;
}

/** Squares as names: "d3 c5 f6". */
export const lineText = (moves) => moves.map((move) => squareName(move, table.tree.rules.size)).join(" ");

/** A number with its sign: "+6", "−2.5", "0". */
export function signed(value) {
  const rounded = Math.round(value * 10) / 10;
  return rounded > 0 ? `+${rounded}` : String(rounded).replace("-", "−");
}

/** A value's text cut to a square: "+6 discs, exact" → "+6", "57 % wins" → "57%"; a decimal where there is room. */
export function squareText(text) {
  const [, sign, number, percent] = /^([+-]?)([\d.]+)\s*(%?)/.exec(text) ?? [];
  if (number === undefined) return /win|draw|loss/.exec(text)?.[0] ?? "";
  const digits = number < 10 && table.tree.rules.size <= 10 ? number : String(Math.round(number));
  return `${minus(sign)}${digits}${percent}`;
}
