/**
 * Clocks. Every position keeps the seconds that both sides had left when it arose, so taking a move back gives them
 * back.
 *
 * The clock of the side to move runs in the view "play" at the end of a line, from the first move on, unless the game
 * is paused. Time spent on a position is booked on it when the clock stops. What an agent needs to be compiled is not
 * its time: its clock begins when it begins to think. Neither is a lost connection: its clock then goes back to what it
 * was before this move, because it thinks anew.
 */
import { server } from "./server.js";
import { table } from "./table.js";

const LOOK_EVERY = 200; // milliseconds

/** The clock that runs now. @type {{node: any, since: number} | null} */
let running = null;

function shouldRun() {
  const { clock, view, paused, preparing, tree, node, mover } = table;
  return (
    Boolean(clock && node.left) &&
    view === "play" &&
    !paused &&
    !preparing &&
    (mover.kind === "person" || server.isOpen) &&
    !tree.over &&
    node.ply > 0 &&
    node.children.length === 0
  );
}

/** Books the time since the clock was started and stops it. */
export function settle() {
  if (!running) return;
  const { node, since } = running;
  node.left[node.position.turn] -= (performance.now() - since) / 1000;
  running = null;
}

function moved({ played, from, isNew }) {
  settle();
  if (table.clock && played && isNew && from.left) {
    const side = from.position.turn;
    table.node.left = { ...from.left, [side]: from.left[side] + (from.ply > 0 ? table.clock.increment : 0) };
  }
  restart();
}

function restart() {
  settle();
  if (shouldRun()) running = { node: table.node, since: performance.now() };
}

function prepared() {
  if (table.preparing) running = null; // without booking what has passed
  restart();
}

function disconnected() {
  if (table.mover.kind === "agent") running = null; // without booking what has passed
  restart();
}

/** Seconds that a side has left in the position on screen, null without a clock. @returns {number | null} */
export function secondsLeft(side) {
  const { node, clock } = table;
  if (!clock || !node.left) return null;
  const spent = running?.node === node && node.position.turn === side ? (performance.now() - running.since) / 1000 : 0;
  return Math.max(node.left[side] - spent, 0);
}

function look() {
  if (!running) return;
  const side = running.node.position.turn;
  if (secondsLeft(side) > 0) return table.tell("tick");
  settle();
  table.node.end = { reason: "time", loser: side };
  table.tell("cursor");
}

/** 75.3 → "1:15", 8.25 → "0:08.2". */
export function clockText(seconds) {
  const tenths = seconds < 10 ? `.${Math.floor(seconds * 10) % 10}` : "";
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}${tenths}`;
}

/** Listens to the table. Must be called before `keepPlaying`, so that an agent is told the right time. */
export function keepTime() {
  table.on("cursor", moved);
  table.on("preparing", prepared);
  server.addEventListener("open", restart);
  server.addEventListener("closed", disconnected);
  for (const event of ["game", "seats", "view"]) table.on(event, restart);
  setInterval(look, LOOK_EVERY);
}
