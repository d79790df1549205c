/**
 * Who moves when: agents think on the server and move by themselves, persons press squares.
 *
 * An agent moves only in the view "play", only when nobody paused, and only at the end of a line: whoever walks back
 * through the game is left in peace, and playing another move there starts a variation which the agent answers.
 * A forced pass of an agent needs no server; it is made after a moment, so that it can be seen and heard.
 */
import { capital, toast } from "./dom.js";
import { server, STOPPED } from "./server.js";
import { secondsLeft } from "./clock.js";
import { table } from "./table.js";

const PASS_PAUSE = 700;
/** An agent's move is not shown sooner than this after the one before, so that eyes can follow what turns. */
const MOVE_PAUSE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 60 : 450;

/** What an agent is doing. @type {{node: object, player: object, stop: () => void} | null} */
let task = null;
let stepping = false;

/** Whether an agent is thinking for the position on screen. */
export const isThinking = () => task !== null;

function agentIsWanted() {
  const { view, mover, tree, paused, node } = table;
  if (view !== "play" || mover.kind !== "agent" || tree.over) return false;
  return stepping || (!paused && node.children.length === 0);
}

function update() {
  if (task && (task.node !== table.node || task.player !== table.mover || !agentIsWanted())) cancel();
  if (!task && agentIsWanted()) begin(table.node);
}

function cancel() {
  task.stop();
  end();
}

/** Nobody thinks any more. */
function end() {
  task = null;
  table.setPreparing(false);
  table.tell("thinking", { side: null });
}

function begin(node) {
  if (node.position.mustPass) return passLater(node);
  if (!server.isOpen) return; // `update` comes again when it is
  const began = performance.now();
  const hear = (reply) => heard(reply, node, began);
  task = { node, player: table.mover, stop: server.stream("think", thinkRequest(node), hear) };
  table.tell("thinking", { side: node.position.turn });
}

function thinkRequest(node) {
  const side = node.position.turn;
  const left = secondsLeft(side);
  const seed = Math.floor(Math.random() * 2 ** 31);
  const request = { game: table.tree.request(node), agent: table.players[side].text, limits: {}, seed };
  return left === null ? request : { ...request, left_seconds: Math.max(left, 0.05) };
}

function heard(reply, node, began) {
  if (reply.kind === "lost") return end(); // `update` comes again with the connection
  if (reply.kind === "error" || reply.kind === "stopped") {
    stepping = false;
    end();
    table.setPaused(true);
    toast(`The agent could not move: ${reply.message ?? STOPPED}`, true);
    return;
  }
  table.setPreparing(reply.kind === "preparing");
  remember(node, reply);
  table.tell("thinking", { side: node.position.turn, reply });
  if (reply.kind === "decision") playLater(node, reply.move, began + MOVE_PAUSE - performance.now());
}

/** Keeps what the agent thinks of the position, for the curves; a forced move needs no thought. */
function remember(node, { kind, value, unit, forced, seen_from: side }) {
  if (kind !== "decision" || forced || typeof value !== "number") return;
  const blacks = unit === "wins" ? 1 - value : -value;
  node.thought = { value: side === "black" ? value : blacks, unit };
}

function passLater(node) {
  toast(`${capital(node.position.turn)} has no legal move and passes.`);
  playLater(node, table.tree.pass, PASS_PAUSE);
}

function playLater(node, move, pause) {
  const timer = setTimeout(
    () => {
      task = null;
      stepping = false;
      table.play(move);
    },
    Math.max(pause, 0),
  );
  task = { node, player: table.mover, stop: () => clearTimeout(timer) };
}

/** Lets the agent to move make one move, also while the game is paused. */
export function step() {
  if (table.mover.kind !== "agent" || table.tree.over) return;
  stepping = true;
  update();
}

/** The position that "undo" leads to: the last one where a person had a choice; one move back without persons. */
export function undoTarget() {
  const { tree, players } = table;
  const parents = [];
  for (let at = tree.current.parent; at; at = at.parent) parents.push(at);
  if (Object.values(players).every((player) => player.kind === "agent")) return parents[0];
  return parents.find(({ position }) => players[position.turn].kind === "person" && !position.mustPass);
}

/** The position that "redo" leads to: the next one where a person had a choice, or the end of the line. */
export function redoTarget() {
  const { tree, players } = table;
  const after = tree.line().slice(tree.current.ply + 1);
  if (Object.values(players).every((player) => player.kind === "agent")) return after[0];
  const isChoice = ({ position }) => players[position.turn].kind === "person" && !position.mustPass;
  return after.find(isChoice) ?? after.at(-1);
}

/** The side that would resign now: the person to move, or the only person. @returns {"black" | "white" | null} */
export function resigningSide() {
  const { players, position } = table;
  if (players[position.turn].kind === "person") return position.turn;
  return ["black", "white"].find((side) => players[side].kind === "person") ?? null;
}

/** Ends the game at the position on screen. */
export function resign(side) {
  table.node.end = { reason: "resigned", loser: side };
  table.tell("cursor");
}

/** Listens to the table and the connection. */
export function keepPlaying() {
  for (const event of ["game", "cursor", "seats", "view"]) table.on(event, update);
  server.addEventListener("open", update);
}
